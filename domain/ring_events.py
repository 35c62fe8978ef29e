"""A ring table's events: opened, players coming and going, its hands begun and ended, closed (R5.4, R10).

What is stored, and who may see each field. Amounts are in minor units of the table's currency. What goes from a wallet
to a stack or back stands in the wallet's own event too, with its journal, in the same transaction.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from big2.table import Direction
from domain.events import Event, Public, Sealed
from domain.hand_events import Timing
from domain.ids import HandId, PlayerId, TableId

Resting = Literal["asked", "short", "absent"]
"""Why somebody sits out: he asked to, he cannot pay unit and ante (R10.4), or the clock played his hands."""


class RingTerms(msgspec.Struct, frozen=True):
    """What a ring table is opened with, and keeps (R10.3): of a schedule's version one step."""

    rules: str
    schedule: str
    currency: str
    unit: int
    buy_in: int
    ante: int
    seats_per_table: int
    timing: Timing


class RingOpened(Event, frozen=True, kw_only=True):
    """The first event: `master` seeds every deal of this table and is never shown."""

    table_id: Public[TableId]
    terms: Public[RingTerms]
    terms_hash: Public[str]
    master: Sealed[bytes]


class RingDealsCommitted(Event, frozen=True, kw_only=True):
    """The root over the commitments of the table's 64 hands from `first_hand` on (`domain.coming_deals`)."""

    first_hand: Public[int]
    root: Public[str]


class SatDown(Event, frozen=True, kw_only=True):
    """`buy_in` goes from his wallet to his stack."""

    seat: Public[int]
    player_id: Public[PlayerId]
    buy_in: Public[int]


class ToppedUp(Event, frozen=True, kw_only=True):
    """`amount` goes from his wallet to his stack, and counts from the next hand on."""

    seat: Public[int]
    player_id: Public[PlayerId]
    amount: Public[int]


class SatOut(Event, frozen=True, kw_only=True):
    """He is dealt in no more until he asks to be."""

    seat: Public[int]
    player_id: Public[PlayerId]
    reason: Public[Resting]


class SatIn(Event, frozen=True, kw_only=True):
    """He is dealt in again, from the next hand on."""

    seat: Public[int]
    player_id: Public[PlayerId]


class SeatKept(Event, frozen=True, kw_only=True):
    """Somebody asked for what was so already: his request is known, and its repeat changes nothing later."""

    seat: Public[int]
    player_id: Public[PlayerId]


class LeaveAsked(Event, frozen=True, kw_only=True):
    """He stands up once the running hand is over."""

    seat: Public[int]
    player_id: Public[PlayerId]


class StoodUp(Event, frozen=True, kw_only=True):
    """His `stack` goes back to his wallet."""

    seat: Public[int]
    player_id: Public[PlayerId]
    stack: Public[int]


class RingHandBegun(Event, frozen=True, kw_only=True):
    """Each of `players`, by seat, has paid the `ante` to the house; `stacks` are after it (R8.3, R10.1)."""

    hand_id: Public[HandId]
    number: Public[int]
    dealer: Public[int]
    direction: Public[Direction]
    unit: Public[int]
    ante: Public[int]
    currency: Public[str]
    players: Public[dict[int, PlayerId]]
    stacks: Public[dict[int, int]]


class RingHandEnded(Event, frozen=True, kw_only=True):
    """`winner` is null for a voided hand; `net` is by seat. `acted` are the seats whose players acted themselves,
    `absent` those for whom the clock alone did."""

    hand_id: Public[HandId]
    number: Public[int]
    winner: Public[int | None]
    net: Public[dict[int, int]]
    acted: Public[tuple[int, ...]]
    absent: Public[tuple[int, ...]]
    deal_at: Public[datetime]


class RingPaused(Event, frozen=True, kw_only=True):
    """Nothing is dealt, and the running turn keeps the time that it has left."""


class RingResumed(Event, frozen=True, kw_only=True):
    pass


class CloseAsked(Event, frozen=True, kw_only=True):
    """The table closes once its running hand is over."""


class RingClosed(Event, frozen=True, kw_only=True):
    """Everybody has stood up."""
