"""What must hold of every hand that is dealt here: its cards, legality, clock and settlement (I2, I3, I6, I9).

The referee is `tests/big2/slow_hand.py`, which knows nothing of the product's rules in code.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from big2.cards import parse_stored_cards
from big2.rulesets import RuleSet
from big2.table import Direction
from domain.dispute_events import ActionsVoided, TimeGiven
from domain.events import public_fields
from domain.hand_events import (
    CardsPlayed,
    Committed,
    Dealt,
    EntropyDealt,
    EntropyOpened,
    Passed,
    RingCommitted,
    Settled,
    Voided,
)
from services.envelope import Recorded
from tests.big2.slow_hand import SlowHand
from tests.harness.sim_log import must
from tests.harness.sim_store import Transaction
from tests.services.projections.world import World

CARDS = "I2 played and held are what was dealt, 13 cards a seat"
NETS = "I3 the nets of a hand sum to 0, and are what the rules make of it"
LEGAL = "I6 the rules accept every action"
TURN = "I9 a clock's action names the turn it was set for, after its deadline and outside of pauses"
OWN_TURN = "I9 a player's action takes the turn that he sent it for"
TIME = "R11.2 nobody is acted for before he has had his time, however the database's clock jumps"
ENTROPY = "the nonces of a deal are those that the seats have sent"
ROUGHLY = 0.5
"""By so many seconds the time that a turn is given back may be too short."""
SLOWEST = 5.0
"""No command takes so many seconds from its decision to its append: beyond that the clock has jumped in between."""
HIDDEN = "no card is shown that is not on the table"


class Book:
    """One hand as its referee keeps it."""

    def __init__(self, dealt: Dealt, rules: RuleSet) -> None:
        self.dealt = dealt
        step = 1 if dealt.direction is Direction.CLOCKWISE else -1
        self.holdings = {seat: _numbers(text) for seat, text in dealt.cards.items()}
        everything = sorted(c for cards in (*self.holdings.values(), _numbers(dealt.stub)) for c in cards)
        must(everything == list(range(52)), CARDS, "the pack is not whole")
        must(all(len(cards) == 13 for cards in self.holdings.values()), CARDS, "not 13 a seat")
        self.slow = SlowHand(rules, dealt.dealer, step, dealt.leader, self.holdings)
        self.rules = rules
        self.owed: list[tuple[int, str]] = []
        self.played = 0
        self.turn_since = 0.0
        self.given_seconds = 0
        self.taken: list[CardsPlayed | Passed] = []

    def take(self, event: CardsPlayed | Passed) -> None:
        """An action as it happened."""
        self.taken.append(event)
        if isinstance(event, CardsPlayed):
            self.play(event)
        else:
            self.pass_(event)

    def back(self, event: ActionsVoided) -> Book:
        """The same hand, played again up to the first action that is void."""
        must(0 < event.action <= len(self.taken) == event.last, LEGAL, "no such action:", event.action)
        must(self.taken[event.action - 1].turn is not None, LEGAL, "an automatic pass is void alone")
        book = Book(self.dealt, self.rules)
        for each in self.taken[: event.action - 1]:
            book.take(each)
        must(not book.owed, LEGAL, "R6: automatic passes are missing:", book.owed)
        must(book.slow.turn == event.next_turn.seat, LEGAL, "seat", event.next_turn.seat, "goes on")
        left = {seat: len(cards) for seat, cards in book.slow.holdings.items()}
        must(event.cards_left == left, CARDS, event.cards_left, "left for", left)
        must(event.next_turn.number == event.turn + 1, OWN_TURN, "a number twice:", event.next_turn.number)
        return book

    def play(self, event: CardsPlayed) -> None:
        slow, cards = self.slow, tuple(sorted(_numbers(event.cards)))
        self._in_turn(event.seat)
        refused = slow.refusal(cards)
        must(refused is None, LEGAL, event.cards, "is against", refused)
        must(slow.fails_in_duty(cards) == event.breach, LEGAL, "R7.3 marks a breach wrongly")
        self.played += len(cards)
        self.owed = slow.play(cards)
        held = sum(len(left) for left in slow.holdings.values())
        must(self.played + held == 13 * len(slow.holdings), CARDS, held, "held,", self.played, "played")

    def pass_(self, event: Passed) -> None:
        if event.turn is None:
            must(
                self.owed[:1] == [(event.seat, event.reason)], LEGAL, "no automatic pass of seat", event.seat
            )
            del self.owed[0]
            return
        self._in_turn(event.seat)
        must(self.slow.may_pass(), LEGAL, "R4.1: seat", event.seat, "may not pass")
        must(self.slow.fails_in_duty(()) == event.breach, LEGAL, "R7.3 marks a breach wrongly")
        self.owed = self.slow.pass_()

    def settle(self, event: Settled) -> None:
        slow = self.slow
        must((event.winner, event.liable) == (slow.winner, slow.liable), LEGAL, "another winner or assistant")
        left = {seat: len(cards) for seat, cards in slow.holdings.items()}
        must(event.cards_left == left, CARDS, event.cards_left, "left for", left)
        must(sum(event.net.values()) == 0, NETS, event.net)
        nets = slow.nets(self.dealt.unit, {s.seat: s.stack for s in self.dealt.seats})
        must(event.net == nets, NETS, event.net, "for", nets)
        paid = dict.fromkeys(event.net, 0)
        for t in event.transfers:
            paid[t.payer] -= t.paid
            paid[t.receiver] += t.paid
        must(paid == event.net, NETS, "the transfers come to", paid, "and not to", event.net)

    def _in_turn(self, seat: int) -> None:
        must(not self.owed, LEGAL, "R6: automatic passes are missing:", self.owed)
        must(self.slow.turn == seat, LEGAL, "seat", seat, "acts, and it is", self.slow.turn, "to act")


class Hands:
    """Follows every hand. `sent` has what each player's command was for: its hand, turn and player."""

    def __init__(self, sent: dict[UUID, tuple[UUID, int, UUID]], rules: dict[str, RuleSet]) -> None:
        self._sent = sent
        self._rules = rules
        self._books: dict[UUID, Book] = {}
        self._announced: dict[UUID, float] = {}
        self.stored: Transaction | None = None

    def follow(self, r: Recorded, before: World) -> None:
        """`before` is the world without this event; `stored` is the transaction that it stands in."""
        match r.event:
            case Committed() | RingCommitted():
                must("seed" not in public_fields(r.event), HIDDEN, "a seed")
            case EntropyOpened():
                self._announced[r.stream] = self._decided(r)
            case Dealt():
                if isinstance(r.event, EntropyDealt):
                    self._dealt_in_time(r, r.event, before)
                book = self._books[r.stream] = Book(r.event, self._rules[r.event.rules])
                book.turn_since = self._decided(r)
                must(not {"cards", "stub", "ruleset"} & set(public_fields(r.event)), HIDDEN, "at the deal")
            case CardsPlayed() | Passed():
                self._acted(r, before)
            case ActionsVoided():
                must(_of_the_running_turn(r, before), OWN_TURN, "void in turn", r.event.turn)
                book = self._books[r.stream] = self._books[r.stream].back(r.event)
                book.turn_since = self._decided(r)
            case TimeGiven():
                must(_of_the_running_turn(r, before), OWN_TURN, "time for turn", r.event.turn)
                self._books[r.stream].given_seconds += r.event.seconds
            case Settled():
                must(sum(r.event.net.values()) == 0, NETS, r.event.net)
                if r.stream in self._books:  # not of real cards
                    self._books.pop(r.stream).settle(r.event)
            case Voided():
                self._books.pop(r.stream, None)  # none, if it was not dealt yet

    def _dealt_in_time(self, r: Recorded, event: EntropyDealt, before: World) -> None:
        hand = before.hands[r.stream]
        must(event.nonces == hand.nonces, ENTROPY, event.nonces, "for", hand.nonces)
        must(r.actor == f"job/turn-{r.stream}-0", TURN, r.actor, "deals")
        must(hand.deadline is not None and hand.deadline <= r.at, TURN, "deals before its time")
        must(before.tournaments[hand.tournament_id].state != "paused", TURN, "deals in a pause")
        if len(hand.nonces) < len(hand.terms.seats):
            had, due = self.stored.true_seconds - self._announced[r.stream], hand.opened.entropy_seconds
            must(had >= due - ROUGHLY, TIME, f"{had:.1f} s of {due} for entropy")

    def _acted(self, r: Recorded, before: World) -> None:
        event: Any = r.event
        book = self._books[r.stream]
        must("breach" not in public_fields(event), HIDDEN, "a breach")
        by_clock = event.by == "clock" if isinstance(event, CardsPlayed) else event.reason == "clock"
        if by_clock:
            self._by_clock(r, before)
            had = self.stored.true_seconds - book.turn_since
            due = book.dealt.timing.turn_seconds + book.given_seconds
            must(had >= due - ROUGHLY, TIME, f"{had:.1f} s of {due}")
        elif event.turn is not None:
            hand, turn, player = self._sent[r.command]
            seated = {s.seat: s.player_id for s in book.dealt.seats}
            must((hand, turn) == (r.stream, event.turn), OWN_TURN, "turn", event.turn, "for", turn)
            must(seated[event.seat] == player, OWN_TURN, "another player acts for seat", event.seat)
        if event.next_turn is not None:
            book.turn_since, book.given_seconds = self._decided(r), 0
        book.take(event)

    def _decided(self, r: Recorded) -> float:
        """When it was decided, in true seconds: what others do until it is stored is taken off the next turn."""
        assert self.stored is not None
        took = (self.stored.at - r.at).total_seconds()
        return self.stored.true_seconds - (took if 0 <= took < SLOWEST else SLOWEST)

    def _by_clock(self, r: Recorded, before: World) -> None:
        hand = before.hands[r.stream]
        must(r.actor == f"job/turn-{r.stream}-{r.event.turn}", TURN, r.actor, "acts on", r.event.turn)
        must(hand.deadline is not None and hand.deadline <= r.at, TURN, "before its deadline")
        if hand.tournament_id is not None:
            must(before.tournaments[hand.tournament_id].state != "paused", TURN, "in a pause")


def _of_the_running_turn(r: Recorded, before: World) -> bool:
    """Whether what is ruled is of the turn that runs."""
    return bool(r.event.turn == before.hands[r.stream].turn_number)


def _numbers(text: str) -> set[int]:
    return {int(card) for card in parse_stored_cards(text)} if text else set()
