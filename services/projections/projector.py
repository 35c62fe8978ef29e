"""The projector: follows the log, and writes rows, position and a notice in one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from psycopg.sql import SQL, Identifier, Literal

from services.database import Cursor
from services.envelope import Recorded, Row
from services.errors import Unavailable
from services.projections import (
    agenda,
    directory,
    feed,
    history,
    leaderboard,
    ledger,
    payments,
    rings,
    standings,
    tree,
    webhooks,
)
from services.projections.context import Context
from services.projections.progress import Stalled
from services.store import Store

SCHEMA = "projections"
CHANNEL = "big2_projected"
BATCH = 500
"""Events in one transaction."""
FEW = 20
"""Events of a batch whose rows are inserted one by one."""

Project: TypeAlias = Callable[[Cursor, Recorded, Context], None]
PROJECTIONS = (directory, rings, history, standings, ledger, leaderboard, agenda, payments, webhooks, feed)
"""In this order: a later one may read what an earlier one has written of the same event."""
_TRACKING = """
CREATE TABLE tracking (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    position bigint NOT NULL,
    tables text NOT NULL
);
"""
_DDLS = (*(p.DDL for p in PROJECTIONS), tree.DDL)
"""The tables of all, the tree's last: it is made of the stored bytes, batch by batch."""
_TABLES = hashlib.sha256("".join(_DDLS).encode()).hexdigest()
"""Which tables these are: a release that has others makes the projections again."""


class Projector:
    """One follower of the log. A second one waits for the first, event for event: nothing is projected twice."""

    def __init__(self, store: Store, schema: str = SCHEMA) -> None:
        self._store = store
        self._schema = schema
        self._context = Context()
        self._tree = tree.Grown(0, 0, [])
        self.position = 0
        """The log position up to which this one knows that all is projected."""

    def create(self) -> None:
        """Make the schema and its tables, if they are not there."""
        with self._store.database.transaction() as cur:
            cur.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (self._schema,))
            cur.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (self._schema,))
            if cur.fetchone() is None:
                cur.execute(SQL("CREATE SCHEMA {}").format(Identifier(self._schema)))
                self._use_schema(cur)
                for ddl in (_TRACKING, *_DDLS):
                    cur.execute(SQL(ddl))
                cur.execute("INSERT INTO tracking (position, tables) VALUES (0, %s)", (_TABLES,))

    def fits(self) -> bool:
        """Whether the schema has the tables of this release."""
        with self._store.database.transaction() as cur:
            self._use_schema(cur)
            cur.execute("SELECT tables FROM tracking")
            return cur.fetchone() == (_TABLES,)

    def step(self, upto: int | None = None) -> int:
        """Project the next batch, at most up to position `upto`; the number of events it held."""
        with self._moving() as (cur, after):
            rows = [
                row for row in self._store.stored_log(after, BATCH) if upto is None or row.position <= upto
            ]
            grown = self._project(cur, after, rows) if rows else self._tree
        return self._is_at(rows[-1].position if rows else after, grown, len(rows))

    def step_alone(self) -> int:
        """Project the next event alone, statement by statement; 1, or 0 if there is none. Stalled if it cannot be."""
        with self._moving() as (cur, after):
            rows = self._store.stored_log(after, 1)
            grown = self._project_alone(cur, after, rows[0]) if rows else self._tree
        return self._is_at(rows[0].position if rows else after, grown, len(rows))

    def catch_up(self, upto: int | None = None) -> int:
        """Project until nothing is left; the number of events."""
        total = 0
        while done := self.step(upto):
            total += done
        return total

    @contextmanager
    def _moving(self) -> Iterator[tuple[Cursor, int]]:
        """A transaction in which nobody else moves the projections, and their position."""
        try:
            with self._store.database.transaction() as cur:
                # What this transaction writes can be made again from the log, so it need not wait for the disk.
                cur.execute("SET LOCAL synchronous_commit = off")
                self._use_schema(cur)
                cur.execute("SELECT position FROM tracking FOR UPDATE")
                row = cur.fetchone()
                assert row is not None
                if row[0] != self.position:  # another one has projected meanwhile, and seen what we have not
                    self._context = Context()
                yield cur, row[0]
        except BaseException:
            self._context = Context()  # it is ahead of the tables
            raise

    def _is_at(self, position: int, grown: tree.Grown, done: int) -> int:
        """The transaction has committed."""
        self.position, self._tree = position, grown
        return done

    def _project(self, cur: Cursor, after: int, rows: list[Row]) -> tree.Grown:
        batch = [self._store.decoded(row) for row in rows]
        with cur.connection.pipeline():
            for r in batch:
                self._context.note(r)
                for projection in PROJECTIONS:
                    projection.project(cur, r, self._context)
            grown = tree.grow(cur, self._tree_at(cur, after), rows)
            self._moved(cur, grown.position)
            if len(batch) <= FEW:
                self._write(cur, few=True)
        self._write(cur, few=False)
        return grown

    def _project_alone(self, cur: Cursor, after: int, row: Row) -> tree.Grown:
        at_work = "log"
        try:
            r = self._store.decoded(row)
            self._context.note(r)
            for projection in PROJECTIONS:
                at_work = projection.__name__.rpartition(".")[2]
                projection.project(cur, r, self._context)
                self._write(cur, few=True)
            at_work = "tree"
            grown = tree.grow(cur, self._tree_at(cur, after), [row])
        except Unavailable:
            raise
        except Exception as error:
            if cur.connection.closed:
                raise
            raise Stalled(row.position, at_work, error) from error
        self._moved(cur, row.position)
        return grown

    def _write(self, cur: Cursor, *, few: bool) -> None:
        agenda.write_turns(cur, self._context, few=few)
        self._context.write(cur, few=few)

    def _tree_at(self, cur: Cursor, position: int) -> tree.Grown:
        """What this one remembers of the tree, unless another one has projected meanwhile."""
        return self._tree if self._tree.position == position else tree.read(cur, position)

    def _moved(self, cur: Cursor, position: int) -> None:
        cur.execute("UPDATE tracking SET position = %s", (position,))
        if self._schema == SCHEMA:
            cur.execute(SQL("NOTIFY {}, {}").format(Identifier(CHANNEL), Literal(str(position))))

    def _use_schema(self, cur: Cursor) -> None:
        cur.execute(SQL("SET LOCAL search_path = {}, public").format(Identifier(self._schema)))
