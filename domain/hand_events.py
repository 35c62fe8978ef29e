"""A hand's events: committed, dealt, played and passed, settled, final; or recorded, settled, final.

Between commitment and deal stands what the players send as entropy, where a structure gives them time to.

What is stored, and who may see each field.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from big2.actions import PassReason
from big2.table import Direction
from domain.connection import Connection
from domain.events import AfterHand, Event, OwnSeat, Public, Sealed
from domain.ids import HandId, PlayerId, TableId, TournamentId

ActedBy = Literal["player", "clock", "rule"]


class Timing(msgspec.Struct, frozen=True):
    """The hand's own clock, in seconds."""

    turn_seconds: int
    between_hands_seconds: int
    protest_seconds: int


class SeatDealt(msgspec.Struct, frozen=True):
    """A seat dealt in; `stack` is in chips, at the deal. Where it `sits_out`, the clock acts at once, by a penalty."""

    seat: int
    player_id: PlayerId
    stack: int
    sits_out: bool = False


class Turn(msgspec.Struct, frozen=True):
    """A turn that a player or the clock must take; `deadline` is null while the clock is stopped."""

    number: int
    seat: int
    deadline: datetime | None


class Committed(Event, frozen=True, kw_only=True):
    """The first event, before anything is drawn; its seed makes the chain over this hand impossible to guess from."""

    hand_id: Public[HandId]
    table_id: Public[TableId]
    tournament_id: Public[TournamentId]
    number: Public[int]
    commitment: Public[str]
    seed: Sealed[bytes]


class RingCommitted(Event, frozen=True, kw_only=True):
    """The first event of a hand at a ring table, which belongs to no tournament; it is played for `currency`."""

    hand_id: Public[HandId]
    table_id: Public[TableId]
    number: Public[int]
    currency: Public[str]
    commitment: Public[str]
    seed: Sealed[bytes]


class ProvenCommitted(Committed, frozen=True, kw_only=True):
    """A commitment that stands under a root which is older than the seats (`domain.coming_deals`).

    `path` leads to the root over the table's 64 hands from `first_hand` on, the lowest hash first, in hexadecimal.
    """

    first_hand: Public[int]
    path: Public[tuple[str, ...]]


class ProvenRingCommitted(RingCommitted, frozen=True, kw_only=True):
    """The same at a ring table."""

    first_hand: Public[int]
    path: Public[tuple[str, ...]]


class EntropyOpened(Event, frozen=True, kw_only=True):
    """The hand is committed to under these terms, and dealt at `closes_at`: until then each seat may send a nonce.

    It stands where the structure has `entropy_seconds`, and only there.
    """

    rules: Public[str]
    ruleset: AfterHand[dict[str, Any]]
    structure_hash: Public[str]
    level: Public[int]
    unit: Public[int]
    dealer: Public[int]
    direction: Public[Direction]
    leader: Public[int | None]
    seats: Public[tuple[SeatDealt, ...]]
    timing: Public[Timing]
    entropy_seconds: Public[int]
    closes_at: Public[datetime]


class EntropyGiven(Event, frozen=True, kw_only=True):
    """A seat's nonce. Everybody may see it: the seed, without which it tells nothing, is committed to already.

    `closes_at` is when the hand is dealt now, at once with the last seat's; null while the clock is stopped.
    """

    seat: Public[int]
    nonce: Public[str]
    closes_at: Public[datetime | None]


class Dealt(Event, frozen=True, kw_only=True):
    """`leader` is null where the lowest card leads; `next_turn` is the lead, null if the deal won (R12's dragon).

    Cards are text, low to high.
    """

    rules: Public[str]
    ruleset: AfterHand[dict[str, Any]]
    structure_hash: Public[str]
    level: Public[int]
    unit: Public[int]
    dealer: Public[int]
    direction: Public[Direction]
    leader: Public[int | None]
    seats: Public[tuple[SeatDealt, ...]]
    cards: OwnSeat[dict[int, str]]
    stub: AfterHand[str]
    timing: Public[Timing]
    next_turn: Public[Turn | None]


class ConnectedDealt(Dealt, frozen=True, kw_only=True):
    """A deal that also tells each seat's connection at that moment (R11.1)."""

    connections: Public[dict[int, Connection]]


class EntropyDealt(ConnectedDealt, frozen=True, kw_only=True):
    """A deal that these nonces, by seat, went into in the order of the seats."""

    nonces: Public[dict[int, str]]


class CardsPlayed(Event, frozen=True, kw_only=True):
    """`next_turn` is null where the hand ended or automatic passes follow."""

    turn: Public[int]
    seat: Public[int]
    cards: Public[str]
    by: Public[ActedBy]
    breach: AfterHand[bool]
    next_turn: Public[Turn | None]


class Passed(Event, frozen=True, kw_only=True):
    """`turn` is null for an automatic pass (R6.4), whose `reason` says which."""

    turn: Public[int | None]
    seat: Public[int]
    reason: Public[PassReason]
    breach: AfterHand[bool]
    next_turn: Public[Turn | None]


class ClockStopped(Event, frozen=True, kw_only=True):
    """`turn` is 0 before the deal, while entropy is taken."""

    turn: Public[int]
    remaining_ms: Public[int]


class ClockStarted(Event, frozen=True, kw_only=True):
    turn: Public[int]
    deadline: Public[datetime]


class Transfer(msgspec.Struct, frozen=True):
    """One seat pays another (R8.5), in chips; `covers` marks a liable assistant's payment (R8.4), without points."""

    payer: int
    receiver: int
    points: int | None
    due: int
    paid: int
    covers: bool


class Settled(Event, frozen=True, kw_only=True):
    winner: Public[int]
    cards_left: Public[dict[int, int]]
    liable: Public[int | None]
    transfers: Public[tuple[Transfer, ...]]
    net: Public[dict[int, int]]


class SeatRecorded(msgspec.Struct, frozen=True):
    """A seat of a recorded hand; `stack` is in chips, at the hand's start, null in points formats."""

    seat: int
    player_id: PlayerId
    stack: int | None


class HandRecorded(Event, frozen=True, kw_only=True):
    """The first event of a hand that was played with real cards: its terms, and what it came to.

    `leader` is whom R5.3 lets lead, null for the lowest card. `twos_left` is empty where the rule set counts none.
    """

    hand_id: Public[HandId]
    table_id: Public[TableId]
    tournament_id: Public[TournamentId]
    number: Public[int]
    rules: Public[str]
    ruleset: AfterHand[dict[str, Any]]
    structure_hash: Public[str]
    level: Public[int]
    unit: Public[int]
    dealer: Public[int]
    direction: Public[Direction]
    leader: Public[int | None]
    seats: Public[tuple[SeatRecorded, ...]]
    winner: Public[int]
    cards_left: Public[dict[int, int]]
    liable: Public[int | None]
    twos_left: Public[dict[int, int]]
    played_at: Public[datetime]
    timing: Public[Timing]


class Voided(Event, frozen=True, kw_only=True):
    reason: Public[str]


class Finalised(Event, frozen=True, kw_only=True):
    """The seed is revealed."""

    seed: Public[bytes]


class Confirmed(Event, frozen=True, kw_only=True):
    """A recorded hand is final; it has no seed to reveal."""
