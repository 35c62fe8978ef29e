"""The facts: events and deciders of each aggregate. Pure: big2 and msgspec, no clock, no randomness, no I/O."""
