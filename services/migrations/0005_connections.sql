-- The last heartbeat of each player at each table: no event, and not even a log entry of PostgreSQL's own. A crash of
-- the database empties it, and the next heartbeats fill it again. Half of each page is left free, and nothing but the
-- key is indexed, so that an update stays on its page and needs no vacuum.
CREATE UNLOGGED TABLE heartbeats (
    table_id  uuid NOT NULL,
    player_id uuid NOT NULL,
    rtt_ms    integer NOT NULL,
    at        timestamptz NOT NULL,
    PRIMARY KEY (table_id, player_id)
) WITH (fillfactor = 50);
-- What became of the connections: one row for each player in any second, whatever his client sends.
CREATE TABLE connection_changes (
    table_id  uuid NOT NULL,
    player_id uuid NOT NULL,
    at        timestamptz NOT NULL,
    state     text NOT NULL
);
CREATE UNIQUE INDEX connection_changes_second
    ON connection_changes (table_id, player_id, date_trunc('second', at AT TIME ZONE 'UTC'));
