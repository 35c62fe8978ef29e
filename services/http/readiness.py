"""Whether the service can serve: asked of the store at most once in a while, however many ask us.

What is said of the projections is read from the database and told by its clock, so every process says the same, at the
first question. It names log positions and types of errors, and nothing of any event.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

from psycopg.errors import UndefinedTable

from services.database import Database
from services.errors import StoreError
from services.http.listener import Listener
from services.postgres import unapplied
from services.projections.progress import Progress, progress
from services.store import Store

KEPT_SECONDS = 1.0
"""How long an answer is given again."""
MOST_LAG = 5_000
"""Events that the projections may be behind the log."""
MOST_SECONDS = 10.0
"""How old an event may be that they do not show yet; and how long the listener may not have read them."""

Checks = dict[str, str]


class Readiness:
    """The checks of `/readyz`: each `ok`, or what is wrong."""

    def __init__(self, store: Store, listener: Listener, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._listener = listener
        self._clock = clock
        self._guard = Lock()
        self._checks: Checks = {}
        self._until = float("-inf")

    def checks(self) -> Checks:
        """The newest answer; whoever asks meanwhile waits for it and makes none of his own."""
        with self._guard:
            if self._clock() >= self._until:
                self._checks = self._made()
                self._until = self._clock() + KEPT_SECONDS
            return self._checks

    def _made(self) -> Checks:
        database = self._store.database
        try:
            missing = unapplied(database)
            projector = _of_projections(database)
        except StoreError as error:
            return {"store": f"does not answer ({type(error).__name__})"}
        return {
            "store": "ok",
            "migrations": f"missing: {', '.join(missing)}" if missing else "ok",
            "listener": self._of_listener(),
            "projector": projector,
        }

    def _of_listener(self) -> str:
        """This process's own look at the projections, on which its feeds and its readers depend."""
        seconds = self._clock() - self._listener.read_at
        if not self._listener.alive:
            return "has ended"
        return "ok" if seconds < MOST_SECONDS else f"has not read the projections for {seconds:.0f} s"


def _of_projections(database: Database) -> str:
    try:
        found = progress(database, MOST_LAG + 1)
    except UndefinedTable:
        found = None
    return _said(found) if found else "has no tables: run `big2 migrate`"


def _said(found: Progress) -> str:
    """What is wrong with the projections' progress."""
    age = "of unknown age" if found.oldest is None else f"{found.oldest.total_seconds():.0f} s old"
    many = f"more than {MOST_LAG}" if found.behind > MOST_LAG else str(found.behind)
    lag = f"is at position {found.position}; events behind the log: {many}, the oldest {age}"
    if stall := found.stall:
        return (
            f"cannot go on at position {stall.position} since {stall.since:%Y-%m-%dT%H:%M:%SZ}:"
            f" {stall.projection} fails there ({stall.reason}); {lag}"
        )
    late = found.oldest is None or found.oldest.total_seconds() >= MOST_SECONDS
    return lag if late or found.behind > MOST_LAG else "ok"
