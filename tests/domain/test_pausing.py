"""How a table follows its tournament's pauses, in time or late."""

from datetime import timedelta

import pytest

from domain import hand as hands
from domain.hand import HAND
from domain.hand_events import ClockStarted, ClockStopped
from domain.pausing import behind, follow
from domain.table import TABLE, Closed, TablePaused, TableResumed
from domain.tournament import TOURNAMENT as AGGREGATE
from domain.tournament import Paused, Resumed, Started, publish
from tests.domain.given import DRAW_SEED, MASTER, NOW, TOURNAMENT, dealt, given, later, opened, players, terms

DEALT = dealt({1: "3D 4C 5H", 2: "6S 7D 8C"})
SECONDS = hands.evolve(hands.evolve(None, DEALT[0]), DEALT[1]).terms.timing.turn_seconds


def tournament(*events):
    start = Started(entrants=players(4), level_ends_at=None)
    return given(AGGREGATE, *publish(TOURNAMENT, terms(), MASTER, DRAW_SEED), start, *events)


def pause(number, seconds):
    return Paused(number=number, at=later(seconds))


RESUMED = Resumed(level_ends_at=None)


def hand():
    """Its turn began at NOW."""
    return given(HAND, *DEALT)


def test_a_table_that_has_nothing_to_follow_is_not_behind():
    table = given(TABLE, opened(50, 50))
    assert not behind(tournament(), table)
    assert follow(tournament(), table, hand(), NOW) == ([], [])


def test_a_closed_table_is_not_behind():
    assert not behind(tournament(pause(1, 5)), given(TABLE, opened(50, 50), Closed()))


def test_in_a_pause_the_table_pauses_and_the_turn_keeps_what_it_had_at_its_beginning():
    t, table = tournament(pause(1, 5)), given(TABLE, opened(50, 50))
    assert behind(t, table)
    at_table, in_hand = follow(t, table, hand(), later(9))
    assert at_table == [TablePaused(number=1)]
    assert in_hand == [ClockStopped(turn=1, remaining_ms=(SECONDS - 5) * 1000)]
    assert not behind(t, given(TABLE, opened(50, 50), *at_table))


def test_after_it_the_table_resumes_and_the_turn_goes_on():
    t = tournament(pause(1, 5), RESUMED)
    stopped = given(HAND, *DEALT, ClockStopped(turn=1, remaining_ms=4000))
    at_table, in_hand = follow(t, given(TABLE, opened(50, 50), TablePaused(number=1)), stopped, later(100))
    assert at_table == [TableResumed()]
    assert in_hand == [ClockStarted(turn=1, deadline=later(104))]


def test_a_pause_that_nobody_followed_in_time_is_given_back():
    t = tournament(pause(1, 5), RESUMED)
    at_table, in_hand = follow(t, given(TABLE, opened(50, 50)), hand(), later(600))
    assert at_table == [TablePaused(number=1), TableResumed()]
    assert in_hand[-1] == ClockStarted(turn=1, deadline=later(600) + timedelta(seconds=SECONDS - 5))


def test_of_several_pauses_the_first_that_was_missed_counts():
    t = tournament(pause(1, 5), RESUMED, pause(2, 20))
    at_table, in_hand = follow(t, given(TABLE, opened(50, 50)), hand(), later(25))
    assert at_table == [TablePaused(number=2)]
    assert in_hand == [ClockStopped(turn=1, remaining_ms=(SECONDS - 5) * 1000)]


def test_a_table_still_paused_from_the_pause_before_takes_the_next_one_over():
    t = tournament(pause(1, 5), RESUMED, pause(2, 20))
    table = given(TABLE, opened(50, 50), TablePaused(number=1))
    stopped = given(HAND, *DEALT, ClockStopped(turn=1, remaining_ms=4000))
    assert follow(t, table, stopped, later(25)) == ([TablePaused(number=2)], [])


@pytest.mark.parametrize("events", [(pause(1, 5),), (pause(1, 5), RESUMED)])
def test_between_hands_only_the_table_records_it(events):
    at_table, in_hand = follow(tournament(*events), given(TABLE, opened(50, 50)), None, later(9))
    assert at_table[0] == TablePaused(number=1)
    assert in_hand == []


def test_a_turn_whose_clock_was_set_since_the_pause_began_has_its_whole_time():
    """A jump of the database's clock in between: the deadline is by the clock as it goes now, the pause is not."""
    t, table = tournament(pause(1, 500), RESUMED), given(TABLE, opened(50, 50))
    _, in_hand = follow(t, table, hand(), later(9), set_since=True)
    assert in_hand == [
        ClockStopped(turn=1, remaining_ms=SECONDS * 1000),
        ClockStarted(turn=1, deadline=later(9 + SECONDS)),
    ]
