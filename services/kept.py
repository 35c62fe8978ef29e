"""Long streams, and hands, as a process folded them last, so that only what is new of them is read, decoded and folded.

What is kept is never trusted for more than the log says: the last row that was folded is read again and compared, so a
database that was put back to an earlier day is noticed.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from threading import Lock
from typing import Any, NamedTuple
from uuid import UUID

from msgspec.structs import replace

from domain.credential import CREDENTIAL
from domain.hand import HAND
from services.envelope import Row, Stream

LONG = 100
"""Events from which on a stream is kept."""
MOST = 32
"""Streams of each kind that a process keeps: those read last. Wallets are many, and displace no table."""
SHORT = {HAND.name: (2, 512), CREDENTIAL.name: (1, 2048)}
"""The same two for what is short and read with each play: hands are kept from the deal on, credentials whole."""


class Kept(NamedTuple):
    """A stream, and its last row."""

    stream: Stream[Any]
    last: Row


class KeptStreams:
    """By the name of the aggregate and the id of the stream. Whatever goes in or out has its own `commands`."""

    def __init__(self) -> None:
        self._streams: defaultdict[str, OrderedDict[UUID, Kept]] = defaultdict(OrderedDict)
        self._guard = Lock()

    def get(self, kind: str, stream_id: UUID) -> Kept | None:
        """The stream as it was kept, to be folded on."""
        with self._guard:
            kept = self._streams[kind].get(stream_id)
        return kept and kept._replace(stream=_own(kept.stream))

    def put(self, kind: str, stream: Stream[Any], last: Row) -> None:
        """Keep a stream, if it is long."""
        long, most = SHORT.get(kind, (LONG, MOST))
        if stream.version < long:
            return
        with self._guard:
            of_kind = self._streams[kind]
            of_kind[stream.id] = Kept(_own(stream), last)
            of_kind.move_to_end(stream.id)
            if len(of_kind) > most:
                of_kind.popitem(last=False)


def _own(stream: Stream[Any]) -> Stream[Any]:
    return replace(stream, commands=dict(stream.commands))
