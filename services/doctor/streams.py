"""What a stream shows by itself, byte for byte: I11, its versions, and I5, its chain.

The chain tells of a change, and of an event that is gone or slipped in. A tail that was cut off, and a chain that was
made anew from some event on, take a checkpoint kept elsewhere to be seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from services.doctor.violation import Violation, at
from services.envelope import GENESIS, Row, link, prev_of


def versions_without_holes(rows: Sequence[Row]) -> Iterator[Violation]:
    """I11: versions 1…n, in the order of the log."""
    for version, row in enumerate(rows, 1):
        if row.version != version:
            what = f"version {row.version} stands where {version} belongs"
            yield at("I11", row, what)
            return
    for before, row in pairwise(rows):
        if row.position <= before.position:
            what = f"version {row.version} stands in the log before version {before.version}"
            yield at("I11", row, what)
            return


def chain_verifies(rows: Sequence[Row]) -> Iterator[Violation]:
    """I5: each event follows from its predecessor."""
    head = GENESIS
    for row in rows:
        if _prev(row) != head:
            yield at("I5", row, "does not follow from its predecessor as it is stored")
            return
        head = link(row.stream, row.version, row.topic, row.state)


def _prev(row: Row) -> str | None:
    """The link that an event carries; None where it is no envelope."""
    try:
        return prev_of(row)
    except msgspec.DecodeError:
        return None
