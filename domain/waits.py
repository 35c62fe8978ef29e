"""Waits of a known length, on a clock that may be set back while they last."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

STEP: Final = timedelta(seconds=2)
"""A clock that differs by more than this from what it must be was set."""


def earliest(ends: datetime, seconds: int) -> datetime:
    """The first moment that can lie in the wait of so many seconds which ends then; one of 0 seconds has none."""
    return ends - timedelta(seconds=seconds) - STEP if seconds else ends


def over(ends: datetime, seconds: int, now: datetime) -> bool:
    """Whether the wait is over: it has ended, or the clock was set back to before it began.

    How much of it is left nobody knows then, and nobody is to wait as long as the clock went back.
    """
    return not earliest(ends, seconds) <= now < ends
