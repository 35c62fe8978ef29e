"""Tokens: `b2_<credential id>_<secret>`, shown once, checked against the credential's own stream each time."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from domain import credential as decide_on
from domain.aggregate import Aggregate
from domain.credential import CREDENTIAL, Credential, Issued, Role, proves
from domain.errors import NotAllowed, Refused
from domain.ids import CredentialId, PlayerId, TournamentId, credential_id
from domain.player import PLAYER
from domain.tournament import TOURNAMENT
from services.application.errors import NotFound, existing
from services.commands import Decision, Outcome, execute, on
from services.envelope import Command, Stream
from services.store import Store

PREFIX = "b2"
SECRET_BYTES = 32
LONGEST_TOKEN = 128


class Actor(msgspec.Struct, frozen=True):
    """Whoever a request comes from, as his credential says; `tournament_id` limits it to one tournament.

    `plays_as` is the player that a member of the staff is, where his token says so: he acts for none by it.
    """

    credential_id: CredentialId
    role: Role
    player_id: PlayerId | None
    tournament_id: TournamentId | None
    plays_as: PlayerId | None = None

    def may_in(self, tournament: UUID | None) -> bool:
        """Whether the credential is good for this tournament; null is a ring table, where a limited one is not."""
        return self.tournament_id is None or self.tournament_id == tournament

    def must_be_in(self, tournament: UUID | None) -> None:
        if not self.may_in(tournament):
            where = "another tournament" if tournament else "a tournament"
            raise NotAllowed("forbidden", f"This token is limited to {where}.")


class Grant(NamedTuple):
    """What a token is to be good for; no limit and no end unless given."""

    role: Role
    player_id: PlayerId | None = None
    tournament_id: TournamentId | None = None
    expires_at: datetime | None = None


class Token(NamedTuple):
    """A token that was made; `text` is null when it is not ours to show (again)."""

    token_id: CredentialId
    text: str | None
    outcome: Outcome[Credential]


def authenticate(store: Store, token: str) -> Actor | None:
    """Who the token belongs to, if it is good now."""
    actor, _ = authenticate_with(store, token)
    return actor


def authenticate_with(
    store: Store, token: str, *beside: tuple[Aggregate[Any], UUID]
) -> tuple[Actor | None, list[Stream[Any]]]:
    """The same, and what else is wanted, as of the same moment, in one round trip; nothing if the token is none."""
    credential_id, secret = _parts(token)
    if credential_id is None:
        return None, []
    own, *others = store.load_few((CREDENTIAL, credential_id), *beside)
    credential = own.state
    if credential is None or not proves(credential, secret, own.read_at):
        return None, []
    player, plays_as = credential.player_id, None
    if credential.role is not Role.PLAYER:
        player, plays_as = None, player
    limit = credential.tournament_id
    return Actor(credential.credential_id, credential.role, player, limit, plays_as), others


def issue(store: Store, command: Command, read: Callable[[], Grant], secret: str | None = None) -> Token:
    """Make a credential, with a secret of its own. A repeat of the command answers without the token's text."""
    made = credential_id(command.id)
    secret = secret or secrets.token_urlsafe(SECRET_BYTES)

    def decide(stream: Stream[Credential], now: datetime) -> Decision:
        grant = read()
        _check(store, grant, now)
        events = decide_on.issue(
            made,
            grant.role,
            secret,
            player_id=grant.player_id,
            tournament_id=grant.tournament_id,
            expires_at=grant.expires_at,
        )
        return Decision([on(stream, *events)])

    outcome = execute(store, command, (CREDENTIAL, made), decide)
    issued = outcome.events[0].event
    assert isinstance(issued, Issued)
    ours = issued.secret_hash == decide_on.secret_hash(secret)
    return Token(made, token_text(command, secret) if ours else None, outcome)


def exists(store: Store, command: Command) -> bool:
    """Whether the command has made its credential."""
    return store.load(CREDENTIAL, credential_id(command.id)).version > 0


def token_text(command: Command, secret: str) -> str:
    """The token of the credential that the command makes."""
    return f"{PREFIX}_{credential_id(command.id)}_{secret}"


def secret_in(token: str) -> str:
    """The secret in a token's text; empty if it is none."""
    known, secret = _parts(token)
    return secret if known else ""


def issue_to_player(store: Store, command: Command, player: PlayerId, read: Callable[[], Grant]) -> Token:
    """Make a token for a player who is enrolled."""
    existing(store.load(PLAYER, player), "player")
    return issue(store, command, lambda: read()._replace(role=Role.PLAYER, player_id=player))


def revoke(store: Store, command: Command, actor: Actor, token_id: CredentialId) -> Outcome[Credential]:
    """End a credential: an operator a player's, an admin any."""

    def decide(stream: Stream[Credential], _now: datetime) -> Decision:
        return Decision([on(stream, *decide_on.revoke(existing(stream, "token")))])

    credential = existing(store.load(CREDENTIAL, token_id), "token")
    if actor.role is not Role.ADMIN and credential.role is not Role.PLAYER:
        raise NotAllowed("forbidden", "Only an admin revokes a token that is no player's.")
    return execute(store, command, (CREDENTIAL, token_id), decide)


def _check(store: Store, grant: Grant, now: datetime) -> None:
    errors = {}
    if grant.expires_at is not None and grant.expires_at <= now:
        errors["/expires_at"] = "lies in the past"
    if grant.tournament_id is not None and not store.load(TOURNAMENT, grant.tournament_id).version:
        errors["/tournament_id"] = "is no tournament"
    if grant.player_id is not None and not store.load(PLAYER, grant.player_id).version:
        errors["/player_id"] = "is no player"
    if errors:
        raise Refused("validation", "No such token can be made.", errors)


def _parts(token: str) -> tuple[CredentialId | None, str]:
    """The credential id and the secret in a token's text; no id if it is spelt otherwise than it was issued."""
    prefix, _, rest = token[:LONGEST_TOKEN].partition("_")
    credential, _, secret = rest.partition("_")
    try:
        known = UUID(credential) if prefix == PREFIX and secret else None
    except ValueError:
        known = None
    return (CredentialId(known) if known and str(known) == credential else None), secret


__all__ = [
    "Actor",
    "Grant",
    "NotFound",
    "Token",
    "authenticate",
    "issue",
    "issue_to_player",
    "revoke",
]
