"""I3 of a tournament: chips at seats and in the void are those that were issued."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from uuid import UUID

from domain.table_events import HandEnded, Opened, Place, Seated, StacksAdjusted, Vacated
from domain.tournament_events import LateSeated, PenaltyCarriedOut, StacksCorrected, TablesDrawn
from services.doctor.violation import Violation, at, stream
from services.envelope import Recorded


def tables_of(tournament: Sequence[Recorded]) -> list[UUID]:
    """The tables that a tournament's director has opened."""
    found: dict[UUID, None] = {}
    for r in tournament:
        match r.event:
            case TablesDrawn():
                found |= dict.fromkeys(drawn.table_id for drawn in r.event.tables)
            case LateSeated():
                found[r.event.table_id] = None
    return list(found)


def chips_add_up(
    tournament: Sequence[Recorded], tables: Mapping[UUID, Sequence[Recorded]]
) -> Iterator[Violation]:
    """I3: at each table by itself, then over all of them."""
    seated, void = 0, 0
    for events in tables.values():
        table = _Table()
        for r in events:
            yield from table.follow(r)
        seated += sum(table.stacks.values())
        void += table.void
    issued, redrawn = _issued(tournament)
    if seated - redrawn + void != issued:
        there = f"{seated - redrawn} chips at seats and {void} in the void"
        yield Violation(
            "I3", stream("tournament", tournament[0].stream), f"{there}, where {issued} were issued"
        )


class _Table:
    """Chips by seat; who sits at a table that closes keeps them, for the final table is drawn with them."""

    def __init__(self) -> None:
        self.stacks: dict[int, int] = {}
        self.void = 0

    def follow(self, r: Recorded) -> Iterator[Violation]:
        match r.event:
            case Opened():
                self.stacks = {place.seat: place.stack for place in r.event.places}
            case Seated():
                self.stacks[r.event.place.seat] = r.event.place.stack
            case Vacated():
                yield from self._vacated(r, r.event)
            case StacksAdjusted():
                for seat, chips in r.event.changes.items():
                    self.stacks[seat] = self.stacks.get(seat, 0) + chips
            case HandEnded():
                yield from self._ended(r, r.event)

    def _vacated(self, r: Recorded, event: Vacated) -> Iterator[Violation]:
        had = self.stacks.pop(event.seat, 0)
        if had != event.stack:
            yield at("I3", r, f"seat {event.seat} is left with {event.stack} chips, and had {had}")
        self.void += event.stack if event.reason in ("no_show", "disqualified") else 0

    def _ended(self, r: Recorded, event: HandEnded) -> Iterator[Violation]:
        if total := sum(event.net.values()):
            yield at("I3", r, f"the nets sum to {total}, not to 0")
        for seat, stack in event.stacks.items():
            came_to = self.stacks.get(seat, 0) + event.net.get(seat, 0)
            if stack != came_to:
                yield at("I3", r, f"seat {seat} has {stack} chips, and its net makes {came_to}")
            self.stacks[seat] = stack


def _issued(tournament: Iterable[Recorded]) -> tuple[int, int]:
    """Chips that were issued, less what rulings took for good; and those with which the final table was drawn."""
    issued, redrawn = 0, 0
    for r in tournament:
        match r.event:
            case TablesDrawn():
                chips = sum(_chips(drawn.places) for drawn in r.event.tables)
                issued, redrawn = (issued, redrawn + chips) if r.event.final else (issued + chips, redrawn)
            case LateSeated():
                issued += r.event.place.stack
            case StacksCorrected():
                issued += sum(r.event.changes.values())
            case PenaltyCarriedOut(penalty="chips"):
                issued -= r.event.amount
    return issued, redrawn


def _chips(places: Iterable[Place]) -> int:
    return sum(place.stack for place in places)
