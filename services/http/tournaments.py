"""Tournaments: their terms, their entries, their course, and what is read of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from uuid import UUID

from flask import Response

from domain.ids import PlayerId, TournamentId
from domain.tournament import Tournament as State
from services.application import as_of, leagues, lists, tournaments
from services.application import resources as shapes
from services.application.context import Services
from services.commands import Outcome
from services.envelope import Command
from services.http import queries, schemas
from services.http.access import Who
from services.http.answers import gone, read, written
from services.http.calls import Call
from services.http.fields import Body
from services.http.paging import looking_back, paged, paged_in
from services.http.routing import Register, Routes, command, get, listing
from services.http.wouldbe import would_be

blueprint = Routes("tournaments", "Tournaments, from the publication to the prizes")
ONE = "/tournaments/<uuid:tournament_id>"
_EMPTY = schemas.Empty()
Step = Callable[[Services, Command, TournamentId, Callable[[], object]], Outcome[State]]


@command(
    blueprint,
    "POST",
    "/tournaments",
    shapes.Tournament,
    who=Who.OPERATING,
    body=schemas.NewTournament(),
    query=queries.DryRun(),
    whole_service=True,
    located=True,
    example={"name": "Friday", "format": "sit_and_go", "capacity": 4},
)
def publish_tournament(call: Call) -> Response:
    """Publish a tournament: entries are open from then on"""
    if call.query["dry_run"]:
        return would_be(tournaments.publication(call.services, call.command, _terms(call)))
    outcome = tournaments.publish(call.services, call.command, lambda: _terms(call))
    return _written(outcome, 201)


@listing(blueprint, "/tournaments", shapes.Tournament, query=queries.Paged())
def list_tournaments(call: Call) -> Response:
    """List all tournaments, the newest first"""
    return paged(call, lists.tournaments, "tournaments")


@get(blueprint, ONE, shapes.Tournament, projected=True)
def get_tournament(call: Call, tournament_id: UUID) -> Response:
    """Read a tournament"""
    return read(lists.tournament(call.database, tournament_id))


@command(
    blueprint,
    "PATCH",
    ONE,
    shapes.Tournament,
    who=Who.OPERATING,
    status=200,
    body=schemas.TournamentChanges(),
    query=queries.DryRun(),
    problems=("structure-fixed",),
    example={"stack_points": 100},
)
def change_tournament(call: Call, tournament_id: UUID) -> Response:
    """Change some terms, until the first entry"""
    t = TournamentId(tournament_id)
    if call.query["dry_run"]:
        return would_be(tournaments.revision(call.services, t, lambda: _terms(call)))
    return _written(tournaments.change(call.services, call.command, t, lambda: _terms(call)), 200)


@command(
    blueprint,
    "POST",
    f"{ONE}/entries",
    shapes.Entry,
    who=Who.ENTERING,
    body=schemas.NewEntry(),
    problems=(
        "registration-closed",
        "tournament-full",
        "already-registered",
        "disqualified",
        "player-barred",
        "insufficient-funds",
    ),
    example={"player_id": "7d0f7a9e-6a3e-5c0e-9a62-3f9c3c0b7a11"},
)
def enter(call: Call, tournament_id: UUID) -> Response:
    """Enter a player, also again once he is out of a freezeout with late entry; a player's token enters himself"""
    t = TournamentId(tournament_id)
    outcome = tournaments.register(
        call.services, call.command, call.actor, t, lambda: PlayerId(call.body.read()["player_id"])
    )
    return written(201, tournaments.entered(call.services, outcome), repeat=outcome.repeat)


@listing(blueprint, f"{ONE}/entries", shapes.Entry, query=queries.PagedAsOf())
def list_entries(call: Call, tournament_id: UUID) -> Response:
    """List the entries, in the order in which they were made, now or as of a log position"""
    then = partial(as_of.entries_at, call.services, TournamentId(tournament_id))
    return looking_back(call, tournament_id, then) or paged_in(
        call, tournament_id, lists.entries, "tournament"
    )


@command(
    blueprint,
    "DELETE",
    f"{ONE}/entries/<uuid:player_id>",
    None,
    who=Who.ENTERING,
    status=204,
    problems=("registration-closed", "already-played", "player-seated"),
)
def withdraw(call: Call, tournament_id: UUID, player_id: UUID) -> Response:
    """Withdraw a player, until the start, or from a league before his first hand; a player's token withdraws himself"""
    outcome = tournaments.withdraw(
        call.services, call.command, call.actor, TournamentId(tournament_id), PlayerId(player_id)
    )
    return gone(repeat=outcome.repeat)


def _course(
    step: str,
    who: Who,
    *problems: str,
    body: Body = _EMPTY,
    example: Mapping[str, object] | None = None,
) -> Register:
    """A route that takes the tournament on in its course; its body may be left out."""
    return command(
        blueprint,
        "POST",
        f"{ONE}/{step}",
        shapes.Tournament,
        who=who,
        status=200,
        body_required=False,
        body=body,
        problems=problems,
        example=example,
    )


@_course("start", Who.OPERATING, "already-started", "not-enough-players", "tournament-over")
def start(call: Call, tournament_id: UUID) -> Response:
    """Start now with whoever is entered"""
    return _done(call, tournaments.start, tournament_id)


@_course("pause", Who.DIRECTING, "already-paused", "not-running")
def pause(call: Call, tournament_id: UUID) -> Response:
    """Stop the deals and the clocks; running hands may be played to their end"""
    return _done(call, tournaments.pause, tournament_id)


@_course("resume", Who.DIRECTING, "not-paused")
def resume(call: Call, tournament_id: UUID) -> Response:
    """Go on after a pause"""
    return _done(call, tournaments.resume, tournament_id)


@_course(
    "finish", Who.OPERATING, "not-a-league", "not-running", "no-hands", "hands-not-final", "tournament-over"
)
def finish(call: Call, tournament_id: UUID) -> Response:
    """End a league's season: its tables close, and its standings are final"""
    return _done(call, leagues.finish, tournament_id)


@_course(
    "cancel",
    Who.DIRECTING,
    "tournament-over",
    body=schemas.Cancellation(),
    example={"reason": "the hall has no light"},
)
def cancel(call: Call, tournament_id: UUID) -> Response:
    """Cancel the tournament: running hands are voided"""
    reason = lambda: str(call.body.read().get("reason", "cancelled"))  # noqa: E731
    return _written(tournaments.cancel(call.services, call.command, TournamentId(tournament_id), reason), 200)


def _done(call: Call, step: Step, tournament_id: UUID) -> Response:
    return _written(step(call.services, call.command, TournamentId(tournament_id), call.body.read), 200)


def _terms(call: Call) -> tournaments.Terms:
    """The body's terms that are stored; the others have been seen to be the defaults."""
    return {name: value for name, value in call.body.read().items() if name in schemas.TERMS}


def _written(outcome: Outcome[State], status: int) -> Response:
    assert outcome.state is not None
    made = shapes.tournament_of(outcome.state, outcome.position)
    where = f"/v1/tournaments/{made.tournament_id}" if status == 201 else None
    return written(status, made, repeat=outcome.repeat, location=where)
