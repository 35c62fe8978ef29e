"""Leaderboards, and the feed."""

from __future__ import annotations

from uuid import UUID

from flask import Response

from services.application import lists
from services.application import resources as shapes
from services.application.errors import NotFound
from services.http import feed, schemas
from services.http.answers import key_of, listed
from services.http.calls import Call
from services.http.routing import Routes, get

blueprint = Routes("watching", "Leaderboards, and events as they happen")
ALL_TIME = "all"


@get(blueprint, "/leaderboards", shapes.Season, query=schemas.Paged(), projected=True, listed=True)
def list_leaderboards(call: Call) -> Response:
    """List the seasons that have a leaderboard"""
    key_of(call.query.get("cursor"))
    seasons = lists.seasons(call.services.store.database)
    as_of = lists.newest(call.services.store.database, "leaderboard")
    return listed(lists.Page(shapes.Season, seasons, None), as_of, call.query)


@get(
    blueprint,
    "/leaderboards/<string:season>",
    shapes.Leader,
    query=schemas.PagedTable(),
    projected=True,
    listed=True,
    table=True,
)
def get_leaderboard(call: Call, season: str) -> Response:
    """Read a season's leaderboard, by points; the season `all` is all time"""
    if season != ALL_TIME:
        raise NotFound("season")
    key = key_of(call.query.get("cursor"), int, UUID)
    after = (key[0], key[1]) if key else None
    page = lists.leaders(call.services.store.database, after, call.query["limit"])
    return listed(page, lists.newest(call.services.store.database, "leaderboard"), call.query)


@get(
    blueprint,
    "/feed",
    str,
    query=schemas.FeedQuery(),
    problems=("too-many-feeds",),
    projected=True,
    stream=True,
)
def get_feed(call: Call) -> Response:
    """Follow a tournament, a table or a player: server-sent events, resumed after `Last-Event-ID`"""
    return feed.feed(call)
