"""What a running tournament does next: facts in, events and deals out. Workers only carry the answer.

Looked at between hands, in this order: what rulings correct, who is replaced, what rulings punish, who is out, who is
disqualified, who never showed up, the level, the end of late entry, who is yet to get a seat, the end, the seats, the
deals.
Before the money tables play hand for hand: none deals, and nobody is placed, until every table has ended
its hand; then all deal at once.

Tables with real cards are never dealt at: each plays its next hand by itself, unless it is held for others. They are
looked at with a result; and once a ruling is final, where no hand can be running: at those that are held, and at those
where fewer than two could play on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import reduce

import msgspec
from msgspec.structs import replace

from domain import ending, late_entry, penalties
from domain import tournament as decide
from domain.draws import draws_for
from domain.events import Event
from domain.ids import HandId, PlayerId, TableId
from domain.owed import chips_owed
from domain.placing import Out, places_of_out
from domain.seating import Move, Sitting, balance
from domain.table import Seat, Table, about_to_lead, places
from domain.table import evolve as evolve_table
from domain.table_events import Closed, Leaving, Seated, SeatTakenOver, StacksAdjusted, Vacated
from domain.tournament import Coming, State, Tournament
from domain.tournament_events import (
    LateSeated,
    PlayerReplaced,
    ReinstatedSeated,
    StacksCorrected,
    TableBroken,
    TablesHeld,
)
from domain.waits import over


class Facts(msgspec.Struct, frozen=True):
    """A table as it stands, and the log position of its last hand's end (hands end in the order of the log)."""

    table: Table
    position: int


class NextSteps(msgspec.Struct, frozen=True):
    """What to record, by stream, in one transaction; then the tables to deal at, in order.

    `together` says that the deals are one hand-for-hand round: all of them, or none.
    """

    tournament: list[Event]
    tables: dict[TableId, list[Event]]
    deals: list[TableId]
    together: bool
    state: Tournament
    table_states: Mapping[TableId, Table]


def look(
    tournament: Tournament, facts: list[Facts], now: datetime, ended: TableId | None = None
) -> NextSteps:
    """The next steps of `tournament`, whose open tables are `facts`; nothing while it is not running.

    `ended` is the table whose hand has just been recorded, where the cards are real.
    """
    director = _Director(tournament, facts, now, ended)
    drawn = tournament.tables_drawn and not tournament.structure.for_points
    if tournament.state is State.RUNNING and drawn:
        director.run()
    return director.next_steps()


def look_between(
    tournament: Tournament, events: Iterable[Event], facts: list[Facts], now: datetime
) -> NextSteps:
    """The next steps right after `events` that no hand has brought, where the cards are real."""
    before = _own(tournament)
    return look(reduce(decide.evolve, events, before), facts, now)


def _own(tournament: Tournament) -> Tournament:
    """The same, whose mutable parts belong to nobody else."""
    return replace(tournament, moved={**tournament.moved}, outs=[*tournament.outs])


class _Director:
    """Applies each event as it is decided, so that the next decision sees it."""

    def __init__(
        self, tournament: Tournament, facts: list[Facts], now: datetime, ended: TableId | None
    ) -> None:
        self.t = _own(tournament)
        self.now = now
        self.ended = ended
        self.void = tournament.void  # what goes there now is there only after this look
        self.tables = {f.table.number: f.table for f in sorted(facts, key=lambda f: f.position)}
        self.tournament_events: list[Event] = []
        self.table_events: dict[TableId, list[Event]] = {}
        self.deals: list[TableId] = []

    def run(self) -> None:
        self._correct()
        self._replace()
        self._punish()
        if self._hand_for_hand() and not self._all_wait():
            return self._hold(())
        self._place_who_is_out()
        self._remove_disqualified()
        self._remove_no_shows()
        self._raise_level()
        self._close_entries()
        if self.t.players_left > 1:
            self._seat_late_entrants()
            self._remove_disqualified()
        if self.t.players_left <= 1:
            return self._finish()
        hold = self._seat()
        if self.t.structure.recorded:
            return self._hold(hold)
        self.deals = [
            table.table_id
            for number, table in sorted(self.tables.items())
            if number not in hold and self._due(table)
        ]
        return None

    def next_steps(self) -> NextSteps:
        states = {table.table_id: table for table in self.tables.values()}
        together = bool(self.deals) and self._hand_for_hand()
        return NextSteps(self.tournament_events, self.table_events, self.deals, together, self.t, states)

    def _hand_for_hand(self) -> bool:
        return self.t.on_the_bubble and len(self.tables) > 1

    def _all_wait(self) -> bool:
        return all(self._waits(table) for table in self.tables.values())

    def _waits(self, table: Table) -> bool:
        """Whether it is between hands; with real cards it plays on as soon as nothing holds it."""
        if self.t.structure.recorded:
            waits = table.table_id == self.ended or table.number in self.t.held
            return waits or len(self._playing_on(table)) < 2
        return table.waiting and not table.frozen

    def _playing_on(self, table: Table) -> list[Seat]:
        """Who has chips there once rulings have taken theirs, and is not disqualified."""
        due = chips_owed(self.t)
        seated = (taken for taken in table.seats.values() if taken.player_id not in self.t.disqualified)
        return [taken for taken in seated if taken.stack + due[taken.player_id] > 0]

    def _hold(self, numbers: Iterable[int]) -> None:
        """With real cards, these tables wait before their next hand, and all others go on.

        Hand for hand, who has ended his hand waits until all have.
        """
        if self._hand_for_hand() and not self._all_wait():
            numbers = (n for n, table in self.tables.items() if self._waits(table))
        held = tuple(sorted(numbers))
        if self.t.structure.recorded and held != self.t.held:
            self._record(TablesHeld(numbers=held))

    def _correct(self) -> None:
        """What final rulings give and take, from whoever sits at a table between hands: a frozen one too."""
        for hand_id, owed in self.t.corrections.items():
            due = [(n, seat, taken) for n, seat, taken in self._between_hands() if taken.player_id in owed]
            if due:
                self._correct_stacks(hand_id, owed, due)

    def _correct_stacks(
        self, hand_id: HandId, owed: Mapping[PlayerId, int], due: list[tuple[int, int, Seat]]
    ) -> None:
        """Nobody pays more than he has, as in R8.3; who is given gets all of it."""
        made = {taken.player_id: max(owed[taken.player_id], -taken.stack) for _, _, taken in due}
        unpaid = {player: chips - owed[player] for player, chips in made.items() if chips != owed[player]}
        self._record(StacksCorrected(hand_id=hand_id, changes=made, unpaid=unpaid))
        for number in sorted({number for number, _, _ in due}):
            changes = {seat: made[taken.player_id] for n, seat, taken in due if n == number}
            self._record_at(number, StacksAdjusted(hand_id=hand_id, changes=changes))

    def _replace(self) -> None:
        """Who takes over a seat has it from the next deal on; whoever has lost his last chip there is replaced too."""
        sitting = [(n, seat, taken) for n, t in self.tables.items() for seat, taken in t.seats.items()]
        for number, seat, taken in sitting:
            ordered = self.t.replacements.get(taken.player_id)
            if ordered is not None and self._waits(self.tables[number]):
                new, hand_id = ordered.substitute_id, ordered.hand_id
                self._record(
                    PlayerReplaced(
                        player_id=taken.player_id, substitute_id=new, hand_id=hand_id, chips=taken.stack
                    )
                )
                self._record_at(number, SeatTakenOver(hand_id=hand_id, seat=seat, player_id=new))

    def _between_hands(self) -> list[tuple[int, int, Seat]]:
        """Who sits where between hands, by table and seat; at a frozen table too."""
        tables = [t for t in self.tables.values() if self._waits(t) or (t.waiting and t.frozen)]
        return [(t.number, seat, taken) for t in tables for seat, taken in t.seats.items()]

    def _punish(self) -> None:
        """The penalties of final rulings, likewise: chips go to the void, and there are hands to sit out."""
        for hand_id, due in self.t.penalties.items():
            for number, seat, taken in self._between_hands():
                if taken.player_id in due:
                    carried_out, at_table = penalties.carry_out(
                        hand_id, due[taken.player_id], seat, taken.stack
                    )
                    self._record(carried_out)
                    for event in at_table:
                        self._record_at(number, event)

    def _due(self, table: Table) -> bool:
        """Whether its next deal is due; hand for hand, whether every table's is."""
        together = self.tables.values() if self._hand_for_hand() else [table]
        seconds = self.t.structure.between_hands_seconds
        return all(
            t.waiting and not t.paused and not t.frozen and over(t.deal_at, seconds, self.now)
            for t in together
        )

    def _place_who_is_out(self) -> None:
        """Hand by hand in the order of the log (`self.tables` is in that order); a hand-for-hand round at once."""
        by_hand = [self._broke(n) for n, table in self.tables.items() if self._waits(table)]
        if self._hand_for_hand():
            number = self.t.version
            by_hand = [[(n, replace(out, hand_for_hand=number)) for hand in by_hand for n, out in hand]]
        for outs in by_hand:
            self._place(outs)

    def _broke(self, number: int) -> list[tuple[int, Out]]:
        """Who lost everything in the table's last hand, each with the table's number."""
        table = self.tables[number]
        return [
            (number, Out(taken.player_id, table.last_hand_id, taken.stack - taken.net))
            for taken in table.seats.values()
            if taken.stack <= 0
        ]

    def _remove_no_shows(self) -> None:
        """Who let the clock act for him from the start is removed, as long as somebody who has played is left."""
        seats = [(n, taken) for n, t in self.tables.items() for taken in t.seats.values()]
        limit = self.t.structure.no_show_hands
        if limit and any(taken.seen for _, taken in seats):
            for number, taken in seats:
                if self._waits(self.tables[number]) and not taken.seen and taken.absent_hands >= limit:
                    self._place([(number, Out(taken.player_id, None, taken.stack, no_show=True))])

    def _remove_disqualified(self) -> None:
        """Whom a ruling has disqualified leaves with nothing; the last one at a table stays, and is ranked for it."""
        for number, table in list(self.tables.items()):
            for taken in table.seats.values() if self._waits(table) else ():
                if taken.player_id in self.t.disqualified and self._seated() > 1:
                    self._place([(number, Out(taken.player_id, None, taken.stack, disqualified=True))])

    def _seated(self) -> int:
        return sum(len(table.seats) for table in self.tables.values())

    def _place(self, leaving: list[tuple[int, Out]]) -> None:
        """Record those who leave together, the smaller stack first, and free their seats."""
        leaving = sorted(leaving, key=lambda item: item[1].stack)
        after = (*self.t.outs, *(out for _, out in leaving))
        ranked = places_of_out(after, self.t.entrant_count - len(after), self.t.disqualified)
        by_player = {s.player_id: s.place for s in ranked}
        for number, out in leaving:
            table = self.tables[number]
            self._record(decide.place(out, table.table_id, by_player[out.player_id]))
            self._vacate(number, out.player_id, _why(out))

    def _raise_level(self) -> None:
        played = self.t.structure.hands_per_level
        if self.t.structure.minutes_per_level is None and any(
            t.level == self.t.level and t.hands_at_level >= played for t in self.tables.values()
        ):
            for event in decide.raise_level(self.t, self.now):
                self._record(event)

    def _close_entries(self) -> None:
        for event in late_entry.close_entries(self.t):
            self._record(event)

    def _finish(self) -> None:
        last = self._last()
        for number in sorted(self.tables):
            self._close(number)
        for event in ending.finish(self.t, last):
            self._record(event)

    def _last(self) -> PlayerId | None:
        """Who is left, at a table or yet without a seat; null where rulings have left nobody."""
        seated = [taken.player_id for table in self.tables.values() for taken in table.seats.values()]
        return next(iter([*seated, *(coming.player_id for coming in self.t.coming)]), None)

    def _seat(self) -> frozenset[int]:
        """Balances the tables and returns those that must wait.

        A draw is named by the moves before it, and by nothing that anybody but the players can change.
        """
        purpose = f"moves/{sum(self.t.moved.values())}"
        draws = draws_for(self.t.draw_seed, self.t.tournament_id, purpose)
        seating = balance(
            [self._sitting(t) for t in self.tables.values()],
            self.t.structure.seats_per_table,
            self.t.moved,
            draws,
            len(self.t.coming),
        )
        if seating.final_table:
            self._draw_final_table()
            return frozenset()
        for move in seating.moves:
            self._move(move, purpose)
        for number in seating.close:
            self._record(TableBroken(number=number, table_id=self.t.table_id(number)))
            self._close(number)
        return seating.hold

    def _sitting(self, table: Table) -> Sitting:
        players = {seat: taken.player_id for seat, taken in table.seats.items()}
        return Sitting(table.number, not self._waits(table), players, about_to_lead(table))

    def _seat_late_entrants(self) -> None:
        """Each at the smallest table with a free seat: now, or once its hand is over. With none, at a new table."""
        sittings = {number: self._sitting(table) for number, table in self.tables.items()}
        for turn, coming in enumerate(self.t.coming, 1):
            chosen = late_entry.table_for(list(sittings.values()), self.t.structure.seats_per_table)
            if chosen is None:
                number = self._open_for(coming)
            elif not chosen.running:
                number = self._seat_late(coming, chosen)
            else:
                chosen.players[-turn] = coming.player_id  # kept for him: a place without a seat yet
                continue
            sittings[number] = self._sitting(self.tables[number])

    def _open_for(self, coming: Coming) -> int:
        seated, opened = late_entry.open_for(self.t, coming, self.void, self.now)
        self._record_late(seated)
        self.table_events[opened.table_id] = [opened]
        self.tables[opened.number] = evolve_table(None, opened)
        self._commit_next(opened.number)
        return opened.number

    def _seat_late(self, coming: Coming, at: Sitting) -> int:
        late, seated = late_entry.seat(self.t, coming, at, self.void)
        self._record_late(late)
        self._record_at(at.number, seated)
        return at.number

    def _record_late(self, late: LateSeated) -> None:
        self.void -= late.from_void if isinstance(late, ReinstatedSeated) else 0
        self._record(late)

    def _draw_final_table(self) -> None:
        seated = [place for _, table in sorted(self.tables.items()) for place in places(table)]
        deal_at = max(table.deal_at for table in self.tables.values())
        drawn, opened = decide.draw_final_table(self.t, seated, deal_at)
        for number in sorted(self.tables):
            self._close(number)
        self._record(drawn)
        self.table_events[opened.table_id] = [opened]
        self.tables = {opened.number: evolve_table(None, opened)}
        if self.t.entries_open:
            self._commit_next(opened.number)

    def _commit_next(self, opened: int) -> None:
        """Another table may follow the one just opened: its root stands before anybody knows who sits there."""
        if self.t.rooted_tables == opened:
            self._record(decide.commit_deals(self.t, [opened + 1]))

    def _move(self, move: Move, purpose: str) -> None:
        source = self.tables[move.from_table]
        place = next(p for p in places(source) if p.seat == move.from_seat)
        self._record(decide.move(move, purpose))
        self._vacate(move.from_table, move.player_id, "moved")
        self._record_at(move.to_table, Seated(place=replace(place, seat=move.to_seat)))

    def _vacate(self, number: int, player: PlayerId, reason: Leaving) -> None:
        table = self.tables[number]
        seat = table.seat_of(player)
        assert seat is not None
        event = Vacated(seat=seat, player_id=player, stack=table.seats[seat].stack, reason=reason)
        self._record_at(number, event)

    def _close(self, number: int) -> None:
        self._record_at(number, Closed())
        del self.tables[number]

    def _record(self, event: Event) -> None:
        self.t = decide.evolve(self.t, event)
        self.tournament_events.append(event)

    def _record_at(self, number: int, event: Event) -> None:
        table = self.tables[number]
        self.tables[number] = evolve_table(table, event)
        self.table_events.setdefault(table.table_id, []).append(event)


def _why(out: Out) -> Leaving:
    if out.disqualified:
        return "disqualified"
    return "no_show" if out.no_show else "out"
