"""`big2 verify` of hands that were played with real cards: they have a result, and nothing else to judge."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from big2.history import read_history, verify, write_history
from tests.big2.play import PRESETS, ROOT

SCHEMA = Draft202012Validator(json.loads((ROOT / "big2/history.schema.json").read_text(encoding="utf-8")))


def recorded_hand(**change):
    hand = {
        "format": "big2-hand/1",
        "rules": "actionpoker",
        "unit": 2,
        "seats": [{"seat": seat, "player": f"P{seat}", "stack": None} for seat in (1, 2, 3)],
        "dealer": 3,
        "direction": "clockwise",
        "recorded": True,
        "actions": [],
        "settlement": {
            "winner": 1,
            "cards_left": {"1": 0, "2": 4, "3": 1},
            "liable": None,
            "transfers": [
                {"from": 2, "to": 1, "points": 4, "due": 8, "paid": 8},
                {"from": 3, "to": 1, "points": 1, "due": 2, "paid": 2},
                {"from": 2, "to": 3, "points": 3, "due": 6, "paid": 6},
            ],
            "net": {"1": 10, "2": -14, "3": 4},
        },
    }
    return hand | change


def settlement(**change):
    return recorded_hand()["settlement"] | change


def agrees_with_the_schema(hand):
    return not list(SCHEMA.iter_errors(hand))


def test_a_recorded_hand_is_judged_by_its_settlement():
    hand = recorded_hand()
    assert verify(hand, PRESETS) == {"verdict": "valid", "settlement": hand["settlement"]}
    assert agrees_with_the_schema(hand)


def test_a_recorded_hand_may_tell_who_led_and_is_written_as_it_is_read():
    hand = recorded_hand(leader=2, played_at="2013-03-19T20:00:00Z")
    history = read_history(hand, PRESETS)
    assert (history.recorded, history.leader, history.deal, history.actions) == (True, 2, {}, ())
    assert write_history(history) == hand
    assert agrees_with_the_schema(hand)


def test_a_voided_recorded_hand_needs_no_settlement():
    hand = recorded_hand(settlement=None, voided=True)
    assert verify(hand, PRESETS) == {"verdict": "valid", "settlement": None}
    del hand["settlement"]
    assert verify(hand, PRESETS)["verdict"] == "valid"
    assert agrees_with_the_schema(hand)


def test_a_recorded_hand_may_name_who_is_liable():
    hand = recorded_hand(
        settlement={
            "winner": 1,
            "cards_left": {"1": 0, "2": 4, "3": 1},
            "liable": 3,
            "transfers": [
                {"from": 2, "to": 1, "points": 4, "due": 8, "paid": 8},
                {"from": 3, "to": 1, "points": 1, "due": 2, "paid": 2},
                {"from": 3, "to": 2, "covers": True, "due": 8, "paid": 8},
            ],
            "net": {"1": 10, "2": 0, "3": -10},
        }
    )
    assert verify(hand, PRESETS)["verdict"] == "valid"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"winner": 2}, "/settlement/winner"),
        ({"liable": 2}, "/settlement/liable"),
        ({"transfers": []}, "/settlement/transfers/0"),
        ({"net": {"1": 10, "2": -13, "3": 3}}, "/settlement/net/2"),
    ],
    ids=str,
)
def test_a_recorded_settlement_that_the_rules_do_not_make_is_wrong(change, field):
    verdict = verify(recorded_hand(settlement=settlement(**change)), PRESETS)
    assert (verdict["verdict"], verdict["field"]) == ("wrong_settlement", field)
    assert verdict["settlement"] == recorded_hand()["settlement"]


@pytest.mark.parametrize(
    ("change", "pointer", "schema_says_so"),
    [
        ({"settlement": None}, "/settlement", True),
        ({"deal": {}}, "/deal", True),
        ({"actions": [{"seat": 1, "play": "3D"}]}, "/actions", True),
        ({"recorded": "yes"}, "/recorded", True),
        ({"leader": 4}, "/leader", False),
        ({"settlement": settlement(cards_left={"1": 0, "2": 14, "3": 1})}, "/settlement/cards_left/2", True),
        ({"settlement": settlement(cards_left={"1": 0, "2": 4})}, "/settlement/cards_left", False),
        ({"settlement": settlement(cards_left={"1": 0, "2": 0, "3": 1})}, "/settlement/cards_left", False),
        ({"settlement": settlement(cards_left={"1": 2, "2": 4, "3": 1})}, "/settlement/cards_left", False),
    ],
    ids=str,
)
def test_a_recorded_hand_that_cannot_have_been_is_malformed(change, pointer, schema_says_so):
    hand = recorded_hand(**change)
    verdict = verify(hand, PRESETS)
    assert (verdict["verdict"], verdict["pointer"]) == ("malformed", pointer)
    assert agrees_with_the_schema(hand) is not schema_says_so


def test_a_recorded_hand_without_a_settlement_or_its_being_void_is_malformed():
    hand = recorded_hand()
    del hand["settlement"]
    assert verify(hand, PRESETS)["pointer"] == ""
    assert not agrees_with_the_schema(hand)


def test_a_hand_that_is_not_recorded_has_its_deal():
    hand = recorded_hand(recorded=False, leader=1)
    assert verify(hand, PRESETS) == {"verdict": "malformed", "reason": "lacks deal", "pointer": ""}
    assert not agrees_with_the_schema(hand)


def test_r8_2_a_recorded_hand_is_settled_from_the_dealers_right_where_the_rule_set_says_so():
    asked = verify(recorded_hand(rules="english-harbour", settlement=settlement(transfers=[])), PRESETS)
    ends = [(transfer["from"], transfer["to"]) for transfer in asked["settlement"]["transfers"]]
    assert ends == [(2, 1), (2, 3), (3, 1)]


def test_r4_4_whoever_has_no_cards_left_won():
    hand = recorded_hand(settlement=settlement(cards_left={"1": 4, "2": 1, "3": 0}))
    verdict = verify(hand, PRESETS)
    assert (verdict["field"], verdict["settlement"]["winner"]) == ("/settlement/winner", 3)


@pytest.mark.parametrize(("left", "reason"), [(-1, "must be at least 0"), (14, "must be at most 13")])
def test_r2_1_a_recorded_hand_leaves_from_0_to_13_cards(left, reason):
    hand = recorded_hand(settlement=settlement(cards_left={"1": 0, "2": left, "3": 1}))
    assert verify(hand, PRESETS)["reason"] == reason


TWOS = {"base": "actionpoker", "twos": "double_each"}


def test_where_twos_count_a_recorded_hand_says_how_many_were_left():
    hand = recorded_hand(rules=TWOS)
    assert verify(hand, PRESETS) == {"verdict": "malformed", "reason": "lacks twos_left", "pointer": ""}
    assert verify(hand | {"twos_left": {}}, PRESETS)["verdict"] == "valid"
    doubled = verify(hand | {"twos_left": {"2": 1}}, PRESETS)
    assert (doubled["verdict"], doubled["field"]) == ("wrong_settlement", "/settlement/transfers/0/points")
    told = hand | {"twos_left": {"1": 0, "2": 1, "3": 0}, "settlement": doubled["settlement"]}
    assert verify(told, PRESETS)["verdict"] == "valid"
    assert write_history(read_history(told, PRESETS)) == told | {"leader": "lowest_card"}
    assert agrees_with_the_schema(told)


@pytest.mark.parametrize(
    ("twos_left", "pointer", "schema_says_so"),
    [
        ({"2": 5}, "/twos_left/2", True),
        ({"4": 1}, "/twos_left/4", False),
        ({"3": 2}, "/twos_left/3", False),
        ([], "/twos_left", True),
    ],
    ids=str,
)
def test_twos_that_cannot_have_been_left_are_malformed(twos_left, pointer, schema_says_so):
    hand = recorded_hand(rules=TWOS, twos_left=twos_left)
    verdict = verify(hand, PRESETS)
    assert (verdict["verdict"], verdict["pointer"]) == ("malformed", pointer)
    assert agrees_with_the_schema(hand) is not schema_says_so


@pytest.mark.parametrize(("left", "reason"), [(-1, "must be at least 0"), (5, "must be at most 4")])
def test_r2_1_a_pack_has_four_twos(left, reason):
    assert verify(recorded_hand(rules=TWOS, twos_left={"2": left}), PRESETS)["reason"] == reason


def test_twos_go_on_record_for_every_seat():
    history = read_history(recorded_hand(rules=TWOS, twos_left={"2": 1}), PRESETS)
    assert history.extra == {}
    assert write_history(history)["twos_left"] == {"1": 0, "2": 1, "3": 0}


def test_where_twos_do_not_count_a_recorded_hand_may_tell_of_them():
    hand = recorded_hand(twos_left={"2": 1}, leader=1)
    assert verify(hand, PRESETS)["verdict"] == "valid"
    assert write_history(read_history(hand, PRESETS)) == hand
