"""A tournament's roster: who is entered. Its commands hold a lock on it, and its capacity is exact."""

from __future__ import annotations

from uuid import UUID

import msgspec

from domain.aggregate import Aggregate
from domain.errors import Conflicting
from domain.events import Event, Public
from domain.ids import PlayerId, TournamentId, entry_id


class Registered(Event, frozen=True, kw_only=True):
    tournament_id: Public[TournamentId]
    entry_id: Public[UUID]
    player_id: Public[PlayerId]


class Withdrawn(Event, frozen=True, kw_only=True):
    tournament_id: Public[TournamentId]
    player_id: Public[PlayerId]


class RosterClosed(Event, frozen=True, kw_only=True):
    """Registration is over: the tournament has started or was cancelled."""

    tournament_id: Public[TournamentId]


class Roster(msgspec.Struct):
    """`entries` in order of registration; `evolve` updates it in place (a fold of n entries stays linear)."""

    entries: dict[PlayerId, UUID] = msgspec.field(default_factory=dict)
    closed: bool = False


def evolve(roster: Roster | None, event: Event) -> Roster:
    roster = roster or Roster()
    match event:
        case Registered():
            roster.entries[event.player_id] = event.entry_id
        case Withdrawn():
            del roster.entries[event.player_id]
        case RosterClosed():
            roster.closed = True
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of a roster")
    return roster


ROSTER = Aggregate("roster", evolve)


def register(roster: Roster, tournament: TournamentId, player: PlayerId, capacity: int) -> list[Event]:
    """Enters `player`; exactly `capacity` entries fit."""
    must_be_open(roster)
    if player in roster.entries:
        raise Conflicting("already-registered", "The player is entered already.")
    if len(roster.entries) >= capacity:
        raise Conflicting("tournament-full", f"All {capacity} places are taken.")
    return [Registered(tournament_id=tournament, entry_id=entry_id(tournament, player), player_id=player)]


def withdraw(roster: Roster, tournament: TournamentId, player: PlayerId) -> list[Event]:
    """Takes `player` off the list, until the start."""
    must_be_open(roster)
    if player not in roster.entries:
        raise Conflicting("not-registered", "The player is not entered.")
    return [Withdrawn(tournament_id=tournament, player_id=player)]


def close(roster: Roster, tournament: TournamentId) -> list[Event]:
    return [] if roster.closed else [RosterClosed(tournament_id=tournament)]


def must_be_open(roster: Roster) -> None:
    """Raises Conflicting once registration is closed."""
    if roster.closed:
        raise Conflicting(
            "registration-closed", "Registration is closed: the tournament has started or is over."
        )
