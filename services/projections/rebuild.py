"""Making every projection again from the log: beside the live one to compare them, or in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import uuid5

import msgspec
from psycopg.sql import SQL, Identifier

from domain.ids import NS
from services.database import Cursor
from services.errors import StoreError
from services.projections.projector import SCHEMA, Projector
from services.store import Store

BESIDE = "projections_rebuild"
"""The schema in which a rebuild is made."""
REPLACED = "projections_replaced"
"""The schema of the old ones, once the new ones are in their place."""

_ONE_AT_A_TIME = uuid5(NS, "rebuild")

Progress = Callable[[int, int], None]
"""Called with the log position reached and the one to reach."""


class Difference(msgspec.Struct, frozen=True):
    """Rows of one table that stand only in the live projection, or only in the rebuilt one."""

    table: str
    only_live: int
    only_rebuilt: int


def compare(store: Store, progress: Progress = lambda _done, _all: None) -> list[Difference]:
    """Rebuild beside the live projections and compare row by row, at one log position; Stalled if that can't be."""
    with _rebuilt(store, progress) as rebuild:
        Projector(store).catch_up(store.head())
        with _held(store) as (cur, position):
            _catch_up(rebuild, position)
            return _differences(cur)


def replace(store: Store, progress: Progress = lambda _done, _all: None) -> None:
    """Rebuild and put the result in the place of the live projections, in one transaction.

    Stalled if an event cannot be projected: then the live ones are as they were.
    """
    with _rebuilt(store, progress) as rebuild:
        Projector(store).create()  # where there are none yet, they are replaced all the same
        with _held(store) as (cur, position):
            _catch_up(rebuild, max(position, store.head()))
            _rename(cur, SCHEMA, REPLACED)
            _rename(cur, BESIDE, SCHEMA)


@contextmanager
def _rebuilt(store: Store, progress: Progress) -> Iterator[Projector]:
    """Most of the work, beside the running projector; at the end of the block what is not needed goes."""
    with store.lock(_ONE_AT_A_TIME):
        _drop(store)
        rebuild = Projector(store, BESIDE)
        rebuild.create()
        everything = store.head()
        while _step(rebuild, everything):
            progress(rebuild.position, everything)
        yield rebuild
        _drop(store)


def _catch_up(rebuild: Projector, upto: int) -> None:
    while _step(rebuild, upto):
        pass


def _step(rebuild: Projector, upto: int) -> int:
    """A batch; or where that fails its events one by one, up to the one that cannot be projected: Stalled names it."""
    try:
        return rebuild.step(upto)
    except StoreError:
        raise
    except Exception:  # noqa: BLE001 - what the matter is with which event, the next steps say
        done = 0
        while rebuild.position < upto and rebuild.step_alone():
            done += 1
        return done


@contextmanager
def _held(store: Store) -> Iterator[tuple[Cursor, int]]:
    """Hold the live projections where they are for a block: projectors wait, readers don't."""
    with store.database.transaction() as cur:
        for limit in ("statement", "idle_in_transaction_session", "transaction"):
            cur.execute(SQL("SET LOCAL {} = 0").format(Identifier(f"{limit}_timeout")))
        # Nothing else is locked, and no table is dropped before the block ends: who waits here can't be waited for.
        cur.execute(SQL("LOCK TABLE {}.tracking IN EXCLUSIVE MODE").format(Identifier(SCHEMA)))
        cur.execute(SQL("SELECT position FROM {}.tracking").format(Identifier(SCHEMA)))
        row = cur.fetchone()
        assert row is not None
        yield cur, row[0]


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


def _rename(cur: Cursor, schema: str, name: str) -> None:
    cur.execute(SQL("ALTER SCHEMA {} RENAME TO {}").format(Identifier(schema), Identifier(name)))


def _drop(store: Store) -> None:
    with store.database.transaction() as cur:
        cur.execute(
            SQL("DROP SCHEMA IF EXISTS {}, {} CASCADE").format(Identifier(BESIDE), Identifier(REPLACED))
        )
