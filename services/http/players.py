"""Players and tokens."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Response

from domain.credential import Role
from domain.ids import CredentialId, PlayerId
from services.application import credentials, lists, players
from services.application import resources as shapes
from services.application.credentials import Grant
from services.http import queries, schemas
from services.http.access import Who
from services.http.answers import gone, read, written
from services.http.calls import Call
from services.http.paging import paged
from services.http.routing import Routes, command, get, listing

blueprint = Routes("people", "Players, and the tokens of whoever uses the service")


@command(
    blueprint,
    "POST",
    "/players",
    shapes.Player,
    who=Who.OPERATING,
    body=schemas.NewPlayer(),
    problems=("name-taken",),
    whole_service=True,
    located=True,
    example={"name": "Ah Kit"},
)
def enrol_player(call: Call) -> Response:
    """Enrol a player"""
    outcome = players.enrol_player(call.services, call.command, lambda: str(call.body.read()["name"]))
    player = players.enrolled(outcome, str(call.body.valid["name"]))
    return written(201, player, repeat=outcome.repeat, location=f"/v1/players/{player.player_id}")


@listing(blueprint, "/players", shapes.Player, query=queries.PagedTable())
def list_players(call: Call) -> Response:
    """List the players, in the order of their enrolment"""
    return paged(call, lists.players, "players")


@get(blueprint, "/players/<uuid:player_id>", shapes.Player)
def get_player(call: Call, player_id: UUID) -> Response:
    """Read a player"""
    return read(players.player(call.services, PlayerId(player_id)))


@command(
    blueprint,
    "DELETE",
    "/players/<uuid:player_id>/name",
    None,
    who=Who.ADMINS,
    status=204,
    whole_service=True,
    keyed=False,
)
def erase_player_name(call: Call, player_id: UUID) -> Response:
    """Erase a player's name for good: it reads `(erased)` from now on, in every list, and is free again"""
    players.erase_name(call.services, PlayerId(player_id))
    return gone(repeat=False)


@command(
    blueprint,
    "POST",
    "/players/<uuid:player_id>/tokens",
    shapes.Token,
    who=Who.OPERATING,
    body=schemas.NewPlayerToken(),
    body_required=False,
    whole_service=True,
)
def make_player_token(call: Call, player_id: UUID) -> Response:
    """Make a token for a player: with it he reads his cards, enters, plays and passes"""
    player = PlayerId(player_id)
    token = credentials.issue_to_player(
        call.services.store, call.command, player, lambda: _grant(call.body.read(), Role.PLAYER, player)
    )
    return _made(token)


@command(
    blueprint,
    "POST",
    "/tokens",
    shapes.Token,
    who=Who.ADMINS,
    body=schemas.NewToken(),
    whole_service=True,
    example={"role": "operator"},
)
def make_token(call: Call) -> Response:
    """Make a token for a member of the staff"""

    def grant() -> Grant:
        body = call.body.read()
        return _grant(body, Role(body["role"]), body.get("player_id"))

    return _made(credentials.issue(call.services.store, call.command, grant))


@command(
    blueprint,
    "DELETE",
    "/tokens/<uuid:token_id>",
    None,
    who=Who.OPERATING,
    status=204,
    problems=("token-revoked",),
    whole_service=True,
)
def revoke_token(call: Call, token_id: UUID) -> Response:
    """Revoke a token, at once and for good"""
    outcome = credentials.revoke(call.services.store, call.command, call.actor, CredentialId(token_id))
    return gone(repeat=outcome.repeat)


def _grant(body: dict[str, Any], role: Role, player: PlayerId | None) -> Grant:
    return Grant(role, player, body.get("tournament_id"), body.get("expires_at"))


def _made(token: credentials.Token) -> Response:
    shown = {"token": token.text} if token.text else {}
    answer = shapes.Token(token_id=token.token_id, **shown)
    return written(201, answer, repeat=token.outcome.repeat)
