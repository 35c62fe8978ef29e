"""Locks by key, among all processes: they make a crowded stream a queue and not a storm of conflicts.

Two may be held, the first and then one more: `services.application.wallets` states the order, so that nobody waits in
a circle.

A lock only saves work. What is correct rests on expected versions alone: a lock lost with its connection
costs a conflict, never a wrong append.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock, local
from uuid import UUID

import psycopg

from services.database import Connection, Database
from services.errors import Unavailable

LOCK_SECONDS = 10.0
"""How long a caller waits for a lock, in all."""
HELD_SECONDS = 15
"""How long a lock may be held: whoever has it longer was cut off from PostgreSQL, which then ends his session."""
LOCK_CONNECTIONS = 4
"""Connections a process keeps for locks, apart from those that append: a holder can always go on. So many keys can
be held or waited for at once; whoever comes then is told Unavailable after `services.database.WAIT_SECONDS`."""

_LIMITS = "SELECT set_config('lock_timeout', %s, false), set_config('idle_session_timeout', %s, false)"
_UNLOCK = "SELECT pg_advisory_unlock(%s), set_config('idle_session_timeout', '0', false)"


class LocalLocks:
    """A lock a key within this process; the queue of waiting threads holds no connection."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._locks: dict[UUID, tuple[Lock, int]] = {}
        self._thread = local()

    @contextmanager
    def hold(self, key: UUID, seconds: float = LOCK_SECONDS, then: UUID | None = None) -> Iterator[None]:
        """Hold `key`, `then` another, for a block; Unavailable after `seconds`. A thread asks once at a time."""
        if getattr(self._thread, "holds", False):
            raise RuntimeError("a thread that holds a lock may not ask for another: that could deadlock")
        deadline = time.monotonic() + seconds
        with ExitStack() as held:
            for one in _in_order(key, then):
                held.enter_context(self._hold(one, deadline, seconds))
            self._thread.holds = True
            try:
                yield
            finally:
                self._thread.holds = False

    @contextmanager
    def _hold(self, key: UUID, deadline: float, seconds: float) -> Iterator[None]:
        with self._guard:
            lock, waiting = self._locks.get(key, (Lock(), 0))
            self._locks[key] = (lock, waiting + 1)
        try:
            if not lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
                raise Unavailable(f"{key} was not free within {seconds:g} s: try again")
            try:
                yield
            finally:
                lock.release()
        finally:
            self._forget(key)

    def close(self) -> None:
        """Nothing to close: the other kind has connections."""

    def _forget(self, key: UUID) -> None:
        with self._guard:
            lock, waiting = self._locks.pop(key)
            if waiting > 1:
                self._locks[key] = (lock, waiting - 1)


class AdvisoryLocks:
    """A lock a key among all processes: PostgreSQL's advisory locks, behind a queue a key in each process."""

    def __init__(self, url: str) -> None:
        self._local = LocalLocks()
        self._database = Database(url, size=LOCK_CONNECTIONS, name="big2-locks")

    @contextmanager
    def hold(self, key: UUID, seconds: float = LOCK_SECONDS, then: UUID | None = None) -> Iterator[None]:
        """Hold `key`, `then` another, for a block; Unavailable after `seconds`. A thread asks once at a time.

        Both are held on one connection, so that whoever waits for the second keeps none from the others.
        """
        deadline = time.monotonic() + seconds
        with self._local.hold(key, seconds, then), self._database.connection() as conn, ExitStack() as held:
            for one in _in_order(key, then):
                _acquire(conn, one, deadline)
                held.callback(_release, conn, one)
            yield

    def close(self) -> None:
        """Close the connections."""
        self._database.close()


def _in_order(key: UUID, then: UUID | None) -> list[UUID]:
    return [key] if then in (None, key) else [key, then]


def _acquire(conn: Connection, key: UUID, deadline: float) -> None:
    milliseconds = max(1, int((deadline - time.monotonic()) * 1000))
    try:
        conn.execute(_LIMITS, (str(milliseconds), f"{HELD_SECONDS}s"))
        conn.execute("SELECT pg_advisory_lock(%s)", (_number(key),))
    except psycopg.errors.LockNotAvailable as error:
        raise Unavailable(f"{key} was not free in time: try again") from error


def _release(conn: Connection, key: UUID) -> None:
    try:
        conn.execute(_UNLOCK, (_number(key),))
    except psycopg.Error:
        conn.close()  # the server releases the locks of a closed connection


def _number(key: UUID) -> int:
    return int.from_bytes(key.bytes[:8], "big", signed=True)
