"""A tournament's roster: who is entered. Its commands hold a lock on it, and its capacity is exact."""

from __future__ import annotations

from typing import TypeAlias
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


class Substituted(Event, frozen=True, kw_only=True):
    """By a ruling `substitute_id` takes over from `player_id`, whose entries stay his: he paid them."""

    tournament_id: Public[TournamentId]
    player_id: Public[PlayerId]
    substitute_id: Public[PlayerId]


class Withdrawn(Event, frozen=True, kw_only=True):
    tournament_id: Public[TournamentId]
    player_id: Public[PlayerId]


class RosterClosed(Event, frozen=True, kw_only=True):
    """Registration is over: the tournament has started, its late entry is over, or it was cancelled."""

    tournament_id: Public[TournamentId]


RosterEvent: TypeAlias = Registered | ReEntered | Substituted | Withdrawn | RosterClosed
"""Every event of a roster: each names its tournament."""


class Roster(msgspec.Struct):
    """`entries` are players in order of registration, each with his first entry; `re_entries` are who entered again.

    `substitutes` have taken over from others, and have no entry of their own.
    `evolve` updates it in place (a fold of n entries stays linear).
    """

    entries: dict[PlayerId, UUID] = msgspec.field(default_factory=dict)
    re_entries: list[PlayerId] = msgspec.field(default_factory=list)
    substitutes: set[PlayerId] = msgspec.field(default_factory=set)
    closed: bool = False

    @property
    def paid(self) -> list[PlayerId]:
        """Whose entries were paid: a player once for each."""
        return [*self.entries, *self.re_entries]

    def knows(self, player: PlayerId) -> bool:
        """Whether he is in this tournament, or was."""
        return player in self.entries or player in self.substitutes


def evolve(roster: Roster | None, event: Event) -> Roster:
    roster = roster or Roster()
    match event:
        case Registered():
            roster.entries[event.player_id] = event.entry_id
        case ReEntered():
            roster.re_entries.append(event.player_id)
        case Substituted():
            roster.substitutes.add(event.substitute_id)
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
