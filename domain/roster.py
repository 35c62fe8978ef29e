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


class ReEntered(Event, frozen=True, kw_only=True):
    """Who was out is entered once more: another entry of the same player."""

    tournament_id: Public[TournamentId]
    entry_id: Public[UUID]
    player_id: Public[PlayerId]


class Withdrawn(Event, frozen=True, kw_only=True):
    tournament_id: Public[TournamentId]
    player_id: Public[PlayerId]


class RosterClosed(Event, frozen=True, kw_only=True):
    """Registration is over: the tournament has started, its late entry is over, or it was cancelled."""

    tournament_id: Public[TournamentId]


class Roster(msgspec.Struct):
    """`entries` are players in order of registration, each with his first entry; `re_entries` are who entered again.

    `evolve` updates it in place (a fold of n entries stays linear).
    """

    entries: dict[PlayerId, UUID] = msgspec.field(default_factory=dict)
    re_entries: list[PlayerId] = msgspec.field(default_factory=list)
    closed: bool = False

    @property
    def paid(self) -> list[PlayerId]:
        """Whose entries were paid: a player once for each."""
        return [*self.entries, *self.re_entries]


def evolve(roster: Roster | None, event: Event) -> Roster:
    roster = roster or Roster()
    match event:
        case Registered():
            roster.entries[event.player_id] = event.entry_id
        case ReEntered():
            roster.re_entries.append(event.player_id)
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
            "registration-closed",
            "Registration is closed: the start, late entry or the tournament is over.",
        )
