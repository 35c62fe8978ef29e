"""Rulings on a hand that do something to its tournament: it is cancelled.

They leave the hand as it was played, or void it where it runs, and take effect when it is final. What follows then is
recorded by the tournament; where it has moved on by then nothing follows, and that is recorded too.
"""

from __future__ import annotations

from typing import Final

from domain.dispute_events import Ruled, RulingKind
from domain.errors import Conflicting
from domain.hand import Hand, State
from domain.tournament import Tournament
from domain.tournament_events import RulingLapsed

OF_TOURNAMENTS: Final[frozenset[RulingKind]] = frozenset({"cancel"})
OVER: Final = frozenset({State.FINAL, State.VOIDED})


def must_be_possible(t: Tournament) -> None:
    """Raises Conflicting where the ruling could do nothing."""
    if t.over:
        raise Conflicting("tournament-over", f"The tournament is {t.state} already.")


def taking_effect(before: Hand, after: Hand) -> Ruled | None:
    """The ruling that does something to the tournament now, for the hand has become final."""
    if before.state in OVER or after.state not in OVER or not after.dispute.rulings:
        return None
    ruled = after.dispute.rulings[-1]
    return ruled if ruled.ruling in OF_TOURNAMENTS and after.tournament_id is not None else None


def lapsed(hand: Hand, ruled: Ruled) -> RulingLapsed:
    """What is recorded of a ruling that comes too late."""
    return RulingLapsed(hand_id=hand.hand_id, ruling=ruled.ruling)
