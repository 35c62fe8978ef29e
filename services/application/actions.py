"""A hand's actions, as they were recorded: those that stand, and those that a ruling has voided while it ran."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from domain.dispute_events import ActionsVoided
from domain.hand_events import CardsPlayed, Passed
from services.envelope import Recorded


class Voiding(NamedTuple):
    """A ruling that voided actions, when it was made, and those actions."""

    at: Recorded
    ruled: ActionsVoided
    actions: list[Recorded]


class Actions(NamedTuple):
    """Those that stand, in order, and what was voided, ruling by ruling."""

    standing: list[Recorded]
    voidings: list[Voiding]


def actions_in(recorded: Iterable[Recorded]) -> Actions:
    """The actions among a hand's events, of which these are all from the first on."""
    standing: list[Recorded] = []
    voidings: list[Voiding] = []
    for r in recorded:
        if isinstance(r.event, CardsPlayed | Passed):
            standing.append(r)
        elif isinstance(r.event, ActionsVoided):
            first = r.event.action - 1
            voidings.append(Voiding(r, r.event, standing[first:]))
            standing = standing[:first]
    return Actions(standing, voidings)
