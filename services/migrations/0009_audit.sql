-- What was signed: the log's heads, and the keys whose signatures they bear. Neither can be made again, and both are
-- only ever added to.
CREATE TABLE audit_keys (
    number       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    verifier     text NOT NULL UNIQUE,
    announcement text, -- signed by the key before; null for the first, and where that was lost
    added_at     timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE checkpoints (
    size     bigint PRIMARY KEY,
    position bigint NOT NULL,
    root     bytea NOT NULL,
    note     text NOT NULL,
    at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what was signed is never changed: % is only added to', TG_TABLE_NAME;
END
$$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_keys
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
