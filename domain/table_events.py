"""A table's events: opened, seated and vacated, its hands begun and ended, closed.

What is stored, and who may see each field.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from big2 import table as play
from domain.events import Event, Public
from domain.ids import HandId, PlayerId, TableId, TournamentId

Leaving = Literal["moved", "out", "no_show", "disqualified"]


class Place(msgspec.Struct, frozen=True):
    """One seat of a table and who takes it with what; `seen` says that he has acted himself in this tournament.

    `sit_out` counts the hands that he still has to sit out, by a penalty.
    """

    seat: int
    player_id: PlayerId
    stack: int
    seen: bool = False
    absent_hands: int = 0
    sit_out: int = 0


class Opened(Event, frozen=True, kw_only=True):
    """`pauses` counts those of the tournament so far."""

    table_id: Public[TableId]
    tournament_id: Public[TournamentId]
    number: Public[int]
    seats_per_table: Public[int]
    rules: Public[str]
    places: Public[tuple[Place, ...]]
    first_dealer: Public[int]
    pauses: Public[int]
    deal_at: Public[datetime]


class RecordedTableOpened(Opened, frozen=True, kw_only=True):
    """A table with real cards, whose results are recorded; with `points` nobody there has a stack."""

    points: Public[bool]


class Seated(Event, frozen=True, kw_only=True):
    place: Public[Place]


class Vacated(Event, frozen=True, kw_only=True):
    seat: Public[int]
    player_id: Public[PlayerId]
    stack: Public[int]
    reason: Public[Leaving]


class HandBegun(Event, frozen=True, kw_only=True):
    hand_id: Public[HandId]
    number: Public[int]
    dealer: Public[int]
    direction: Public[play.Direction]
    level: Public[int]
    unit: Public[int]


class NextDealsCommitted(Event, frozen=True, kw_only=True):
    """The root over the commitments of the table's 64 hands from `first_hand` on (`domain.coming_deals`)."""

    first_hand: Public[int]
    root: Public[str]


class HandEnded(Event, frozen=True, kw_only=True):
    """`winner` is null for a voided hand; `net` and `stacks` are chips by seat, `points` as due before table stakes;
    `acted` are the seats whose players acted themselves, `absent` those for whom the clock alone acted, without one
    that sat out by a penalty."""

    hand_id: Public[HandId]
    number: Public[int]
    winner: Public[int | None]
    net: Public[dict[int, int]]
    points: Public[dict[int, int]]
    stacks: Public[dict[int, int]]
    acted: Public[tuple[int, ...]]
    absent: Public[tuple[int, ...]]
    deal_at: Public[datetime]


class RecordedHandEnded(HandEnded, frozen=True, kw_only=True):
    """The end of a recorded hand; `stacks` is empty in points formats."""

    cards_left: Public[dict[int, int]]


class StacksAdjusted(Event, frozen=True, kw_only=True):
    """Chips by seat that a ruling on `hand_id`, played here or elsewhere, gave and took between hands."""

    hand_id: Public[HandId]
    changes: Public[dict[int, int]]


class SeatTakenOver(Event, frozen=True, kw_only=True):
    """By a ruling on `hand_id` another player has the seat with its stack, from the next deal on."""

    hand_id: Public[HandId]
    seat: Public[int]
    player_id: Public[PlayerId]


class SitOutGiven(Event, frozen=True, kw_only=True):
    """By a ruling on `hand_id` the seat's player sits out so many hands, from the next one on."""

    hand_id: Public[HandId]
    seat: Public[int]
    hands: Public[int]


class TableFrozen(Event, frozen=True, kw_only=True):
    """No hand is dealt before the dispute about `hand_id` is over, or the table released."""

    hand_id: Public[HandId]


class TableReleased(Event, frozen=True, kw_only=True):
    hand_id: Public[HandId]


class TablePaused(Event, frozen=True, kw_only=True):
    """The table follows its tournament's pause `number`, and so any before it."""

    number: Public[int]


class TableResumed(Event, frozen=True, kw_only=True):
    pass


class Closed(Event, frozen=True, kw_only=True):
    pass
