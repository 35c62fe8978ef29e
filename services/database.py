"""A process's connections to PostgreSQL."""

from __future__ import annotations

import select
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import psycopg
from psycopg import generators
from psycopg.abc import Buffer, PQGen
from psycopg.adapt import AdaptersMap, Loader
from psycopg.errors import InvalidSqlStatementName, error_from_result
from psycopg.pq import ExecStatus, Format, TransactionStatus
from psycopg.pq.abc import PGresult
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


_DONE = {ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK}


class Statement(NamedTuple):
    """A statement of each play, which a connection prepares once; its parameters are `$1`, `$2`, … with their types.

    Its values and rows are bytes in PostgreSQL's binary form. For any other statement psycopg looks at every value and
    its type, which costs more than all that PostgreSQL does for one of these.
    """

    name: bytes
    text: bytes


class Numeric(Loader):
    """PostgreSQL's `numeric` as Python has it: an int of any size, or a Decimal where there are decimals."""

    def load(self, data: Buffer) -> int | Decimal:
        text = bytes(data).decode()
        return int(text) if text.removeprefix("-").isdecimal() else Decimal(text)


ADAPTERS = AdaptersMap(psycopg.adapters)
ADAPTERS.register_loader("numeric", Numeric)


class _Pooled(psycopg.Connection[TupleRow]):
    """Knows which statements it has prepared."""

    def __init__(self, *args: Any, **more: Any) -> None:  # noqa: ANN401 - the library's signature
        super().__init__(*args, **more)
        self._known: set[Statement] = set()

    def run(self, statement: Statement, values: Sequence[bytes | None]) -> PGresult:
        """What is answered; prepared but in a transaction, where psycopg may drop, and nothing could be tried again."""
        formats = [Format.BINARY] * len(values)
        if self.pgconn.transaction_status != TransactionStatus.IDLE:
            self.pgconn.send_query_params(statement.text, values, None, formats, Format.BINARY)
            return self._answer()
        try:
            return self._run_prepared(statement, values, formats)
        except InvalidSqlStatementName:  # after a rollback psycopg drops whatever is prepared
            self._known.discard(statement)
            return self._run_prepared(statement, values, formats)

    def _run_prepared(
        self, statement: Statement, values: Sequence[bytes | None], formats: Sequence[Format]
    ) -> PGresult:
        if statement not in self._known:
            self._known.add(statement)  # first: one that is missing is noticed, one too many is refused
            self.pgconn.send_prepare(*statement)
            self._answer()
        self.pgconn.send_query_prepared(statement.name, values, formats, Format.BINARY)
        return self._answer()

    def _answer(self) -> PGresult:
        asking: PQGen[list[PGresult]] = generators.execute(self.pgconn)
        result = self.wait(asking)[-1]
        if result.status not in _DONE:
            raise error_from_result(result, self.info.encoding)
        return result


class Database:
    """The connections of one process, in autocommit mode. The first use opens them: a fork may come first.

    A connection that PostgreSQL has closed is found before it is handed out. Every failure to reach the
    server, and every lock that is not free in time, is Unavailable.
    """

    def __init__(self, url: str, *, size: int = POOL_SIZE, name: str = "big2") -> None:
        self.url = url
        self.settings: dict[str, object] = {}
        """PostgreSQL's own, of this process's connections only: set them before the first use."""
        self._size = size
        self._name = name
        self._pool: ConnectionPool[_Pooled] | None = None
        self._opening = Lock()

    @contextmanager
    def connection(self) -> Iterator[_Pooled]:
        """A connection in autocommit mode, back in the pool at the end of the block.

        Where many threads come here nobody asks for a second one within the block: all who hold one might wait for it.
        """
        try:
            pool = self._pool or self._open()
            conn = _living(pool)
            try:
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

    def run(self, statement: Statement, values: Sequence[bytes | None]) -> PGresult:
        """What PostgreSQL answers to a statement."""
        with self.connection() as conn:
            return conn.run(statement, values)

    def close(self) -> None:
        """Close every connection; a later use opens new ones."""
        with self._opening:
            pool, self._pool = self._pool, None
        if pool:
            pool.close()

    def _open(self) -> ConnectionPool[_Pooled]:
        with self._opening:
            if self._pool is None:
                self._pool = ConnectionPool(
                    self.url,
                    connection_class=_Pooled,
                    kwargs=connect_options(self._name, **self.settings),
                    min_size=1,
                    max_size=self._size,
                    open=True,
                    name=self._name,
                    timeout=WAIT_SECONDS,
                    reconnect_timeout=0,  # the next caller tries again, at once
                    num_workers=1,
                )
            return self._pool


def connect_options(name: str, **more: object) -> dict[str, Any]:
    """What every connection is opened with: `name` shows in pg_stat_activity; limits on every wait; `more` settings."""
    settings = {
        "lock_timeout": LOCK_TIMEOUT_MS,
        "statement_timeout": STATEMENT_TIMEOUT_MS,
        "idle_in_transaction_session_timeout": IDLE_TRANSACTION_MS,
        "transaction_timeout": TRANSACTION_MS,
        "timezone": "UTC",
        "tcp_keepalives_idle": ALIVE_SECONDS,
        "tcp_keepalives_interval": 1,
        "tcp_keepalives_count": ALIVE_TRIES,
        **more,
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


def integer(number: int) -> bytes:
    """A bigint in PostgreSQL's binary form."""
    return number.to_bytes(8, signed=True)


def array(kind: str, items: Sequence[bytes]) -> bytes:
    """An array of one dimension in PostgreSQL's binary form, of items in theirs, whose type has this name."""
    type_number = psycopg.adapters.types[kind].oid
    if not items:
        return struct.pack("!3I", 0, 0, type_number)
    return struct.pack("!5I", 1, 0, type_number, len(items), 1) + b"".join(
        len(item).to_bytes(4) + item for item in items
    )


def _living(pool: ConnectionPool[_Pooled]) -> _Pooled:
    """A connection that the server has not closed; the pool replaces the others (its own check waits between them)."""
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        conn = pool.getconn(max(0.0, deadline - time.monotonic()))
        if _still_there(conn):
            return conn
        conn.close()
        pool.putconn(conn)


def _still_there(conn: _Pooled) -> bool:
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
