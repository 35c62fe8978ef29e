-- The event log, in the library's own shape (a test compares it with what the installed library would make).
--
-- Rows are only ever added, so vacuum has next to nothing to do here, while the planner wants fresh statistics.
CREATE TABLE big2_events (
    originator_id uuid NOT NULL,
    originator_version bigint NOT NULL,
    topic text,
    state bytea,
    notification_id bigserial,
    PRIMARY KEY (originator_id, originator_version)
) WITH (
    autovacuum_enabled = true,
    autovacuum_vacuum_threshold = 100000000,
    autovacuum_vacuum_scale_factor = 0.5,
    autovacuum_analyze_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.01
);
CREATE UNIQUE INDEX big2_events_notification_id_idx ON big2_events (notification_id ASC);
