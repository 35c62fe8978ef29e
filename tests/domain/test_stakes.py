"""Schedules of stakes: published by name, version by version (R10.3)."""

import pytest

from big2.ring import RingStep
from domain.stakes import STAKES, Schedule, publish, schedule_of, stakes_digest
from tests.domain.given import fold
from tests.domain.ringed import opened

STEPS = (RingStep(100, 5000, 30), RingStep(25, 1200, 10))


def test_versions_count_from_one_and_steps_stand_by_rising_unit():
    [first] = publish(None, "friday", "USD", STEPS)
    assert (first.name, first.version, first.currency) == ("friday", 1, "USD")
    assert [step.unit for step in first.steps] == [25, 100]
    assert first.digest == stakes_digest("USD", first.steps)
    published = fold(STAKES, [first])
    [second] = publish(published, "friday", "EUR", STEPS[:1])
    assert second.version == 2
    assert fold(STAKES, [second], published).versions == (first, second)


def test_what_comes_with_the_service_is_the_first_version_of_its_name():
    [second] = publish(None, "actionpoker", "USD", STEPS, built_in=1)
    assert second.version == 2


def test_the_order_in_which_steps_are_sent_makes_no_difference():
    [one], [other] = (publish(None, "friday", "USD", steps) for steps in (STEPS, STEPS[::-1]))
    assert one == other
    assert stakes_digest("EUR", STEPS) != stakes_digest("USD", STEPS)


def test_a_schedule_is_named_for_good_with_its_version():
    [event] = publish(None, "friday", "USD", STEPS)
    schedule = schedule_of(event)
    assert schedule == Schedule("friday", 1, "USD", event.steps)
    assert schedule.reference == "friday@1"


def test_an_event_of_another_kind_is_a_bug():
    with pytest.raises(AssertionError, match="RingOpened"):
        STAKES.evolve(None, opened()[0])
