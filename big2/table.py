"""R5.3, R9 and the order of the deal: what a table carries from one hand to the next.

Seats are numbered 1–4 clockwise; `dealt_in` is the seats that get cards, in any order.
"""

from collections.abc import Collection
from enum import StrEnum
from typing import Final

from big2.rulesets import RuleSet
from big2.switches import DirectionRule, OpeningScope

SEATS: Final = (1, 2, 3, 4)


class Direction(StrEnum):
    """The direction of play; clockwise is "to the left", with rising seat numbers."""

    CLOCKWISE = "clockwise"
    COUNTERCLOCKWISE = "counterclockwise"


def seats_after(seat: int, dealt_in: Collection[int], direction: Direction) -> tuple[int, ...]:
    """The seats dealt in, once round from the one after `seat`; `seat` itself, if dealt in, comes last.

    >>> seats_after(3, {1, 2, 3}, Direction.CLOCKWISE), seats_after(4, {1, 2, 3}, Direction.COUNTERCLOCKWISE)
    ((1, 2, 3), (3, 2, 1))
    """
    step = 1 if direction is Direction.CLOCKWISE else -1
    round_the_table = ((seat - 1 + step * turn) % len(SEATS) + 1 for turn in SEATS)
    return tuple(other for other in round_the_table if other in dealt_in)


def deal_order(dealer: int, dealt_in: Collection[int], direction: Direction) -> tuple[int, ...]:
    """The seats as cards are dealt to them, one at a time: from the seat after the dealer, who comes last."""
    return seats_after(dealer, dealt_in, direction)


def next_dealer(previous_seat: int, dealt_in: Collection[int]) -> int:
    """R9.1: the first seat dealt in, clockwise from the button, whatever the direction of play."""
    return seats_after(previous_seat, dealt_in, Direction.CLOCKWISE)[0]


def first_ring_dealer(dealt_in: Collection[int]) -> int:
    """R9.1: a new ring table's dealer is the lowest seat number dealt in."""
    return min(dealt_in)


def next_direction(rules: RuleSet, previous: Direction | None) -> Direction:
    """R9.2: the next hand's direction; `previous` is None at a new table, a voided hand counts (R9.3)."""
    if rules.direction is DirectionRule.COUNTERCLOCKWISE:
        return Direction.COUNTERCLOCKWISE
    if rules.direction is DirectionRule.ALTERNATE and previous is Direction.CLOCKWISE:
        return Direction.COUNTERCLOCKWISE
    return Direction.CLOCKWISE


def lowest_card_leads(rules: RuleSet, *, first_hand: bool) -> bool:
    """R5.3: whether R5.1 says who leads; do not ask in ring play and duplicate, where it always does (R5.4)."""
    return first_hand or rules.opening_scope is OpeningScope.EVERY_HAND


def leader_after(
    winner_seat: int, winner_dealt_in: bool, dealt_in: Collection[int], direction: Direction
) -> int:
    """R5.3: who leads after a settled hand: its winner, else the next seat dealt in after his seat.

    `winner_dealt_in` is about the player, not the chair: a newcomer in the winner's seat does not inherit the
    lead. `direction` is the new hand's.
    """
    if winner_dealt_in:
        return winner_seat
    return seats_after(winner_seat, dealt_in, direction)[0]
