"""Recorded play: a league's tables, and the results of all tables with real cards."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Response

from domain.hand import Hand
from domain.ids import TableId
from domain.results import Result
from services import people
from services.application import leagues, results, ring_tables
from services.application import resources as shapes
from services.application.handviews import hand_view, players_of
from services.application.tableviews import league_table
from services.envelope import Stream
from services.http import queries, schemas
from services.http.access import Who
from services.http.answers import written
from services.http.calls import Call
from services.http.ring import close_ring_table, open_ring_table
from services.http.routing import Routes, command
from services.http.wouldbe import would_be

blueprint = Routes("recorded play", "Tables with real cards, and their results")
ONE = "/tables/<uuid:table_id>"


@command(
    blueprint,
    "POST",
    "/tables",
    shapes.Table,
    who=Who.OPERATING,
    body=schemas.AnyTable(),
    problems=("not-a-league", "not-running", "player-seated"),
    located=True,
    example={
        "tournament_id": "748658cb-8825-5b6a-bf56-c22ef177bcd5",
        "seats": [
            {"seat": 1, "player_id": "7d0f7a9e-6a3e-5c0e-9a62-3f9c3c0b7a11"},
            {"seat": 2, "player_id": "1d3c2f0a-94c1-5a35-8a0d-5f0d0a7f1c22"},
        ],
    },
)
def open_table(call: Call) -> Response:
    """Open a ring table, which has a `stake`; or a table of a running league, and seat its players"""
    if schemas.is_ring(call.body.sent):
        return open_ring_table(call)

    sent, unread = call.body.valid, call.body.unread
    seats = [(wanted.get("seat"), wanted.get("player_id")) for wanted in sent.get("seats", ())]
    wanted = leagues.Wanted(sent.get("tournament_id"), seats, unread)
    outcome = leagues.open_a_table(call.services, call.command, call.actor, wanted)
    table = league_table(call.services, outcome)
    return written(201, table, repeat=outcome.repeat, location=f"/v1/tables/{table.table_id}")


@command(
    blueprint,
    "POST",
    f"{ONE}/close",
    shapes.Table,
    who=Who.DIRECTING,
    status=200,
    body=schemas.Empty(),
    body_required=False,
    problems=("not-a-league", "table-closed"),
)
def close_table(call: Call, table_id: UUID) -> Response:
    """Close a ring table, after its running hand; or a table of a league: its players may sit down elsewhere"""
    if ring_tables.is_ring(call.services.store, TableId(table_id)):
        return close_ring_table(call, table_id)
    outcome = leagues.close_a_table(
        call.services, call.command, call.actor, TableId(table_id), call.body.read
    )
    return written(200, league_table(call.services, outcome), repeat=outcome.repeat)


@command(
    blueprint,
    "POST",
    f"{ONE}/results",
    shapes.Hand,
    who=Who.DIRECTING,
    body=schemas.NewResult(),
    query=queries.DryRun(),
    problems=("not-recorded", "table-closed", "table-paused", "table-held", "stale-hand"),
    located=True,
    example={"cards_left": {"1": 0, "2": 5, "3": 2, "4": 7}, "winner": 1, "liable": None, "number": 7},
)
def record_result(call: Call, table_id: UUID) -> Response:
    """Record what the next hand of a table with real cards came to; it is settled like any other"""
    told = results.Told(call.body.valid.get("number"), _result(call))
    if call.query["dry_run"]:
        return would_be(results.would_record(call.services, call.actor, TableId(table_id), told))
    outcome = results.record(call.services, call.command, call.actor, TableId(table_id), told)
    return _recorded(call, results.recorded_hand(call.services, call.command, outcome), repeat=outcome.repeat)


def _result(call: Call) -> Result:
    """What is told, as far as it could be read."""
    read: dict[str, Any] = {"cards_left": {}, "winner": 0, **call.body.valid}
    return Result(
        **{name: value for name, value in read.items() if name != "number"}, unread=call.body.unread
    )


def _recorded(call: Call, stream: Stream[Hand], *, repeat: bool) -> Response:
    assert stream.state is not None
    called = people.names(call.database, players_of(stream.state))
    hand = hand_view(stream, called, None, {}, breaches=False)
    return written(201, hand, repeat=repeat, location=f"/v1/hands/{hand.hand_id}")
