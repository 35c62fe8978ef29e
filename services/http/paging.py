"""Pages of lists, as a query asks for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from flask import Response

from services.application import lists
from services.application.lists import Page
from services.http.answers import is_of, key_of, listed
from services.http.calls import Call
from services.http.problems import Problem
from services.http.queries import AHEAD

AsOf = Callable[[int, int, int], tuple[Page[Any], int | None]]
"""A page as of a position, from a row on, of so many: and the position of its newest change."""


def paged(call: Call, read: Callable[..., Page[Any]], what: str) -> Response:
    """A list that goes on behind an integer; `what` names those whose newest event it is as of."""
    page = read(call.database, _after(call), call.query["limit"])
    return listed(page, lists.newest(call.database, what), call.query)


def paged_at(call: Call, table_id: UUID, read: Callable[..., Page[Any]], what: str) -> Response:
    """The same of one table."""
    lists.table_must_exist(call.database, table_id)
    page = read(call.database, table_id, _after(call), call.query["limit"])
    return listed(page, lists.newest(call.database, what, table_id), call.query)


def paged_in(call: Call, tournament_id: UUID, read: Callable[..., Page[Any]], what: str) -> Response:
    """The same of one tournament."""
    lists.tournament_must_exist(call.database, tournament_id)
    page = read(call.database, tournament_id, _after(call), call.query["limit"])
    return listed(page, lists.newest(call.database, what, tournament_id), call.query)


def paged_as_of(call: Call, read: AsOf) -> Response:
    """A list that any position of the log has: all its pages are of the same one."""
    as_of, first = at_position(call, int)
    page, newest = read(as_of, max(first, 0), call.query["limit"])
    return listed(page, as_of if newest is None else newest, call.query)


def looking_back(call: Call, tournament_id: UUID, read: AsOf) -> Response | None:
    """A tournament's list as of the position that is asked for, all its pages of the same one; None if none is."""
    lists.tournament_must_exist(call.database, tournament_id)
    if "as_of" not in call.query and not is_of(call.query.get("cursor"), int, int):
        return None
    return paged_as_of(call, read)


def at_position(call: Call, *kinds: type) -> list[Any]:
    """The position that is asked for, now if none is, and the integers behind it in the cursor, which begin at 0."""
    now = call.listener.position
    found = key_of(call.query.get("cursor"), int, *kinds)
    key = found or [call.query.get("as_of", now), *(0 for _ in kinds)]
    if key[0] > now:
        raise Problem("validation", "The query is not right.", errors={"/query/as_of": AHEAD})
    return key


def _after(call: Call) -> int | None:
    key = key_of(call.query.get("cursor"), int)
    return key[0] if key else None
