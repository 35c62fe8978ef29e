"""The two actions of a hand, as facts: a play and a pass. They say what happened and judge nothing."""

from enum import StrEnum
from typing import Final, NamedTuple


class By(StrEnum):
    """Who acted on a turn: the player, or the clock for him (R11.2)."""

    PLAYER = "player"
    CLOCK = "clock"


class PassReason(StrEnum):
    """Why a seat passed; the last two are automatic (R6.4)."""

    PLAYER = "player"
    CLOCK = "clock"
    TWO_OF_SPADES = "two_of_spades"
    TOO_FEW_CARDS = "too_few_cards"


AUTOMATIC = (PassReason.TWO_OF_SPADES, PassReason.TOO_FEW_CARDS)
"""R6: the reasons for which a seat passes without a turn of its own."""

WHY_AUTOMATIC: Final = {
    PassReason.TWO_OF_SPADES: ("R6.1", "nothing follows the highest card"),
    PassReason.TOO_FEW_CARDS: ("R6.2", "the holding has fewer cards than the set to beat"),
}
"""Each of them with its clause, in words."""


class Played(NamedTuple):
    """A seat played the cards of `mask`; `breach` marks a duty not done (R7.3)."""

    seat: int
    mask: int
    by: By = By.PLAYER
    breach: bool = False


class Passed(NamedTuple):
    """A seat passed; an automatic pass is never a breach (R7.3)."""

    seat: int
    reason: PassReason = PassReason.PLAYER
    breach: bool = False


Action = Played | Passed
