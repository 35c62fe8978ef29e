"""The jobs of a running tournament. The policies are `domain.director`'s; here they are loaded, recorded, and dealt.

Every function may run twice, late, or on two machines: it re-reads the streams and does nothing when the world has
moved on. What a function loads and what it records are bound together by the streams' versions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import reduce
from typing import NamedTuple, TypeAlias
from uuid import UUID

from big2.rulesets import RuleSet
from domain import dealing
from domain import hand as hands
from domain import roster as rosters
from domain import table as tables
from domain import tournament as tournaments
from domain.connection import Connection
from domain.director import Facts, NextSteps, look
from domain.events import Event
from domain.hand import HAND, Hand
from domain.hand_events import Timing
from domain.ids import HandId, TableId, TournamentId, roster_id
from domain.late_entry import close_entries
from domain.pausing import behind, follow
from domain.roster import ROSTER, Roster
from domain.table import TABLE, Table
from domain.table_events import HandEnded
from domain.tournament import TOURNAMENT, Tournament
from domain.tournament_events import EntriesClosed, Paused
from services.application.turn_clocks import set_since
from services.commands import Decision, again, execute, job, on
from services.envelope import Change, Command, Stream
from services.errors import Conflict
from services.store import Store

RuleSets: TypeAlias = Callable[[str], RuleSet]
"""The rule set of a reference such as `actionpoker` or `club@2`."""
Connected: TypeAlias = Callable[[Sequence[UUID]], Mapping[UUID, Mapping[UUID, Connection]]]
"""How the players at some tables are connected: by table, then by player."""

WAIT_SECONDS = 2.0
"""How long a job waits for its tournament, well below the job's own limit: turns wait behind it."""
DEALS = 50
"""Deals that one job makes at most; each table has a job of its own that makes the others."""


def draw(store: Store, tournament_id: TournamentId) -> None:
    """Draw the first tables of a started tournament and open them, in one transaction."""

    def decide(stream: Stream[Tournament], now: datetime) -> Decision:
        t = stream.state
        if t is None or t.state is not tournaments.State.RUNNING or t.tables_drawn or t.structure.for_points:
            return Decision(())
        drawn, opened = tournaments.draw(t, now)
        first = [Change(event.table_id, 0, [event]) for event in opened]
        return Decision((Change(stream.id, stream.version, [drawn]), *first))

    execute(store, job(f"draw-{tournament_id}"), (TOURNAMENT, tournament_id), decide)


def advance(store: Store, rulesets: RuleSets, connected: Connected, tournament_id: TournamentId) -> None:
    """Look at the tables between hands, record what follows, and deal where the next hand is due."""
    with store.lock(tournament_id, WAIT_SECONDS):
        again(lambda: _advance(store, rulesets, connected, tournament_id))


def raise_level(store: Store, tournament_id: TournamentId, level: int) -> None:
    """Raise to `level` once the time of the level before is over (`minutes_per_level`)."""

    def decide(stream: Stream[Tournament], now: datetime) -> Decision:
        t = stream.state
        running = t is not None and t.state is tournaments.State.RUNNING and t.level == level - 1
        if t is None or not running or t.level_ends_at is None or t.level_ends_at > now:
            return Decision(())
        raised = tournaments.raise_level(t, now)
        events = [*raised, *close_entries(reduce(tournaments.evolve, raised, t))]
        return Decision(
            [Change(stream.id, stream.version, events), *_roster_closed(store, stream.id, events)]
        )

    execute(store, job(f"level-{tournament_id}-{level}"), (TOURNAMENT, tournament_id), decide)


def follow_pauses(store: Store, table_id: TableId) -> None:
    """Pause a table whose tournament is paused, resume one whose tournament goes on; its turn keeps its time."""
    again(lambda: _follow_pauses(store, table_id))


def close_table(store: Store, table_id: TableId) -> None:
    """After a cancellation: void the running hand, if there is one, and close the table."""
    again(lambda: _close_table(store, table_id))


def _advance(store: Store, rulesets: RuleSets, connected: Connected, tournament_id: TournamentId) -> None:
    stream = store.load(TOURNAMENT, tournament_id)
    if stream.state is None:
        return
    open_tables = [(TABLE, stream.state.table_id(n)) for n in stream.state.open_tables]
    seated: list[Stream[Table]] = store.load_many(open_tables)
    facts = [Facts(s.state, last_end(s)) for s in seated if s.state is not None]
    steps = look(stream.state, facts, stream.read_at)
    versions = {s.id: s.version for s in seated}
    _record(store, stream, steps, versions)
    due = steps.deals if steps.together else steps.deals[:DEALS]
    states = connected(due) if due else {}
    looked = Change(stream.id, stream.version + len(steps.tournament), ())  # no deal after a pause or the end
    deals = [
        _deal(rulesets, steps, table_id, versions.get(table_id, 0), states[table_id], stream.read_at)
        for table_id in due
    ]
    if steps.together:
        changes = [change for deal in deals for change in deal.changes]
        store.append(deals[0].command, [*changes, looked], stream.read_at)
    else:
        _append_each(store, deals, looked, stream.read_at)


def last_end(stream: Stream[Table]) -> int:
    """The log position at which the table's last hand ended; 0 before its first."""
    return max((r.position for r in stream.recorded if isinstance(r.event, HandEnded)), default=0)


def _record(store: Store, stream: Stream[Tournament], steps: NextSteps, versions: dict[UUID, int]) -> None:
    if not steps.tournament:
        return
    at_tables = [Change(table, versions.get(table, 0), events) for table, events in steps.tables.items()]
    closed = _roster_closed(store, stream.id, steps.tournament)
    changes = [Change(stream.id, stream.version, steps.tournament), *at_tables, *closed]
    store.append(job(f"look-{stream.id}-{stream.version}"), changes, stream.read_at)


def _roster_closed(store: Store, t: UUID, events: Sequence[Event]) -> list[Change]:
    """With the end of late entry nobody enters any more."""
    if not any(isinstance(event, EntriesClosed) for event in events):
        return []
    roster = store.load(ROSTER, roster_id(TournamentId(t)))
    return [on(roster, *rosters.close(roster.state or Roster(), TournamentId(t)))]


class _Deal(NamedTuple):
    command: Command
    changes: list[Change]


def _deal(
    rulesets: RuleSets,
    steps: NextSteps,
    table_id: TableId,
    version: int,
    connections: Mapping[UUID, Connection],
    now: datetime,
) -> _Deal:
    """The table's next hand; `version` is the table's before this look."""
    t, table = steps.state, steps.table_states[table_id]
    version += len(steps.tables.get(table_id, ()))
    rules = rulesets(table.rules)
    terms = tables.next_deal(table, rules, t.level, t.unit)
    rooted = tournaments.is_rooted(t, table, terms.number)
    dealt = dealing.deal(
        table,
        terms,
        rules,
        master=t.master,
        rooted=rooted,
        structure_hash=t.structure_hash,
        timing=_timing(t),
        entropy_seconds=t.structure.entropy_seconds,
        connections=connections,
        now=now,
    )
    begun = [*tables.begin(terms), *tables.commit_next_deals(table, terms, t.master)]
    hand = hands.folded(dealt)
    table_events = [*begun, *hands.ended(hand, reduce(tables.evolve, begun, table), now)]
    changes = [Change(terms.hand_id, 0, dealt), Change(table_id, version, table_events)]
    return _Deal(job(f"deal-{table_id}-{terms.number}"), changes)


def _append_each(store: Store, deals: list[_Deal], looked: Change, now: datetime) -> None:
    """Each deal by itself; whoever is second finds the hand's stream taken, and leaves that one."""
    for deal in deals:
        with suppress(Conflict):
            store.append(deal.command, [*deal.changes, looked], now)


def _timing(t: Tournament) -> Timing:
    s = t.structure
    return Timing(s.turn_seconds, s.between_hands_seconds, s.protest_seconds)


def _follow_pauses(store: Store, table_id: TableId) -> None:
    at, running = _table_and_hand(store, table_id)
    if at.state is None:
        return
    stream = store.load(TOURNAMENT, at.state.tournament_id)
    if stream.state is None or stream.state.over or not behind(stream.state, at.state):
        return
    hand = running.state if running else None
    later = running is not None and set_since(running, _first_missed(stream, at.state))
    at_table, in_hand = follow(stream.state, at.state, hand, stream.read_at, set_since=later)
    _append(store, f"pause-{table_id}-{at.version}", [(at, at_table), (running, in_hand)], stream.read_at)


def _first_missed(stream: Stream[Tournament], table: Table) -> int:
    """The log position of the first pause that the table has to follow; beyond the log, if it has followed all."""
    begun = [r.position for r in stream.recorded if isinstance(r.event, Paused)]
    return begun[table.pauses] if table.pauses < len(begun) else sys.maxsize


def _close_table(store: Store, table_id: TableId) -> None:
    at, running = _table_and_hand(store, table_id)
    table = at.state
    if table is None or table.closed or not _cancelled(store, table.tournament_id):
        return
    voided: list[Event] = []
    ended: list[Event] = []
    if running and running.state is not None:
        voided = hands.void(running.state, "the tournament was cancelled")
        ended = hands.ended(reduce(hands.evolve, voided, running.state), table, at.read_at)
    at_table = [*ended, *tables.close(table)]
    _append(store, f"close-{table_id}", [(at, at_table), (running, voided)], at.read_at)


def _cancelled(store: Store, tournament_id: TournamentId) -> bool:
    t = store.load(TOURNAMENT, tournament_id).state
    return t is not None and t.state is tournaments.State.CANCELLED


def _table_and_hand(store: Store, table_id: TableId) -> tuple[Stream[Table], Stream[Hand] | None]:
    """The table, and its running hand if it has one. A hand that ends in between shows as a conflict."""
    at = store.load(TABLE, table_id)
    running: HandId | None = at.state.hand_id if at.state else None
    return at, store.load(HAND, running) if running else None


def _append(
    store: Store,
    name: str,
    what: Sequence[tuple[Stream[Table] | Stream[Hand] | None, Sequence[Event]]],
    now: datetime,
) -> None:
    changes = [Change(stream.id, stream.version, events) for stream, events in what if stream and events]
    store.append(job(name), changes, now)
