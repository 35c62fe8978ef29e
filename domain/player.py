"""A player: enrolled once, perhaps barred. Names live outside the log, so that they can be erased."""

from __future__ import annotations

import msgspec

from domain.aggregate import Aggregate
from domain.errors import Conflicting
from domain.events import Event, Public
from domain.ids import PlayerId


class Enrolled(Event, frozen=True, kw_only=True):
    player_id: Public[PlayerId]


class Barred(Event, frozen=True, kw_only=True):
    reason: str


class Reinstated(Event, frozen=True, kw_only=True):
    reason: str


class Player(msgspec.Struct, frozen=True):
    player_id: PlayerId
    barred: bool = False


def evolve(player: Player | None, event: Event) -> Player:
    match event:
        case Enrolled():
            return Player(event.player_id)
        case Barred() | Reinstated():
            assert player is not None
            return msgspec.structs.replace(player, barred=isinstance(event, Barred))
    raise AssertionError(f"{type(event).__name__} is no event of a player")


PLAYER = Aggregate("player", evolve)


def enrol(player_id: PlayerId) -> list[Event]:
    return [Enrolled(player_id=player_id)]


def bar(player: Player, reason: str) -> list[Event]:
    if player.barred:
        raise Conflicting("player-barred", "The player is barred already.")
    return [Barred(reason=reason)]


def reinstate(player: Player, reason: str) -> list[Event]:
    if not player.barred:
        raise Conflicting("player-not-barred", "The player is not barred.")
    return [Reinstated(reason=reason)]


def may_enter(player: Player) -> None:
    """Raises Conflicting if the player may not enter a tournament, nor sit down, top up or sit in at a ring table."""
    if player.barred:
        raise Conflicting("player-barred", "The player is barred; an operator can reinstate him.")
