-- Names stand here, outside the log, so that they can be erased; events know player ids only.
CREATE TABLE people (
    player_id  uuid PRIMARY KEY,
    name       text NOT NULL,
    skeleton   text NOT NULL CONSTRAINT people_skeleton_key UNIQUE,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
