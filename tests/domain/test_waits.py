"""A wait is over at its end, or when the clock says that it has not begun."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from domain.waits import STEP, over

ENDS = datetime(2026, 1, 1, 20, 0, tzinfo=UTC)
BEGAN = ENDS - timedelta(seconds=30)
HOURS = timedelta(hours=2)
TICK = timedelta.resolution


@pytest.mark.parametrize(
    ("now", "is_over"),
    [
        (BEGAN, False),
        (ENDS - TICK, False),
        (ENDS, True),
        (ENDS + HOURS, True),
        (BEGAN - STEP, False),  # so little is no step
        (BEGAN - STEP - TICK, True),
        (BEGAN - HOURS, True),
    ],
)
def test_a_wait_lasts_from_its_beginning_to_its_end(now, is_over):
    assert over(ENDS, 30, now) is is_over


@pytest.mark.parametrize("now", [ENDS - HOURS, ENDS - TICK, ENDS, ENDS + HOURS])
def test_a_wait_of_no_length_is_over_whatever_the_clock_says(now):
    assert over(ENDS, 0, now)
