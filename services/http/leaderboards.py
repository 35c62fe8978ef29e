"""Leaderboards, and the feed."""

from __future__ import annotations

from functools import partial

from flask import Response

from services.application import lists
from services.application import resources as shapes
from services.application.standings import leaders
from services.http import feed, queries
from services.http.answers import key_of, listed
from services.http.calls import Call
from services.http.paging import paged_as_of
from services.http.routing import Routes, get, listing

blueprint = Routes("watching", "Leaderboards, and events as they happen")


@listing(blueprint, "/leaderboards", shapes.Season, query=queries.Paged())
def list_leaderboards(call: Call) -> Response:
    """List the seasons that have a leaderboard"""
    key_of(call.query.get("cursor"))
    page = lists.Page(shapes.Season, lists.seasons(call.database), None)
    return listed(page, lists.newest(call.database, "leaderboard"), call.query)


@listing(blueprint, "/leaderboards/<string:season>", shapes.Leader, query=queries.PagedAsOf())
def get_leaderboard(call: Call, season: str) -> Response:
    """Read a season's leaderboard by points, now or as of a log position; the season `all` is all time"""
    return paged_as_of(call, partial(leaders, call.database, season))


@get(
    blueprint,
    "/feed",
    str,
    query=queries.FeedQuery(),
    problems=("too-many-feeds",),
    projected=True,
    stream=True,
)
def get_feed(call: Call) -> Response:
    """Follow a tournament, a table or a player: server-sent events, resumed after `Last-Event-ID`"""
    return feed.feed(call)
