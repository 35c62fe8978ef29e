"""Rulings on a hand that runs: actions are void from one on, a turn gets time; the dispute stays as it was."""

import random
from datetime import timedelta
from functools import reduce
from uuid import UUID

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from big2.actions import PassReason
from big2.cards import cards_in
from big2.hand import may_pass, options
from big2.record import is_automatic
from domain import rulings
from domain.credential import Role
from domain.dispute import Stage
from domain.dispute_events import ActionsVoided, Person, TimeGiven
from domain.errors import Conflicting, NotAllowed, Refused
from domain.hand import (
    HAND,
    act_for_absent,
    ended,
    finalise,
    pass_turn,
    play,
    shift_clock,
    start_clock,
    stop_clock,
    void,
)
from domain.hand_events import ClockStarted, ClockStopped, Passed, Turn
from domain.rulings import Ruling
from domain.running_rulings import MOST_SECONDS
from domain.table import TABLE, begin, next_deal
from tests.big2.play import ROOMS, cards
from tests.domain.given import (
    ACTIONPOKER,
    ALICE,
    BOB,
    CAROL,
    NOW,
    PLAYERS,
    dealt,
    fold,
    given,
    later,
    opened,
    refused,
    steady,
)
from tests.domain.test_entropy import announced

DIRECTOR = Person(UUID(int=1), Role.DIRECTOR, None)
HOLDINGS = {1: "3D 9C 2S", 2: "4D TC QS", 3: "5D 6C KS"}


def running(*moves, holdings=HOLDINGS, **others):
    """A hand after these moves of whoever is on turn, a second after each other: cards, `pass`, or `clock`."""
    hand = given(HAND, *dealt(holdings, **others))
    for second, move in enumerate(moves, 1):
        hand = moved(hand, move, later(second))
    return hand


def moved(hand, move, now):
    turn, player = hand.turn_number, PLAYERS[hand.game.turn - 1]
    if move == "clock":
        return fold(HAND, act_for_absent(hand, turn, hand.deadline), hand)
    act = pass_turn(hand, player, turn, now) if move == "pass" else play(hand, player, turn, cards(move), now)
    return fold(HAND, act, hand)


def void_from(hand, action, now=NOW, by=DIRECTOR):
    return rulings.rule(hand, by, Ruling("void_from", "a wrong click", action=action), now)


def give(hand, seconds, now=NOW):
    return rulings.rule(hand, DIRECTOR, Ruling("time", "the line was down", seconds=seconds), now)


def after(hand, events):
    return fold(HAND, events, hand)


def stands(hand):
    """The hand, but for what counts on: its turn's number and the dispute."""
    return hand.game._replace(turn_number=0), hand.actions, hand.acted


# void from an action on


def test_the_hand_goes_back_to_how_it_stood_before_that_action():
    hand = running("3D", "4D", "5D", "9C")
    [event] = void_from(hand, 3, later(10))
    assert event == ActionsVoided(
        at=later(10),
        role=Role.DIRECTOR,
        by=DIRECTOR,
        reason="a wrong click",
        turn=5,
        action=3,
        last=4,
        cards_left={1: 2, 2: 2, 3: 3},
        next_turn=Turn(6, 3, later(40)),
    )
    back = after(hand, [event])
    assert stands(back)[:2] == stands(running("3D", "4D"))[:2]
    assert (back.turn_number, back.deadline) == (6, later(40))
    assert moved(back, "KS", later(11)).game.holdings == running("3D", "4D", "KS").game.holdings


def test_from_the_first_action_on_nothing_was_played_and_the_opening_card_must_be():
    hand = running("3D", "4D")
    back = after(hand, void_from(hand, 1))
    assert stands(back)[:2] == stands(running())[:2]
    assert back.game.must_include is not None
    assert (back.game.turn, back.turn_number) == (1, 4)


def test_a_turns_number_is_never_used_again_so_a_late_click_or_job_of_an_old_one_is_stale():
    hand = running("3D", "4D")
    back = after(hand, void_from(hand, 2, later(3)))
    with refused(Conflicting, "stale-turn"):
        play(back, BOB, 2, cards("TC"), later(4))
    with refused(Conflicting, "stale-turn"):
        play(back, CAROL, 3, cards("5D"), later(4))
    assert [act_for_absent(back, turn, later(3600)) for turn in (1, 2, 3)] == [[], [], []]
    assert act_for_absent(back, 4, later(32)) == []
    assert len(act_for_absent(back, 4, later(33))) == 1


@pytest.mark.parametrize(
    ("moves", "number", "why"),
    [
        ((), 1, "names no action that stands: there is none yet"),
        (("3D", "4D"), 0, "names no action that stands: there are 2, from 1 on"),
        (("3D", "4D"), 3, "names no action that stands: there are 2, from 1 on"),
        (("3D", "4D"), -1, "names no action that stands: there are 2, from 1 on"),
    ],
)
def test_the_number_is_that_of_an_action(moves, number, why):
    with pytest.raises(Refused) as caught:
        void_from(running(*moves), number)
    assert (caught.value.code, caught.value.errors) == ("validation", {"/action": why})


@pytest.mark.parametrize("number", [5, 6])
def test_an_automatic_pass_goes_with_the_action_that_caused_it(number):
    hand = running("3D", "4D", "pass", "2S")
    assert [is_automatic(action) for action in hand.actions] == [False] * 4 + [True] * 2
    with pytest.raises(Refused) as caught:
        void_from(hand, number)
    assert caught.value.errors == {
        "/action": "is an automatic pass (R6.4): name the action that caused it, 4"
    }
    back = after(hand, void_from(hand, 4))
    assert stands(back)[:2] == stands(running("3D", "4D", "pass"))[:2]


def test_one_ruling_after_the_other_counts_what_stands_by_then():
    hand = running("3D", "4D", "5D")
    hand = after(hand, void_from(hand, 3))
    hand = moved(hand, "pass", later(5))
    hand = moved(hand, "9C", later(6))
    hand = after(hand, void_from(hand, 2))
    assert stands(hand)[:2] == stands(running("3D"))[:2]
    assert hand.turn_number == 8
    with pytest.raises(Refused):
        void_from(hand, 2)
    assert [ruled.action for ruled in hand.dispute.interim] == [3, 2]


def test_a_breach_that_is_void_makes_nobody_liable():
    holdings = {1: "3D 4D", 2: "9C TC QS 7H", 3: "5D"}
    hand = running("3D", "pass", holdings=holdings)
    assert hand.game.breach_by == 2
    back = after(hand, void_from(hand, 2))
    assert back.game.breach_by is None
    back = moved(back, "QS", later(9))
    assert moved(moved(back, "pass", later(10)), "pass", later(11)).game.liable is None


def test_a_breach_that_stands_counts_when_what_followed_is_void():
    holdings = {1: "3D 4D 4C", 2: "9C TC QS 7H", 3: "5D"}
    hand = running("3D", "pass", "pass", holdings=holdings)
    assert hand.game.breach_by is None
    back = after(hand, void_from(hand, 3))
    assert back.game.breach_by == 2
    assert moved(back, "5D", later(9)).settlement.liable == 2


def test_who_has_acted_was_there_and_the_clock_counts_against_nobody_for_what_is_void():
    hand = running("3D", "clock", "5D")
    back = after(hand, void_from(hand, 2))
    assert (hand.acted, hand.clocked) == (frozenset({1, 3}), frozenset({2}))
    assert (back.acted, back.clocked) == (frozenset({1, 3}), frozenset())
    first = running("clock", "4D", "5D")
    assert after(first, void_from(first, 3)).clocked == frozenset({1})
    table = given(TABLE, opened(100, 100, 100))
    table = fold(TABLE, begin(next_deal(table, ACTIONPOKER, 1, 1)), table)
    [event] = ended(after(back, void(back, "x")), table, NOW)
    assert (event.acted, event.absent) == ((1, 3), ())


def test_on_a_stopped_clock_the_turn_has_all_its_time_when_it_starts_again():
    hand = running("3D", "4D")
    hand = after(hand, rulings.freeze(hand, DIRECTOR, "hand", "a look", later(20)))
    [event] = void_from(hand, 2, later(25))
    assert event.next_turn == Turn(4, 2, None)
    back = after(hand, [event])
    assert (back.deadline, back.stopped_ms) == (None, 30_000)
    with refused(Conflicting, "hand-frozen"):
        play(back, BOB, 4, cards("4D"), later(26))
    released = rulings.release(back, DIRECTOR, "hand", "seen", later(50), clock_runs=True)
    assert after(back, released).deadline == later(80)


# time


def test_the_running_turn_gets_time_and_the_clock_waits_for_it():
    hand = running("3D")
    [event] = give(hand, 45, later(9))
    assert event == TimeGiven(
        at=later(9),
        role=Role.DIRECTOR,
        by=DIRECTOR,
        reason="the line was down",
        turn=2,
        seconds=45,
        deadline=later(31 + 45),
        remaining_ms=None,
    )
    longer = after(hand, [event])
    assert act_for_absent(longer, 2, later(31 + 45) - timedelta(microseconds=1)) == []
    assert len(act_for_absent(longer, 2, later(31 + 45))) == 1
    assert longer.actions == hand.actions
    assert moved(longer, "4D", later(60)).deadline == later(90), "the next turn is as long as any"


def test_time_is_given_again_and_again_and_none_of_it_is_lost_to_a_pause():
    hand = running("3D")
    for _ in range(2):
        hand = after(hand, give(hand, 60, later(5)))
    assert hand.deadline == later(31 + 120)
    assert stop_clock(hand, later(1)) == [ClockStopped(turn=2, remaining_ms=150_000)]
    assert stop_clock(hand, later(-60)) == [ClockStopped(turn=2, remaining_ms=150_000)], "and no more is made"
    stopped = after(hand, stop_clock(hand, later(1)))
    assert start_clock(stopped, later(100)) == [ClockStarted(turn=2, deadline=later(250))]
    next_one = moved(stopped, "4D", later(9))
    assert next_one.stopped_ms == 30_000
    assert shift_clock(hand, hand.deadline, timedelta(seconds=7))[0].deadline == later(158)


def test_on_a_stopped_clock_more_is_left():
    hand = running("3D")
    hand = after(hand, stop_clock(hand, later(21)))
    [event] = give(hand, 90, later(25))
    assert (event.deadline, event.remaining_ms) == (None, 100_000)
    longer = after(hand, [event])
    assert start_clock(longer, later(30)) == [ClockStarted(turn=2, deadline=later(130))]
    [again] = give(longer, 1, later(26))
    assert again.remaining_ms == 101_000


def test_a_turn_that_begins_anew_has_nothing_of_the_time_that_was_given_before():
    hand = running("3D", "4D")
    hand = after(hand, give(hand, 600))
    back = after(hand, void_from(hand, 2, later(9)))
    assert back.deadline == later(39)
    assert stop_clock(back, later(-100)) == [ClockStopped(turn=4, remaining_ms=30_000)]


@pytest.mark.parametrize("seconds", [0, -1, MOST_SECONDS + 1])
def test_nobody_gets_no_time_or_more_than_an_hour_at_once(seconds):
    with pytest.raises(Refused) as caught:
        give(running(), seconds)
    assert caught.value.errors == {"/seconds": "must be from 1 to 3600"}
    assert give(running(), MOST_SECONDS)


def test_one_turn_gets_no_more_than_an_hour_in_all_and_the_next_one_gets_its_own():
    hand = after(running("3D"), give(running("3D"), 2000))
    with pytest.raises(Refused) as caught:
        give(hand, 1601)
    assert caught.value.errors == {
        "/seconds": "must be at most 3600 with the 2000 that this turn was given before"
    }
    hand = after(hand, give(hand, 1600))
    assert give(moved(hand, "4D", later(9)), MOST_SECONDS)


# both


@pytest.mark.parametrize("ruled", [lambda h: void_from(h, 1), lambda h: give(h, 9)])
def test_once_the_hand_is_over_nothing_of_it_is_taken_back(ruled):
    over = running("3D", holdings={1: "3D", 2: "4D 5D"}, protest_seconds=60)
    with refused(Conflicting, "hand-closed"):
        ruled(over)
    with refused(Conflicting, "hand-closed"):
        ruled(after(running(), void(running(), "x")))


@pytest.mark.parametrize("ruled", [lambda h: void_from(h, 1), lambda h: give(h, 9)])
def test_before_the_deal_there_is_no_turn(ruled):
    with refused(Conflicting, "hand-not-dealt"):
        ruled(announced(100, 100))


def test_the_dispute_stays_as_it_was_and_waits_for_a_ruling():
    hand = running("3D", "4D")
    for events in (void_from(hand, 2), give(hand, 9)):
        assert after(hand, events).dispute.stage is Stage.NONE
        assert not after(hand, events).dispute.keeps_open
    flagged = after(hand, rulings.flag(hand, DIRECTOR, "look", None))
    flagged = after(flagged, void_from(flagged, 2))
    assert flagged.dispute.stage is Stage.OPEN
    rulings.may_rule(flagged, DIRECTOR, sits_there=False)
    over = moved(flagged, "QS", later(3))
    for move in ("pass", "2S", "9C"):
        over = moved(over, move, later(4))
    assert over.settlement.winner == 1
    assert finalise(over) == []
    assert rulings.correction(after(over, rulings.rule(over, DIRECTOR, Ruling("stands", "so"), NOW))) is None


def test_who_plays_there_does_not_rule():
    with refused(NotAllowed, "forbidden"):
        rulings.may_rule(running(), Person(UUID(int=2), Role.DIRECTOR, ALICE), sits_there=False)


@pytest.mark.parametrize("ruling", [Ruling("void_from", "so", action=2), Ruling("time", "so", seconds=40)])
def test_a_ruling_tells_what_was_asked_for(ruling):
    [ruled] = rulings.rule(running("3D", "4D"), DIRECTOR, ruling, NOW)
    assert rulings.asked(ruled) == ruling


def test_it_replays_at_every_prefix():
    events = dealt(HOLDINGS)
    hand = given(HAND, *events)
    for decide in (
        lambda h: play(h, ALICE, 1, cards("3D"), NOW),
        lambda h: act_for_absent(h, 2, later(31)),
        lambda h: void_from(h, 2),
        lambda h: give(h, 5),
        lambda h: play(h, BOB, 4, cards("4D"), NOW),
    ):
        made = decide(hand)
        events += made
        hand = fold(HAND, made, hand)
        assert given(HAND, *events) == hand
    assert sum(isinstance(event, Passed) and event.reason is PassReason.CLOCK for event in events) == 1


# whatever is undone


def any_move(rng, hand, now):
    player, turn = PLAYERS[hand.game.turn - 1], hand.turn_number
    choices = options(hand.game)
    if may_pass(hand.game) and (not choices or rng.random() < 0.4):
        return pass_turn(hand, player, turn, now)
    return play(hand, player, turn, cards_in(rng.choice(choices)[0].mask), now)


def plays_on(rng, hand, most=200):
    while hand.game.turn is not None and most:
        hand = fold(HAND, any_move(rng, hand, NOW), hand)
        most -= 1
    return hand


def any_deal(rng, room):
    pack = [rank + suit for rank in "3456789TJQKA2" for suit in "DCHS"]
    rng.shuffle(pack)
    seats = sorted(rng.sample((1, 2, 3, 4), rng.choice((2, 3, 4))))
    held = {seat: " ".join(pack[13 * n : 13 * n + 13]) for n, seat in enumerate(seats)}
    return dealt(held, base=room, dealer=rng.choice(seats), leader=rng.choice((None, seats[0])))


def cards_of(hand):
    played = reduce(lambda mask, action: mask | getattr(action, "mask", 0), hand.actions, 0)
    return played, reduce(int.__or__, hand.game.holdings)


@pytest.mark.parametrize("room", ROOMS)
@settings(steady, max_examples=25)
@for_all(st.integers(0, 2**32))
def test_a_hand_that_was_taken_back_ends_as_one_that_was_played_straight(room, seed):
    rng = random.Random(seed)
    hand = given(HAND, *any_deal(rng, room))
    whole = sum(cards_of(hand))
    for _ in range(rng.randrange(1, 4)):
        ahead = plays_on(rng, hand, rng.randrange(1, 20))
        if ahead.game.turn is None:
            break
        taken = [n for n, action in enumerate(ahead.actions, 1) if not is_automatic(action)]
        number = rng.choice(taken)
        hand = after(ahead, void_from(ahead, number))
        assert hand.actions == ahead.actions[: number - 1]
        assert hand.turn_number == ahead.turn_number + 1
        assert sum(cards_of(hand)) == whole, "every card is played or held"
    straight = given(HAND, *any_deal(random.Random(seed), room))
    for action in hand.actions:
        if not is_automatic(action):
            player, turn = PLAYERS[action.seat - 1], straight.turn_number
            mask = getattr(action, "mask", None)
            act = (
                pass_turn(straight, player, turn, NOW)
                if mask is None
                else play(straight, player, turn, cards_in(mask), NOW)
            )
            straight = fold(HAND, act, straight)
    assert stands(hand)[:2] == stands(straight)[:2]
    one, other = (plays_on(random.Random(seed + 1), each) for each in (hand, straight))
    assert one.settlement == other.settlement
    assert one.actions == other.actions
    assert sum(cards_of(one)) == whole
