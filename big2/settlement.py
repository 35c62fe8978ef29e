"""R8: who pays whom what, once a hand has a winner. Whole numbers only; the sum of all nets is 0, always."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from big2.cards import TWOS
from big2.rulesets import MOST_CARDS, RuleSet
from big2.state import Hand
from big2.switches import Comparison, Liability, SettlementOrder, StakeCap, TwosRule
from big2.table import Direction, seats_after


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a settlement needs to know of a hand; recorded play knows no more. Mappings are by seat."""

    seats: tuple[int, ...]
    dealer: int
    direction: Direction
    winner: int
    cards_left: Mapping[int, int]
    twos_left: Mapping[int, int]
    liable: int | None = None


class Transfer(NamedTuple):
    """R8.5: one payment. `due` and `paid` are chips; `points` is None where it covers a loss (R8.4)."""

    payer: int
    receiver: int
    points: int | None
    due: int
    paid: int
    covers: bool = False


class Settlement(NamedTuple):
    """A hand's result: cards left and net chips by seat, and the transfers in the order of R8.2."""

    winner: int
    cards_left: Mapping[int, int]
    liable: int | None
    transfers: tuple[Transfer, ...]
    net: Mapping[int, int]


class _Debt(NamedTuple):
    payer: int
    receiver: int
    points: int


@dataclass(frozen=True, slots=True)
class _Stakes:
    """R8.3: what everybody had at the hand's start, and his net so far in this settlement."""

    cap: StakeCap
    stacks: Mapping[int, int | None]
    net: dict[int, int]

    def pay(self, payer: int, receiver: int, due: int) -> int:
        """Book what is paid of a sum that is due, and answer it."""
        paid = self._cut(payer, receiver, due)
        self.net[payer] -= paid
        self.net[receiver] += paid
        return paid

    def _cut(self, payer: int, receiver: int, due: int) -> int:
        """To what the payer has at that moment; and to the gain that the receiver's own stack allows."""
        payer_stack, receiver_stack = self.stacks[payer], self.stacks[receiver]
        if payer_stack is not None and self.cap is not StakeCap.NONE:
            due = min(due, payer_stack + self.net[payer])
        if receiver_stack is not None and self.cap is StakeCap.LOSS_AND_GAIN:
            due = min(due, receiver_stack - self.net[receiver])
        return due


def settle(hand: Hand, unit: int, stacks: Mapping[int, int | None]) -> Settlement:
    """The settlement of a hand that has a winner, `unit` chips a point.

    `stacks` is what each seat had at the hand's start, after any ante; None in points formats, where nothing
    is cut.
    """
    return settle_outcome(hand.rules, outcome_of(hand), unit, stacks)


def outcome_of(hand: Hand) -> Outcome:
    """What the end of a hand leaves to settle."""
    assert hand.winner is not None, "only a hand that somebody won is settled"
    left = {seat: hand.holdings[seat] for seat in hand.seats}
    return Outcome(
        hand.seats,
        hand.dealer,
        hand.direction,
        hand.winner,
        {seat: mask.bit_count() for seat, mask in left.items()},
        {seat: (mask & TWOS).bit_count() for seat, mask in left.items()},
        hand.liable,
    )


def settle_outcome(
    rules: RuleSet, outcome: Outcome, unit: int, stacks: Mapping[int, int | None]
) -> Settlement:
    """R8 as a whole: comparisons in order, each cut to the stakes, then what a liable seat covers."""
    stakes = _Stakes(rules.stake_cap, stacks, dict.fromkeys(outcome.seats, 0))
    transfers: list[Transfer] = []
    for debt in _debts(rules, outcome):
        due = debt.points * unit
        paid = stakes.pay(debt.payer, debt.receiver, due)
        transfers.append(Transfer(debt.payer, debt.receiver, debt.points, due, paid))
    if outcome.liable is not None and rules.liability is Liability.NET_LOSSES:
        transfers += _covers(settlement_order(rules, outcome), outcome.liable, stakes)
    return Settlement(outcome.winner, outcome.cards_left, outcome.liable, tuple(transfers), stakes.net)


def settlement_order(rules: RuleSet, outcome: Outcome) -> tuple[int, ...]:
    """R8.2: the seats in the order in which they are compared.

    From the winner in the direction of play; or from the dealer's immediate right on to the right, counter-
    clockwise, so that the dealer comes last, whatever the direction of play.
    """
    if rules.settlement_order is SettlementOrder.RIGHT_OF_DEALER:
        return seats_after(outcome.dealer, outcome.seats, Direction.COUNTERCLOCKWISE)
    return (outcome.winner, *seats_after(outcome.winner, outcome.seats, outcome.direction)[:-1])


def points_of(rules: RuleSet, cards_left: int, twos_left: int) -> int:
    """The points that a seat's cards are worth: one a card (R8.1), times the rule set's factors (R12)."""
    factor = 1
    for cards, tier_factor in rules.point_tiers:
        if cards_left >= cards:
            factor = tier_factor
    if rules.twos is TwosRule.ADD_FACTOR:
        factor += twos_left
    if rules.twos is TwosRule.DOUBLE_EACH:
        factor *= 2**twos_left
    return cards_left * factor


def most_points(rules: RuleSet) -> int:
    """No payment under these rules is for more points: a covering one (R8.4) bears three seats' losses."""
    each = max(points_of(rules, cards, twos) for cards in range(MOST_CARDS + 1) for twos in range(5))
    return 3 * each


def _debts(rules: RuleSet, outcome: Outcome) -> Iterator[_Debt]:
    """R8.1 and R8.2: each comparison that is worth something, as a debt of the one with more points."""
    points = _points(rules, outcome)
    for first, second in combinations(settlement_order(rules, outcome), 2):
        if points[first] == points[second]:
            continue
        if rules.comparison is Comparison.WINNER_TAKES and outcome.winner not in (first, second):
            continue
        payer, receiver = (first, second) if points[first] > points[second] else (second, first)
        debt = _borne(rules, outcome.liable, _Debt(payer, receiver, points[payer] - points[receiver]))
        if debt is not None:
            yield debt


def _points(rules: RuleSet, outcome: Outcome) -> dict[int, int]:
    points = {
        seat: points_of(rules, outcome.cards_left[seat], outcome.twos_left[seat]) for seat in outcome.seats
    }
    if outcome.liable is None or rules.liability is not Liability.TAKES_ALL:
        return points
    return dict.fromkeys(outcome.seats, 0) | {outcome.liable: sum(points.values())}


def _borne(rules: RuleSet, liable: int | None, debt: _Debt) -> _Debt | None:
    """R8.4: a comparison that the liable seat would win pays nothing. R12: he may bear the others' too."""
    if liable is None:
        return debt
    if debt.receiver == liable:
        return None
    if rules.liability is Liability.COMPARISONS:
        return _Debt(liable, debt.receiver, debt.points)
    return debt


def _covers(order: tuple[int, ...], liable: int, stakes: _Stakes) -> Iterator[Transfer]:
    """R8.4: to each other player with a net loss, in the same order, he pays the difference to 0."""
    for seat in order:
        due = -stakes.net[seat]
        if seat != liable and due > 0:
            yield Transfer(liable, seat, None, due, stakes.pay(liable, seat, due), covers=True)
