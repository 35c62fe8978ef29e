"""R4 and R5: one hand as an immutable value, how it begins, and how an action changes it.

`apply` only assigns. It never judges, so that a hand which was played can always be replayed; whether an
action is allowed is decided in `hand` before it becomes a fact.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from big2.actions import AUTOMATIC, Action, Passed, PassReason, Played
from big2.book import Book, CardSet, book_of
from big2.cards import Card, highest_card, lowest_card
from big2.rulesets import MOST_CARDS, RuleSet
from big2.switches import LastCard, OpeningPlay
from big2.table import SEATS, Direction, deal_order, seats_after

NOBODY = 0
"""Index 0 of the tuples that are indexed by seat."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What stays as it is from the deal to the end, with the rule set's answers that every action asks for.

    `unbeatable` is the card after which everybody passes (R6.1), as a mask, 0 where nobody does. A seat with
    `quads_from` cards or more may hold a four of a kind that beats any set, and so never passes by itself.
    """

    rules: RuleSet
    book: Book
    seats: tuple[int, ...]
    dealer: int
    direction: Direction
    next_seat: tuple[int, ...]
    has_assistants: bool
    unbeatable: int
    too_few_pass: bool
    quads_from: int
    passes_lock: bool
    breach_refused: bool


class Hand(NamedTuple):
    """One deal as it stands. Tuples of five are indexed by seat; index 0 and seats not dealt in hold 0.

    `turn` is the seat to act, None once somebody is out; `turn_number` starts at 1 and grows by one with each
    turn that a player or the clock must take. `to_beat` is None for a leader. `must_include` is the opening
    card until the first play, where R5.2 binds. `locked` marks the seats (bit by seat) that may not act until
    the trick ends. `breach_by` is the seat whose action was the latest of the hand and a breach (R7.4).
    """

    setting: Setting
    holdings: tuple[int, ...]
    turn: int | None
    turn_number: int = 1
    to_beat: CardSet | None = None
    to_beat_seat: int | None = None
    must_include: Card | None = None
    locked: int = 0
    breach_by: int | None = None
    winner: int | None = None
    liable: int | None = None

    @property
    def rules(self) -> RuleSet:
        """The rule set that it is played under."""
        return self.setting.rules

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats dealt in, ascending."""
        return self.setting.seats

    @property
    def dealer(self) -> int:
        """The seat with the button."""
        return self.setting.dealer

    @property
    def direction(self) -> Direction:
        """The direction of play."""
        return self.setting.direction

    @property
    def next_seat(self) -> tuple[int, ...]:
        """By seat, the next one dealt in, in the direction of play."""
        return self.setting.next_seat


def start(
    rules: RuleSet, *, dealer: int, direction: Direction, leader: int | None, holdings: Mapping[int, int]
) -> Hand:
    """The hand after the deal: `holdings` by seat dealt in, as masks; `leader` None is R5.1, the lowest card.

    A seat that was dealt a dragon, where the rule set has one, is out at once.
    """
    seats = tuple(sorted(holdings))
    assert 2 <= len(seats) <= len(SEATS), "a hand has 2, 3 or 4 players (R2.1)"
    dealt = sum(holdings.values())
    assert dealt.bit_count() == sum(mask.bit_count() for mask in holdings.values()), "a card was dealt twice"
    opening = _opening_card(rules, dealt)
    hand = Hand(
        _setting(rules, seats, dealer, direction),
        _by_seat(holdings),
        turn=leader or _holder(holdings, opening),
        must_include=opening if leader is None and rules.opening_play is not OpeningPlay.ANY_SET else None,
    )
    return _with_dragon(hand) if rules.dragon else hand


def _setting(rules: RuleSet, seats: tuple[int, ...], dealer: int, direction: Direction) -> Setting:
    return Setting(
        rules,
        book_of(rules),
        seats,
        dealer,
        direction,
        _by_seat({seat: seats_after(seat, seats, direction)[0] for seat in seats}),
        has_assistants=rules.last_card is not LastCard.OFF and len(seats) > 2,
        unbeatable=1 << highest_card(rules.suits) if PassReason.TWO_OF_SPADES in rules.auto_pass else 0,
        too_few_pass=PassReason.TOO_FEW_CARDS in rules.auto_pass,
        quads_from=_quads_from(rules),
        passes_lock=rules.pass_locks_trick,
        breach_refused=rules.last_card is LastCard.FORCED,
    )


def _quads_from(rules: RuleSet) -> int:
    """R12: `quads_beat_any`; where it is off, more cards than anybody holds."""
    if not rules.quads_beat_any:
        return MOST_CARDS + 1
    return 5 if rules.quads_kicker else 4


def _by_seat(values: Mapping[int, int]) -> tuple[int, ...]:
    return (NOBODY, *(values.get(seat, NOBODY) for seat in SEATS))


def _opening_card(rules: RuleSet, dealt: int) -> Card:
    """R5.1: the lowest card dealt, or the rule set's own if somebody was dealt it (R12)."""
    if rules.opening_card is not None and dealt >> rules.opening_card & 1:
        return rules.opening_card
    return lowest_card(dealt, rules.suits)


def _holder(holdings: Mapping[int, int], card: Card) -> int:
    return next(seat for seat, mask in holdings.items() if mask >> card & 1)


def _with_dragon(hand: Hand) -> Hand:
    """R12: thirteen different ranks win at once; of two such seats the first in the order of the deal."""
    for seat in deal_order(hand.dealer, hand.seats, hand.direction):
        if is_dragon(hand.holdings[seat]):
            return _won(hand, seat, _by_seat({**dict(enumerate(hand.holdings)), seat: 0}))
    return hand


def is_dragon(holding: int) -> bool:
    """Whether a holding is one card of each rank."""
    return holding.bit_count() == MOST_CARDS and all(holding >> 4 * rank & 15 for rank in range(MOST_CARDS))


def apply(hand: Hand, action: Action) -> Hand:
    """The hand after an action that happened."""
    if isinstance(action, Played):
        return _after_play(hand, action)
    return _after_pass(hand, action)


def replay(hand: Hand, actions: Iterable[Action]) -> Hand:
    """The hand after all of these actions."""
    return reduce(apply, actions, hand)


def _after_play(hand: Hand, play: Played) -> Hand:
    seat = play.seat
    held = [*hand.holdings]
    held[seat] &= ~play.mask
    holdings = tuple(held)
    if not held[seat]:
        return _won(hand, seat, holdings)
    card_set = hand.setting.book.by_mask.get(play.mask)
    assert card_set is not None, "a play on record is no card set of its rule set"
    return Hand(
        hand.setting,
        holdings,
        next_to_act(hand, seat, hand.locked),
        hand.turn_number + 1,
        card_set,
        seat,
        None,
        hand.locked,
        seat if play.breach else None,
    )


def _won(hand: Hand, seat: int, holdings: tuple[int, ...]) -> Hand:
    """R4.4: the hand ends the moment a seat has no cards. R7.4: a breach on the turn before is liable."""
    assistant = hand.breach_by
    return Hand(
        hand.setting,
        holdings,
        None,
        hand.turn_number,
        winner=seat,
        liable=assistant if assistant is not None and hand.next_seat[assistant] == seat else None,
    )


def _after_pass(hand: Hand, passed: Passed) -> Hand:
    """R4.2: the trick ends when the turn comes back to whoever made its last play; he leads the next one."""
    seat = passed.seat
    locked = hand.locked | 1 << seat if hand.setting.passes_lock else 0
    turn = next_to_act(hand, seat, locked)
    trick_ends = turn == hand.to_beat_seat
    return Hand(
        hand.setting,
        hand.holdings,
        turn,
        hand.turn_number + (passed.reason not in AUTOMATIC),
        None if trick_ends else hand.to_beat,
        None if trick_ends else hand.to_beat_seat,
        hand.must_include,
        0 if trick_ends else locked,
        seat if passed.breach else None,
    )


def next_to_act(hand: Hand, seat: int, locked: int) -> int:
    """The next seat in the direction of play that is not locked out of the trick (R4.3, R12)."""
    turn = hand.setting.next_seat[seat]
    return _first_unlocked(hand, seat, turn, locked) if locked else turn


def _first_unlocked(hand: Hand, seat: int, turn: int, locked: int) -> int:
    while locked >> turn & 1 and turn != seat:
        turn = hand.setting.next_seat[turn]
    return turn
