"""How a player is connected, by the round trip and the age of his last heartbeat (R11.3)."""

from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from domain.connection import Change, Connection, Heartbeat, Limits, advice, changes, connection, lapses
from tests.domain.given import NOW, later, steady

GOOD, FAIR, POOR, LOST = Connection
LIMITS = Limits()
ROUND_TRIPS = st.integers(0, 2000)
SILENCES = st.integers(0, 30_000).map(lambda ms: timedelta(milliseconds=ms))


def beat(rtt_ms, seconds=0):
    return Heartbeat(rtt_ms, later(seconds))


@pytest.mark.parametrize(
    ("rtt_ms", "state"), [(0, GOOD), (249, GOOD), (250, FAIR), (999, FAIR), (1000, POOR), (60_000, POOR)]
)
def test_good_is_below_250_ms_fair_below_a_second_poor_what_is_slower_r11_3(rtt_ms, state):
    assert connection(beat(rtt_ms), later(0), LIMITS) is state
    assert connection(beat(rtt_ms), later(4.999), LIMITS) is state


@pytest.mark.parametrize("rtt_ms", [0, 250, 1000])
@pytest.mark.parametrize(("age", "state"), [(5, POOR), (15, POOR), (15.001, LOST), (86_400, LOST)])
def test_a_heartbeat_of_5_to_15_seconds_is_poor_and_beyond_that_he_is_not_connected_r11_3(rtt_ms, age, state):
    assert connection(beat(rtt_ms), later(age), LIMITS) is state


def test_who_never_sent_a_heartbeat_is_not_connected_r11_3():
    assert connection(None, NOW, LIMITS) is LOST


def test_a_heartbeat_from_after_a_clock_that_was_put_back_counts_as_fresh():
    assert connection(beat(0, 3600), NOW, LIMITS) is GOOD


def test_the_thresholds_are_settings_r11_3():
    limits = Limits(10, 20, 1, 2)
    assert [connection(beat(ms), NOW, limits) for ms in (9, 10, 20)] == [GOOD, FAIR, POOR]
    assert [connection(beat(0), later(age), limits) for age in (0.9, 1, 2, 2.1)] == [GOOD, POOR, POOR, LOST]


def test_at_fair_or_worse_he_is_advised_to_finish_the_hand_and_reconnect_r11_3():
    assert advice(GOOD) is None
    assert {advice(state) for state in (FAIR, POOR, LOST)} == {"finish the hand and reconnect"}


@pytest.mark.parametrize(
    ("rtt_ms", "age", "fallen"),
    [
        (0, 4.999, []),
        (0, 5, [Change(POOR, later(5))]),
        (0, 60, [Change(POOR, later(5)), Change(LOST, later(15))]),
        (1000, 14, []),
        (1000, 15, []),
        (1000, 16, [Change(LOST, later(15))]),
    ],
)
def test_whoever_looks_later_knows_when_a_player_fell_silent(rtt_ms, age, fallen):
    assert lapses(beat(rtt_ms), later(age), LIMITS) == fallen


@pytest.mark.parametrize(
    ("before", "heartbeat", "told"),
    [
        (None, beat(0), [Change(GOOD, NOW)]),
        (beat(0), beat(100, 2), []),
        (beat(0), beat(300, 2), [Change(FAIR, later(2))]),
        (beat(300), beat(300, 7), [Change(POOR, later(5)), Change(FAIR, later(7))]),
        (beat(0), beat(2000, 7), [Change(POOR, later(5))]),
        (beat(0), beat(0, 20), [Change(POOR, later(5)), Change(LOST, later(15)), Change(GOOD, later(20))]),
        (beat(2000), beat(2000, 20), [Change(LOST, later(15)), Change(POOR, later(20))]),
    ],
)
def test_a_heartbeat_tells_what_became_of_him_since_the_one_before(before, heartbeat, told):
    assert changes(before, heartbeat, LIMITS) == told


@settings(steady)
@for_all(ROUND_TRIPS, SILENCES, ROUND_TRIPS)
def test_the_last_change_is_the_state_and_no_change_repeats_the_one_before(rtt_ms, silence, next_ms):
    before, after = Heartbeat(rtt_ms, NOW), Heartbeat(next_ms, NOW + silence)
    was = connection(before, NOW, LIMITS)
    told = [was, *(change.state for change in changes(before, after, LIMITS))]
    assert told[-1] is connection(after, after.at, LIMITS)
    assert all(a is not b for a, b in pairwise(told))
    times = [change.at for change in changes(before, after, LIMITS)]
    assert times == sorted(times)
    assert all(NOW <= at <= after.at for at in times)
