-- Notes are forgotten by their age, once a minute: without it each look for old ones read the whole table.
CREATE INDEX card_reads_at ON card_reads (at);
