-- The event that the projector cannot get past: which projection fails there, with what kind of error, and since when;
-- nothing of the event itself. It stands beside the projections, for their transaction is what fails. There is one row at
-- most, and it holds until the projections have passed its position.
CREATE TABLE projector_stall (
    one        boolean PRIMARY KEY DEFAULT true CHECK (one),
    position   bigint NOT NULL,
    projection text NOT NULL,
    reason     text NOT NULL,
    since      timestamptz NOT NULL
);
