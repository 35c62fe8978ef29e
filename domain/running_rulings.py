"""What a director rules on a hand that runs, in effect at once: actions that are void from one on, time for a turn.

They settle no dispute, and may be given again and again. Whether somebody may rule is `domain.rulings`' to say.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from big2.actions import Action
from big2.record import is_automatic
from domain.dispute_events import ActionsVoided, Person, TimeGiven
from domain.errors import Conflicting, Refused
from domain.events import Event
from domain.hand import Hand, State, before_action
from domain.hand_events import Turn

MOST_SECONDS: Final = 3600
"""The most that rulings give a turn, all together."""


def void_from(hand: Hand, by: Person, reason: str, action: int, now: datetime) -> list[Event]:
    """The actions from that number on, counted from 1 among those that stand, are void with the passes they caused.

    The seat whose action it was has a new turn, and all the time of one. Raises Conflicting unless the hand runs and is
    dealt; Refused where the number is not that of an action which a seat took.
    """
    _must_run(hand, "its cards are known to all: void it as a whole, or adjust it.")
    game = hand.game
    _must_be_taken(hand.actions, action)
    before = before_action(hand, action)
    assert before.turn is not None, "an action was taken there"
    seconds = hand.turn_seconds(before.turn)
    deadline = now + timedelta(seconds=seconds) if hand.stopped_ms is None else None
    return [
        ActionsVoided(
            at=now,
            role=by.role,
            by=by,
            reason=reason,
            turn=game.turn_number,
            action=action,
            last=len(hand.actions),
            cards_left={seat: before.holdings[seat].bit_count() for seat in before.seats},
            next_turn=Turn(game.turn_number + 1, before.turn, deadline),
        )
    ]


def give_time(hand: Hand, by: Person, reason: str, seconds: int, now: datetime) -> list[Event]:
    """So many seconds more for the running turn, from its deadline on, or on its stopped clock.

    Raises Conflicting unless the hand runs and is dealt; Refused for none, for more than MOST_SECONDS with what the
    turn was given before, and for the turn of who sits out.
    """
    _must_run(hand, "there is no turn to give time to.")
    game = hand.game
    wrong = _wrong_time(hand, seconds)
    if wrong:
        raise Refused("validation", "This cannot be ruled here.", wrong)
    more = timedelta(seconds=seconds)
    return [
        TimeGiven(
            at=now,
            role=by.role,
            by=by,
            reason=reason,
            turn=game.turn_number,
            seconds=seconds,
            deadline=hand.deadline + more if hand.deadline else None,
            remaining_ms=None if hand.stopped_ms is None else hand.stopped_ms + 1000 * seconds,
        )
    ]


def _wrong_time(hand: Hand, seconds: int) -> dict[str, str]:
    turn = hand.game.turn_number
    given = sum(
        each.seconds for each in hand.dispute.interim if isinstance(each, TimeGiven) and each.turn == turn
    )
    if not 1 <= seconds <= MOST_SECONDS:
        return {"/seconds": f"must be from 1 to {MOST_SECONDS}"}
    if given + seconds > MOST_SECONDS:
        return {
            "/seconds": f"must be at most {MOST_SECONDS} with the {given} that this turn was given before"
        }
    if hand.game.turn is not None and hand.sits_out(hand.game.turn):
        return {
            "/ruling": "is for a turn that somebody has: this seat sits the hand out, and the clock acts for it"
        }
    return {}


def _must_run(hand: Hand, why: str) -> None:
    if hand.state is not State.RUNNING:
        raise Conflicting("hand-closed", f"The hand is {hand.state}: {why}")


def _must_be_taken(actions: tuple[Action, ...], number: int) -> None:
    if not 1 <= number <= len(actions):
        there = f"there are {len(actions)}, from 1 on" if actions else "there is none yet"
        raise _unfit(f"names no action that stands: {there}")
    if is_automatic(actions[number - 1]):
        caused = max(n for n, action in enumerate(actions[:number], 1) if not is_automatic(action))
        raise _unfit(f"is an automatic pass (R6.4): name the action that caused it, {caused}")


def _unfit(why: str) -> Refused:
    return Refused("validation", "Nothing can be void from there on.", {"/action": why})
