-- How far each webhook has been told the log, and how that went. It stands beside the log, for nobody wants an event for each
-- delivery, and beside the projections, for it cannot be made again. Rows stay when a webhook is deleted: figures only grow.
CREATE TABLE webhook_deliveries (
    webhook_id    uuid PRIMARY KEY,
    position      bigint NOT NULL,           -- all that it wants up to here is delivered
    delivered     bigint NOT NULL DEFAULT 0,
    delivered_at  timestamptz,
    failed        bigint NOT NULL DEFAULT 0,
    failures      integer NOT NULL DEFAULT 0, -- in a row
    failing_since timestamptz,
    failure       text,                      -- the last one
    next_try_at   timestamptz
) WITH (fillfactor = 50);
