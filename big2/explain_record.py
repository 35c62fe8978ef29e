"""An action of a hand on record explained, by the same judgement as `verify`'s, so that the two can never differ."""

from dataclasses import dataclass, replace

from big2.actions import Passed
from big2.automatic import automatic_pass
from big2.cards import cards_in
from big2.errors import NoSuchTurnError, Refusal
from big2.explain import Explanation, explain_allowed, explain_automatic, explain_pass, explain_refusal
from big2.history import allowed_action, judged_replay, missing_pass
from big2.record import ActionOnRecord, History
from big2.state import Hand


@dataclass(frozen=True, slots=True)
class TurnOnRecord:
    """The hand before an action, the seat that acts, and the action as it is told; None where it is still to come.

    `seat` is the seat to act, whoever is told to have acted; after the hand's end it is the one that is told.
    """

    hand: Hand
    seat: int
    told: ActionOnRecord | None


def turn_on_record(history: History, index: int) -> TurnOnRecord:
    """The turn before the action at `index`, from 0, as `verify` counts; raises NoSuchTurnError."""
    if history.recorded:
        raise NoSuchTurnError("the hand was played with real cards: it has no deal and no actions")
    if not 0 <= index <= len(history.actions):
        count = len(history.actions)
        there = (
            f"the hand has {count} action{'' if count == 1 else 's'}, and what comes next is /actions/{count}"
        )
        raise NoSuchTurnError(f"there is no /actions/{index}: {there}")
    try:
        hand = judged_replay(replace(history, actions=history.actions[:index]))
    except Refusal as refusal:
        raise NoSuchTurnError(f"the hand goes wrong before /actions/{index}: {refusal}") from None
    told = history.actions[index] if index < len(history.actions) else None
    seat = hand.turn or (told.action.seat if told else None)
    if seat is None:
        raise NoSuchTurnError(explain_pass(hand, history.seats[0].seat).reason)
    return TurnOnRecord(hand, seat, told)


def explain_on_record(turn: TurnOnRecord) -> Explanation:
    """Whether the rules allow what is told of a turn, by which clause not, and why; or that a pass is missing (R6.4).

    Raises NoSuchTurnError where the action is still to come.
    """
    hand, told, due = turn.hand, turn.told, automatic_pass(turn.hand)
    if told is None:
        if due is None:
            raise NoSuchTurnError(f"the action is still to come: it is the turn of seat {turn.seat}")
        return explain_refusal(hand, None, missing_pass(due))
    try:
        action = allowed_action(hand, told)
    except Refusal as refusal:
        cards = None if isinstance(told.action, Passed) else cards_in(told.action.mask)
        return explain_refusal(hand, cards, refusal)
    return explain_allowed(hand, action) if due is None else explain_automatic(hand, due, None)
