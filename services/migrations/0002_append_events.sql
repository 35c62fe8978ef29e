-- One statement appends events: one round trip, and the lock is held no longer than it must be.
--
-- EXCLUSIVE lets nobody else append until this transaction has ended, so positions become visible in rising
-- order: a follower of the log never passes a gap that is filled later. Reading goes on.
CREATE FUNCTION append_events(ids uuid[], versions bigint[], topics text[], states bytea[])
RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    LOCK TABLE big2_events IN EXCLUSIVE MODE;
    NOTIFY big2_events;
    RETURN QUERY
        INSERT INTO big2_events (originator_id, originator_version, topic, state)
        SELECT e.id, e.version, e.topic, e.state
        FROM unnest(ids, versions, topics, states) WITH ORDINALITY AS e (id, version, topic, state, n)
        ORDER BY e.n
        RETURNING notification_id;
END
$$;
