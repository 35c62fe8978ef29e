"""A hand on record as its tricks: who led each, what everybody did, and what that left him.

The hand is played again through the rules, as far as they allow it; where they stop it, the refusal is kept.
"""

from dataclasses import dataclass

from big2.actions import Action, Played
from big2.assistant import Duty, duty
from big2.automatic import automatic_pass
from big2.card_sets import CardSet, card_set_of
from big2.errors import Refusal
from big2.history import allowed_action, dealt_hand, missing_pass
from big2.record import ActionOnRecord, History
from big2.state import Hand, apply


@dataclass(frozen=True, slots=True)
class Step:
    """An action as it happened: its card set if it is a play, what the seat holds after it, what bound it (R7.2)."""

    action: Action
    card_set: CardSet | None
    holding: int
    owed: Duty | None


@dataclass(frozen=True, slots=True)
class Trick:
    """What lies between a lead and the moment when all others have passed; without steps it is still to be led."""

    leader: int
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Stop:
    """Where the rules stop a hand, as an index of its actions; `told` is None where an automatic pass is missing."""

    index: int
    told: ActionOnRecord | None
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class Retold:
    """A hand as its tricks, and as it stands after them."""

    tricks: tuple[Trick, ...]
    hand: Hand
    stop: Stop | None


def retell(history: History) -> Retold:
    """A hand that was dealt here, as its tricks; the last one may be unfinished, or still to be led."""
    hand = dealt_hand(history)
    tricks: list[tuple[int, list[Step]]] = []
    for index, told in enumerate(history.actions):
        _begin(tricks, hand)
        try:
            action = allowed_action(hand, told)
        except Refusal as refusal:
            return _retold(tricks, hand, Stop(index, told, refusal))
        after = apply(hand, action)
        tricks[-1][1].append(_step(hand, action, after))
        hand = after
    _begin(tricks, hand)
    missing = automatic_pass(hand)
    stop = None if missing is None else Stop(len(history.actions), None, missing_pass(missing))
    return _retold(tricks, hand, stop)


def _begin(tricks: list[tuple[int, list[Step]]], hand: Hand) -> None:
    """R4.2: where there is nothing to beat, the seat to act leads a new trick."""
    if hand.to_beat is None and hand.turn is not None:
        tricks.append((hand.turn, []))


def _step(before: Hand, action: Action, after: Hand) -> Step:
    card_set = card_set_of(before.rules, action.mask) if isinstance(action, Played) else None
    return Step(action, card_set, after.holdings[action.seat], duty(before))


def _retold(tricks: list[tuple[int, list[Step]]], hand: Hand, stop: Stop | None) -> Retold:
    return Retold(tuple(Trick(leader, tuple(steps)) for leader, steps in tricks), hand, stop)
