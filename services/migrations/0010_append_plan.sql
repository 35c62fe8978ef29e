-- An append is planned once for a connection: the planner took the plan without the values for the dearer one, by little,
-- and made another for each append, at twice the cost of the append itself.
ALTER FUNCTION append_events(uuid[], bigint[], text[], bytea[], uuid[], bigint[], bytea)
    SET plan_cache_mode = force_generic_plan;
