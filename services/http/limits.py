"""Rate limits, in memory, for this process alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

from services.http.figures import FEEDS, PLACES
from services.http.problems import Problem

REQUESTS_A_SECOND = 1_000
"""Of one credential, or of one address without any."""
FAILURES_A_MINUTE = 20
"""Failed authentications of one address."""
SEAT_CHANGES_A_MINUTE = 120
"""Of one player at ring tables: each is an event, and everybody follows it."""
REMEMBERED = 10_000
"""Callers that are counted at a time."""
FEED_RETRY_SECONDS = 5
"""When to come again if all places for feeds are taken."""


class Limit:
    """So many in each window of so many seconds, for each caller."""

    def __init__(self, most: int, seconds: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._window = 0
        self._counts: dict[object, int] = {}
        self._guard = Lock()

    def take(self, caller: object) -> int:
        """Count one more; the seconds to wait if that is too many, else 0."""
        return self._wait(caller, 1)

    def wait(self, caller: object) -> int:
        """The seconds to wait if one more would be too many, else 0; nothing is counted."""
        return self._wait(caller, 0)

    def _wait(self, caller: object, counted: int) -> int:
        now = self._clock()
        window = int(now // self._seconds)
        with self._guard:
            if window != self._window or len(self._counts) > REMEMBERED:
                self._window, self._counts = window, {}
            before = self._counts.get(caller, 0)
            if counted:
                self._counts[caller] = before + counted
        if before < self._most:
            return 0
        return max(1, int((window + 1) * self._seconds - now) + 1)


class Places:
    """How many feeds a process holds at most, and for how many seconds each may stall; the other threads answer."""

    def __init__(self, most: int, patience: int) -> None:
        self.most = most
        self.patience = patience
        self.taken = 0
        self._guard = Lock()
        PLACES.set(most)

    def take(self) -> None:
        with self._guard:
            if self.taken >= self.most:
                raise Problem("too-many-feeds", headers={"Retry-After": str(FEED_RETRY_SECONDS)})
            self.taken += 1
        FEEDS.inc()

    def give_back(self) -> None:
        with self._guard:
            self.taken -= 1
        FEEDS.dec()
