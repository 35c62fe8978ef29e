"""`standings` as of any position: chips, points, hands, and places, counted here again from the events alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from uuid import UUID

from domain.hand_events import Dealt, HandRecorded
from domain.roster import Registered, Withdrawn
from domain.table import HandEnded, Seated
from domain.tournament import Finished, Placed, Started, TableClosed, TableOpened, TablesDrawn
from domain.tournament_events import EntryTaken, LateSeated
from services.application.standings import standings

AFTER_THE_START = Registered | Withdrawn | TableOpened | TableClosed | EntryTaken | LateSeated
"""Of leagues and of late entry."""


@dataclass
class Line:
    chips: int
    points: int = 0
    hands: int = 0
    won: int = 0
    cards_left: int = 0
    table: UUID | None = None
    went: int = 0
    no_show: bool = False


@dataclass
class Book:
    """A tournament, counted from its events."""

    lines: dict[UUID, Line] = field(default_factory=dict)
    outs: int = 0
    league: bool = False

    def add(self, world, r):
        e = r.event
        if isinstance(e, Started):
            self.lines = {p: Line(world.tournaments[r.stream].structure.stack) for p in e.entrants}
            self.league = world.tournaments[r.stream].structure.for_points
        elif isinstance(e, AFTER_THE_START):
            self.add_after_the_start(e, world.tournaments[world.tournament_of(r)].structure.stack)
        elif isinstance(e, TablesDrawn):
            for table in e.tables:
                for place in table.places:
                    self.lines[place.player_id].table = table.table_id
        elif isinstance(e, Seated):
            self.lines[e.place.player_id].table = r.stream
        elif isinstance(e, HandEnded) and e.winner is not None:
            dealt = next(
                d.event for d in world.stream(e.hand_id) if isinstance(d.event, Dealt | HandRecorded)
            )
            for seat in dealt.seats:
                line = self.lines[seat.player_id]
                line.chips += e.net[seat.seat]
                assert e.stacks.get(seat.seat, line.chips) == line.chips
                line.cards_left += dealt.cards_left[seat.seat] if self.league else 0
                line.points += e.points[seat.seat]
                line.hands += 1
                line.won += seat.seat == e.winner
        elif isinstance(e, Placed):
            self.outs += 1
            line = self.lines[e.player_id]
            line.chips, line.table, line.went, line.no_show = 0, None, self.outs, e.no_show
        elif isinstance(e, Finished):
            for line in self.lines.values():
                line.table = None

    def add_after_the_start(self, e, stack):
        if isinstance(e, Registered) and self.lines:
            self.lines[e.player_id] = Line(stack)
        elif isinstance(e, Withdrawn) and self.league:
            del self.lines[e.player_id]
        elif isinstance(e, EntryTaken):
            line = self.lines[e.player_id]
            line.chips, line.went, line.no_show = stack, 0, False
        elif isinstance(e, LateSeated):
            self.lines[e.place.player_id].table = e.table_id
        elif isinstance(e, TableOpened):
            for place in e.table.places:
                self.lines[place.player_id].table = e.table.table_id
        elif isinstance(e, TableClosed):
            for player in e.players:
                self.lines[player].table = None

    def placed(self, tied_with) -> list[tuple]:
        """In play by chips, then who went out later, then no-shows; equals share a place. A league's by points."""
        order = sorted(self.lines.items(), key=lambda item: self._rank(item[1]))
        found, place = [], 1
        for _, group in groupby(order, key=lambda item: self._tie(*item, tied_with)):
            equals = list(group)
            found += [(place, len(equals) > 1, player, line) for player, line in equals]
            place += len(equals)
        return found

    def _rank(self, line):
        if self.league:
            return (not line.hands, -line.points, -line.won, line.cards_left)
        return (line.went > 0, line.no_show, -line.chips, -line.went)

    def _tie(self, player, line, tied_with):
        if self.league:
            return self._rank(line)
        return ("out", tied_with.get(player, player)) if line.went else ("in play", line.chips)


def out_together(world, t):
    """Who went out in the same hand with the same stack: player to what they share."""
    outs = [r.event for r in world.stream(t) if isinstance(r.event, Placed) and r.event.hand_id]
    return {e.player_id: (e.hand_for_hand or e.hand_id, e.stack) for e in outs}


def test_standings_at_every_moment_are_what_the_events_add_up_to(evening):
    world, books, checked = evening.world, {}, 0
    for r in evening.log:
        t = world.tournament_of(r)
        if t is None:
            continue
        book = books.setdefault(t, Book())
        book.add(world, r)
        if not isinstance(r.event, HandEnded | Placed | Seated | TablesDrawn | Finished | AFTER_THE_START):
            continue
        page, _ = standings(evening.house.store.database, t, r.position, 0, 100)
        shown = [
            (s.place, s.tied, s.player_id, s.chips, s.points, s.hands, s.hands_won, s.table_id)
            for s in page.items
        ]
        wanted = [
            (place, tied, player, line.chips, line.points, line.hands, line.won, line.table)
            for place, tied, player, line in book.placed(out_together(world, t))
        ]
        assert sorted(shown) == sorted(wanted)
        assert [s[0] for s in shown] == sorted(s[0] for s in shown)
        checked += 1
    assert checked


def test_at_the_end_they_are_the_tournament_s_own(evening):
    for name in ("long", "quick", "league", "real cards", "late"):
        tournament = evening.house.tournament(evening.ids[name])
        page, _ = standings(evening.house.store.database, evening.ids[name], evening.log[-1].position, 0, 100)
        assert sorted((s.place, s.tied, s.player_id) for s in page.items) == sorted(
            (s.place, s.tied, s.player_id) for s in tournament.standings
        )
        assert sum(s.points for s in page.items) == 0
        assert sum(s.hands_won for s in page.items) == len(
            [r for r in evening.log if isinstance(r.event, HandEnded) and r.stream in _tables(tournament)]
        )


def _tables(tournament):
    if tournament.tables:
        return list(tournament.tables.values())
    return [tournament.table_id(n + 1) for n in range(tournament.tables_drawn)]


def test_before_the_start_there_are_none(evening):
    db, position = evening.house.store.database, evening.log[-1].position
    assert standings(db, evening.ids["open"], position, 0, 100)[0].items == []
    assert standings(db, evening.ids["long"], 1, 0, 100)[0].items == []


def test_pages_of_one_position_are_the_whole_of_it(evening):
    db, t, position = evening.house.store.database, evening.ids["long"], evening.log[-1].position // 2
    whole, newest = standings(db, t, position, 0, 100)
    parts, after = [], 0
    while True:
        page, _ = standings(db, t, position, after, 3)
        parts += page.items
        if page.next is None:
            break
        _, after = page.next
    assert parts == whole.items
    assert newest is not None
    assert newest <= position
