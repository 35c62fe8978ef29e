"""The projector: follows the log, and writes rows, position and a notice in one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from psycopg.sql import SQL, Identifier, Literal

from services.database import Cursor
from services.envelope import Recorded
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
)
from services.projections.context import Context
from services.projections.progress import Stalled
from services.store import Store

SCHEMA = "projections"
CHANNEL = "big2_projected"
BATCH = 500
"""Events in one transaction."""

Project: TypeAlias = Callable[[Cursor, Recorded, Context], None]
PROJECTIONS = (directory, rings, history, standings, ledger, leaderboard, agenda, payments, feed)
"""In this order: a later one may read what an earlier one has written of the same event."""
_TRACKING = """
CREATE TABLE tracking (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    position bigint NOT NULL,
    tables text NOT NULL
);
"""
_TABLES = hashlib.sha256("".join(p.DDL for p in PROJECTIONS).encode()).hexdigest()
"""Which tables these are: a release that has others makes the projections again."""


class Projector:
    """One follower of the log. A second one waits for the first, event for event: nothing is projected twice."""

    def __init__(self, store: Store, schema: str = SCHEMA) -> None:
        self._store = store
        self._schema = schema
        self._context = Context()
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
                for ddl in (_TRACKING, *(p.DDL for p in PROJECTIONS)):
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
            batch = [r for r in self._store.log(after, BATCH) if upto is None or r.position <= upto]
            if batch:
                self._project(cur, batch)
        self.position = batch[-1].position if batch else after
        return len(batch)

    def step_alone(self) -> int:
        """Project the next event alone, statement by statement; 1, or 0 if there is none. Stalled if it cannot be."""
        with self._moving() as (cur, after):
            rows = self._store.stored_log(after, 1)
            if rows:
                self._project_alone(cur, after, rows[0].position)
        self.position = rows[0].position if rows else after
        return len(rows)

    def catch_up(self, upto: int | None = None) -> int:
        """Project until nothing is left; the number of events."""
        total = 0
        while done := self.step(upto):
            total += done
        return total

    @contextmanager
    def _moving(self) -> Iterator[tuple[Cursor, int]]:
        """A transaction in which nobody else moves the projections, and their position."""
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

    def _project(self, cur: Cursor, batch: list[Recorded]) -> None:
        with cur.connection.pipeline():
            for r in batch:
                self._context.note(r)
                for projection in PROJECTIONS:
                    projection.project(cur, r, self._context)
            self._moved(cur, batch[-1].position)

    def _project_alone(self, cur: Cursor, after: int, position: int) -> None:
        at_work = "log"
        try:
            [r] = self._store.log(after, 1)
            self._context.note(r)
            for projection in PROJECTIONS:
                at_work = projection.__name__.rpartition(".")[2]
                projection.project(cur, r, self._context)
        except Unavailable:
            raise
        except Exception as error:
            if cur.connection.closed:
                raise
            raise Stalled(position, at_work, error) from error
        self._moved(cur, position)

    def _moved(self, cur: Cursor, position: int) -> None:
        cur.execute("UPDATE tracking SET position = %s", (position,))
        if self._schema == SCHEMA:
            cur.execute(SQL("NOTIFY {}, {}").format(Identifier(CHANNEL), Literal(str(position))))

    def _use_schema(self, cur: Cursor) -> None:
        cur.execute(SQL("SET LOCAL search_path = {}, public").format(Identifier(self._schema)))
