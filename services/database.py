"""A process's connections to PostgreSQL."""

from __future__ import annotations

import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from threading import Lock
from typing import Any, TypeAlias

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap, Loader
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool, PoolTimeout

from services.errors import Unavailable

Connection: TypeAlias = psycopg.Connection[TupleRow]
Cursor: TypeAlias = psycopg.Cursor[TupleRow]

POOL_SIZE = 8
"""Connections a process may have; max_connections is 100 by default."""
CONNECT_SECONDS = 3
"""How long one attempt to connect may take."""
WAIT_SECONDS = 2.0
"""How long a caller waits for a connection, busy or broken, before Unavailable."""
LOCK_TIMEOUT_MS = 5000
"""How long a statement waits for a table or row lock."""
STATEMENT_TIMEOUT_MS = 30_000
"""How long a statement may run on a pooled connection."""
IDLE_TRANSACTION_MS = 10_000
"""After how long PostgreSQL ends a transaction that its client forgot."""
TRANSACTION_MS = 30_000
"""How long a transaction may last: within a pipeline the limit above does not count, and who is cut off then would keep
what he has locked."""
ALIVE_SECONDS = 5
"""After how long without a word either side asks whether the other one can still be reached."""
ALIVE_TRIES = 3
"""So many questions, a second apart, may stay without an answer."""


class Numeric(Loader):
    """PostgreSQL's `numeric` as Python has it: an int of any size, or a Decimal where there are decimals."""

    def load(self, data: Buffer) -> int | Decimal:
        text = bytes(data).decode()
        return int(text) if text.removeprefix("-").isdecimal() else Decimal(text)


ADAPTERS = AdaptersMap(psycopg.adapters)
ADAPTERS.register_loader("numeric", Numeric)


class Database:
    """The connections of one process, in autocommit mode. The first use opens them: a fork may come first.

    A connection that PostgreSQL has closed is found before it is handed out. Every failure to reach the
    server, and every lock that is not free in time, is Unavailable.
    """

    def __init__(self, url: str, *, size: int = POOL_SIZE, name: str = "big2") -> None:
        self.url = url
        self._size = size
        self._name = name
        self._pool: ConnectionPool[Connection] | None = None
        self._opening = Lock()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection in autocommit mode, back in the pool at the end of the block.

        Where many threads come here nobody asks for a second one within the block: all who hold one might wait for it.
        """
        try:
            pool = self._pool or self._open()
            conn = _living(pool)
            try:
                with conn:
                    yield conn
            finally:
                pool.putconn(conn)
        except (PoolTimeout, psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise Unavailable(f"the database did not answer: {one_line(error)}") from error

    @contextmanager
    def transaction(self) -> Iterator[Cursor]:
        """A cursor in a transaction that commits at the end of the block, or rolls back when it raises."""
        with self.connection() as conn, conn.transaction(), conn.cursor() as cursor:
            yield cursor

    def close(self) -> None:
        """Close every connection; a later use opens new ones."""
        with self._opening:
            pool, self._pool = self._pool, None
        if pool:
            pool.close()

    def _open(self) -> ConnectionPool[Connection]:
        with self._opening:
            if self._pool is None:
                self._pool = ConnectionPool(
                    self.url,
                    kwargs=connect_options(self._name),
                    min_size=1,
                    max_size=self._size,
                    open=True,
                    name=self._name,
                    timeout=WAIT_SECONDS,
                    reconnect_timeout=0,  # the next caller tries again, at once
                    num_workers=1,
                )
            return self._pool


def connect_options(name: str) -> dict[str, Any]:
    """What every connection is opened with: `name` shows in pg_stat_activity; limits on every wait."""
    settings = {
        "lock_timeout": LOCK_TIMEOUT_MS,
        "statement_timeout": STATEMENT_TIMEOUT_MS,
        "idle_in_transaction_session_timeout": IDLE_TRANSACTION_MS,
        "transaction_timeout": TRANSACTION_MS,
        "timezone": "UTC",
        "tcp_keepalives_idle": ALIVE_SECONDS,
        "tcp_keepalives_interval": 1,
        "tcp_keepalives_count": ALIVE_TRIES,
    }
    return {
        "autocommit": True,
        "context": ADAPTERS,
        "application_name": name,
        "connect_timeout": CONNECT_SECONDS,
        "tcp_user_timeout": CONNECT_SECONDS * 1000,
        "keepalives_idle": ALIVE_SECONDS,
        "keepalives_interval": 1,
        "keepalives_count": ALIVE_TRIES,
        "options": " ".join(f"-c {key}={value}" for key, value in settings.items()),
    }


def _living(pool: ConnectionPool[Connection]) -> Connection:
    """A connection that the server has not closed; the pool replaces the others (its own check waits between them)."""
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        conn = pool.getconn(max(0.0, deadline - time.monotonic()))
        if _still_there(conn):
            return conn
        conn.close()
        pool.putconn(conn)


def _still_there(conn: Connection) -> bool:
    """Ask the server only if there is something to read: an idle connection has that when it was closed."""
    poll = select.poll()
    poll.register(conn.fileno(), select.POLLIN)
    if not poll.poll(0):
        return True
    try:
        conn.execute("")
    except psycopg.Error:
        return False
    return True


def one_line(error: Exception) -> str:
    """An error's message without line breaks."""
    return " ".join(str(error).split()) or type(error).__name__
