-- Who was shown cards of a hand after its end that had not lain on the table; a look is no event.
CREATE TABLE card_reads (
    number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    credential uuid,
    role       text NOT NULL,
    hand       uuid NOT NULL,
    at         timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX card_reads_hand ON card_reads (hand, number);
