"""The events table, row by row: how a stream and the log are read, and how rows are added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, Protocol, TypeAlias, cast
from uuid import UUID

import psycopg
from psycopg_pool import PoolTimeout

from services.database import Cursor, Database
from services.envelope import NEWEST, Row
from services.errors import Conflict, Unavailable

Also: TypeAlias = Callable[[Cursor], None]
"""Other statements for the transaction of an append, such as the claim of a name."""

CHANNEL = "big2_events"
"""PostgreSQL's NOTIFY channel of new events; a notice can be lost, so poll as well."""

_PRIMARY_KEY = "big2_events_pkey"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# The clock is read once and stands in each row; where no event is found there is still one row, of nulls.
_READ_ONE = """
SELECT us, originator_version, topic, state, notification_id
FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS us) AS clock
LEFT JOIN big2_events ON originator_id = %s AND originator_version BETWEEN %s AND %s
ORDER BY originator_version
"""
_READ_MANY = """
SELECT us, originator_version, topic, state, notification_id, originator_id
FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS us) AS clock
LEFT JOIN big2_events ON originator_id = ANY(%s)
ORDER BY originator_id, originator_version
"""
_READ_LOG = """
SELECT originator_id, originator_version, topic, state, notification_id
FROM big2_events WHERE notification_id > %s ORDER BY notification_id LIMIT %s
"""
_HEAD = "SELECT coalesce(max(notification_id), 0) FROM big2_events"
_FIND = """
SELECT originator_id, originator_version, topic, state, notification_id
FROM big2_events WHERE command_of(state) = %s LIMIT 1
"""
_APPEND = "SELECT append_events(%s, %s, %s, %s, %s::uuid[], %s::bigint[], %s)"


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


class Read(NamedTuple):
    """Stored rows in order of stream and version, and the database's clock when they were read."""

    rows: list[Row]
    at: datetime


class Rows(Protocol):
    """What the store asks of a table of events."""

    def read(self, stream_id: UUID, first: int = 1, last: int = NEWEST) -> Read: ...
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
        found = self._fetch(_READ_ONE, (stream_id, first, last))
        rows = [
            Row(stream_id, version, topic, state, place)
            for _, version, topic, state, place in found
            if version
        ]
        return Read(rows, _time(found))

    def read_many(self, stream_ids: Sequence[UUID]) -> Read:
        found = self._fetch(_READ_MANY, (list(stream_ids),))
        return Read([Row(row[5], *row[1:5]) for row in found if row[1]], _time(found))

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
                with self._database.connection() as conn, conn.cursor(binary=True) as cursor:
                    return _append(cursor, rows, proviso)
            with self._database.transaction() as cursor:
                also(cursor)
                return _append(cursor, rows, proviso)
        except psycopg.errors.UniqueViolation as error:
            if error.diag.constraint_name == _PRIMARY_KEY:
                raise Conflict("the stream has moved on") from error
            raise

    def _fetch(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._fetch_once(query, values)
        except Unavailable as error:
            if isinstance(error.__cause__, PoolTimeout):
                raise
            return self._fetch_once(query, values)

    def _fetch_once(self, query: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._database.connection() as conn, conn.cursor(binary=True) as cursor:
            return cursor.execute(query, values, prepare=True).fetchall()


def _time(found: list[tuple[Any, ...]]) -> datetime:
    return _EPOCH + timedelta(microseconds=found[0][0])


def _append(cursor: Cursor, rows: Sequence[NewRow], proviso: Proviso) -> list[int]:
    columns = [list(column) for column in zip(*rows, strict=True)]
    read = [[stream for stream, _ in proviso.read], [version for _, version in proviso.read]]
    once = str(proviso.once).encode() if proviso.once else None
    return [place for (place,) in cursor.execute(_APPEND, [*columns, *read, once], prepare=True).fetchall()]
