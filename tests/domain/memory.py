"""Whole tournaments in memory: what the service does with the domain's answers, without its store and its processes.

`Memory.log` is everything that happened, in order. Hands are played by random legal plays, interleaved at random, and
the director looks when it is his turn, perhaps late.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

from big2.cards import cards_in
from big2.hand import may_pass, options
from domain import dealing
from domain import hand as hands
from domain import table as tables
from domain import tournament as tournaments
from domain.director import Facts, look
from domain.events import Event
from domain.hand import HAND, Hand
from domain.hand_events import Timing
from domain.ids import HandId, PlayerId, TableId
from domain.pausing import follow
from domain.seating import tables_needed
from domain.table import TABLE, HandEnded, Table
from domain.tournament import TOURNAMENT, State, Tournament
from tests.big2.play import PRESETS
from tests.domain import given as g

MOST_STEPS = 200_000
"""A tournament that has not ended by then is stuck."""


class Logged(NamedTuple):
    stream: UUID
    event: Event


class Memory:
    def __init__(
        self,
        structure: tournaments.Structure,
        entrants: int,
        seed: int = 0,
        absent: int = 0,
        patience: int = 3,
    ) -> None:
        self.random = Random(seed)
        self.patience = patience
        self.now: datetime = g.NOW
        self.log: list[Logged] = []
        self.tables: dict[TableId, Table] = {}
        self.hands: dict[HandId, Hand] = {}
        self.positions: dict[TableId, int] = {}
        self.transactions: list[int] = []
        self.looks = 0
        self.spreads: list[int] = []
        self.absent = frozenset(g.players(entrants)[:absent])
        self.tournament: Tournament = None  # type: ignore[assignment]
        draw_seed = self.random.randbytes(32)
        self.record(
            {g.TOURNAMENT: tournaments.publish(g.TOURNAMENT, structure, self.random.randbytes(32), draw_seed)}
        )
        self.record({g.TOURNAMENT: tournaments.start(self.tournament, g.players(entrants), self.now)})
        drawn, opened = tournaments.draw(self.tournament, self.now)
        self.record({g.TOURNAMENT: [drawn], **{event.table_id: [event] for event in opened}})

    # what happens

    def record(self, changes: dict[Any, Sequence[Event]]) -> None:
        """One transaction."""
        for stream, events in changes.items():
            for event in events:
                self.log.append(Logged(stream, event))
                self._fold(stream, event)
        self.transactions.append(len(self.log))

    def _fold(self, stream: Any, event: Event) -> None:
        if stream == g.TOURNAMENT:
            self.tournament = TOURNAMENT.evolve(self.tournament, event)
        elif isinstance(event, hands.Committed) or stream in self.hands:
            self.hands[stream] = HAND.evolve(self.hands.get(stream), event)
        else:
            self.tables[stream] = TABLE.evolve(self.tables.get(stream), event)
            if isinstance(event, HandEnded):
                self.positions[stream] = len(self.log)

    # what the service does

    @property
    def open_tables(self) -> list[Table]:
        return [self.tables[self.tournament.table_id(n)] for n in self.tournament.open_tables]

    @property
    def running(self) -> list[Hand]:
        open_hands = [t.hand_id for t in self.open_tables if t.hand_id is not None]
        return [self.hands[hand_id] for hand_id in open_hands]

    def look(self) -> int:
        """The director's turn; how much he did."""
        facts = [Facts(table, self.positions.get(table.table_id, 0)) for table in self.open_tables]
        self.random.shuffle(facts)
        agenda = look(self.tournament, facts, self.now)
        if agenda.tournament:
            self.record({g.TOURNAMENT: agenda.tournament, **agenda.tables})
        assert agenda.state == self.tournament
        self._see_balance()
        assert agenda.together == (
            bool(agenda.deals) and self.tournament.on_the_bubble and len(self.open_tables) > 1
        )
        for table_id in agenda.deals:
            assert self.tables[table_id] == agenda.table_states[table_id]
            self.deal(self.tables[table_id])
        return len(agenda.tournament) + len(agenda.deals)

    def _see_balance(self) -> None:
        """How far the sizes of the tables between hands differ, unless they wait for the final table, or for the
        others of a hand-for-hand round."""
        self.looks += 1
        needed = tables_needed(self.tournament.players_left, self.tournament.structure.seats_per_table)
        waiting = [table for table in self.open_tables if table.waiting]
        several = len(self.open_tables) > 1
        for_a_round = self.tournament.on_the_bubble and len(waiting) < len(self.open_tables)
        if self.tournament.state is State.RUNNING and not (several and (needed == 1 or for_a_round)):
            sizes = [len(table.seats) for table in waiting] or [0]
            self.spreads.append(max(sizes) - min(sizes))

    def deal(self, table: Table) -> None:
        t = self.tournament
        rules = PRESETS[table.rules]
        terms = tables.next_deal(table, rules, t.level, t.unit)
        s = t.structure
        timing = Timing(s.turn_seconds, s.between_hands_seconds, s.protest_seconds)
        events = dealing.deal(
            table,
            terms,
            rules,
            master=t.master,
            rooted=tournaments.is_rooted(t, table, terms.number),
            structure_hash=t.structure_hash,
            timing=timing,
            connections={},
            now=self.now,
            entropy_seconds=s.entropy_seconds,
        )
        begun = [*tables.begin(terms), *tables.commit_next_deals(table, terms, t.master)]
        ended = hands.ended(g.fold(HAND, events), g.fold(TABLE, begun, table), self.now)
        self.record({terms.hand_id: events, table.table_id: [*begun, *ended]})

    def follow_pauses(self) -> None:
        """Each open table follows its tournament's pauses."""
        for table in self.open_tables:
            hand = self.hands[table.hand_id] if table.hand_id else None
            at_table, in_hand = follow(self.tournament, table, hand, self.now)
            self.record({table.table_id: at_table, **({hand.hand_id: in_hand} if hand else {})})

    def settle_at_table(self, hand: Hand, events: list[Event]) -> None:
        """A hand's events, and what its table records of its end, in one transaction."""
        table = self.tables[hand.table_id]
        after = g.fold(HAND, events, hand)
        self.record({hand.hand_id: events, hand.table_id: hands.ended(after, table, self.now)})

    def act(self, hand: Hand) -> None:
        """The seat to act does something legal, or the clock does it for him; before the deal, nonces are sent."""
        if hand.opened:
            return self.before_the_deal(hand)
        turn, seat = hand.game.turn_number, hand.game.turn
        player = next(s.player_id for s in hand.terms.seats if s.seat == seat)
        clock_acts = hand.sits_out(seat) or player in self.absent
        if hand.deadline is not None and (clock_acts or self.random.random() < 0.02):
            self.now = max(self.now, hand.deadline)
            return self.settle_at_table(hand, hands.act_for_absent(hand, turn, self.now))
        self.now += timedelta(milliseconds=250)
        plays = options(hand.game)
        if not plays or (may_pass(hand.game) and self.random.random() < 0.2):
            return self.settle_at_table(hand, hands.pass_turn(hand, player, turn, self.now))
        chosen = self.random.choice(plays)[0]
        return self.settle_at_table(hand, hands.play(hand, player, turn, cards_in(chosen.mask), self.now))

    def before_the_deal(self, hand: Hand) -> None:
        """Somebody sends his nonce; or the time is over, and the hand is dealt."""
        yet = [s.player_id for s in hand.terms.seats if s.seat not in hand.nonces]
        if hand.deadline is not None and (hand.deadline <= self.now or self.random.random() < 0.3):
            self.now = max(self.now, hand.deadline)
            return self.settle_at_table(hand, dealing.deal_opened(hand, {}, self.now))
        nonce = f"nonce-{self.random.randrange(10**6)}"
        self.record({hand.hand_id: dealing.give_entropy(hand, self.random.choice(yet), nonce, self.now)})
        return None

    def step(self) -> None:
        """Somebody's turn; with nobody's, the director must find something to do."""
        running = self.running
        if running and self.random.randrange(self.patience):
            return self.act(self.random.choice(running))
        if not running:
            waits = [table.deal_at for table in self.open_tables]
            self.now = max(self.now, *waits, self.now)
        did = self.look()
        assert did or running, "every table waits and the director finds nothing to do"
        return None

    def play_on(self, until: Any = None) -> Memory:
        """On to the end, or until `until(self)` says so."""
        for _ in range(MOST_STEPS):
            if self.tournament.state is not State.RUNNING or (until and until(self)):
                return self
            self.step()
        raise AssertionError("the tournament does not end")

    # what there is to see

    def events(self, kind: type[Event]) -> list[Any]:
        return [event for _, event in self.log if isinstance(event, kind)]

    def seat_at(self, hand_id: HandId, seat: int | None) -> PlayerId | None:
        """Who sat there in that hand."""
        dealt_in = self.hands[hand_id].terms.seats
        return next((taken.player_id for taken in dealt_in if taken.seat == seat), None)
