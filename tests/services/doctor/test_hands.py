"""I2, I3, I7 and I9 of hands: what was played, settled and awaited, told without a card."""

from __future__ import annotations

import re
from datetime import timedelta
from uuid import uuid4

import pytest

from big2.actions import PassReason
from domain.dispute_events import TimeGiven
from domain.hand_events import CardsPlayed, ClockStopped, Dealt, Passed, Settled
from domain.ids import job_command

CARD = re.compile(r"\b[3-9TJQKA2][DCHS]\b")


def all_of(world, invariant, r, **asked):
    """What the whole examination finds: of one invariant, in the stream of one event, and never a card."""
    found = world.examined(**asked)
    assert found
    assert {v.invariant for v in found} == {invariant}
    assert all(v.where.startswith(f"hand {r.stream}") for v in found)
    assert not any(CARD.search(v.what) for v in found)
    return [v.what for v in found]


def in_tournaments(world):
    """The settled hands of the world's tournament."""
    of = {r.stream for r in world.log if getattr(r.event, "tournament_id", None) == world.played.tournament}
    return lambda r: r.stream in of


# I2


def test_i2_a_card_that_another_seat_holds(world):
    dealt = world.of(Dealt, in_tournaments(world))[0]
    play = next(r for r in world.of(CardsPlayed) if r.stream == dealt.stream)
    other = next(cards for seat, cards in dealt.event.cards.items() if seat != play.event.seat)
    world.edit(play, lambda e: e.update(cards=other.split()[0]))
    what = all_of(world, "I2", play)
    assert what[0].startswith(f"seat {play.event.seat} plays 1 of 1 cards that it does not hold")


def test_i2_a_card_that_was_played_before(world):
    dealt = world.of(Dealt, in_tournaments(world))[0]
    plays = [r for r in world.of(CardsPlayed) if r.stream == dealt.stream]
    again = next(r for r in plays[1:] if r.event.seat == plays[0].event.seat)
    world.edit(again, lambda e: e.update(cards=plays[0].event.cards))
    assert "does not hold" in all_of(world, "I2", again)[0]


def test_i2_a_card_that_is_dealt_twice(world):
    dealt = world.of(Dealt)[-1]
    seats = [str(seat) for seat in dealt.event.cards]

    def change(e):
        first, second = (e["cards"][seat].split() for seat in seats[:2])
        e["cards"][seats[0]] = " ".join([*first[:-1], second[0]])

    world.edit(dealt, change)
    assert "deals 51 of the 52 cards, 1 of them more than once" in all_of(world, "I2", dealt)


def test_i2_a_seat_with_too_few_cards(world):
    dealt = world.of(Dealt)[-1]
    seat = max(dealt.event.cards)

    def change(e):
        *kept, last = e["cards"][str(seat)].split()
        e["cards"][str(seat)] = " ".join(kept)
        e["stub"] = f"{e['stub']} {last}".strip()

    world.edit(dealt, change)
    assert f"seat {seat} is dealt 12 cards" in all_of(world, "I2", dealt)


def test_i2_cards_for_a_seat_that_is_not_dealt_in(world):
    dealt = world.of(Dealt)[-1]
    world.edit(dealt, lambda e: e["seats"].pop())
    assert "other seats have cards than are dealt in" in all_of(world, "I2", dealt)


def test_i2_cards_left_that_are_not_held(world):
    settled = world.of(Settled, in_tournaments(world))[0]
    loser, left = next((seat, left) for seat, left in settled.event.cards_left.items() if left)
    world.edit(settled, lambda e: e["cards_left"].update({str(loser): left - 1}))
    assert all_of(world, "I2", settled)[0].startswith("settles ")


# I3


def test_i3_nets_that_are_out_of_balance(world):
    settled = world.of(Settled, in_tournaments(world))[0]
    world.edit(settled, lambda e: e["net"].update({str(settled.event.winner): 10**6}))
    assert "not to 0" in all_of(world, "I3", settled)[0]


def test_i3_nets_that_nobody_paid(world):
    settled = world.of(Settled, in_tournaments(world))[0]
    loser, *_ = (seat for seat in settled.event.net if seat != settled.event.winner)

    def change(e):
        e["net"][str(settled.event.winner)] += 1
        e["net"][str(loser)] -= 1

    world.edit(settled, change)
    assert "while the transfers come to" in all_of(world, "I3", settled)[0]


def test_i3_a_payment_of_more_than_is_due(world):
    settled = world.of(Settled, lambda r: in_tournaments(world)(r) and r.event.transfers)[0]
    world.edit(settled, lambda e: e["transfers"][0].update(due=0))
    assert all_of(world, "I3", settled)[0].endswith("where 0 is due")


# I7


def test_i7_a_hand_that_runs_is_told_of_where_all_should_be_over(world):
    running = world.of(Dealt, lambda r: r.stream == world.played.running)[0]
    what = all_of(world, "I7", running, settled=True)
    assert what == ["was begun, and is neither settled nor voided"]


def test_i7_a_turn_may_wait_for_ten_seconds_beyond_its_deadline(world):
    running = world.of(Dealt, lambda r: r.stream == world.played.running)[0]
    [clock] = world.of(TimeGiven, lambda r: r.stream == running.stream)  # a ruling has set it last
    late = clock.event.deadline - world.store.now()
    world.store.ahead = late + timedelta(seconds=9)
    assert world.examined(idle=True) == []
    world.store.ahead = late + timedelta(seconds=3600)
    [what] = all_of(world, "I7", running, idle=True)
    assert re.fullmatch(rf"turn {clock.event.turn} is 3[56]\d\d s beyond its deadline", what)


def test_i7_is_not_judged_unless_asked(world):
    world.store.ahead = timedelta(days=400)
    assert world.examined() == []


# I9


def by_clock(world):
    """Passes of the clock, each the only event of its command."""
    alone = [r.command for r in world.log]
    return world.of(Passed, lambda r: r.event.reason is PassReason.CLOCK and alone.count(r.command) == 1)


def test_i9_an_action_for_another_turn(world):
    passed = by_clock(world)[0]
    world.edit(passed, lambda e: e.update(turn=passed.event.turn + 1))
    assert all_of(world, "I9", passed)[0].startswith(f"acts for turn {passed.event.turn + 1}, while turn ")


@pytest.mark.parametrize("other", ["turn of another hand", "another turn"])
def test_i9_an_action_by_a_job_that_was_set_for_something_else(world, other):
    passed = by_clock(world)[0]
    names = {"turn of another hand": f"turn-{uuid4()}-1", "another turn": f"turn-{passed.stream}-999"}
    world.edit_envelope(passed, lambda e: e.update(command=str(job_command(names[other]))))
    assert all_of(world, "I9", passed)[0].endswith("but its job was set for something else")


def test_i9_an_action_before_the_deadline(world):
    passed = by_clock(world)[0]
    world.edit_envelope(passed, lambda e: e.update(at="2020-01-01T00:00:00Z"))
    assert all_of(world, "I9", passed) == [f"acts for turn {passed.event.turn} before its deadline"]


def test_i9_a_clock_that_was_stopped_for_another_turn(world):
    stopped = world.of(ClockStopped)[0]
    world.edit(stopped, lambda e: e.update(turn=99))
    assert all_of(world, "I9", stopped)[0].startswith("names turn 99, while turn ")
