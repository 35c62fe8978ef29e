"""The schedules of stakes that come with the service, word for word."""

from big2.ring import schedule_problems
from services.bootstrap import stakes


def test_r10_2_actionpokers_schedule():
    schedule = stakes()["actionpoker"]
    assert (schedule.reference, schedule.currency) == ("actionpoker@1", "USD")
    assert [(step.unit, step.buy_in, step.ante) for step in schedule.steps] == [
        (25, 1200, 10), (50, 2500, 15), (100, 5000, 30), (200, 5000, 60), (300, 11200, 70), (500, 12500, 90),
        (800, 20000, 120), (1000, 25000, 120), (1500, 30000, 180), (2000, 35000, 180),
    ]  # fmt: skip


def test_no_schedule_that_comes_with_the_service_has_a_fault():
    assert [(name, list(schedule_problems(schedule.steps))) for name, schedule in stakes().items()] == [
        ("actionpoker", [])
    ]
