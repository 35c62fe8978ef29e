"""Making every projection again from the log: beside the live one to compare them, or in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec
from psycopg.sql import SQL, Identifier

from services.database import Cursor
from services.projections.projector import SCHEMA, Projector
from services.store import Store

BESIDE = "projections_rebuild"
"""The schema in which a rebuild is made."""

_Result = TypeVar("_Result")

Progress = Callable[[int, int], None]
"""Called with the events done and those to do."""


class Difference(msgspec.Struct, frozen=True):
    """Rows of one table that stand only in the live projection, or only in the rebuilt one."""

    table: str
    only_live: int
    only_rebuilt: int


def compare(store: Store, progress: Progress = lambda _done, _all: None) -> list[Difference]:
    """Rebuild beside the live projections and compare row by row, at one log position."""
    return _rebuilt(store, progress, _differences)


def replace(store: Store, progress: Progress = lambda _done, _all: None) -> None:
    """Rebuild and put the result in the place of the live projections, in one transaction."""
    _rebuilt(store, progress, _swap)


def _rebuilt(store: Store, progress: Progress, then: Callable[[Cursor], _Result]) -> _Result:
    """Do most of the work beside the running projector; then hold it for the rest, and for `then`."""
    rebuild = Projector(store, BESIDE)
    _drop(store)
    rebuild.create()
    done, everything = 0, store.head()
    while batch := rebuild.step(everything):
        done += batch
        progress(done, everything)
    Projector(store).catch_up(everything)
    with store.database.transaction() as cur:
        cur.execute("SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0")
        cur.execute(SQL("SELECT position FROM {}.tracking FOR UPDATE").format(Identifier(SCHEMA)))
        row = cur.fetchone()
        assert row is not None
        rebuild.catch_up(row[0])
        result = then(cur)
    _drop(store)
    return result


def _differences(cur: Cursor) -> list[Difference]:
    cur.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY tablename", (BESIDE,))
    counted = [
        (name, _only_in(cur, SCHEMA, BESIDE, name), _only_in(cur, BESIDE, SCHEMA, name))
        for (name,) in cur.fetchall()
    ]
    return [Difference(*item) for item in counted if item[1] or item[2]]


def _only_in(cur: Cursor, schema: str, other: str, table: str) -> int:
    cur.execute(
        SQL("SELECT count(*) FROM (TABLE {} EXCEPT ALL TABLE {}) AS rows").format(
            Identifier(schema, table), Identifier(other, table)
        )
    )
    row = cur.fetchone()
    assert row is not None
    return int(row[0])


def _swap(cur: Cursor) -> None:
    cur.execute(SQL("DROP SCHEMA {} CASCADE").format(Identifier(SCHEMA)))
    cur.execute(SQL("ALTER SCHEMA {} RENAME TO {}").format(Identifier(BESIDE), Identifier(SCHEMA)))


def _drop(store: Store) -> None:
    with store.database.transaction() as cur:
        cur.execute(SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(Identifier(BESIDE)))
