"""I2, I6 and I9 of what was ruled while a hand ran: actions that are void, time that was given."""

from __future__ import annotations

import pytest

from domain.dispute_events import ActionsVoided, TimeGiven
from domain.hand_events import Dealt
from tests.services.doctor.test_hands import all_of


def of_the_running_hand(world, kind):
    [found] = world.of(kind, lambda r: r.stream == world.played.running)
    return found


def test_as_it_was_ruled_nothing_is_wrong(world):
    assert world.examined() == []


def test_i2_a_hand_that_goes_back_to_other_cards(world):
    voided = of_the_running_hand(world, ActionsVoided)
    world.edit(voided, lambda e: e["cards_left"].update({"1": 12 - e["cards_left"]["1"]}))
    assert all_of(world, "I2", voided)[0].startswith("goes back to ")


def test_i2_fewer_actions_are_void_than_it_takes_for_the_cards(world):
    voided = of_the_running_hand(world, ActionsVoided)
    world.edit(voided, lambda e: e.update(action=1))
    assert "cards left, while" in all_of(world, "I2", voided)[0]


@pytest.mark.parametrize("kind", [ActionsVoided, TimeGiven])
def test_i9_a_ruling_that_names_another_turn(world, kind):
    ruled = of_the_running_hand(world, kind)
    world.edit(ruled, lambda e: e.update(turn=ruled.event.turn + 1))
    assert all_of(world, "I9", ruled)[0].startswith(f"names turn {ruled.event.turn + 1}, while turn ")


@pytest.mark.parametrize("number", ["number", "seat"])
def test_i6_a_turn_that_does_not_begin_anew_there(world, number):
    voided = of_the_running_hand(world, ActionsVoided)
    world.edit(voided, lambda e: e["next_turn"].update({number: e["next_turn"][number] + 1}))
    assert "next_turn of ActionsVoided" in all_of(world, "I6", voided)[0]


def test_i6_a_ruling_by_who_plays_there(world):
    voided = of_the_running_hand(world, ActionsVoided)
    dealt = next(r.event for r in world.of(Dealt) if r.stream == voided.stream)
    world.edit(voided, lambda e: e["by"].update(player_id=str(dealt.seats[0].player_id)))
    assert all_of(world, "I6", voided) == ["it is refused (forbidden)"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda e: e.update(seconds=46), "deadline"),
        (lambda e: e.update(seconds=3601), None),
        (lambda e: e.update(deadline="2030-01-01T00:00:00Z"), "deadline"),
        (lambda e: e.update(remaining_ms=5), "remaining_ms"),
        (lambda e: e.update(at="2030-01-01T00:00:00Z"), "at"),
    ],
)
def test_i6_time_that_was_not_given_like_that(world, change, field):
    given = of_the_running_hand(world, TimeGiven)
    world.edit(given, change)
    [what] = all_of(world, "I6", given)
    assert f"{field} of TimeGiven" in what if field else what == "it is refused (validation)"
