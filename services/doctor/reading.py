"""The log up to one position, read page by page: whatever is appended meanwhile is not looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Protocol
from uuid import UUID

import msgspec

from domain.topics import TOPICS
from services.envelope import Codec, Recorded, Row
from services.errors import UnknownTopic
from services.store import Store

PAGE = 5000
"""Rows, or ids of streams, that one query reads."""
FIRST = UUID(int=0)

_ROWS = """
SELECT originator_id, originator_version, topic, state, notification_id FROM big2_events
WHERE (originator_id, originator_version) > (%s, %s) AND notification_id <= %s
ORDER BY originator_id, originator_version LIMIT %s
"""
_IDS = """
SELECT originator_id FROM big2_events
WHERE originator_version = 1 AND starts_with(topic, %s) AND originator_id > %s AND notification_id <= %s
ORDER BY originator_id LIMIT %s
"""
_STREAMS = """
SELECT originator_id, originator_version, topic, state, notification_id FROM big2_events
WHERE originator_id = ANY(%s) AND notification_id <= %s ORDER BY originator_id, originator_version
"""

UNREADABLE = (UnknownTopic, msgspec.DecodeError)
"""Raised where a stored event cannot be read."""


class Streams(Protocol):
    """Whatever has streams of events by their ids: the log, or a bundle of it."""

    def streams(self, ids: Sequence[UUID]) -> dict[UUID, list[Recorded]]:
        """Some streams' events, as far as there are any."""
        ...


class Log:
    """The events up to position `head`, the newest one when this was made."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.head = store.head()
        self._codec = Codec(TOPICS)

    def every_stream(self) -> Iterator[list[Row]]:
        """All streams, byte for byte, one at a time."""
        for _, rows in groupby(self._rows(), key=lambda row: row.stream):
            yield list(rows)

    def ids(self, kind: str) -> Iterator[UUID]:
        """The streams of one kind of aggregate."""
        last = FIRST
        while page := self.fetch(_IDS, f"{kind}.", last, self.head, PAGE):
            yield from (stream_id for (stream_id,) in page)
            (last,) = page[-1]

    def rows_of(self, ids: Sequence[UUID]) -> dict[UUID, list[Row]]:
        """Some streams byte for byte, as far as there are any."""
        found: dict[UUID, list[Row]] = {}
        with self.store.database.connection() as conn, conn.cursor(binary=True) as cursor:
            for row in map(Row._make, cursor.execute(_STREAMS, (list(ids), self.head))):
                found.setdefault(row.stream, []).append(row)
        return found

    def streams(self, ids: Sequence[UUID]) -> dict[UUID, list[Recorded]]:
        """Some streams' events, as far as there are any; UNREADABLE."""
        return {stream_id: self.decoded(rows) for stream_id, rows in self.rows_of(ids).items()}

    def decoded(self, rows: Sequence[Row]) -> list[Recorded]:
        """The events of rows; UNREADABLE."""
        return [self._codec.decode(row) for row in rows]

    def fetch(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """All rows of a query, however long it takes."""
        with self.store.database.transaction() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 0; SET LOCAL transaction_timeout = 0")
            return cursor.execute(query, values, binary=True).fetchall()

    def _rows(self) -> Iterator[Row]:
        last: tuple[UUID, int] = (FIRST, 0)
        while page := self.fetch(_ROWS, *last, self.head, PAGE):
            yield from map(Row._make, page)
            last = page[-1][:2]
