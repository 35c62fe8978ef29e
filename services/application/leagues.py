"""A league's tables, opened and closed by its operator, and the end of its season."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from domain import league as decide_on
from domain import roster as entries
from domain import table as tables
from domain.errors import Conflicting, Refused
from domain.hand import HAND, Hand, State
from domain.ids import PlayerId, TableId, TournamentId, hand_id, opened_table_id, roster_id
from domain.roster import ROSTER, Roster
from domain.table import TABLE, Table
from domain.tournament import TOURNAMENT, Tournament, must_be_running, open_table
from services.application.context import Services
from services.application.credentials import Actor
from services.application.errors import existing
from services.commands import Decision, Outcome, execute, on
from services.envelope import Command, Stream
from services.store import Store

HANDS = 500
"""Hands that are read at once."""


class Wanted(NamedTuple):
    """A table that an operator wants: its league and its seats, as far as they could be read.

    `unread` has what is wrong with the rest, by JSON pointer.
    """

    tournament_id: TournamentId | None
    seats: decide_on.Seats
    unread: Mapping[str, str] = MappingProxyType({})


def open_a_table(services: Services, command: Command, actor: Actor, wanted: Wanted) -> Outcome[Table]:
    """Open a table of a league and seat its players."""
    store = services.store
    made = opened_table_id(command.id)

    def decide(stream: Stream[Table], now: datetime) -> Decision:
        t = wanted.tournament_id
        if t is None:
            raise _refused(wanted.unread)
        actor.must_be_in(t)
        tournament, roster = store.load(TOURNAMENT, t), store.load(ROSTER, roster_id(t))
        if tournament.state is None:
            raise _refused({"/tournament_id": "is no tournament", **wanted.unread})
        decide_on.must_be_league(tournament.state)
        must_be_running(tournament.state)  # a conflict is told before what is wrong
        entrants = (roster.state or Roster()).entries
        opened = decide_on.open_table(tournament.state, made, entrants, wanted.seats, wanted.unread)
        at_table = open_table(tournament.state, opened.table, now)
        return Decision([on(stream, at_table), on(tournament, opened), on(roster)])

    with _queue(store, wanted.tournament_id):
        return execute(store, command, (TABLE, made), decide)


def _refused(errors: Mapping[str, str]) -> Refused:
    return Refused("validation", "No such table can be opened.", dict(errors))


def close_a_table(
    services: Services, command: Command, actor: Actor, table_id: TableId, read: Callable[[], object]
) -> Outcome[Table]:
    """Close a table of a league: its players may sit down elsewhere. `read` refuses a body that should be empty."""
    store = services.store

    def decide(stream: Stream[Table], _now: datetime) -> Decision:
        table = existing(stream, "table")
        actor.must_be_in(table.tournament_id)
        tournament = store.load(TOURNAMENT, table.tournament_id)
        at_tournament, at_table = decide_on.close_table(existing(tournament, "tournament"), table)
        read()
        return Decision([on(stream, at_table), on(tournament, at_tournament)])

    league = existing(store.load(TABLE, table_id, upto=1), "table").tournament_id
    with _queue(store, league):
        return execute(store, command, (TABLE, table_id), decide)


def finish(
    services: Services, command: Command, t: TournamentId, read: Callable[[], object]
) -> Outcome[Tournament]:
    """End a league's season: its open tables close, and the standings are final."""
    store = services.store

    def decide(stream: Stream[Tournament], _now: datetime) -> Decision:
        tournament = existing(stream, "tournament")
        roster = store.load(ROSTER, roster_id(t))
        season = tables_of(store, tournament)
        entrants = (roster.state or Roster()).entries
        played = [s.state for s in season if s.state is not None]
        ended = decide_on.finish(tournament, entrants, played)
        if tournament.structure.protest_seconds:
            _hands_must_be_final(store, played)
        read()
        closed = [on(s, *tables.close(s.state)) for s in season if s.state is not None and not s.state.closed]
        return Decision(
            [on(stream, *ended), *closed, on(roster, *entries.close(roster.state or Roster(), t))]
        )

    with store.lock(roster_id(t)):
        return execute(store, command, (TOURNAMENT, t), decide)


def _hands_must_be_final(store: Store, season: Sequence[Table]) -> None:
    """Raises Conflicting while a hand may be ruled on: the prizes follow from the hands as ruled."""
    hands = [(HAND, hand_id(t.table_id, number)) for t in season for number in range(1, t.hands_ended + 1)]
    for first in range(0, len(hands), HANDS):
        streams: list[Stream[Hand]] = store.load_many(hands[first : first + HANDS])
        if any(s.state is not None and s.state.state is State.SETTLED for s in streams):
            detail = "Some hands are not final: wait for their protest windows, and rule on those in dispute."
            raise Conflicting("hands-not-final", detail)


def must_be_unseen(store: Store, tournament: Tournament, player: PlayerId) -> None:
    """Raises Conflicting if a player of a league has a part in its season."""
    tables = [s.state for s in tables_of(store, tournament) if s.state is not None]
    decide_on.must_be_unseen(player, tournament, tables)


def tables_of(store: Store, tournament: Tournament) -> list[Stream[Table]]:
    """Every table that a league has opened."""
    found: list[Stream[Table]] = store.load_many([(TABLE, table) for table in tournament.tables.values()])
    return found


def _queue(store: Store, t: TournamentId | None) -> AbstractContextManager[None]:
    """What changes a season comes one by one, from an entry to its end, results included."""
    return store.lock(roster_id(t)) if t is not None else nullcontext()
