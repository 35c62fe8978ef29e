"""What is told where something does not hold, and how its place is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import msgspec

from services.envelope import Recorded, Row

Progress = Callable[[str, int, int], None]
"""Called with what is examined, how much of it is done, and how much there is."""


class Difference(msgspec.Struct, frozen=True):
    """The first place, a JSON pointer, at which an event differs from what it should be; JSON-ready values."""

    pointer: str
    stands: Any
    should: Any


class Violation(msgspec.Struct, frozen=True):
    """One thing that is wrong: which invariant, where, and what. It tells no card, seed or token.

    `position` is the log position of the event at fault, if it is one; `difference` the first one between it and the
    event that follows by the rules, where everybody may see both.
    """

    invariant: str
    where: str
    what: str
    position: int | None = None
    difference: Difference | None = None


def at(invariant: str, r: Recorded | Row, what: str, difference: Difference | None = None) -> Violation:
    """What is wrong with one event."""
    where = f"{stream(r.topic.partition('.')[0], r.stream)}, version {r.version} (position {r.position})"
    return Violation(invariant, where, what, r.position, difference)


def stream(kind: str, stream_id: UUID) -> str:
    """The name of a stream."""
    return f"{kind} {stream_id}"
