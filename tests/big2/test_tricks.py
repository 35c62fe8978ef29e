"""A hand on record as its tricks."""

import json

import pytest

from big2.actions import Passed, PassReason, Played
from big2.assistant import Duty
from big2.history import read_history
from big2.tricks import retell
from tests.big2.play import PRESETS, mask
from tests.big2.told_hands import HANDS


def retold(name: str):
    return retell(read_history(json.loads(HANDS[name]), PRESETS))


def test_r4_2_a_trick_begins_when_all_others_have_passed():
    tricks = retold("liable").tricks
    assert [(trick.leader, len(trick.steps)) for trick in tricks] == [(1, 4), (1, 4), (1, 7), (4, 2)]


def test_a_step_tells_what_the_seat_still_holds():
    lead = retold("liable").tricks[0].steps[0]
    assert lead.action == Played(1, mask("3D 4D 5D 6D 7D"))
    assert lead.holding == mask("8D 8C 8H 9D 9C KH KS 2S")
    assert lead.card_set.kind == "straight_flush"
    assert retold("liable").tricks[-1].steps[-1].holding == 0


def test_r7_2_a_step_tells_what_the_assistant_owed_and_r7_3_the_breach():
    *_, third, last = retold("liable").tricks
    assert [step.owed for step in third.steps] == [None, None, None, Duty.MULTI_CARD, None, None, None]
    assert [(step.owed, step.action.breach) for step in last.steps] == [
        (Duty.MULTI_CARD, True),
        (None, False),
    ]


def test_r6_an_automatic_pass_owes_nothing():
    [passed] = [
        step
        for trick in retold("too-few-cards").tricks[3:]
        for step in trick.steps
        if step.action == Passed(1, PassReason.TOO_FEW_CARDS)
    ]
    assert passed.owed is None
    assert passed.holding == mask("2S")


def test_a_trick_that_is_still_to_be_led_has_no_steps():
    last = retold("unfinished").tricks[-1]
    assert (last.leader, last.steps) == (1, ())


def test_a_dragon_has_no_tricks():
    told = retold("dragon")
    assert (told.tricks, told.hand.winner, told.stop) == ((), 1, None)


@pytest.mark.parametrize(
    ("name", "index", "clause"),
    [
        ("illegal", 3, "R2.1"),
        ("illegal-pass", 1, "R6.3"),
        ("missing-pass", 7, "R6.4"),
        ("after-the-end", 0, "R4.4"),
    ],
)
def test_where_the_rules_stop_a_hand_is_told(name, index, clause):
    stop = retold(name).stop
    assert (stop.index, stop.refusal.clause) == (index, clause)
    assert (stop.told is None) == (name == "missing-pass")


def test_a_hand_that_the_rules_stop_stands_as_it_was():
    hand = retold("illegal").hand
    assert (hand.turn, hand.to_beat.mask) == (4, mask("3H"))
