"""The seam of the simulator: the events table in memory, with PostgreSQL's guarantees and a machine's faults.

Kept: expected versions, positions without gaps, command ids that are unique over the log, all or nothing. Left out on
purpose: locks. They only save work (`services.locks`), so here nobody ever waits for one, and whatever else is under
way may come between a command's reading and its writing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from domain.connection import Heartbeat, Limits
from domain.topics import TOPICS
from services.application.connections import Connections
from services.envelope import NEWEST, Row
from services.eventtable import Also, NewRow, Proviso, Read
from services.store import MemoryRows, Store, _MemoryFactory


class Killed(BaseException):
    """The process that ran this was killed: nobody catches it but the supervisor."""


class Seam(Protocol):
    """What a fault may do where a process meets the database. Either may raise Unavailable or Killed."""

    def before_append(self) -> None: ...
    def after_append(self) -> None: ...
    def before_read(self) -> None: ...
    def attempt(self) -> int: ...

    now: float


class Transaction(NamedTuple):
    """What one append stored: its command, its positions from `first` to `last`, whose attempt it was, and when it was.

    `true_seconds` are those of a clock that never jumps, `at` is the database's.
    """

    command: UUID
    first: int
    last: int
    attempt: int
    true_seconds: float
    at: datetime


class SimRows(MemoryRows):
    """One table for all processes; commands are found by an index, as PostgreSQL finds them."""

    def __init__(self, clock: Callable[[], datetime], seam: Seam) -> None:
        super().__init__(clock)
        self.seam = seam
        self.transactions: list[Transaction] = []
        self._places: dict[str, int] = {}
        self._appending = False

    def read(self, stream_id: UUID, first: int = 1, last: int = NEWEST) -> Read:
        if not self._appending:
            self.seam.before_read()
        return super().read(stream_id, first, last)

    def find(self, command: UUID) -> Row | None:
        place = self._places.get(str(command))
        return None if place is None else self._row(place)

    def append(self, rows: Sequence[NewRow], also: Also | None, proviso: Proviso) -> list[int]:
        self.seam.before_append()
        self._appending = True
        try:
            places = super().append(rows, also, proviso)
        finally:
            self._appending = False
        command = command_of(rows[0].state)
        self._places.setdefault(command, places[0] - 1)
        stored = Transaction(
            UUID(command), places[0], places[-1], self.seam.attempt(), self.seam.now, self.clock()
        )
        self.transactions.append(stored)
        self.seam.after_append()
        return places


def command_of(state: bytes) -> str:
    """The command id in a stored envelope."""
    mark = b'","command":"'
    start = state.index(mark) + len(mark)
    return state[start : start + 36].decode()


class NoLocks:
    """Whoever asks goes on at once, as if every lock had been lost with its connection."""

    @contextmanager
    def hold(self, *_: object, **__: object) -> Iterator[None]:
        yield

    def close(self) -> None:
        """Nothing to close."""


class _Factory(_MemoryFactory):
    def __init__(self, env: Any, rows: SimRows) -> None:
        super().__init__(env, rows.clock)
        self._rows = rows

    def application_recorder(self) -> SimRows:
        return self._rows


def store_on(rows: SimRows, database: object = None) -> Store:
    """One process's store on the table of all; what it remembers is its own. `database` is for the clock's readings."""
    store = Store.__new__(Store)
    store._database = database
    store._open(TOPICS, lambda env: _Factory(env, rows), NoLocks())
    return store


class MemoryConnections(Connections):
    """The heartbeats in a dictionary; what they mean is the product's own judgement."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.limits = Limits()
        self.heartbeats: dict[tuple[UUID, UUID], Heartbeat] = {}
        self._clock = clock

    def beat(self, table_id: UUID, player_id: UUID, rtt_ms: int) -> None:
        self.heartbeats[table_id, player_id] = Heartbeat(rtt_ms, self._clock())

    def _heartbeats(self, table_ids: Sequence[UUID]) -> list[tuple[UUID, UUID, Heartbeat, datetime]]:
        now, wanted = self._clock(), set(table_ids)
        return [(t, player, beat, now) for (t, player), beat in self.heartbeats.items() if t in wanted]
