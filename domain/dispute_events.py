"""A dispute's events, in the stream of its hand: flagged, frozen and released, ruled, appealed; and what is ruled at
once while a hand runs: actions voided, time given.

What is stored, and who may see each field. What somebody writes about a hand is told once it is over, for it may name
cards; a ruling's reason is the house's word, and public.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from domain.credential import Role
from domain.events import AfterHand, Event, Public
from domain.hand_events import Turn
from domain.ids import CredentialId, PlayerId

Scope = Literal["hand", "table", "payouts"]
RulingKind = Literal["stands", "void", "adjust", "liability", "cancel", "reinstate", "replace", "penalty"]
InterimKind = Literal["void_from", "time"]
"""Rulings on a hand that runs, in effect at once: they settle no dispute."""
PenaltyKind = Literal["warning", "points", "chips", "sit_out", "disqualification"]


class Person(msgspec.Struct, frozen=True):
    """Who speaks in a dispute, by his credential; `player_id` is the player that he is, as far as that is known."""

    credential_id: CredentialId
    role: Role
    player_id: PlayerId | None

    def is_the_same(self, other: Person) -> bool:
        """Whether both are one, by the credential or as a player."""
        known = self.player_id is not None and self.player_id == other.player_id
        return known or self.credential_id == other.credential_id


class HandResult(msgspec.Struct, frozen=True):
    """What a hand came to, by seat; `net` in chips, `points` as due before table stakes. Voided, nobody won."""

    winner: int | None
    liable: int | None
    cards_left: dict[int, int]
    points: dict[int, int]
    net: dict[int, int]


class Penalty(msgspec.Struct, frozen=True):
    """What a ruling lays upon a seat; `amount` is in points, chips or hands, null where there is nothing to count."""

    seat: int
    penalty: PenaltyKind
    amount: int | None = None


class Flagged(Event, frozen=True, kw_only=True):
    """Somebody wants the hand looked at: it is not final before a ruling."""

    role: Public[Role]
    by: AfterHand[Person]
    reason: AfterHand[str]
    evidence: AfterHand[str | None]


class Frozen(Event, frozen=True, kw_only=True):
    """Until it is released or ruled nobody acts in a frozen hand, a frozen table deals no more, frozen payouts wait.

    `open` says that the hand is not final as long as anything of this is frozen; not so after a ruling.
    """

    scope: Public[Scope]
    by: AfterHand[Person]
    reason: AfterHand[str]
    open: Public[bool]


class Released(Event, frozen=True, kw_only=True):
    """`open` says that something else still keeps the hand from being final; else its protest window begins anew."""

    scope: Public[Scope]
    by: AfterHand[Person]
    reason: AfterHand[str]
    open: Public[bool]


class Ruled(Event, frozen=True, kw_only=True):
    """Ruling 1, or on appeal 2. `result` is what the hand comes to; null as played, and of a hand that ran."""

    number: Public[int]
    ruling: Public[RulingKind]
    by: AfterHand[Person]
    reason: Public[str]
    result: Public[HandResult | None]


class PlayerRuled(Ruled, frozen=True, kw_only=True):
    """A ruling on the tournament of the player who was dealt in at `seat`: he is back with `chips`."""

    seat: Public[int]
    chips: Public[int]


class SubstituteRuled(Ruled, frozen=True, kw_only=True):
    """A ruling by which another player, `player_id`, takes over from who was dealt in at `seat`."""

    seat: Public[int]
    player_id: Public[PlayerId]


class RuledWithPenalties(Ruled, frozen=True, kw_only=True):
    """A ruling that punishes players, each by the seat that he was dealt in at."""

    penalties: Public[tuple[Penalty, ...]]


class Appealed(Event, frozen=True, kw_only=True):
    """Another director is to rule."""

    role: Public[Role]
    by: AfterHand[Person]
    reason: AfterHand[str]


class ActionsVoided(Event, frozen=True, kw_only=True):
    """The actions from number `action` to `last` are void: those of the hand that still stood, counted from 1.

    The hand stands as before the first of them, with `cards_left` by seat. `turn` is the one that ran until then, and
    `next_turn` the one that the same seat as then has anew, under a number of its own; its deadline is null while the
    clock is stopped.
    """

    at: Public[datetime]
    role: Public[Role]
    by: AfterHand[Person]
    reason: Public[str]
    turn: Public[int]
    action: Public[int]
    last: Public[int]
    cards_left: Public[dict[int, int]]
    next_turn: Public[Turn]


class TimeGiven(Event, frozen=True, kw_only=True):
    """The running turn has `seconds` more: a later deadline, or while the clock is stopped more of `remaining_ms`."""

    at: Public[datetime]
    role: Public[Role]
    by: AfterHand[Person]
    reason: Public[str]
    turn: Public[int]
    seconds: Public[int]
    deadline: Public[datetime | None]
    remaining_ms: Public[int | None]
