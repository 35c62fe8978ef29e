"""A credential: what a token proves. Only the hash of its secret is stored."""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime
from enum import StrEnum

import msgspec

from domain.aggregate import Aggregate
from domain.errors import Conflicting
from domain.events import Event, Guarded, Public
from domain.ids import CredentialId, PlayerId, TournamentId


class Role(StrEnum):
    PLAYER = "player"
    AUDITOR = "auditor"
    OPERATOR = "operator"
    DIRECTOR = "director"
    ADMIN = "admin"


class Issued(Event, frozen=True, kw_only=True):
    credential_id: Public[CredentialId]
    role: Public[Role]
    secret_hash: str
    player_id: PlayerId | None
    tournament_id: TournamentId | None
    expires_at: datetime | None


class Revoked(Event, frozen=True, kw_only=True):
    pass


class Credential(Guarded, frozen=True):
    credential_id: CredentialId
    role: Role
    secret_hash: str
    player_id: PlayerId | None
    tournament_id: TournamentId | None
    expires_at: datetime | None
    revoked: bool = False


def evolve(credential: Credential | None, event: Event) -> Credential:
    match event:
        case Issued():
            return Credential(
                event.credential_id,
                event.role,
                event.secret_hash,
                event.player_id,
                event.tournament_id,
                event.expires_at,
            )
        case Revoked():
            assert credential is not None
            return msgspec.structs.replace(credential, revoked=True)
    raise AssertionError(f"{type(event).__name__} is no event of a credential")


CREDENTIAL = Aggregate("credential", evolve, values=True)


def issue(
    credential_id: CredentialId,
    role: Role,
    secret: str,
    *,
    player_id: PlayerId | None = None,
    tournament_id: TournamentId | None = None,
    expires_at: datetime | None = None,
) -> list[Event]:
    """A new credential; a player's names its player, and one of the staff may name the player that he is."""
    assert role is not Role.PLAYER or player_id is not None, "a player's credential names its player"
    return [
        Issued(
            credential_id=credential_id,
            role=role,
            secret_hash=secret_hash(secret),
            player_id=player_id,
            tournament_id=tournament_id,
            expires_at=expires_at,
        )
    ]


def revoke(credential: Credential) -> list[Event]:
    if credential.revoked:
        raise Conflicting("token-revoked", "The token is revoked already.")
    return [Revoked()]


def proves(credential: Credential, secret: str, now: datetime) -> bool:
    """Whether `secret` opens `credential` at `now`; the comparison takes the same time whatever it holds."""
    right = hmac.compare_digest(credential.secret_hash, secret_hash(secret))
    expired = credential.expires_at is not None and credential.expires_at <= now
    return right and not credential.revoked and not expired


def secret_hash(secret: str) -> str:
    """Secrets have at least 128 random bits, so a plain SHA-256 cannot be guessed from."""
    return hashlib.sha256(secret.encode()).hexdigest()
