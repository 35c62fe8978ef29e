"""R11.2: a turn's deadline, the clock that acts when it passes, and the clock stopped, started and shifted."""

from datetime import timedelta

import pytest

from big2.actions import PassReason
from domain.hand import (
    HAND,
    act_for_absent,
    ended,
    give_whole_turn,
    pass_turn,
    play,
    shift_clock,
    start_clock,
    stop_clock,
    void,
)
from domain.hand_events import CardsPlayed, ClockStarted, ClockStopped, Passed, Turn
from domain.table import TABLE, begin, next_deal
from tests.big2.play import cards
from tests.domain.given import ACTIONPOKER, ALICE, BOB, NOW, dealt, fold, given, later, opened

THREE = {1: "3D 9C JS", 2: "4D TC QS", 3: "5D 6C KS"}
TWO = {1: "3D 9C", 2: "4D 5C"}


def hand(*more, holdings=THREE, **others):
    return given(HAND, *dealt(holdings, **others), *more)


def after(state, events):
    return fold(HAND, events, state)


# the deadline


def test_each_turn_has_its_own_deadline():
    running = after(hand(), play(hand(), ALICE, 1, cards("3D"), later(12)))
    assert running.deadline == later(12 + 30)


def test_the_clock_acts_from_the_deadline_on_and_not_before():
    assert act_for_absent(hand(), 1, later(30) - timedelta(microseconds=1)) == []
    assert len(act_for_absent(hand(), 1, later(30))) == 1


@pytest.mark.parametrize("turn", [0, 2])
def test_the_clock_acts_only_for_the_turn_that_it_was_set_for(turn):
    assert act_for_absent(hand(), turn, later(3600)) == []


def test_the_clock_of_a_turn_that_was_taken_does_nothing():
    running = after(hand(), play(hand(), ALICE, 1, cards("3D"), later(29)))
    assert act_for_absent(running, 1, later(30)) == []
    assert act_for_absent(running, 2, later(58)) == []
    assert len(act_for_absent(running, 2, later(59))) == 1


def test_the_clock_does_nothing_once_the_hand_is_over():
    short = hand(holdings={1: "3D", 2: "4D 5D"})
    settled = after(short, play(short, ALICE, 1, cards("3D"), NOW))
    assert act_for_absent(settled, 1, later(3600)) == []
    assert act_for_absent(settled, 2, later(3600)) == []
    voided = after(hand(), void(hand(), "x"))
    assert act_for_absent(voided, 1, later(3600)) == []


def test_a_player_may_still_act_after_his_deadline_if_the_clock_has_not():
    assert len(play(hand(), ALICE, 1, cards("3D"), later(31))) == 1


# what the clock does


def test_as_leader_the_clock_plays_the_lowest_legal_single():
    assert act_for_absent(hand(), 1, later(30)) == [
        CardsPlayed(turn=1, seat=1, cards="3D", by="clock", breach=False, next_turn=Turn(2, 2, later(60)))
    ]


def test_else_the_clock_passes():
    running = after(hand(), play(hand(), ALICE, 1, cards("3D"), NOW))
    assert act_for_absent(running, 2, later(31)) == [
        Passed(turn=2, seat=2, reason=PassReason.CLOCK, breach=False, next_turn=Turn(3, 3, later(61)))
    ]


def test_the_clock_makes_no_breach():
    running = hand(holdings={1: "3D 9C", 2: "4D 9D TC", 3: "KD"})
    running = after(running, play(running, ALICE, 1, cards("3D"), NOW))
    (event,) = act_for_absent(running, 2, later(30))
    assert (event.cards, event.by, event.breach) == ("TC", "clock", False)


def test_the_clock_may_end_a_hand():
    running = hand(holdings={1: "3D", 2: "4D 5D"})
    over = after(running, act_for_absent(running, 1, later(30)))
    assert over.settlement.winner == 1
    assert over.deadline is None


def test_the_hand_keeps_who_acted_and_for_whom_the_clock_did():
    running = after(hand(), act_for_absent(hand(), 1, later(30)))
    running = after(running, pass_turn(running, BOB, 2, later(31)))
    running = after(running, act_for_absent(running, 3, later(61)))
    running = after(running, play(running, ALICE, 4, cards("9C"), later(62)))
    assert (running.acted, running.clocked) == (frozenset({1, 2}), frozenset({1, 3}))
    over = after(running, void(running, "x"))
    table = given(TABLE, opened(100, 100, 100))
    table = fold(TABLE, begin(next_deal(table, ACTIONPOKER, 1, 1)), table)
    (event,) = ended(over, table, NOW)
    assert (event.acted, event.absent) == ((1, 2), (3,))


def test_a_player_who_comes_back_plays_on_with_what_he_holds():
    running = after(hand(holdings=TWO), act_for_absent(hand(holdings=TWO), 1, later(30)))
    running = after(running, pass_turn(running, BOB, 2, later(31)))
    (event, *_) = play(running, ALICE, 3, cards("9C"), later(32))
    assert event.by == "player"


# stopped and started


def test_a_stopped_clock_keeps_what_was_left():
    assert stop_clock(hand(), later(12.5)) == [ClockStopped(turn=1, remaining_ms=17_500)]
    stopped = after(hand(), stop_clock(hand(), later(12.5)))
    assert (stopped.deadline, stopped.stopped_ms) == (None, 17_500)
    assert act_for_absent(stopped, 1, later(3600)) == []


def test_a_started_clock_gives_it_back():
    stopped = hand(ClockStopped(turn=1, remaining_ms=17_500))
    assert start_clock(stopped, later(100)) == [ClockStarted(turn=1, deadline=later(117.5))]
    running = after(stopped, start_clock(stopped, later(100)))
    assert (running.deadline, running.stopped_ms) == (later(117.5), None)
    assert act_for_absent(running, 1, later(117)) == []
    assert len(act_for_absent(running, 1, later(117.5))) == 1


@pytest.mark.parametrize(("at", "left"), [(31, 0), (-5, 30_000), (29.9999, 0)])
def test_what_is_left_is_never_less_than_nothing_nor_more_than_a_turn(at, left):
    assert stop_clock(hand(), later(at)) == [ClockStopped(turn=1, remaining_ms=left)]


def test_stopping_and_starting_twice_shortens_nobodys_turn():
    running = hand()
    for paused in (10, 100, 1000):
        running = after(running, stop_clock(running, later(paused)))
        assert stop_clock(running, later(paused + 1)) == []
        running = after(running, start_clock(running, later(paused + 50)))
        assert start_clock(running, later(paused + 51)) == []
        running = after(running, stop_clock(running, later(paused + 50)))
        assert running.stopped_ms == 20_000
        running = after(running, start_clock(running, later(10 * paused)))


def test_who_acts_while_the_clock_stands_leaves_the_next_player_a_whole_turn():
    stopped = hand(ClockStopped(turn=1, remaining_ms=1))
    (event,) = play(stopped, ALICE, 1, cards("3D"), later(50))
    assert event.next_turn == Turn(2, 2, None)
    running = after(stopped, [event])
    assert (running.deadline, running.stopped_ms) == (None, 30_000)
    assert start_clock(running, later(100)) == [ClockStarted(turn=2, deadline=later(130))]


def test_an_automatic_pass_under_a_stopped_clock_leaves_it_stopped():
    stopped = hand(ClockStopped(turn=1, remaining_ms=1), holdings={1: "3D 3C 9C", 2: "4D", 3: "6D 6C 7C"})
    events = play(stopped, ALICE, 1, cards("3D 3C"), NOW)
    assert [e.next_turn for e in events] == [None, Turn(2, 3, None)]
    running = after(stopped, events)
    assert (running.deadline, running.stopped_ms) == (None, 30_000)


def test_a_hand_that_is_over_has_no_clock():
    short = hand(holdings={1: "3D", 2: "4D 5D"})
    settled = after(short, play(short, ALICE, 1, cards("3D"), NOW))
    stopped = hand(ClockStopped(turn=1, remaining_ms=9), holdings={1: "3D", 2: "4D 5D"})
    settled_while_stopped = after(stopped, play(stopped, ALICE, 1, cards("3D"), NOW))
    for over in (settled, settled_while_stopped):
        assert stop_clock(over, NOW) == []
        assert start_clock(over, NOW) == []


# the database's clock steps


def test_a_turn_keeps_its_time_when_the_clock_steps():
    hour = timedelta(hours=1)
    assert shift_clock(hand(), later(30), hour) == [ClockStarted(turn=1, deadline=later(30) + hour)]
    shifted = after(hand(), shift_clock(hand(), later(30), hour))
    assert act_for_absent(shifted, 1, later(3600)) == []
    assert shift_clock(hand(), later(30), -hour) == [ClockStarted(turn=1, deadline=later(30) - hour)]


def test_a_turn_that_was_set_since_is_not_shifted():
    shifted = after(hand(), shift_clock(hand(), later(30), timedelta(hours=1)))
    assert shift_clock(shifted, later(30), timedelta(hours=1)) == []
    stopped = hand(ClockStopped(turn=1, remaining_ms=9))
    assert shift_clock(stopped, later(30), timedelta(hours=1)) == []
    voided = after(hand(), void(hand(), "x"))
    assert shift_clock(voided, later(30), timedelta(hours=1)) == []


def test_a_stop_after_the_clock_was_set_since_keeps_the_whole_turn():
    assert stop_clock(hand(), later(99), whole=True) == [ClockStopped(turn=1, remaining_ms=30_000)]
    stopped = hand(ClockStopped(turn=1, remaining_ms=9))
    assert stop_clock(stopped, later(99), whole=True) == [], "what stands already is not stopped"


def test_what_a_jump_took_from_a_stopped_turn_is_given_back_whole_and_once():
    stopped = hand(ClockStopped(turn=1, remaining_ms=9))
    given_back = give_whole_turn(stopped, later(50))
    assert given_back == [ClockStopped(turn=1, remaining_ms=30_000)]
    assert give_whole_turn(after(stopped, given_back), later(51)) == []


def test_so_is_what_it_took_from_a_turn_that_was_started_since():
    running = hand(ClockStopped(turn=1, remaining_ms=0), ClockStarted(turn=1, deadline=later(40)))
    given_back = give_whole_turn(running, later(50))
    whole = [ClockStopped(turn=1, remaining_ms=30_000), ClockStarted(turn=1, deadline=later(80))]
    assert given_back == whole
    assert after(running, given_back).deadline == later(80)


def test_a_hand_that_is_over_gets_no_turn_back():
    assert give_whole_turn(after(hand(), void(hand(), "x")), later(50)) == []
