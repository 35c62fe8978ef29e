"""What is read of a tournament beside itself, standings, tables, prizes, hands; and a table's hands."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from flask import Response

from domain.ids import TournamentId
from services.application import as_of, lists
from services.application import resources as shapes
from services.application.standings import corrections, standings
from services.application.tableviews import connected_tables
from services.http import queries
from services.http.calls import Call
from services.http.paging import looking_back, paged_as_of, paged_at, paged_in
from services.http.routing import Routes, listing

blueprint = Routes("boards", "A tournament's standings, tables, prizes and hands")
ONE = "/tournaments/<uuid:tournament_id>"


@listing(blueprint, f"{ONE}/standings", shapes.Standing, query=queries.StandingsAsked())
def get_standings(call: Call, tournament_id: UUID) -> Response:
    """Read the standings as ruled, or as played, now or as of a log position"""
    lists.tournament_must_exist(call.database, tournament_id)
    as_played = call.query["as_played"]
    return paged_as_of(call, partial(standings, call.database, tournament_id, as_played=as_played))


@listing(blueprint, f"{ONE}/corrections", shapes.Correction, query=queries.PagedAsOf())
def list_corrections(call: Call, tournament_id: UUID) -> Response:
    """List what rulings gave and took: all that the standings as ruled differ by from those as played"""
    lists.tournament_must_exist(call.database, tournament_id)
    return paged_as_of(call, partial(corrections, call.database, tournament_id))


@listing(blueprint, f"{ONE}/tables", shapes.Table, query=queries.PagedBack())
def list_tables(call: Call, tournament_id: UUID) -> Response:
    """List every table that was ever opened, by number, now or as of a log position"""
    then = partial(as_of.tables_at, call.services, TournamentId(tournament_id))
    return looking_back(call, tournament_id, then) or paged_in(
        call, tournament_id, partial(connected_tables, call.services), "tables"
    )


@listing(blueprint, f"{ONE}/prizes", shapes.Prize, query=queries.PagedAsOf())
def list_prizes(call: Call, tournament_id: UUID) -> Response:
    """List the prizes, in money or in basis points without a buy-in: promised while it runs, awarded at the end"""
    then = partial(as_of.prizes_at, call.services, TournamentId(tournament_id))
    return looking_back(call, tournament_id, then) or paged_in(
        call, tournament_id, lists.prizes, "tournament"
    )


@listing(blueprint, f"{ONE}/hands", shapes.HandLine, query=queries.PagedTable())
def list_hands(call: Call, tournament_id: UUID) -> Response:
    """List the hands, in the order of their deals"""
    return paged_in(call, tournament_id, lists.hands, "hands")


@listing(blueprint, "/tables/<uuid:table_id>/hands", shapes.HandLine, query=queries.PagedTable())
def list_hands_of_table(call: Call, table_id: UUID) -> Response:
    """List the hands of a table, in the order of their deals"""
    return paged_at(call, table_id, lists.hands_at, "table")
