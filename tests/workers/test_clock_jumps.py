"""The database's clock is set two hours on, and back: nobody is acted for, and the tournament is played to its end."""

from __future__ import annotations

from datetime import timedelta
from itertools import cycle

from big2.actions import PassReason
from domain.hand_events import CardsPlayed, ClockStarted, Passed
from tests.workers.test_clock import Stepped, house, redis  # noqa: F401 - fixtures

TWO_HOURS = timedelta(hours=2)
JUMPS = 8


def test_jumps_of_two_hours_either_way_cost_nobody_a_turn(house, redis):  # noqa: F811
    t, clocks = house.started(8), [Stepped(house, redis) for _ in range(2)]
    for _, jump in zip(range(JUMPS), cycle((TWO_HOURS, -TWO_HOURS)), strict=False):
        house.play_on(t, until=lambda: len(house.running(t)) == 2 or house.tournament(t).over)
        before = house.store.head()
        for clock in clocks:
            house.project()
            clock.tick()
        house.pass_time(jump)
        for clock in clocks:
            clock.tick()
            house.project()
        assert not [args for job, args in house.due(t) if job == "turn"]
        assert all(isinstance(r.event, ClockStarted) for r in house.store.log(before, 100))
        for hand in house.running(t):
            house.act(hand)
    house.play_on(t)
    assert house.tournament(t).over
    events = [r.event for r in house.store.log(0, 10_000)]
    assert {e.by for e in events if isinstance(e, CardsPlayed)} == {"player"}
    assert PassReason.CLOCK not in {e.reason for e in events if isinstance(e, Passed)}
    assert sum(isinstance(e, ClockStarted) for e in events) >= JUMPS
