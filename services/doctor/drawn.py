"""What a tournament drew, and whether it follows: tables, seats, moves, lots, places and prizes, from the log alone.

Everything is decided again from the revealed seed and the tournament's own streams, as I6 has it. The results of the
hands are taken as they stand: that these follow from their plays is `big2 doctor`'s to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import reduce
from uuid import UUID

import msgspec

from domain.events import Event
from domain.ids import TournamentId, roster_id
from domain.tournament import TOURNAMENT
from domain.tournament_events import (
    Cancelled,
    Disqualified,
    DrawnTable,
    Finished,
    LateSeated,
    MoneyPrizesAwarded,
    Placed,
    PlayerMoved,
    PlayerReplaced,
    PrizesAwarded,
    Published,
    ReinstatedSeated,
    SeedsCommitted,
    StandingsCorrected,
    TableOpened,
    TablesDrawn,
)
from services.doctor import chips, replay_others
from services.doctor.judging import FAULTS, unread
from services.doctor.reading import UNREADABLE, Log
from services.doctor.replay_tournaments import tournament_events
from services.doctor.violation import Violation
from services.envelope import Recorded

AGREES, DIFFERS, NOT_REACHED = "agrees", "differs", "not reached"
OVER = ("tournament.finished", "tournament.cancelled")
"""What ends a tournament; a ruling may correct a result after it."""


class Drawing(msgspec.Struct, frozen=True):
    """One thing that follows from the seed or the results: what, where in the log, and from which occasion of the seed.

    `verdict` is `not reached` behind the first wrong place: what follows from something wrong follows from nothing.
    """

    position: int
    at: datetime
    what: str
    occasion: str | None
    verdict: str = AGREES


class Verified(msgspec.Struct, frozen=True):
    """A tournament that is over: its seed as revealed, in hexadecimal, all that it drew, and the first wrong place."""

    tournament_id: UUID
    name: str
    state: str
    seed: str
    drawings: tuple[Drawing, ...]
    wrong: Violation | None


class NotOverError(Exception):
    """The tournament's seed is not revealed yet, or there is no such tournament; the message says which."""


def finished_tournaments(log: Log) -> Iterator[UUID]:
    """The tournaments that are over."""
    for t in log.ids("tournament"):
        [rows] = log.rows_of([t]).values()
        if any(row.topic.rpartition(".")[0] in OVER for row in rows):
            yield t


def verify(log: Log, t: UUID) -> Verified:
    """What a tournament drew; NotOverError, or UNREADABLE where its log cannot be read."""
    events = log.streams([t]).get(t, [])
    if not events or not isinstance(events[0].event, SeedsCommitted):
        raise NotOverError(f"there is no tournament {t}")
    over = next((r.event for r in events if isinstance(r.event, Finished | Cancelled)), None)
    if over is None:
        raise NotOverError(f"tournament {t} is not over: its seed is not revealed yet")
    wrong = next(iter(sorted(_violations(log, events), key=lambda v: v.position or 0)), None)
    published = [r.event.structure for r in events if isinstance(r.event, Published)]
    return Verified(
        tournament_id=t,
        name=published[-1].name,
        state="finished" if isinstance(over, Finished) else "cancelled",
        seed=over.draw_seed.hex(),
        drawings=tuple(_judged(_drawings(events), wrong)),
        wrong=wrong,
    )


def _violations(log: Log, events: list[Recorded]) -> Iterator[Violation]:
    t = TournamentId(events[0].stream)
    of_league = [r.event.table.table_id for r in events if isinstance(r.event, TableOpened)]
    ids = [*chips.tables_of(events), *of_league]
    try:
        streams = log.streams([roster_id(t), *ids])
        roster, tables = streams.get(roster_id(t), []), [streams.get(table, []) for table in ids]
        found = list(tournament_events(events, roster, tables))
        yield from found
        if not found:
            state = reduce(TOURNAMENT.evolve, (r.event for r in events), None)
            assert state is not None
            yield from replay_others.payments(log, state, roster)
    except (*UNREADABLE, *FAULTS) as fault:
        yield Violation("I6", f"tournament {t}", unread(fault))


def _judged(drawings: Iterator[Drawing], wrong: Violation | None) -> Iterator[Drawing]:
    place = wrong.position if wrong and wrong.position else None
    for drawing in drawings:
        if place is None or drawing.position < place:
            yield drawing
        else:
            verdict = DIFFERS if drawing.position == place else NOT_REACHED
            yield msgspec.structs.replace(drawing, verdict=verdict)


def _drawings(events: Sequence[Recorded]) -> Iterator[Drawing]:
    for r in events:
        for what, occasion in _of_event(r.event):
            yield Drawing(r.position, r.at, what, occasion)


def _of_event(event: Event) -> list[tuple[str, str | None]]:
    """What an event draws or places, each with its occasion."""
    match event:
        case SeedsCommitted():
            return [(f"the seed, committed to as {event.draw_commitment}", None)]
        case TablesDrawn():
            final = "final table, " if event.final else ""
            return [(final + _table(drawn), event.draw) for drawn in event.tables]
        case LateSeated():
            seat = f"table {event.number}, seat {event.place.seat}"
            who = "reinstated," if isinstance(event, ReinstatedSeated) else "late entrant"
            return [(f"{seat}: {who} {event.place.player_id}", event.draw)]
        case PlayerMoved():
            way = (
                f"table {event.from_table}, seat {event.from_seat}, to {event.to_table}, seat {event.to_seat}"
            )
            return [(f"{way}: {event.player_id} moves", event.draw)]
        case PlayerReplaced():
            return [(f"{event.substitute_id} takes over from {event.player_id}", None)]
        case Placed():
            why = ", disqualified" if isinstance(event, Disqualified) else ""
            return [(f"place {event.place}: {event.player_id}{why}", None)]
        case MoneyPrizesAwarded():
            return [(f"prizes of {event.pool} {event.currency}, odd units by lot", event.draw)]
        case PrizesAwarded():
            return [(f"prizes of {event.pool} basis points", None)]
        case StandingsCorrected():
            return [
                (f"the standings of {len(event.standings)} again, by a ruling on hand {event.hand_id}", None)
            ]
        case Finished():
            return [(f"the standings of {len(event.standings)}, and the seed revealed", None)]
    return []


def _table(drawn: DrawnTable) -> str:
    seats = ", ".join(f"seat {place.seat} {place.player_id}" for place in drawn.places)
    return f"table {drawn.number}: {seats}; button at seat {drawn.dealer}"
