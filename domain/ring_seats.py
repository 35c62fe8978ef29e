"""Who comes to a ring table and who goes: sitting down, topping up, sitting out, standing up (R10.1, R10.4).

What moves money is told by `movements`: the wallet pays or gets it in the same transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from big2.ring import MOST_MONEY, may_be_dealt_in, may_sit_down
from domain.errors import Conflicting, Refused
from domain.events import Event
from domain.ids import PlayerId
from domain.ring import Ring, RingSeat, must_be_open
from domain.ring_events import (
    CloseAsked,
    LeaveAsked,
    RingClosed,
    SatDown,
    SatIn,
    SatOut,
    SeatKept,
    StoodUp,
    ToppedUp,
)

_UNNAMED = "is missing:"


class Wish(msgspec.Struct, frozen=True):
    """How somebody wants his seat to be; what is null stays as it is. `buy_in` is all that he brings to it, so a
    greater one than before tops up by the difference. What could not be read is null, and `unread` says what is wrong
    there, by JSON pointer."""

    player_id: PlayerId | None = None
    buy_in: int | None = None
    sitting_out: bool | None = None
    unread: Mapping[str, str] = MappingProxyType({})


class Movement(NamedTuple):
    """What a player's wallet pays to his stack, or gets from it where it is below 0."""

    player_id: PlayerId
    amount: int


def may_take(ring: Ring, number: int, player: PlayerId | None) -> None:
    """Raises Conflicting if a seat cannot be `player`'s now; null leaves a free seat free, and a taken one his."""
    must_be_open(ring)
    seat = ring.seats.get(number)
    if seat is None:
        taken = ring.seat_of(player) if player else None
        if taken is not None:
            raise Conflicting("already-seated", f"The player has seat {taken} of this table.")
    elif player not in (None, seat.player_id):
        raise Conflicting("seat-taken", f"Seat {number} is taken by another player.")
    elif seat.leaving:
        raise Conflicting("standing-up", "The player stands up after this hand: then he can sit down anew.")


def wants_in(ring: Ring, number: int, wish: Wish) -> bool:
    """Whether a wish brings money or asks to be dealt in, and does not only keep a seat or rest."""
    return number not in ring.seats or wish.buy_in is not None or wish.sitting_out is False


def take_seat(ring: Ring, number: int, wish: Wish) -> list[Event]:
    """Sit down, top up, sit out or in again: the seat becomes as wished. The wish names whose seat it is, so that what
    was meant for one player never costs the next.

    Raises Conflicting, then Refused with everything that is wrong with the wish.
    """
    may_take(ring, number, wish.player_id)
    seat = ring.seats.get(number)
    if seat is None:
        return _sit_down(ring, number, wish)
    events = _changed(ring, number, seat, wish)
    return events or [SeatKept(seat=number, player_id=seat.player_id)]


def stand_up(ring: Ring, number: int) -> list[Event]:
    """Leave the seat: at once, or after the running hand for whoever was dealt in."""
    seat = ring.seats[number]
    if seat.leaving:
        return [SeatKept(seat=number, player_id=seat.player_id)]
    if number in ring.dealt_in:
        return [LeaveAsked(seat=number, player_id=seat.player_id)]
    return [_stood_up(number, seat)]


def close(ring: Ring) -> list[Event]:
    """Close the table: at once, or after the running hand."""
    must_be_open(ring)
    return [CloseAsked()] if ring.hand_id else closing(ring)


def closing(ring: Ring) -> list[Event]:
    """Everybody stands up, and the table is closed."""
    return [*(_stood_up(number, seat) for number, seat in ring.seats.items()), RingClosed()]


def leaving(ring: Ring) -> list[Event]:
    """Those stand up who asked to during the hand."""
    return [_stood_up(number, seat) for number, seat in ring.seats.items() if seat.leaving]


def movements(events: Iterable[Event]) -> Iterator[Movement]:
    """The money that these events move between wallets and stacks; an empty stack moves none."""
    for event in events:
        match event:
            case SatDown():
                yield Movement(event.player_id, event.buy_in)
            case ToppedUp():
                yield Movement(event.player_id, event.amount)
            case StoodUp() if event.stack:
                yield Movement(event.player_id, -event.stack)


def _sit_down(ring: Ring, number: int, wish: Wish) -> list[Event]:
    player, buy_in = wish.player_id, wish.buy_in
    errors = {}
    if player is None:
        errors["/player_id"] = f"{_UNNAMED} the seat is free"
    if buy_in is None:
        errors["/buy_in"] = "is missing: the seat is free"
    elif not may_sit_down(ring.step, buy_in):
        errors["/buy_in"] = f"must be {ring.terms.buy_in} at least (R10.1)"
    elif problem := _too_much(ring, buy_in, brought=0):
        errors["/buy_in"] = problem
    if errors or wish.unread or player is None or buy_in is None:
        raise Refused("validation", "Nobody can sit down like this.", errors | dict(wish.unread))
    down = SatDown(seat=number, player_id=player, buy_in=buy_in)
    out = SatOut(seat=number, player_id=player, reason="asked")
    return [down, *([out] if wish.sitting_out else [])]


def _changed(ring: Ring, number: int, seat: RingSeat, wish: Wish) -> list[Event]:
    more = 0 if wish.buy_in is None else wish.buy_in - seat.buy_in
    errors = dict(_errors(ring, seat, wish, more)) | dict(wish.unread)
    if errors:
        raise Refused("validation", "The seat cannot be like this.", errors)
    events: list[Event] = []
    if more:
        events.append(ToppedUp(seat=number, player_id=seat.player_id, amount=more))
    if wish.sitting_out is True and not seat.sitting_out:
        events.append(SatOut(seat=number, player_id=seat.player_id, reason="asked"))
    if wish.sitting_out is False and seat.sitting_out:
        events.append(SatIn(seat=number, player_id=seat.player_id))
    return events


def _errors(ring: Ring, seat: RingSeat, wish: Wish, more: int) -> Iterator[tuple[str, str]]:
    if wish.player_id is None:
        yield "/player_id", f"{_UNNAMED} name who sits there, for his money is meant"
    if more < 0:
        brought = f"is less than the {seat.buy_in} that he has brought"
        yield "/buy_in", f"{brought}: money leaves a table with its player only"
    elif problem := _too_much(ring, more, seat.buy_in):
        yield "/buy_in", problem
    sits_in = wish.sitting_out is False and seat.sitting_out
    if sits_in and not may_be_dealt_in(ring.step, seat.stack + max(more, 0)):
        least = ring.terms.unit + ring.terms.ante
        yield "/sitting_out", f"a player needs {least}, one unit and the ante, to be dealt in: top up (R10.4)"


def _too_much(ring: Ring, more: int, brought: int) -> str | None:
    room = MOST_MONEY - sum(seat.stack for seat in ring.seats.values())
    if more <= room:
        return None
    return f"is more than may lie on one table: he may bring {brought + room} at most"


def _stood_up(number: int, seat: RingSeat) -> StoodUp:
    return StoodUp(seat=number, player_id=seat.player_id, stack=seat.stack)
