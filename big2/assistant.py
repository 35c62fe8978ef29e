"""R7: the assistant, who acts while the next player has one card left."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from big2.card_sets import CardSet, legal_plays, plays_in
from big2.state import Hand
from big2.switches import DutyRule


class Duty(StrEnum):
    """R7.2: what the assistant owes: more than one card, his highest legal single, or one of the two."""

    MULTI_CARD = "multi_card"
    HIGHEST_SINGLE = "highest_single"
    EITHER = "either"


OWED: Final = {
    Duty.MULTI_CARD: "more than one card",
    Duty.HIGHEST_SINGLE: "the highest single",
    Duty.EITHER: "more than one card, or the highest single",
}
"""R7.2: what to play, in words; the highest single is that of those which may be played."""


def duty(hand: Hand) -> Duty | None:
    """What binds the seat to act, or None where nothing does or he is free to pass.

    R7.2 is over his legal plays, so where he has none he owes nothing.
    """
    return duty_over(hand, plays_of(hand)) if is_assistant(hand) else None


def is_assistant(hand: Hand) -> bool:
    """R7.1: the *next* seat dealt in, in the direction of play, has exactly one card; not with two players."""
    setting = hand.setting
    if hand.turn is None or not setting.has_assistants:
        return False
    return hand.holdings[setting.next_seat[hand.turn]].bit_count() == 1


def plays_of(hand: Hand) -> list[CardSet]:
    """Each card set that the seat to act may play by R4 and R5.2; empty once the hand is over."""
    if hand.turn is None:
        return []
    setting, holding = hand.setting, hand.holdings[hand.turn]
    if hand.must_include is not None:
        return legal_plays(setting.rules, holding, must_include=hand.must_include)
    return plays_in(setting.book, holding, hand.to_beat)


def duty_over(hand: Hand, plays: Sequence[CardSet]) -> Duty | None:
    """R7.2: the assistant's duty over his legal plays."""
    several = any(play.size > 1 for play in plays)
    single = any(play.size == 1 for play in plays)
    if several and single and hand.rules.duty is DutyRule.MULTI_CARD_OR_HIGHEST_SINGLE:
        return Duty.EITHER
    if several:
        return Duty.MULTI_CARD
    return Duty.HIGHEST_SINGLE if single else None


def breaches(owed: Duty | None, play: CardSet | None, plays: Sequence[CardSet]) -> bool:
    """R7.3: whether a play, or a pass (None), does otherwise than the duty over these legal plays."""
    if owed is None:
        return False
    if play is None:
        return True
    if play.size > 1:
        return owed is Duty.HIGHEST_SINGLE
    return owed is Duty.MULTI_CARD or play != highest_single(plays)


def highest_single(plays: Sequence[CardSet]) -> CardSet | None:
    """The highest of the singles among some plays, or None."""
    singles = [play for play in plays if play.size == 1]
    return max(singles, key=lambda play: play.strength, default=None)
