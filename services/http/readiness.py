"""Whether the service can serve: asked of the store at most once in a while, however many ask us."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

from services.errors import StoreError
from services.http.listener import Listener
from services.postgres import unapplied
from services.store import Store

KEPT_SECONDS = 1.0
"""How long an answer is given again."""
MOST_LAG = 5_000
"""Events that the projections may be behind the log."""
STALLED_SECONDS = 10.0
"""How long they may stand still while the log is ahead of them."""

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
        self._behind: tuple[int, float] | None = None
        """The position at which the projections were first seen behind, and when."""

    def checks(self) -> Checks:
        """The newest answer; whoever asks meanwhile waits for it and makes none of his own."""
        with self._guard:
            if self._clock() >= self._until:
                self._checks = self._made()
                self._until = self._clock() + KEPT_SECONDS
            return self._checks

    def _made(self) -> Checks:
        position = self._listener.position  # before the head, so that a lag is never less than it was
        try:
            missing = unapplied(self._store.database)
            head = self._store.head()
        except StoreError as error:
            return {"store": f"does not answer ({type(error).__name__})"}
        return {
            "store": "ok",
            "migrations": f"missing: {', '.join(missing)}" if missing else "ok",
            "listener": "ok" if self._listener.alive else "has ended",
            "projector": self._lag(head, position),
        }

    def _lag(self, head: int, position: int) -> str:
        if position < 0:
            return "the projections were not read yet"
        seconds = self._still(head, position)
        if seconds >= STALLED_SECONDS:
            return f"has not moved for {seconds:.0f} s and is {head - position} events behind"
        return "ok" if head - position <= MOST_LAG else f"is {head - position} events behind"

    def _still(self, head: int, position: int) -> float:
        """For how long the projections have been seen at this position, behind the log."""
        if position >= head:
            self._behind = None
        elif self._behind is None or self._behind[0] != position:
            self._behind = (position, self._clock())
        return self._clock() - self._behind[1] if self._behind else 0.0
