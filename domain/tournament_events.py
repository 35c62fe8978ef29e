"""A tournament's events: published, started, its tables and players, its levels and pauses, the end.

What is stored, and who may see each field.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec

from domain.dispute_events import PenaltyKind
from domain.events import Event, Public, Sealed
from domain.ids import HandId, PlayerId, TableId, TournamentId
from domain.placing import Standing, Tally
from domain.structure import Structure
from domain.table_events import Place


class SeedsCommitted(Event, frozen=True, kw_only=True):
    """The first event: `master` seeds every deal and is never shown; `draw_seed` seeds the draws, shown at the end."""

    tournament_id: Public[TournamentId]
    master: Sealed[bytes]
    draw_seed: Sealed[bytes]
    draw_commitment: Public[str]


class Published(Event, frozen=True, kw_only=True):
    tournament_id: Public[TournamentId]
    version: Public[int]
    structure: Public[Structure]
    structure_hash: Public[str]


class Started(Event, frozen=True, kw_only=True):
    entrants: Public[tuple[PlayerId, ...]]
    level_ends_at: Public[datetime | None]


class TableRoot(msgspec.Struct, frozen=True):
    """The root over the commitments of a table's first 64 hands (`domain.coming_deals`), in hexadecimal."""

    number: int
    table_id: TableId
    root: str


class DealsCommitted(Event, frozen=True, kw_only=True):
    """What tables will deal is committed to before anybody knows who sits there."""

    roots: Public[tuple[TableRoot, ...]]


class DrawnTable(msgspec.Struct, frozen=True):
    number: int
    table_id: TableId
    dealer: int
    places: tuple[Place, ...]


class TablesDrawn(Event, frozen=True, kw_only=True):
    """The first tables, or the final table (`final`), drawn from the occasion `draw`."""

    tables: Public[tuple[DrawnTable, ...]]
    final: Public[bool]
    draw: Public[str]


class EntryTaken(Event, frozen=True, kw_only=True):
    """The tournament's entry `number`, after the start, with a full stack; a re-entry gives up the player's place."""

    player_id: Public[PlayerId]
    entry_id: Public[UUID]
    number: Public[int]
    re_entry: Public[bool]


class LateSeated(Event, frozen=True, kw_only=True):
    """A late entrant sits down, at a table that may be new (`opens`); drawn from the occasion `draw`."""

    number: Public[int]
    table_id: Public[TableId]
    place: Public[Place]
    opens: Public[bool]
    draw: Public[str]


class ReinstatedSeated(LateSeated, frozen=True, kw_only=True):
    """Likewise who was reinstated by the ruling on `hand_id`; so many of his chips come `from_void`."""

    hand_id: Public[HandId]
    from_void: Public[int]


class EntriesClosed(Event, frozen=True, kw_only=True):
    """Late entry is over, after so many `entries` of so many `entrants`: players, who may have entered again."""

    entries: Public[int]
    entrants: Public[int]


class TableBroken(Event, frozen=True, kw_only=True):
    number: Public[int]
    table_id: Public[TableId]


class TableOpened(Event, frozen=True, kw_only=True):
    """A table of a league; its first dealer is drawn from the occasion `draw`."""

    table: Public[DrawnTable]
    draw: Public[str]


class TableClosed(Event, frozen=True, kw_only=True):
    """A table of a league is over, and its players are free."""

    number: Public[int]
    table_id: Public[TableId]
    players: Public[tuple[PlayerId, ...]]


class TablesHeld(Event, frozen=True, kw_only=True):
    """The tables with real cards whose next hand has to wait for others; whichever were held before go on."""

    numbers: Public[tuple[int, ...]]


class PlayerMoved(Event, frozen=True, kw_only=True):
    player_id: Public[PlayerId]
    from_table: Public[int]
    from_seat: Public[int]
    to_table: Public[int]
    to_seat: Public[int]
    draw: Public[str]


class LevelRaised(Event, frozen=True, kw_only=True):
    level: Public[int]
    unit: Public[int]
    ends_at: Public[datetime | None]


class Placed(Event, frozen=True, kw_only=True):
    """A player is out. `place` is his place as things stand; a later no-show, or a disqualification, can only raise it.
    `hand_for_hand` numbers the round in which tables played hand for hand, whose hands count as one.
    """

    player_id: Public[PlayerId]
    table_id: Public[TableId]
    hand_id: Public[HandId | None]
    stack: Public[int]
    no_show: Public[bool]
    hand_for_hand: Public[int | None]
    place: Public[int]


class Disqualified(Placed, frozen=True, kw_only=True):
    """A player who was disqualified while he played is out by that, and by no hand; he leaves `stack` chips."""


class Correction(msgspec.Struct, frozen=True):
    """What a hand as ruled gives a player more than as played."""

    player_id: PlayerId
    tally: Tally
    chips: int


class ResultCorrected(Event, frozen=True, kw_only=True):
    """A hand is final that a ruling has changed. Where there are `stacks` they are corrected between hands."""

    hand_id: Public[HandId]
    table_id: Public[TableId]
    changes: Public[tuple[Correction, ...]]
    stacks: Public[bool]


class StacksCorrected(Event, frozen=True, kw_only=True):
    """Chips that a ruling on `hand_id` gave and took now; `unpaid` is what players no longer had."""

    hand_id: Public[HandId]
    changes: Public[dict[PlayerId, int]]
    unpaid: Public[dict[PlayerId, int]]


class PlayerReinstated(Event, frozen=True, kw_only=True):
    """By a ruling on `hand_id` a player who was out is back, with `chips`, and gives up his place.

    It is the tournament's reinstatement `number`. He has a seat as soon as there is one between hands.
    """

    player_id: Public[PlayerId]
    hand_id: Public[HandId]
    number: Public[int]
    chips: Public[int]


class ReplacementOrdered(Event, frozen=True, kw_only=True):
    """By a ruling on `hand_id` another player takes over a seat, as soon as no hand runs there."""

    player_id: Public[PlayerId]
    substitute_id: Public[PlayerId]
    hand_id: Public[HandId]


class PlayerReplaced(Event, frozen=True, kw_only=True):
    """The other player has the seat now, the `chips` there and the place; who had them is in the tournament no more."""

    player_id: Public[PlayerId]
    substitute_id: Public[PlayerId]
    hand_id: Public[HandId]
    chips: Public[int]


class RulingLapsed(Event, frozen=True, kw_only=True):
    """The hand is final, and what its ruling wants can be done no more: the tournament is over, or has moved on."""

    hand_id: Public[HandId]
    ruling: Public[str]


class Imposed(msgspec.Struct, frozen=True):
    """A penalty of a player; `amount` is in points, chips or hands."""

    player_id: PlayerId
    penalty: PenaltyKind
    amount: int | None


class PenaltiesImposed(Event, frozen=True, kw_only=True):
    """A hand is final whose ruling punishes players. Points go at once; what is done at a table, between hands."""

    hand_id: Public[HandId]
    table_id: Public[TableId]
    penalties: Public[tuple[Imposed, ...]]


class PenaltyCarriedOut(Event, frozen=True, kw_only=True):
    """Chips that a player lost to the void now, `unpaid` being what he no longer had; or hands that he sits out now."""

    hand_id: Public[HandId]
    player_id: Public[PlayerId]
    penalty: Public[Literal["chips", "sit_out"]]
    amount: Public[int]
    unpaid: Public[int]


class Paused(Event, frozen=True, kw_only=True):
    """The tournament's pause `number`, from 1."""

    number: Public[int]
    at: Public[datetime]


class Resumed(Event, frozen=True, kw_only=True):
    level_ends_at: Public[datetime | None]


class Prize(msgspec.Struct, frozen=True):
    place: int
    tied: bool
    player_id: PlayerId
    amount: int


class PrizesAwarded(Event, frozen=True, kw_only=True):
    """Prizes by place; `pool` and amounts are in basis points, 10,000 in all."""

    pool: Public[int]
    prizes: Public[tuple[Prize, ...]]


class MoneyPrizesAwarded(PrizesAwarded, frozen=True, kw_only=True):
    """Prizes by place in minor units of `currency`; `pool` is all of it.

    Who of a shared place gets the odd units is drawn from the occasion `prizes/PLACE`.
    """

    currency: Public[str]
    draw: Public[str]


class PoolFormed(Event, frozen=True, kw_only=True):
    """Registration is over: the buy-ins leave the escrow, and the house adds the `overlay`. In minor units.

    `entrants` counts entries: who entered twice paid twice.
    """

    tournament_id: Public[TournamentId]
    entrants: Public[int]
    buy_ins: Public[int]
    overlay: Public[int]
    currency: Public[str]


class PoolDissolved(Event, frozen=True, kw_only=True):
    """There will be no prizes: the buy-ins go back into the escrow, to be refunded, and the overlay to the house."""

    tournament_id: Public[TournamentId]
    buy_ins: Public[int]
    overlay: Public[int]
    currency: Public[str]


class Finished(Event, frozen=True, kw_only=True):
    standings: Public[tuple[Standing, ...]]
    draw_seed: Public[bytes]


class StandingsCorrected(Event, frozen=True, kw_only=True):
    """After the end somebody was disqualified: everybody's place as ruled. The prizes that go by it follow."""

    hand_id: Public[HandId]
    standings: Public[tuple[Standing, ...]]


class Cancelled(Event, frozen=True, kw_only=True):
    reason: Public[str]
    entrants: Public[int]
    draw_seed: Public[bytes]
