"""The database's clock is set two hours on, and back: nobody is acted for, and the tournament is played to its end."""

from __future__ import annotations

from datetime import timedelta
from itertools import cycle

import pytest

from big2.actions import PassReason
from domain.hand import HAND, Hand
from domain.hand_events import CardsPlayed, ClockStarted, Passed
from domain.ids import HandId, TableId, TournamentId
from domain.rulings import Ruling
from services.doctor.examination import Examination, Questions
from tests.workers.test_clock import Stepped, house, redis  # noqa: F401 - fixtures

TWO_HOURS = timedelta(hours=2)
FIVE_SECONDS = timedelta(seconds=5)
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


# a stop between a jump and whoever notices it


def at_a_table(house) -> tuple[TournamentId, TableId, HandId]:  # noqa: F811
    t = house.started(2)
    house.play_on(t, until=lambda: house.running(t))
    [hand] = house.running(t)
    return t, house.tournament(t).table_id(1), hand


def at_a_ring(house) -> tuple[TableId, HandId]:  # noqa: F811
    table = house.open_ring(house.publish_stakes("jumps"))
    for seat, player in enumerate(house.rich(2), 1):
        house.sit(table, seat, player)
    house.play_ring(table, until=lambda: house.ring(table).hand_id)
    return table, house.ring(table).hand_id


def version(house, hand: HandId) -> int:  # noqa: F811
    return house.store.load(HAND, hand).version


def stopped_in_full(hand: Hand) -> bool:
    return hand.stopped_ms == hand.terms.timing.turn_seconds * 1000


def violations(house) -> list[object]:  # noqa: F811
    """What the doctor finds where each event is decided again, and each act of the clock looked at."""
    return list(Examination(house.store, Questions(["I6", "I9"])).violations())


def has_its_time(house, hand: HandId) -> bool:  # noqa: F811
    """All of a turn, give or take what this test takes itself."""
    left = house.hand(hand).deadline - house.store.now()
    return left > timedelta(seconds=house.hand(hand).terms.timing.turn_seconds) - FIVE_SECONDS


def test_a_pause_after_a_jump_that_nobody_has_noticed_yet_costs_no_turn_its_time(house, redis):  # noqa: F811
    table, hand = at_a_ring(house)
    clocks = [Stepped(house, redis) for _ in range(2)]
    for clock in clocks:
        clock.tick()
    house.pass_time(TWO_HOURS)
    house.pause_ring(table)
    assert house.hand(hand).stopped_ms == 0, "by the clock alone the turn is long over"
    clocks[0].tick()
    assert stopped_in_full(house.hand(hand))
    told = version(house, hand)
    clocks[1].tick()
    assert version(house, hand) == told, "once, however many clocks notice"
    house.resume_ring(table)
    assert has_its_time(house, hand)
    assert violations(house) == []


def test_nor_does_a_pause_that_was_over_before_anybody_noticed(house, redis):  # noqa: F811
    table, hand = at_a_ring(house)
    clocks = [Stepped(house, redis) for _ in range(2)]
    for clock in clocks:
        clock.tick()
    house.pass_time(TWO_HOURS)
    house.pause_ring(table)
    house.resume_ring(table)
    clocks[0].tick()
    assert has_its_time(house, hand)
    told = version(house, hand)
    clocks[1].tick()
    assert version(house, hand) == told, "once, however many clocks notice"
    assert violations(house) == []


def test_a_stop_before_the_jump_and_one_of_a_clock_that_was_set_back_are_left_alone(house, redis):  # noqa: F811
    table, hand = at_a_ring(house)
    clock = Stepped(house, redis)
    house.pass_time(FIVE_SECONDS)
    house.pause_ring(table)
    clock.tick()
    kept, told = house.hand(hand).stopped_ms, version(house, hand)
    house.pass_time(TWO_HOURS)
    clock.tick()
    assert (house.hand(hand).stopped_ms, version(house, hand)) == (kept, told)
    house.resume_ring(table)
    house.project()
    clock.tick()
    house.pass_time(-TWO_HOURS)
    house.pause_ring(table)
    kept, told = house.hand(hand).stopped_ms, version(house, hand)
    clock.tick()
    assert (house.hand(hand).stopped_ms, version(house, hand)) == (kept, told)


@pytest.mark.parametrize("jump", [TWO_HOURS, -TWO_HOURS], ids=["ahead", "back"])
def test_a_pause_that_a_table_follows_after_a_jump_costs_no_turn_its_time(house, redis, jump):  # noqa: F811
    t, table, hand = at_a_table(house)
    clock = Stepped(house, redis)
    clock.tick()
    house.pause(t)
    house.pass_time(jump)
    clock.tick()
    house.do("pause", str(table))
    assert stopped_in_full(house.hand(hand))
    house.resume(t)
    house.do("pause", str(table))
    assert has_its_time(house, hand)
    assert violations(house) == []


def test_nor_does_one_that_began_after_it(house, redis):  # noqa: F811
    t, table, hand = at_a_table(house)
    clock = Stepped(house, redis)
    clock.tick()
    house.pass_time(TWO_HOURS)
    house.pause(t)
    house.do("pause", str(table))
    assert house.hand(hand).stopped_ms == 0, "by the clock alone the turn is long over"
    clock.tick()
    assert stopped_in_full(house.hand(hand))


def test_time_that_a_ruling_gives_before_anybody_has_noticed_comes_on_top(house, redis):  # noqa: F811
    _, _, hand = at_a_table(house)
    clock = Stepped(house, redis)
    clock.tick()
    deadline = house.hand(hand).deadline
    house.pass_time(TWO_HOURS)
    house.rule(hand, Ruling("time", "the line was down", seconds=60))
    clock.tick()
    due = deadline + TWO_HOURS + timedelta(seconds=60)
    assert abs(house.hand(hand).deadline - due) < timedelta(seconds=1)


def test_a_hand_that_the_projections_have_not_seen_keeps_its_time_too(house, redis, monkeypatch):  # noqa: F811
    t, clock = house.started(2), Stepped(house, redis)
    clock.tick()
    house.do("draw", str(t))
    house.do("deal", str(t))
    hand = house.table(house.tournament(t).table_id(1)).hand_id
    monkeypatch.setattr(house, "project", lambda: 0)
    deadline = house.hand(hand).deadline
    house.pass_time(TWO_HOURS)
    clock.tick()
    assert abs(house.hand(hand).deadline - deadline - TWO_HOURS) < timedelta(seconds=1)
