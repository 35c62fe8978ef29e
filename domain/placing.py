"""Places of those who are out: later is better; in one hand the larger stack; no-shows below all who played.

Whom a ruling has disqualified ranks below everybody, whenever he went out.

And places by points, where nobody goes out: points, hands won, fewest cards left; then a shared place.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby

import msgspec

from domain.ids import HandId, PlayerId


class Out(msgspec.Struct, frozen=True):
    """A player who is out: by a hand, with his stack at its start; as a no-show, or disqualified while he played (then
    the hand is null).

    Hands of one hand-for-hand round have its number in common, and count as one hand.
    """

    player_id: PlayerId
    hand_id: HandId | None
    stack: int
    no_show: bool = False
    hand_for_hand: int | None = None
    disqualified: bool = False


class Standing(msgspec.Struct, frozen=True):
    place: int
    tied: bool
    player_id: PlayerId


class Tally(msgspec.Struct, frozen=True):
    """What a player has come to in a points format; `cards_left` is the sum over his hands."""

    points: int = 0
    hands: int = 0
    hands_won: int = 0
    cards_left: int = 0

    def plus(self, other: Tally) -> Tally:
        """Both together."""
        return Tally(
            self.points + other.points,
            self.hands + other.hands,
            self.hands_won + other.hands_won,
            self.cards_left + other.cards_left,
        )

    def minus(self, other: Tally) -> Tally:
        """What this is more than the other."""
        return Tally(
            self.points - other.points,
            self.hands - other.hands,
            self.hands_won - other.hands_won,
            self.cards_left - other.cards_left,
        )


def places_of_out(
    outs: Sequence[Out], players_left: int, disqualified: Collection[PlayerId] = ()
) -> list[Standing]:
    """Places of all who are out, best first; `outs` in the order in which they went, equals of a hand in any order.

    `disqualified` may name players who went out by a hand.
    """
    ordered = sorted(enumerate(outs), key=lambda item: _rank(item[0], item[1], disqualified))
    tied = groupby(ordered, key=lambda item: _tie(item[0], item[1], disqualified))
    groups = [[out for _, out in group] for _, group in tied]
    standings: list[Standing] = []
    for group in groups:
        place = players_left + len(standings) + 1
        standings += [Standing(place, len(group) > 1, out.player_id) for out in group]
    return standings


def places_by_points(
    tallies: Mapping[PlayerId, Tally], disqualified: Collection[PlayerId] = ()
) -> list[Standing]:
    """Places of all players, best first; who has played no hand ranks below everybody who has."""
    keys = {player: (player in disqualified, *_by_points(tally)) for player, tally in tallies.items()}
    ordered = sorted(tallies, key=lambda player: keys[player])
    standings: list[Standing] = []
    for _, group in groupby(ordered, key=lambda player: keys[player]):
        level = list(group)
        place = len(standings) + 1
        standings += [Standing(place, len(level) > 1, player) for player in level]
    return standings


def _by_points(tally: Tally) -> tuple[bool, int, int, int]:
    return (not tally.hands, -tally.points, -tally.hands_won, tally.cards_left)


def _rank(index: int, out: Out, disqualified: Collection[PlayerId]) -> tuple[bool, bool, int]:
    return (out.player_id in disqualified, out.no_show, -index)


def _tie(index: int, out: Out, disqualified: Collection[PlayerId]) -> object:
    if out.no_show or out.player_id in disqualified:
        return index
    return (out.hand_for_hand or out.hand_id, out.stack)
