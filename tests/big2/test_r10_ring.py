"""R10: ring play. R10.2's own figures are data: `tests/test_stakes.py` has them."""

import pytest

from big2.errors import NoSuchStepError
from big2.ring import (
    MOST_MONEY,
    MOST_UNIT,
    RingStep,
    may_be_dealt_in,
    may_sit_down,
    schedule_problems,
    step_for,
)
from big2.settlement import most_points
from tests.big2.play import rules

STEPS = (RingStep(25, 1200, 10), RingStep(100, 5000, 30))


def test_r10_1_the_buy_in_is_a_minimum():
    step = step_for(STEPS, 100)
    assert not may_sit_down(step, 4999)
    assert may_sit_down(step, 5000)


def test_r10_4_a_player_needs_a_unit_and_the_ante():
    step = step_for(STEPS, 100)
    assert not may_be_dealt_in(step, 129)
    assert may_be_dealt_in(step, 130)


def test_a_unit_that_the_schedule_does_not_offer():
    with pytest.raises(NoSuchStepError, match="40") as missing:
        step_for(STEPS, 40)
    assert missing.value.unit == 40


def test_a_schedule_without_fault():
    assert list(schedule_problems(STEPS)) == []
    assert list(schedule_problems([RingStep(100, 130, 30)])) == []


def test_r10_1_a_unit_stands_in_a_schedule_once():
    [(pointer, reason)] = schedule_problems([RingStep(25, 1200, 10), RingStep(25, 1300, 10)])
    assert pointer == "/1/unit"
    assert reason == "stands there twice: a unit has one buy-in and one ante (R10.1)"


def test_r10_4_whoever_buys_in_can_be_dealt_in_and_all_is_told_at_once():
    problems = dict(schedule_problems([RingStep(25, 34, 10), RingStep(25, 35, 10), RingStep(50, 10, 10)]))
    assert sorted(problems) == ["/0/buy_in", "/1/unit", "/2/buy_in"]
    assert "60" in problems["/2/buy_in"]
    assert "R10.4" in problems["/2/buy_in"]


def test_whatever_a_hand_comes_to_is_an_integer_of_json():
    dear = rules(point_tiers=[[1, 1000]], twos="double_each", liability="takes_all")
    assert 3 * most_points(dear) * MOST_UNIT <= MOST_MONEY
