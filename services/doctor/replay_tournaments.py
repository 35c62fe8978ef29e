"""I6 of a tournament: its entries, draws, looks at the tables, levels, pauses and its end, decided again one by one.

A look at the tables is bound to the versions of those that it changes. Of the others it saw what was committed by
then, which the log tells but to the moment: so where it does not follow, it is tried as of shortly before, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import reduce
from itertools import islice, product
from typing import NamedTuple
from uuid import UUID

from domain import cancellation, late_entry, league, pausing
from domain import roster as rosters
from domain import table as tables
from domain import tournament as decide_on
from domain.director import Facts, look, look_between
from domain.ending import place_again
from domain.events import Event
from domain.ids import TableId, TournamentId, roster_id
from domain.roster import Registered, Roster, Substituted, Withdrawn
from domain.table import Table
from domain.table_events import (
    Closed,
    HandBegun,
    HandEnded,
    TableFrozen,
    TablePaused,
    TableReleased,
    TableResumed,
)
from domain.tournament import State, Tournament
from domain.tournament_events import (
    Cancelled,
    DealsCommitted,
    EntriesClosed,
    EntryTaken,
    Finished,
    LevelRaised,
    Paused,
    PenaltiesImposed,
    PlayerReinstated,
    PlayerReplaced,
    PrizesAwarded,
    Published,
    ReplacementOrdered,
    ResultCorrected,
    Resumed,
    RulingLapsed,
    SeedsCommitted,
    StandingsCorrected,
    Started,
    TableClosed,
    TableOpened,
    TablesDrawn,
)
from services.doctor.judging import FAULTS, Append, Decided, appends, judged, refused
from services.doctor.replay_tables import OF_HANDS
from services.doctor.violation import Violation, at
from services.envelope import Recorded

OF_RULINGS = (
    ResultCorrected,
    PenaltiesImposed,
    RulingLapsed,
    PlayerReinstated,
    ReplacementOrdered,
    Substituted,
)
"""What rulings bring to their tournament and its roster, which is judged with the hand."""
OF_DISPUTES = (*OF_RULINGS, TableFrozen, TableReleased)
"""What disputes bring to their tournament and its tables."""
EFFECTS = (ResultCorrected, PenaltiesImposed, RulingLapsed, PlayerReinstated, ReplacementOrdered)
"""What a tournament records first of a ruling that takes effect."""
PLACED_AGAIN = (StandingsCorrected, PrizesAwarded)
"""What follows from that at once, where the tournament is over."""
UNSURE = timedelta(seconds=10)
"""How long before a look its tables may have been read otherwise than the log has them."""
TRIES = 256
"""How many such moments are tried."""


class _Seen(NamedTuple):
    """A table as it was once, and the position of its last hand's end."""

    table: Table
    last_end: int
    until: datetime


def tournament_events(
    tournament: Sequence[Recorded], roster: Sequence[Recorded], at_tables: Sequence[Sequence[Recorded]]
) -> Iterator[Violation]:
    """Everything in these streams but what hands bring to tables."""
    merged = sorted([*tournament, *roster, *(r for events in at_tables for r in events)], key=_position)
    world = _World(TournamentId(tournament[0].stream))
    for append in appends(merged):
        yield from (found := list(world.judged(append)))
        if found:
            return
        try:
            world.follow(append)
        except FAULTS as fault:
            yield at("I6", append.first, refused(fault))
            return


def _position(r: Recorded) -> int:
    return r.position


class _World:
    """A tournament, its roster and its tables, before an append."""

    def __init__(self, t: TournamentId) -> None:
        self.id = t
        self.roster_id = roster_id(t)
        self.state: Tournament | None = None
        self.earlier: list[Tournament] = []
        self.roster = Roster()
        self.tables: dict[UUID, list[_Seen]] = {}

    @property
    def t(self) -> Tournament:
        assert self.state is not None
        return self.state

    def follow(self, append: Append) -> None:
        for r in append.events:
            if r.stream == self.id:
                self.earlier = [self.state, *self.earlier[:2]] if self.state else []
                self.state = decide_on.evolve(self.state, r.event)
            elif r.stream == self.roster_id:
                self.roster = rosters.evolve(self.roster, r.event)
        for stream in {r.stream for r in append.events} - {self.id, self.roster_id}:
            self._follow_table(append.of(stream))

    def _follow_table(self, events: Sequence[Recorded]) -> None:
        stream = events[0].stream
        seen = self.tables.setdefault(stream, [])
        table = reduce(tables.evolve, (r.event for r in events), seen[0].table if seen else None)
        assert table is not None
        last_end = seen[0].last_end if seen else 0
        last_end = max((r.position for r in events if isinstance(r.event, HandEnded)), default=last_end)
        before = [seen[0]._replace(until=events[0].at), *seen[1:]] if seen else []
        recent = [s for s in before if events[0].at - s.until <= UNSURE]
        seen[:] = [_Seen(table, last_end, events[0].at), *recent]

    def judged(self, append: Append) -> Iterator[Violation]:
        """The append without what hands bring: that is judged with the tables."""
        rest = Append(tuple(r for r in append.events if not isinstance(r.event, OF_HANDS)))
        if not rest.events:
            return
        try:
            alternatives = list(islice(self._alternatives(rest, append), TRIES))
        except FAULTS as fault:
            yield at("I6", append.first, refused(fault))
            return
        told: list[Violation] = []
        for decide in alternatives:
            found = list(judged(rest, decide))
            if not found:
                return
            told = told or found
        yield from told

    def _alternatives(self, rest: Append, append: Append) -> Iterator[Callable[[], Decided]]:
        """What may have been decided on, likeliest first."""
        if self._brings_a_look(rest):
            yield from (self._looked_between(rest, seen) for seen in self._possible(append))
            return
        if self._is_of_disputes(rest):
            yield lambda: self._of_disputes(rest)
            return
        own = [r.event for r in rest.of(self.id)]
        if own and not self._is_command(own[0], rest):
            yield from (self._look(append, seen) for seen in self._possible(append))
        elif own:
            yield lambda: self._command(own, rest)
        elif rest.has(TablePaused, TableResumed):
            yield from (self._follows_pause(rest, t) for t in [self.t, *self.earlier])
        else:
            yield lambda: self._without_tournament(rest)

    def _brings_a_look(self, rest: Append) -> bool:
        """With real cards a ruling's effect does, and the end of a pause."""
        chips = self.state is not None and not self.t.structure.for_points
        return chips and self.t.structure.recorded and rest.has(*EFFECTS, Resumed) and not rest.has(Cancelled)

    def _looked_between(self, rest: Append, seen: Mapping[UUID, _Seen]) -> Callable[[], Decided]:
        def decide() -> Decided:
            brought = Append(tuple(r for r in rest.events if self._is_effect(r.event)))
            decided: dict[UUID, Sequence[Event]] = dict(self._of_disputes(brought))
            if rest.has(Resumed):
                decided[self.id] = decide_on.resume(self.t, rest.first.at)
            facts = [Facts(s.table, s.last_end) for s in seen.values()]
            own = decided[self.id]
            steps = look_between(self.t, own, facts, rest.first.at)
            decided[self.id] = [*own, *steps.tournament]
            for table, events in steps.tables.items():
                decided[table] = events
            return decided

        return decide

    def _is_effect(self, event: Event) -> bool:
        """Whether it is brought by a ruling and not by the look; who has no seat yet is replaced at once."""
        if isinstance(event, PlayerReplaced):
            return any(coming.player_id == event.player_id for coming in self.t.coming)
        return isinstance(event, OF_RULINGS)

    def _is_of_disputes(self, rest: Append) -> bool:
        """Roots may come with who is back; who has no seat yet is replaced at once, and after the end places follow."""
        of_disputes: tuple[type[Event], ...] = OF_DISPUTES
        of_disputes += (
            (DealsCommitted, PlayerReplaced) if rest.has(PlayerReinstated, ReplacementOrdered) else ()
        )
        of_disputes += PLACED_AGAIN if rest.has(PenaltiesImposed) else ()
        return all(isinstance(r.event, of_disputes) for r in rest.events)

    def _of_disputes(self, rest: Append) -> Decided:
        """What a dispute brings to the tables and the tournament: that is judged with its hand, but for its order."""
        decided: dict[UUID, list[Event]] = {}
        for r in rest.events:
            if isinstance(r.event, PLACED_AGAIN):
                continue
            follows = True
            if isinstance(r.event, TableFrozen | TableReleased):
                frozen = r.event.hand_id in self._table(r.stream).frozen
                follows = frozen == isinstance(r.event, TableReleased)
            decided.setdefault(r.stream, []).extend([r.event] if follows else [])
        own = decided.get(self.id, [])
        for hand in [event.hand_id for event in own if isinstance(event, PenaltiesImposed)]:
            own += place_again(reduce(decide_on.evolve, own, self.t), hand)
        return decided

    # what somebody asked for, or the clock

    def _is_command(self, first: Event, rest: Append) -> bool:
        """Anything but a look at the tables."""
        if self.state is None or self.t.structure.for_points or not self.t.tables_drawn:
            return True
        asked = (Paused, Resumed, EntryTaken, Started, Published)
        by_clock = isinstance(first, LevelRaised) and self.t.level_ends_at is not None
        return isinstance(first, asked) or by_clock or rest.has(Cancelled)

    def _command(self, own: Sequence[Event], rest: Append) -> Decided:
        now = rest.first.at
        if rest.has(Cancelled):
            return self._cancelled(own, rest)
        match own[0]:
            case SeedsCommitted():
                return self._published(own)
            case Published():
                again = decide_on.republish(self.t, own[0].structure, len(self.roster.entries))
                return {self.id: again}
            case Started():
                return self._started(own, now)
            case TablesDrawn():
                drawn, opened = decide_on.draw(self.t, now)
                return {self.id: [drawn], **{event.table_id: [event] for event in opened}}
            case Paused():
                return {self.id: decide_on.pause(self.t, now)}
            case Resumed():
                return {self.id: decide_on.resume(self.t, now)}
            case EntryTaken():
                at_roster, taken = late_entry.enter(self.t, self.roster, own[0].player_id, now)
                return {self.id: taken, self.roster_id: at_roster}
            case LevelRaised():
                return self._level_raised(now)
        return self._of_league(own, now)

    def _published(self, own: Sequence[Event]) -> Decided:
        committed, published = own
        assert isinstance(committed, SeedsCommitted)
        assert isinstance(published, Published)
        terms = (published.structure, committed.master, committed.draw_seed)
        return {self.id: decide_on.publish(self.id, *terms)}

    def _started(self, own: Sequence[Event], now: datetime) -> Decided:
        started = decide_on.start(self.t, list(self.roster.entries), now)
        if not any(isinstance(event, DealsCommitted) for event in own):  # as it was before there were roots
            started = [event for event in started if not isinstance(event, DealsCommitted)]
        open_still = self.t.structure.for_points or self.t.structure.late_entry_levels
        return {self.id: started, self.roster_id: [] if open_still else self._roster_closed()}

    def _cancelled(self, own: Sequence[Event], rest: Append) -> Decided:
        """By command, or by a ruling, which may release the table of its hand."""
        reason = next(event.reason for event in own if isinstance(event, Cancelled))
        numbers = self.t.open_tables if cancellation.in_the_money(self.t) else ()
        seen = [self.tables[self.t.table_id(number)][0] for number in numbers]
        in_order = [s.table for s in sorted(seen, key=lambda s: s.last_end)]
        cancelled = cancellation.cancel(self.t, in_order, reason, len(self.roster.entries))
        disputed = Append(tuple(r for r in rest.events if isinstance(r.event, OF_DISPUTES)))
        return {self.id: cancelled, self.roster_id: self._roster_closed(), **self._of_disputes(disputed)}

    def _level_raised(self, now: datetime) -> Decided:
        assert self.t.state is State.RUNNING
        assert self.t.level_ends_at is not None
        assert self.t.level_ends_at <= now
        raised = decide_on.raise_level(self.t, now)
        events = [*raised, *late_entry.close_entries(reduce(decide_on.evolve, raised, self.t))]
        return {self.id: events, self.roster_id: self._closed_with(events)}

    def _of_league(self, own: Sequence[Event], now: datetime) -> Decided:
        match own[0]:
            case TableOpened():
                seats = [(place.seat, place.player_id) for place in own[0].table.places]
                table = own[0].table.table_id
                opened = league.open_table(self.t, table, self.roster.entries, seats, {})
                return {self.id: [opened], table: [decide_on.open_table(self.t, opened.table, now)]}
            case TableClosed():
                closed, at_table = league.close_table(self.t, self._table(own[0].table_id))
                return {self.id: [closed], own[0].table_id: [at_table]}
        assert any(isinstance(event, Finished) for event in own)
        season = [self._table(table) for table in self.tables]
        ended = league.finish(self.t, self.roster.entries, season)
        closed_tables: dict[UUID, list[Event]] = {
            table.table_id: tables.close(table) for table in season if not table.closed
        }
        return {self.id: ended, self.roster_id: self._roster_closed(), **closed_tables}

    def _without_tournament(self, rest: Append) -> Decided:
        """Entries before the start and in leagues; tables that close after a cancellation."""
        event, stream = rest.first.event, rest.first.stream
        match event:
            case Registered():
                made = rosters.register(self.roster, self.id, event.player_id, self.t.structure.capacity)
                return {stream: made}
            case Withdrawn():
                late_entry.may_withdraw(self.t)
                return {stream: rosters.withdraw(self.roster, self.id, event.player_id)}
            case Closed():
                cancelled = self.t.state is State.CANCELLED
                return {stream: tables.close(self._table(stream)) if cancelled else []}
        return {stream: []}

    def _follows_pause(self, rest: Append, t: Tournament) -> Callable[[], Decided]:
        stream = rest.first.stream
        return lambda: {stream: pausing.follow(t, self._table(stream), None, rest.first.at)[0]}

    # what the director makes of the tables

    def _look(self, append: Append, seen: Mapping[UUID, _Seen]) -> Callable[[], Decided]:
        def decide() -> Decided:
            ended = [r for r in append.events if isinstance(r.event, HandEnded)]
            facts = [Facts(s.table, s.last_end) for s in seen.values()]
            played = TableId(ended[0].stream) if ended else None
            if ended:
                hand = [
                    r.event for r in append.of(ended[0].stream) if isinstance(r.event, HandBegun | HandEnded)
                ]
                after = reduce(tables.evolve, hand, seen[ended[0].stream].table)
                facts = [f for f in facts if f.table.table_id != played]
                facts.append(Facts(after, ended[0].position))
            steps = look(self.t, facts, append.first.at, played)
            at_tables: dict[UUID, list[Event]] = dict(steps.tables.items())
            return {
                self.id: steps.tournament,
                self.roster_id: self._closed_with(steps.tournament),
                **at_tables,
            }

        return decide

    def _possible(self, append: Append) -> Iterator[Mapping[UUID, _Seen]]:
        """How the open tables may have been seen: those that the append changes only as they stand."""
        changed = {r.stream for r in append.events}
        ids = [self.t.table_id(number) for number in self.t.open_tables]
        choices = [
            self.tables[table][:1] if table in changed else self._recent(table, append) for table in ids
        ]
        for seen in product(*choices):
            yield dict(zip(ids, seen, strict=True))

    def _recent(self, table: UUID, append: Append) -> list[_Seen]:
        now, *before = self.tables[table]
        return [now, *(s for s in before if append.first.at - s.until <= UNSURE)]

    def _closed_with(self, events: Sequence[Event]) -> list[Event]:
        return self._roster_closed() if any(isinstance(e, EntriesClosed) for e in events) else []

    def _roster_closed(self) -> list[Event]:
        return rosters.close(self.roster, self.id)

    def _table(self, stream: UUID) -> Table:
        return self.tables[stream][0].table
