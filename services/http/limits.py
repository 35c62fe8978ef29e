"""Rate limits, in memory, for this process alone."""

from __future__ import annotations

import time
from threading import Lock

REQUESTS_A_SECOND = 1_000
"""Of one credential, or of one address without any."""
FAILURES_A_MINUTE = 20
"""Failed authentications of one address."""
REMEMBERED = 10_000
"""Callers that are counted at a time."""


class Limit:
    """So many in each window of so many seconds, for each caller."""

    def __init__(self, most: int, seconds: int) -> None:
        self._most = most
        self._seconds = seconds
        self._window = 0
        self._counts: dict[object, int] = {}
        self._guard = Lock()

    def take(self, caller: object) -> int:
        """Count one more; the seconds to wait if that is too many, else 0."""
        now = time.monotonic()
        window = int(now // self._seconds)
        with self._guard:
            if window != self._window or len(self._counts) > REMEMBERED:
                self._window, self._counts = window, {}
            count = self._counts[caller] = self._counts.get(caller, 0) + 1
        if count <= self._most:
            return 0
        return max(1, int((window + 1) * self._seconds - now) + 1)
