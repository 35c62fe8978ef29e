"""R10: ring play."""

import pytest

from big2.errors import NoSuchStepError
from big2.ring import ACTIONPOKER, may_be_dealt_in, may_sit_down, step_for


def test_r10_2_actionpokers_schedule():
    assert [(step.unit, step.buy_in, step.ante) for step in ACTIONPOKER.steps] == [
        (25, 1200, 10), (50, 2500, 15), (100, 5000, 30), (200, 5000, 60), (300, 11200, 70), (500, 12500, 90),
        (800, 20000, 120), (1000, 25000, 120), (1500, 30000, 180), (2000, 35000, 180),
    ]  # fmt: skip
    assert (ACTIONPOKER.name, ACTIONPOKER.version, ACTIONPOKER.currency) == ("actionpoker", 1, "USD")


def test_r10_1_the_buy_in_is_a_minimum():
    step = step_for(ACTIONPOKER, 100)
    assert not may_sit_down(step, 4999)
    assert may_sit_down(step, 5000)


def test_r10_4_a_player_needs_a_unit_and_the_ante():
    step = step_for(ACTIONPOKER, 100)
    assert not may_be_dealt_in(step, 129)
    assert may_be_dealt_in(step, 130)


def test_a_unit_that_the_schedule_does_not_offer():
    with pytest.raises(NoSuchStepError, match="40") as missing:
        step_for(ACTIONPOKER, 40)
    assert missing.value.unit == 40
