"""The events table, row by row: how a stream and the log are read, and how rows are added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, cast
from uuid import UUID

import psycopg
from psycopg.pq.abc import PGresult
from psycopg_pool import PoolTimeout

from services.database import Cursor, Database, Statement, array, integer
from services.envelope import NEWEST, Row
from services.errors import Conflict, Unavailable

Also: TypeAlias = Callable[[Cursor], None]
"""Other statements for the transaction of an append, such as the claim of a name."""

CHANNEL = "big2_events"
"""PostgreSQL's NOTIFY channel of new events; a notice can be lost, so poll as well."""

_PRIMARY_KEY = "big2_events_pkey"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# The clock is read once and stands in each row; where no event is found there is still one row, of nulls.
_READ = """
SELECT us, originator_id, originator_version, topic, state, notification_id
FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS us) AS clock
LEFT JOIN ({}) AS events ON true
ORDER BY originator_id, originator_version
"""
_ONE = """
SELECT * FROM big2_events
WHERE originator_id = ${}::uuid AND originator_version BETWEEN ${}::bigint AND ${}::bigint
"""
_READ_MANY = Statement(
    b"read_many", _READ.format("SELECT * FROM big2_events WHERE originator_id = ANY($1::uuid[])").encode()
)
_READ_LOG = """
SELECT originator_id, originator_version, topic, state, notification_id
FROM big2_events WHERE notification_id > %s ORDER BY notification_id LIMIT %s
"""
_HEAD = "SELECT coalesce(max(notification_id), 0) FROM big2_events"
_FIND = """
SELECT originator_id, originator_version, topic, state, notification_id
FROM big2_events WHERE command_of(state) = %s LIMIT 1
"""
_APPEND = Statement(
    b"append",
    b"SELECT append_events($1::uuid[], $2::bigint[], $3::text[], $4::bytea[], $5::uuid[], $6::bigint[], $7)",
)
_T = TypeVar("_T")


class NewRow(NamedTuple):
    """An event to be stored: the database gives its position."""

    stream: UUID
    version: int
    topic: str
    state: bytes


class Proviso(NamedTuple):
    """What must still hold for an append: versions of streams that were only read, and a command new to the log."""

    read: Sequence[tuple[UUID, int]] = ()
    once: UUID | None = None


class Wanted(NamedTuple):
    """Which rows of a stream: from version `first` to `last`, both included."""

    stream: UUID
    first: int = 1
    last: int = NEWEST


class Read(NamedTuple):
    """Stored rows in order of stream and version, and the database's clock when they were read."""

    rows: list[Row]
    at: datetime


class Rows(Protocol):
    """What the store asks of a table of events."""

    def read(self, stream_id: UUID, first: int = 1, last: int = NEWEST) -> Read: ...
    def read_few(self, *wanted: Wanted) -> Read: ...
    def read_many(self, stream_ids: Sequence[UUID]) -> Read: ...
    def read_log(self, after: int, limit: int) -> list[Row]: ...
    def head(self) -> int: ...
    def clock(self) -> datetime: ...
    def find(self, command: UUID) -> Row | None: ...
    def append(self, rows: Sequence[NewRow], also: Also | None, proviso: Proviso) -> list[int]: ...


class EventTable:
    """The table in PostgreSQL. A read whose connection is lost is tried once more; an append never."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, stream_id: UUID, first: int = 1, last: int = NEWEST) -> Read:
        return self.read_few(Wanted(stream_id, first, last))

    def read_few(self, *wanted: Wanted) -> Read:
        values = [
            value for stream, first, last in wanted for value in (stream.bytes, integer(first), integer(last))
        ]
        return self._read(_reading(len(wanted)), values)

    def read_many(self, stream_ids: Sequence[UUID]) -> Read:
        return self._read(_READ_MANY, [array("uuid", [stream.bytes for stream in stream_ids])])

    def read_log(self, after: int, limit: int) -> list[Row]:
        return [Row._make(row) for row in self._fetch(_READ_LOG, (after, limit))]

    def head(self) -> int:
        return cast(int, self._fetch(_HEAD)[0][0])

    def clock(self) -> datetime:
        return cast(datetime, self._fetch("SELECT clock_timestamp()")[0][0])

    def find(self, command: UUID) -> Row | None:
        found = self._fetch(_FIND, (str(command).encode(),))
        return Row._make(found[0]) if found else None

    def append(self, rows: Sequence[NewRow], also: Also | None, proviso: Proviso) -> list[int]:
        """Add all rows, and do what `also` does, in one transaction, and return their positions.

        Conflict if a row's place is taken, or if the proviso doesn't hold. The table's lock is taken last: a
        transaction that waits for a row of `also` holds up nobody else.
        """
        try:
            if also is None:
                return _positions(self._database.run(_APPEND, _appended(rows, proviso)))
            with self._database.connection() as conn, conn.transaction():
                with conn.cursor() as cursor:
                    also(cursor)
                return _positions(conn.run(_APPEND, _appended(rows, proviso)))
        except psycopg.errors.UniqueViolation as error:
            if error.diag.constraint_name == _PRIMARY_KEY:
                raise Conflict("the stream has moved on") from error
            raise

    def _read(self, statement: Statement, values: Sequence[bytes]) -> Read:
        return _read(_twice(lambda: self._database.run(statement, values)))

    def _fetch(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        return _twice(lambda: self._fetch_once(query, values))

    def _fetch_once(self, query: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._database.connection() as conn, conn.cursor(binary=True) as cursor:
            return cursor.execute(query, values, prepare=True).fetchall()


def _twice(read: Callable[[], _T]) -> _T:
    """Once more after a lost connection, but not where none was to be had."""
    try:
        return read()
    except Unavailable as error:
        if isinstance(error.__cause__, PoolTimeout):
            raise
        return read()


@cache
def _reading(streams: int) -> Statement:
    """Reads from so many streams; few, for each number is a statement of its own."""
    each = [_ONE.format(n, n + 1, n + 2) for n in range(1, 3 * streams, 3)]
    return Statement(b"read_%d" % streams, _READ.format(" UNION ALL ".join(each)).encode())


def _read(result: PGresult) -> Read:
    value, number = result.get_value, int.from_bytes
    rows = []
    for n in range(result.ntuples):
        if stream := value(n, 1):
            version, topic, state, place = (value(n, column) or b"" for column in range(2, 6))
            rows.append(Row(UUID(bytes=stream), number(version), topic.decode(), state, number(place)))
    return Read(rows, _EPOCH + timedelta(microseconds=number(value(0, 0) or b"")))


def _appended(rows: Sequence[NewRow], proviso: Proviso) -> list[bytes | None]:
    return [
        array("uuid", [row.stream.bytes for row in rows]),
        array("int8", [integer(row.version) for row in rows]),
        array("text", [row.topic.encode() for row in rows]),
        array("bytea", [row.state for row in rows]),
        array("uuid", [stream.bytes for stream, _ in proviso.read]),
        array("int8", [integer(version) for _, version in proviso.read]),
        str(proviso.once).encode() if proviso.once else None,
    ]


def _positions(result: PGresult) -> list[int]:
    return [int.from_bytes(result.get_value(n, 0) or b"") for n in range(result.ntuples)]
