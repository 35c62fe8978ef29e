"""A ring table: who sits where with how much money, who is dealt in, and which hand runs (R10).

Its stakes, its rules and its clock are those it was opened with (R10.3). What is decided at it is in `ring_seats`
(who comes and goes) and `ring_hands` (what is dealt).
"""

from __future__ import annotations

import hashlib
from datetime import datetime

import msgspec

from big2.ring import RingStep, may_be_dealt_in
from big2.rulesets import RuleSet
from big2.switches import StakeCap
from big2.table import Direction
from domain.aggregate import Aggregate
from domain.coming_deals import root_from
from domain.errors import Conflicting
from domain.events import Event, Guarded
from domain.ids import HandId, PlayerId, TableId
from domain.ring_events import (
    CloseAsked,
    LeaveAsked,
    RingClosed,
    RingDealsCommitted,
    RingHandBegun,
    RingHandEnded,
    RingOpened,
    RingPaused,
    RingResumed,
    RingTerms,
    SatDown,
    SatIn,
    SatOut,
    SeatKept,
    StoodUp,
    ToppedUp,
)


class RingSeat(msgspec.Struct, frozen=True):
    """A taken seat. `stack` is all that he has here, what he tops up during a hand included; `buy_in` is what he has
    brought so far. `absent_hands` counts the last hands in which the clock alone acted for him."""

    player_id: PlayerId
    stack: int
    buy_in: int
    sitting_out: bool = False
    leaving: bool = False
    absent_hands: int = 0


class Ring(Guarded, frozen=True):
    """`dealt_in` are the seats of the running hand; `first_rooted` is the first hand under the newest root, null at a
    table that has none; `closing` says that the table closes after its hand."""

    table_id: TableId
    terms: RingTerms
    terms_hash: str
    master: bytes
    seats: dict[int, RingSeat] = msgspec.field(default_factory=dict)
    hand_id: HandId | None = None
    last_hand_id: HandId | None = None
    dealt_in: frozenset[int] = frozenset()
    hands_begun: int = 0
    hands_ended: int = 0
    first_rooted: int | None = None
    dealer: int | None = None
    direction: Direction | None = None
    deal_at: datetime | None = None
    paused: bool = False
    closing: bool = False
    closed: bool = False

    @property
    def tournament_id(self) -> None:
        """A ring table belongs to no tournament."""

    @property
    def currency(self) -> str:
        return self.terms.currency

    @property
    def rules(self) -> str:
        return self.terms.rules

    @property
    def step(self) -> RingStep:
        return RingStep(self.terms.unit, self.terms.buy_in, self.terms.ante)

    @property
    def playing(self) -> list[int]:
        """The seats that the next hand is dealt to, if they are two or more (R10.4)."""
        return [
            number
            for number, seat in self.seats.items()
            if not seat.sitting_out and not seat.leaving and may_be_dealt_in(self.step, seat.stack)
        ]

    def seat_of(self, player: PlayerId) -> int | None:
        return next((number for number, seat in self.seats.items() if seat.player_id == player), None)


def evolve(ring: Ring | None, event: Event) -> Ring:
    if isinstance(event, RingOpened):
        return Ring(event.table_id, event.terms, event.terms_hash, event.master)
    assert ring is not None
    change = msgspec.structs.replace
    match event:
        case RingHandBegun():
            return _hand_begun(ring, event)
        case RingHandEnded():
            return _hand_ended(ring, event)
        case RingDealsCommitted():
            return change(ring, first_rooted=event.first_hand)
        case RingPaused() | RingResumed():
            return change(ring, paused=isinstance(event, RingPaused))
        case CloseAsked():
            return change(ring, closing=True)
        case RingClosed():
            return change(ring, closing=False, closed=True)
    return change(ring, seats=_seats(ring.seats, event))


RING = Aggregate("ring", evolve, values=True)


# decisions


def open_ring(table: TableId, terms: RingTerms, master: bytes) -> list[Event]:
    """A new table of these terms, against whose rule set `rules_problem` has nothing."""
    opened = RingOpened(table_id=table, terms=terms, terms_hash=terms_hash(terms), master=master)
    return [opened, commit_deals(table, master, 1)]


def commit_deals(table: TableId, master: bytes, first_hand: int) -> Event:
    """The root over the table's hands from `first_hand` on, before any of them is dealt."""
    return RingDealsCommitted(first_hand=first_hand, root=root_from(master, str(table), table, first_hand))


def rules_problem(rules: RuleSet) -> str | None:
    """What is wrong with a rule set for a ring table, where money is lost and won: it needs table stakes (R8.3)."""
    if rules.stake_cap is StakeCap.NONE:
        return "has no table stakes (stake_cap is none): nobody pays what he does not have (R8.3)"
    return None


def terms_hash(terms: RingTerms) -> str:
    """SHA-256 of the terms as canonical JSON (RFC 8785), in hexadecimal; each hand stores it."""
    return hashlib.sha256(msgspec.json.encode(terms, order="sorted")).hexdigest()


def must_be_open(ring: Ring) -> None:
    """Raises Conflicting at a table that is closed, or that closes after its hand."""
    if ring.closed or ring.closing:
        when = "closed" if ring.closed else "about to close, after its hand"
        raise Conflicting("table-closed", f"The table is {when}.")


def pause(ring: Ring) -> list[Event]:
    """No more deals; the application stops the clock of a running hand in the same transaction."""
    must_be_open(ring)
    if ring.paused:
        raise Conflicting("already-paused", "The table is paused already.")
    return [RingPaused()]


def resume(ring: Ring) -> list[Event]:
    """Deals go on, and a stopped clock with them; also at a table that closes after its hand, which must end."""
    if ring.closed:
        must_be_open(ring)
    if not ring.paused:
        raise Conflicting("not-paused", "The table is not paused.")
    return [RingResumed()]


# below: the fold


def _seats(seats: dict[int, RingSeat], event: Event) -> dict[int, RingSeat]:
    match event:
        case SatDown():
            newcomer = RingSeat(event.player_id, event.buy_in, event.buy_in)
            return dict(sorted({**seats, event.seat: newcomer}.items()))
        case ToppedUp():
            seat = seats[event.seat]
            return _at(seats, event, stack=seat.stack + event.amount, buy_in=seat.buy_in + event.amount)
        case SatOut():
            return _at(seats, event, sitting_out=True)
        case SatIn():
            return _at(seats, event, sitting_out=False, absent_hands=0)
        case LeaveAsked():
            return _at(seats, event, leaving=True)
        case SeatKept():
            return seats
        case StoodUp():
            return {number: seat for number, seat in seats.items() if number != event.seat}
    raise AssertionError(f"{type(event).__name__} is no event of a ring table")


def _at(
    seats: dict[int, RingSeat], event: ToppedUp | SatOut | SatIn | LeaveAsked, **changes: object
) -> dict[int, RingSeat]:
    return {**seats, event.seat: msgspec.structs.replace(seats[event.seat], **changes)}


def _hand_begun(ring: Ring, event: RingHandBegun) -> Ring:
    seats = {
        number: msgspec.structs.replace(seat, stack=event.stacks.get(number, seat.stack))
        for number, seat in ring.seats.items()
    }
    return msgspec.structs.replace(
        ring,
        seats=seats,
        hand_id=event.hand_id,
        dealt_in=frozenset(event.stacks),
        hands_begun=event.number,
        dealer=event.dealer,
        direction=event.direction,
    )


def _hand_ended(ring: Ring, event: RingHandEnded) -> Ring:
    return msgspec.structs.replace(
        ring,
        seats={number: _after_hand(seat, number, event) for number, seat in ring.seats.items()},
        hand_id=None,
        last_hand_id=event.hand_id,
        dealt_in=frozenset(),
        hands_ended=ring.hands_ended + 1,
        deal_at=event.deal_at,
    )


def _after_hand(seat: RingSeat, number: int, event: RingHandEnded) -> RingSeat:
    """What he topped up meanwhile stays beside what the hand came to."""
    if number not in event.net:
        return seat
    absent = 0 if number in event.acted else seat.absent_hands + (number in event.absent)
    return msgspec.structs.replace(seat, stack=seat.stack + event.net[number], absent_hands=absent)
