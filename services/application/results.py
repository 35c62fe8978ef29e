"""Recorded play: the results of tables with real cards. Each is one transaction, with all that follows from it.

At a table with real cards nothing is due at any time: the director's look, at who is out, the level, the seats and the
end, comes with the result that calls for it.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import datetime
from functools import reduce
from typing import NamedTuple

from domain import results as decide_on
from domain import table as tables
from domain.director import Facts, look
from domain.events import Event
from domain.hand import HAND, Hand
from domain.ids import HandId, TableId, roster_id
from domain.results import RecordedHand, Result
from domain.table import TABLE, Table
from domain.table_events import HandBegun, HandEnded, Opened
from domain.tournament import TOURNAMENT, Tournament
from services.application.context import Services
from services.application.credentials import Actor
from services.application.director import last_end
from services.application.errors import existing
from services.commands import Decision, Outcome, execute, on
from services.envelope import NEWEST, Change, Command, Stream
from services.store import Store


class Told(NamedTuple):
    """What an operator sends: the number of the hand, where it could be read, and what it came to."""

    number: int | None
    result: Result


def record(
    services: Services, command: Command, actor: Actor, table_id: TableId, told: Told
) -> Outcome[Table]:
    """Record the result of the table's next hand."""

    def decide(stream: Stream[Table], now: datetime) -> Decision:
        return Decision(_changes(services, actor, stream, told, now))

    with _queue(services.store, table_id):
        return execute(services.store, command, (TABLE, table_id), decide)


def would_record(services: Services, actor: Actor, table_id: TableId, told: Told) -> list[Event]:
    """The events that `record` would store of the hand, and of it at its table.

    Never what the director makes of it: it may hold draws, which nobody sees before they are made.
    """
    stream = services.store.load(TABLE, table_id)
    _, hand = _decided(services, actor, stream, told, stream.read_at)
    return [*hand.hand, *hand.table]


def recorded_hand(services: Services, command: Command, outcome: Outcome[Table]) -> Stream[Hand]:
    """The hand that a command recorded, as it was right after that."""
    hand_id = next(r.event.hand_id for r in outcome.events if isinstance(r.event, HandBegun))
    stream = services.store.load(HAND, hand_id)
    upto = stream.commands[command.id].last
    return stream if stream.version == upto else services.store.load(HAND, hand_id, upto=upto)


def _queue(store: Store, table_id: TableId) -> AbstractContextManager[None]:
    """Results of one tournament come one by one; those of a league with all else that its operator does."""
    table = existing(store.load(TABLE, table_id, upto=1), "table")
    return store.lock(roster_id(table.tournament_id) if table.points else table.tournament_id)


def _changes(
    services: Services, actor: Actor, stream: Stream[Table], told: Told, now: datetime
) -> list[Change]:
    tournament, hand = _decided(services, actor, stream, told, now)
    at_hand = Change(_hand_id(hand), 0, hand.hand)
    if existing(stream, "table").points:
        return [at_hand, on(stream, *hand.table), on(tournament)]
    return [at_hand, *_with_what_follows(services.store, tournament, stream, hand, now)]


def _decided(
    services: Services, actor: Actor, stream: Stream[Table], told: Told, now: datetime
) -> tuple[Stream[Tournament], RecordedHand]:
    """The hand, and the tournament that takes it as it stands."""
    table = existing(stream, "table")
    actor.must_be_in(table.tournament_id)
    tournament = services.store.load(TOURNAMENT, table.tournament_id)
    t = existing(tournament, "tournament")
    decide_on.may_record(t, table, told.number)
    rules = services.rulesets.resolve(table.rules)
    level = _level_of_next_hand(tournament, stream, table.number)
    return tournament, decide_on.record(t, table, rules, told.result, now, level)


def _level_of_next_hand(tournament: Stream[Tournament], table: Stream[Table], number: int) -> int:
    """The tournament's events of the transaction in which the table could begin its hand stood there by then."""
    since = next(r for r in reversed(table.recorded) if isinstance(r.event, Opened | HandEnded))
    stood = sum(r.position < since.position or r.command == since.command for r in tournament.recorded)
    return decide_on.level_of_next_hand(number, [r.event for r in tournament.recorded], stood)


def _hand_id(hand: RecordedHand) -> HandId:
    return next(event.hand_id for event in hand.table if isinstance(event, HandBegun))


def _with_what_follows(
    store: Store,
    tournament: Stream[Tournament],
    stream: Stream[Table],
    hand: RecordedHand,
    now: datetime,
) -> list[Change]:
    """The table's own events, and what the director makes of them, which rests on the tournament as it was read."""
    t = existing(tournament, "tournament")
    others: list[Stream[Table]] = store.load_many(
        [(TABLE, t.table_id(n)) for n in t.open_tables if t.table_id(n) != stream.id]
    )
    ended = reduce(tables.evolve, hand.table, stream.state)
    assert ended is not None
    facts = [Facts(ended, NEWEST), *(Facts(s.state, last_end(s)) for s in others if s.state is not None)]
    steps = look(t, facts, now, ended.table_id)
    versions = {s.id: s.version for s in others}
    here = [*hand.table, *steps.tables.get(ended.table_id, ())]
    return [
        on(stream, *here),
        on(tournament, *steps.tournament),
        *(
            Change(table, versions.get(table, 0), events)
            for table, events in steps.tables.items()
            if table != ended.table_id
        ),
    ]
