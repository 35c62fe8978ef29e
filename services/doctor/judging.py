"""How I6 judges: what is decided again from the state before must be what was stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from typing import Any, Final
from uuid import UUID

import msgspec

from big2.errors import Big2Error, Refusal
from domain.errors import Rejected
from domain.events import Event, public_fields
from services.doctor.violation import Difference, Violation, at
from services.envelope import Recorded

FAULTS: Final = (
    Big2Error,
    Rejected,
    AssertionError,
    AttributeError,
    LookupError,
    StopIteration,
    TypeError,
    ValueError,
)
"""What deciding and folding raise where the log holds what never was decided."""

TOLD: Final = ("tournament", "table", "roster")
"""Kinds of streams of whose events it is told what should be there."""

Decided = Mapping[UUID, Sequence[Event]]
"""Events by stream."""


class Append(msgspec.Struct, frozen=True):
    """The events of one command, in the order of the log."""

    events: tuple[Recorded, ...]

    @property
    def first(self) -> Recorded:
        return self.events[0]

    def of(self, stream: UUID) -> list[Recorded]:
        """Its events in one stream."""
        return [r for r in self.events if r.stream == stream]

    def has(self, *kinds: type[Event]) -> bool:
        """Whether any of its events is of these kinds."""
        return any(isinstance(r.event, kinds) for r in self.events)


def appends(events: Sequence[Recorded]) -> Iterator[Append]:
    """Events in the order of the log, by command."""
    for _, group in groupby(events, key=lambda r: r.command):
        yield Append(tuple(group))


def judged(append: Append, decide: Callable[[], Decided]) -> Iterator[Violation]:
    """I6: the first event of an append that isn't as it is decided again, in whatever stream of it."""
    try:
        decided = decide()
    except FAULTS as fault:
        yield at("I6", append.first, refused(fault))
        return
    for stream in dict.fromkeys([*(r.stream for r in append.events), *decided]):
        stored, events = append.of(stream), decided.get(stream, ())
        for r, event in zip_longest(stored, events):
            if r is None:
                last = stored[-1] if stored else append.first
                yield at("I6", last, f"no {_name(event)} was stored, which follows by the rules")
                return
            if event is None:
                yield at("I6", r, f"a {_name(r.event)} is stored, which does not follow by the rules")
                return
            if not _same(r.event, event):
                yield at("I6", r, _difference(r.event, event), _first_difference(r, event))
                return


def refused(fault: Exception) -> str:
    """Why it can't be decided again; without the reason's own words, which may name cards."""
    if isinstance(fault, Refusal):
        return f"the rules refuse it ({fault.clause})"
    if isinstance(fault, Rejected):
        return f"it is refused ({fault.code})"
    return f"it cannot be replayed ({type(fault).__name__})"


def unread(fault: Exception) -> str:
    """Why nothing can be said of a stream."""
    return f"cannot be read ({type(fault).__name__})"


def _same(stored: Event, event: Event) -> bool:
    return stored == event or (type(stored) is type(event) and not _differing(stored, event))


def _difference(stored: Event, event: Event) -> str:
    if type(stored) is not type(event):
        return f"a {_name(stored)} is stored where a {_name(event)} follows by the rules"
    return f"{' and '.join(_differing(stored, event))} of {_name(stored)} do not follow by the rules"


def _first_difference(r: Recorded, event: Event) -> Difference | None:
    """Of events about hands nothing is told: what should be there may be a card that nobody knows."""
    if type(r.event) is not type(event) or r.topic.partition(".")[0] not in TOLD:
        return None
    return next(_parting("", public_fields(r.event), public_fields(event)), None)


def _parting(pointer: str, stands: Any, should: Any) -> Iterator[Difference]:  # noqa: ANN401 - JSON
    if isinstance(stands, dict) and isinstance(should, dict):
        for name in dict.fromkeys([*stands, *should]):
            yield from _parting(f"{pointer}/{name}", stands.get(name), should.get(name))
    elif isinstance(stands, list | tuple) and isinstance(should, list | tuple):
        for place, (one, other) in enumerate(zip_longest(stands, should)):
            yield from _parting(f"{pointer}/{place}", one, other)
    elif stands != should:
        yield Difference(pointer, stands, should)


def _differing(stored: Event, event: Event) -> list[str]:
    """The fields that would not be stored alike."""
    return [
        name
        for name in stored.__struct_fields__
        if _written(getattr(stored, name)) != _written(getattr(event, name))
    ]


def _written(value: object) -> bytes:
    return msgspec.json.encode(msgspec.to_builtins(value, str_keys=True, order="sorted"), order="sorted")


def _name(event: Event) -> str:
    return type(event).__name__
