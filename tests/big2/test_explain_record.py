"""Actions on record explained: never other than `verify` judges them."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from big2.cards import cards_text
from big2.errors import MalformedError, NoSuchTurnError, RefusalCode
from big2.explain_record import explain_on_record, turn_on_record
from big2.history import read_history, verify
from tests.big2.play import CASES, PRESETS, cards
from tests.big2.told_hands import DRAGON, HANDS, TO_THE_LAST_CARD, told


def lines(name):
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


def read(value):
    return read_history(value, PRESETS)


def explained(value, index):
    return told_of(read(value), index)


def told_of(history, index):
    return explain_on_record(turn_on_record(history, index))


def is_played(value):
    try:
        return not read(value).recorded
    except MalformedError:
        return False


BROKEN = [bad["hand"] for bad in lines("hands-bad.jsonl") if is_played(bad["hand"])]
FULL = [hand for hand in lines("hands.jsonl") if len(hand["seats"]) == 4]


def assert_agrees(value):
    """The actions before the one that `verify` stops at are allowed; that one has the verdict's clause and reason."""
    history, verdict = read(value), verify(value, PRESETS)
    stop = verdict.get("action", len(history.actions))
    assert all(told_of(history, index).playable for index in {0, stop // 2, stop - 1} if 0 <= index < stop)
    if "action" in verdict:
        found = told_of(history, stop)
        assert (found.playable, found.clause) == (False, verdict["clause"])
        assert found.reason.lower() == f"{verdict['reason']} ({verdict['clause']}).".lower()


@pytest.mark.parametrize("number", range(len(BROKEN)))
def test_a_broken_hand_is_explained_as_it_is_verified(number):
    assert_agrees(BROKEN[number])


CLAIMS = [
    {"pass": "player"}, {"pass": "clock"}, {"pass": "two_of_spades"}, {"pass": "too_few_cards"},
    {"breach": True}, {"breach": False}, {"by": "clock"}, {"seat": 2}, {"play": "3D"},
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(FULL), st.sampled_from(CLAIMS), st.integers(0, 2**16))
def test_whatever_is_claimed_of_an_action_it_is_explained_as_it_is_verified(whole, claim, place):
    place %= len(whole["actions"])
    action = whole["actions"][place] | claim
    action.pop("play" if "pass" in claim else "pass" if "play" in claim else "", None)
    actions = [*whole["actions"][:place], action, *whole["actions"][place + 1 :]]
    assert_agrees(whole | {"actions": actions})


FIRST = {"seat": 1, "play": "3D"}


@pytest.mark.parametrize(
    ("second", "clause", "reason"),
    [
        ({"pass": "too_few_cards"}, "R6.3", "Seat 2 does not pass automatically here (R6.3)."),
        ({"play": "3C", "breach": True}, "R7.3", "The action is no breach (R7.3)."),
        ({"play": "3C", "by": "clock"}, "R11.2", "The clock would have acted otherwise (R11.2)."),
        ({"play": "9H 9D"}, "R2.1", "Seat 2 does not hold 9D (R2.1)."),
    ],
)
def test_a_claim_that_verify_refuses_is_refused_with_its_clause(second, clause, reason):
    found = explained(told(actions=[FIRST, {"seat": 2} | second]), 1)
    assert (found.playable, found.clause, found.reason, found.breach) == (False, clause, reason, False)
    assert found.cards == cards_text(cards(second.get("play", "")))
    assert found.code == (RefusalCode.CARD_NOT_HELD if clause == "R2.1" else None)


def test_r6_4_where_an_automatic_pass_is_due_nothing_else_stands():
    passes = told("3D", "pass", "pass", "2C")
    assert passes["actions"][3]["seat"] == 4
    missing = told("3D", "pass", "pass", "pass", "2S")
    missing["actions"] = missing["actions"][:-2]
    index = len(missing["actions"])
    found = explained(missing, index)
    assert (found.playable, found.clause) == (False, "R6.4")
    assert found.reason == "Seat 3 passes automatically here (two_of_spades) (R6.4)."
    assert turn_on_record(read(missing), index).told is None
    assert "It passes by itself" in explained(missing, index - 1).reason


def test_r7_3_a_breach_on_record_is_allowed_and_told():
    found = explained(told(*TO_THE_LAST_CARD, "3S"), len(told(*TO_THE_LAST_CARD)["actions"]))
    assert (found.cards, found.playable, found.breach) == ("3S", True, True)
    assert "But it would be a breach (R7.3)" in found.reason


def test_a_turn_on_record_is_the_hand_before_its_action():
    history = read(told("3D", "3C"))
    turn = turn_on_record(history, 1)
    assert (turn.seat, turn.hand.turn, turn.told) == (2, 2, history.actions[1])
    other = replace(history.actions[1], action=history.actions[1].action._replace(seat=4))
    turned = turn_on_record(replace(history, actions=(history.actions[0], other)), 1)
    assert turned.seat == 2
    assert explain_on_record(turned).reason == "It is the turn of seat 2 (R4.1)."


def test_r4_4_what_stands_after_the_end_is_refused_there():
    value = json.loads(HANDS["liable"])
    end = len(value["actions"])
    value["actions"].append({"seat": 3, "pass": "player"})
    assert turn_on_record(read(value), end).seat == 3
    assert explained(value, end).reason == "The hand is over (R4.4)."


@pytest.mark.parametrize(
    ("value", "index", "reason"),
    [
        (told("3D"), 1, "the action is still to come: it is the turn of seat 2"),
        (told("3D"), 2, "there is no /actions/2: the hand has 1 action, and what comes next is /actions/1"),
        (told("3D"), -1, "there is no /actions/-1: the hand has 1 action, and what comes next is /actions/1"),
        (told(), 1, "there is no /actions/1: the hand has 0 actions, and what comes next is /actions/0"),
        (
            told(actions=[FIRST, FIRST]),
            2,
            "the hand goes wrong before /actions/2: R4.1: it is the turn of seat 2",
        ),
        (json.loads(HANDS["liable"]), 17, "The hand is over (R4.4)."),
        (
            told(deal=DRAGON, named={"base": "actionpoker", "dragon": True}),
            0,
            "The hand is over: a dragon won it at once, by R12 (R4.4).",
        ),
        (
            json.loads(HANDS["recorded"]),
            0,
            "the hand was played with real cards: it has no deal and no actions",
        ),
    ],
    ids=range(8),
)
def test_a_turn_that_a_hand_does_not_have_is_told(value, index, reason):
    with pytest.raises(NoSuchTurnError) as none:
        explained(value, index)
    assert none.value.reason == str(none.value) == reason
