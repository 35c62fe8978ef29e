-- What an append may depend on beside the streams that it adds to: streams that were only read and must not have moved
-- on, and a command that must not be in the log yet. Both are looked up behind the lock, so nothing comes in between.

-- A stored event is canonical JSON whose first keys are actor, at and command, and a quote within a text is escaped: so
-- the first `,"command":"` is that key.
CREATE FUNCTION command_of(state bytea) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT substring(state FROM position(',"command":"'::bytea IN state) + 12 FOR 36)
$$;
CREATE INDEX big2_events_command_idx ON big2_events USING hash (command_of(state));

-- The defaults serve processes of the release before, until they are restarted.
DROP FUNCTION append_events(uuid[], bigint[], text[], bytea[]);
CREATE FUNCTION append_events(
    ids uuid[], versions bigint[], topics text[], states bytea[],
    read_ids uuid[] DEFAULT '{}', read_versions bigint[] DEFAULT '{}', once bytea DEFAULT NULL
) RETURNS SETOF bigint LANGUAGE plpgsql
SET enable_seqscan = off  -- a plan that was made while the log was short is kept
AS $$
BEGIN
    LOCK TABLE big2_events IN EXCLUSIVE MODE;
    IF EXISTS (
        SELECT FROM unnest(read_ids, read_versions) AS r (id, version)
        JOIN big2_events AS e ON e.originator_id = r.id AND e.originator_version = r.version + 1
    ) OR EXISTS (SELECT FROM big2_events WHERE command_of(state) = once) THEN
        RAISE unique_violation USING CONSTRAINT = 'big2_events_pkey', MESSAGE = 'what was decided on has changed';
    END IF;
    NOTIFY big2_events;
    RETURN QUERY
        INSERT INTO big2_events (originator_id, originator_version, topic, state)
        SELECT e.id, e.version, e.topic, e.state
        FROM unnest(ids, versions, topics, states) WITH ORDINALITY AS e (id, version, topic, state, n)
        ORDER BY e.n
        RETURNING notification_id;
END
$$;
