"""Tournaments: their terms, their entries, their course, and what is read of them."""

from __future__ import annotations

from uuid import UUID

from flask import Response

from domain.ids import PlayerId, TournamentId, tournament_id
from domain.roster import Registered
from domain.tournament import TOURNAMENT
from domain.tournament import Tournament as State
from services.application import lists, tournaments
from services.application import resources as shapes
from services.application.errors import existing
from services.application.players import name_of
from services.commands import Outcome
from services.http import schemas
from services.http.access import Who
from services.http.answers import gone, key_of, listed, read, written
from services.http.calls import Call
from services.http.routing import Routes, command, get
from services.http.wouldbe import would_be

blueprint = Routes("tournaments", "Tournaments, from the publication to the prizes")
ONE = "/tournaments/<uuid:tournament_id>"


@command(
    blueprint,
    "POST",
    "/tournaments",
    shapes.Tournament,
    who=Who.OPERATING,
    body=schemas.NewTournament(),
    query=schemas.DryRun(),
    whole_service=True,
    example={"name": "Friday", "format": "sit_and_go", "capacity": 4},
)
def publish_tournament(call: Call) -> Response:
    """Publish a tournament: entries are open from then on"""
    if call.query["dry_run"]:
        now = call.services.store.now()
        made = tournament_id(call.command.id)
        return would_be(tournaments.publication(call.services, made, _terms(call), now))
    outcome = tournaments.publish(call.services, call.command, lambda: _terms(call))
    return _written(outcome, 201)


@get(blueprint, "/tournaments", shapes.Tournament, query=schemas.Paged(), projected=True, listed=True)
def list_tournaments(call: Call) -> Response:
    """List all tournaments, the newest first"""
    key = key_of(call.query.get("cursor"), int)
    page = lists.tournaments(call.services.store.database, key[0] if key else None, call.query["limit"])
    return listed(page, lists.newest(call.services.store.database, "tournaments"), call.query)


@get(blueprint, ONE, shapes.Tournament, projected=True)
def get_tournament(call: Call, tournament_id: UUID) -> Response:
    """Read a tournament"""
    return read(lists.tournament(call.services.store.database, tournament_id))


@command(
    blueprint,
    "PATCH",
    ONE,
    shapes.Tournament,
    who=Who.OPERATING,
    status=200,
    body=schemas.TournamentChanges(),
    query=schemas.DryRun(),
    problems=("structure-fixed",),
    example={"stack_points": 100},
)
def change_tournament(call: Call, tournament_id: UUID) -> Response:
    """Change some terms, until the first entry"""
    t = TournamentId(tournament_id)
    if call.query["dry_run"]:
        stream = call.services.store.load(TOURNAMENT, t)
        state = existing(stream, "tournament")
        return would_be(tournaments.revision(call.services, state, lambda: _terms(call), stream.read_at))
    return _written(tournaments.change(call.services, call.command, t, lambda: _terms(call)), 200)


@command(
    blueprint,
    "POST",
    f"{ONE}/entries",
    shapes.Entry,
    who=Who.ENTERING,
    body=schemas.NewEntry(),
    problems=("registration-closed", "tournament-full", "already-registered", "player-barred"),
    example={"player_id": "7d0f7a9e-6a3e-5c0e-9a62-3f9c3c0b7a11"},
)
def enter(call: Call, tournament_id: UUID) -> Response:
    """Enter a player; a player's token enters himself"""
    t = TournamentId(tournament_id)
    outcome = tournaments.register(
        call.services, call.command, call.actor, t, lambda: PlayerId(call.body.read()["player_id"])
    )
    entered = outcome.events[0]
    assert isinstance(entered.event, Registered)
    entry = shapes.Entry(
        entry_id=entered.event.entry_id,
        player_id=entered.event.player_id,
        name=name_of(call.services, entered.event.player_id),
        state="registered",
        entered_at=entered.at,
        as_of=outcome.position,
    )
    where = f"/v1/tournaments/{t}/entries/{entry.player_id}"
    return written(201, entry, repeat=outcome.repeat, location=where)


@get(
    blueprint,
    f"{ONE}/entries",
    shapes.Entry,
    query=schemas.PagedTable(),
    projected=True,
    listed=True,
    table=True,
)
def list_entries(call: Call, tournament_id: UUID) -> Response:
    """List the entries, in the order in which they were made"""
    database = call.services.store.database
    lists.tournament_must_exist(database, tournament_id)
    key = key_of(call.query.get("cursor"), int)
    page = lists.entries(database, tournament_id, key[0] if key else None, call.query["limit"])
    return listed(page, lists.newest(database, "tournament", tournament_id), call.query)


@command(
    blueprint,
    "DELETE",
    f"{ONE}/entries/<uuid:player_id>",
    None,
    who=Who.ENTERING,
    status=204,
    problems=("registration-closed",),
)
def withdraw(call: Call, tournament_id: UUID, player_id: UUID) -> Response:
    """Withdraw a player, until the start; a player's token withdraws himself"""
    outcome = tournaments.withdraw(
        call.services, call.command, call.actor, TournamentId(tournament_id), PlayerId(player_id)
    )
    return gone(repeat=outcome.repeat)


@command(
    blueprint,
    "POST",
    f"{ONE}/start",
    shapes.Tournament,
    who=Who.OPERATING,
    status=200,
    body=schemas.Empty(),
    body_required=False,
    problems=("already-started", "not-enough-players", "tournament-over"),
)
def start(call: Call, tournament_id: UUID) -> Response:
    """Start now with whoever is entered"""
    t = TournamentId(tournament_id)
    return _written(tournaments.start(call.services, call.command, t, call.body.read), 200)


@command(
    blueprint,
    "POST",
    f"{ONE}/pause",
    shapes.Tournament,
    who=Who.DIRECTING,
    status=200,
    body=schemas.Empty(),
    body_required=False,
    problems=("already-paused", "not-running"),
)
def pause(call: Call, tournament_id: UUID) -> Response:
    """Stop the deals and the clocks; running hands may be played to their end"""
    t = TournamentId(tournament_id)
    return _written(tournaments.pause(call.services, call.command, t, call.body.read), 200)


@command(
    blueprint,
    "POST",
    f"{ONE}/resume",
    shapes.Tournament,
    who=Who.DIRECTING,
    status=200,
    body=schemas.Empty(),
    body_required=False,
    problems=("not-paused",),
)
def resume(call: Call, tournament_id: UUID) -> Response:
    """Go on after a pause"""
    t = TournamentId(tournament_id)
    return _written(tournaments.resume(call.services, call.command, t, call.body.read), 200)


@command(
    blueprint,
    "POST",
    f"{ONE}/cancel",
    shapes.Tournament,
    who=Who.DIRECTING,
    status=200,
    body=schemas.Cancellation(),
    body_required=False,
    problems=("tournament-over",),
    example={"reason": "the hall has no light"},
)
def cancel(call: Call, tournament_id: UUID) -> Response:
    """Cancel the tournament: running hands are voided"""
    reason = lambda: str(call.body.read().get("reason", "cancelled"))  # noqa: E731
    return _written(tournaments.cancel(call.services, call.command, TournamentId(tournament_id), reason), 200)


def _terms(call: Call) -> tournaments.Terms:
    """The body's terms that are stored; the others have been seen to be the defaults."""
    return {name: value for name, value in call.body.read().items() if name in schemas.TERMS}


def _written(outcome: Outcome[State], status: int) -> Response:
    assert outcome.state is not None
    made = shapes.tournament_of(outcome.state, outcome.position)
    where = f"/v1/tournaments/{made.tournament_id}" if status == 201 else None
    return written(status, made, repeat=outcome.repeat, location=where)
