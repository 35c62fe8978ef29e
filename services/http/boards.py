"""What is read of a tournament beside itself: standings, tables, prizes, hands."""

from __future__ import annotations

from uuid import UUID

from flask import Response

from services.application import lists, standings
from services.application import resources as shapes
from services.http import schemas
from services.http.answers import key_of, listed
from services.http.calls import Call
from services.http.problems import Problem
from services.http.routing import Routes, get

blueprint = Routes("boards", "A tournament's standings, tables, prizes and hands")
ONE = "/tournaments/<uuid:tournament_id>"


@get(
    blueprint,
    f"{ONE}/standings",
    shapes.Standing,
    query=schemas.StandingsQuery(),
    projected=True,
    listed=True,
    table=True,
)
def get_standings(call: Call, tournament_id: UUID) -> Response:
    """Read the standings, now or as of a log position"""
    database = call.services.store.database
    lists.tournament_must_exist(database, tournament_id)
    query = call.query
    key = key_of(query.get("cursor"), int, int)
    as_of, after = key or (query.get("as_of", call.listener.position), 0)
    if as_of > call.listener.position:
        raise Problem("validation", errors={"/query/as_of": "lies ahead of the log"})
    page, newest = standings.standings(database, tournament_id, as_of, max(after, 0), query["limit"])
    return listed(page, as_of if newest is None else newest, query)


@get(blueprint, f"{ONE}/tables", shapes.Table, query=schemas.Paged(), projected=True, listed=True)
def list_tables(call: Call, tournament_id: UUID) -> Response:
    """List every table that was ever opened, by number"""
    database = call.services.store.database
    lists.tournament_must_exist(database, tournament_id)
    key = key_of(call.query.get("cursor"), int)
    page = lists.tables(database, tournament_id, key[0] if key else None, call.query["limit"])
    return listed(page, lists.newest(database, "tables", tournament_id), call.query)


@get(
    blueprint,
    f"{ONE}/prizes",
    shapes.Prize,
    query=schemas.PagedTable(),
    projected=True,
    listed=True,
    table=True,
)
def list_prizes(call: Call, tournament_id: UUID) -> Response:
    """List the prizes, in basis points of the pool: promised while it runs, awarded at the end"""
    prizes = lists.prizes(call.services.store.database, tournament_id)
    key = key_of(call.query.get("cursor"), int)
    first = max(key[0], 0) if key else 0
    upto = first + call.query["limit"]
    page = lists.Page(shapes.Prize, prizes[first:upto], (upto,) if len(prizes) > upto else None)
    return listed(page, lists.newest(call.services.store.database, "tournament", tournament_id), call.query)


@get(
    blueprint,
    f"{ONE}/hands",
    shapes.HandLine,
    query=schemas.PagedTable(),
    projected=True,
    listed=True,
    table=True,
)
def list_hands(call: Call, tournament_id: UUID) -> Response:
    """List the hands, in the order of their deals"""
    database = call.services.store.database
    lists.tournament_must_exist(database, tournament_id)
    key = key_of(call.query.get("cursor"), int)
    page = lists.hands(database, tournament_id, key[0] if key else None, call.query["limit"])
    return listed(page, lists.newest(database, "tables", tournament_id), call.query)
