"""The record of each decision: what was open to a seat when it acted, and what bound it, decided again from the hand.

Nothing of it is stored beside the events: they hold the cards, the whole rule set, every deadline and who acted, and
the rules make the rest of that, for anybody, at any time. It may be told to whom, and when, the cards may be.
"""

from __future__ import annotations

import hashlib
from datetime import datetime

import msgspec

from big2 import hand as play_rules
from big2.assistant import Duty
from big2.cards import mask_text
from domain.hand import Hand, acted_by
from domain.hand_events import ActedBy, CardsPlayed, Passed


class Legal(msgspec.Struct, frozen=True):
    """How many card sets might be played, whether the seat might pass, and the digest of the plays.

    That is the SHA-256, in hexadecimal, of their list as canonical JSON (RFC 8785): `[[cards, breach], …]`, the cards
    of each as one text, low to high, the list sorted by that text.
    """

    plays: int
    may_pass: bool
    digest: str


class Decision(msgspec.Struct, frozen=True):
    """What an action was decided on. An automatic pass (R6) took no turn: it had no choice, duty or deadline."""

    turn: int | None
    seat: int
    by: ActedBy
    legal: Legal | None
    duty: Duty | None
    deadline: datetime | None
    breach: bool


def decision(before: Hand, event: CardsPlayed | Passed) -> Decision:
    """The decision of an action, `before` which the hand stood like this."""
    by = acted_by(event)
    if event.turn is None:
        return Decision(None, event.seat, by, None, None, None, event.breach)
    duty = play_rules.duty(before.game)
    return Decision(event.turn, event.seat, by, legal(before.game), duty, before.deadline, event.breach)


def legal(game: play_rules.Hand) -> Legal:
    """What the seat to act may do."""
    suits = game.rules.suits
    plays = sorted((mask_text(option.mask, suits), breach) for option, breach in play_rules.options(game))
    digest = hashlib.sha256(msgspec.json.encode(plays)).hexdigest()
    return Legal(len(plays), play_rules.may_pass(game), digest)
