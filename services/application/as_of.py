"""A tournament's entries, tables and prizes as they stood at any position of the log, folded from its own streams.

The projections show how these stand now. So a look back reads the tournament's stream and its roster's, and of the
tables those that the page shows. Names are today's: one that was erased stays erased.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import reduce
from typing import NamedTuple, TypeVar
from uuid import UUID

from domain.ids import PlayerId, TournamentId, roster_id
from domain.prizes import promised
from domain.roster import ROSTER, Registered, Roster, Withdrawn
from domain.table import TABLE
from domain.tournament import TOURNAMENT, State, Tournament
from domain.tournament_events import LateSeated, TableOpened, TablesDrawn
from services import people
from services.application import resources as shapes
from services.application.context import Services
from services.application.lists import Page
from services.application.tableviews import shown
from services.envelope import Recorded

T = TypeVar("T")


class _Opened(NamedTuple):
    """A table, and its tournament's unit and level when it was opened."""

    number: int
    table_id: UUID
    unit: int
    level: int


def entries_at(
    services: Services, t: TournamentId, as_of: int, first: int, limit: int
) -> tuple[Page[shapes.Entry], int | None]:
    """The entries as of a position, from row `first` on; and the position of their newest change."""
    events = _upto(services, roster_id(t), as_of)
    entered: dict[PlayerId, tuple[UUID, datetime]] = {}
    for r in events:
        match r.event:
            case Registered():
                entered[r.event.player_id] = (r.event.entry_id, r.at)
            case Withdrawn():
                del entered[r.event.player_id]
    called = people.names(services.store.database, entered)
    found = [
        shapes.Entry(
            entry_id=entry,
            player_id=player,
            name=called.get(player, shapes.UNNAMED),
            state="registered",
            entered_at=at,
        )
        for player, (entry, at) in entered.items()
    ]
    return _page(shapes.Entry, found, as_of, first, limit), _newest(events)


def tables_at(
    services: Services, t: TournamentId, as_of: int, first: int, limit: int
) -> tuple[Page[shapes.Table], int | None]:
    """Every table that had been opened by a position, by number, likewise."""
    events = _upto(services, t, as_of)
    opened, state = _opened(events)
    newest = _newest(events)
    found = []
    for each in opened[first : first + limit + 1]:
        at_table = _upto(services, each.table_id, as_of)
        table = reduce(TABLE.evolve, (r.event for r in at_table), None)
        if table is None or state is None:
            continue  # the position lies within the append that opened it
        called = people.names(services.store.database, [s.player_id for s in table.seats.values()])
        now = (table.unit, table.level) if table.hands_begun else (each.unit, each.level)
        held = table.recorded and not table.points and not table.closed and each.number in state.held
        found.append(shown(table, called, now, at_table[-1].position, held=held))
        newest = max(newest or 0, at_table[-1].position)
    following = (as_of, first + limit) if len(found) > limit else None
    return Page(shapes.Table, found[:limit], following), newest


def prizes_at(
    services: Services, t: TournamentId, as_of: int, first: int, limit: int
) -> tuple[Page[shapes.Prize], int | None]:
    """What each place got, or was promised to get by then, likewise."""
    events, entered = _upto(services, t, as_of), _upto(services, roster_id(t), as_of)
    state = _folded(events)
    roster = reduce(ROSTER.evolve, (r.event for r in entered), Roster())
    found = _prizes(services, state, roster) if state else []
    return _page(shapes.Prize, found, as_of, first, limit), _newest([*events, *entered])


def _prizes(services: Services, t: Tournament, roster: Roster) -> list[shapes.Prize]:
    terms = t.structure
    currency = terms.buy_in.currency if terms.buy_in else None
    if t.prizes:
        called = people.names(services.store.database, [prize.player_id for prize in t.prizes])
        return [
            shapes.Prize(
                place=prize.place,
                tied=prize.tied,
                player_id=prize.player_id,
                name=called.get(prize.player_id, shapes.UNNAMED),
                amount=prize.amount,
                currency=currency,
            )
            for prize in t.prizes
        ]
    if t.state not in (State.RUNNING, State.PAUSED):
        return []
    return [
        shapes.Prize(place=place, tied=False, player_id=None, name=None, amount=amount, currency=currency)
        for place, amount in enumerate(promised(terms, len(roster.paid), len(roster.entries)), 1)
    ]


def _opened(events: Sequence[Recorded]) -> tuple[list[_Opened], Tournament | None]:
    """The tables in the order of their numbers, and the tournament after these events."""
    found: list[_Opened] = []
    state: Tournament | None = None
    for r in events:
        state = TOURNAMENT.evolve(state, r.event)
        match r.event:
            case TablesDrawn():
                found += [_Opened(d.number, d.table_id, state.unit, state.level) for d in r.event.tables]
            case TableOpened():
                found.append(_Opened(r.event.table.number, r.event.table.table_id, state.unit, state.level))
            case LateSeated(opens=True):
                found.append(_Opened(r.event.number, r.event.table_id, state.unit, state.level))
    return sorted(found), state


def _folded(events: Iterable[Recorded]) -> Tournament | None:
    return reduce(TOURNAMENT.evolve, (r.event for r in events), None)


def _upto(services: Services, stream: UUID, as_of: int) -> list[Recorded]:
    return [r for r in services.store.events(stream) if r.position <= as_of]


def _newest(events: Sequence[Recorded]) -> int | None:
    return max((r.position for r in events), default=None)


def _page(kind: type[T], found: list[T], as_of: int, first: int, limit: int) -> Page[T]:
    end = first + limit
    return Page(kind, found[first:end], (as_of, end) if len(found) > end else None)
