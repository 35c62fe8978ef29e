"""R12: a rule set is data, and a wrong one is refused by the switch."""

import random

import pytest

from big2.cards import parse_card
from big2.errors import RuleSetError
from big2.hand import may_pass, options
from big2.rulesets import (
    ruleset_from_mapping,
    ruleset_on_record,
    ruleset_problems,
    ruleset_to_mapping,
)
from big2.settlement import settle
from big2.state import is_dragon
from tests.big2.play import COUNTERCLOCKWISE, PRESETS, dealt, mask, random_hand, rules

WHOLE = ruleset_to_mapping(PRESETS["actionpoker"])


def test_the_four_presets_are_pages_of_data():
    assert set(PRESETS) >= {"actionpoker", "english-harbour", "high-low", "dealer-puck"}


def test_the_presets_differ_where_the_rooms_do():
    assert differences("english-harbour") == {
        "opening_play": "any_set", "direction": "clockwise",
        "settlement_order": "right_of_dealer", "stake_cap": "loss_and_gain",
    }  # fmt: skip
    assert differences("dealer-puck") == differences("english-harbour")
    assert set(differences("high-low")) == {
        "straights", "straight_tie", "opening_play", "direction", "duty",
    }  # fmt: skip


def differences(name):
    return {
        switch: value for switch, value in ruleset_to_mapping(PRESETS[name]).items() if value != WHOLE[switch]
    }


@pytest.mark.parametrize("rule_set", [
    *PRESETS.values(),
    rules(opening_card="3C", point_tiers=[[10, 2], [13, 3]], auto_pass=[], straights=["A2345"], dragon=True),
])  # fmt: skip
def test_a_rule_set_written_and_read_is_the_same(rule_set):
    assert ruleset_from_mapping(ruleset_to_mapping(rule_set), {}) == rule_set


def test_an_inline_rule_set_is_a_base_and_what_differs():
    inline = rules("high-low", twos="double_each", opening_card="3C")
    assert ruleset_to_mapping(inline) == ruleset_to_mapping(PRESETS["high-low"]) | {
        "twos": "double_each", "opening_card": "3C",
    }  # fmt: skip
    assert inline.opening_card == parse_card("3C")


def test_the_switches_of_other_programs_may_be_left_out():
    without = {name: value for name, value in WHOLE.items() if not name.startswith("quads_")}
    assert ruleset_from_mapping(without, {}) == PRESETS["actionpoker"]


WRONG = [
    ("suits", ["DCH", "DCHH", "DCHSS", "dchs", "", 1, None, ["D", "C", "H", "S"]]),
    ("straights", ["34567", None, ["KA234"], ["QKA23"], ["34578"], ["76543"], ["34567", "34567"], [3], [["3"]]]),
    ("straight_tie", ["none", True, None, 1, []]),
    ("flush", ["ranks", "", None, {}]),
    ("straight_flush", ["sequence", None]),
    ("triples", [1, 0, "true", None]),
    ("quads_kicker", [1, "yes"]),
    ("quads_beat_any", [0, None]),
    ("opening_card", ["3d", "D3", "lowest", "", None, 0, True, ["3D"]]),
    ("opening_play", ["includes", None]),
    ("opening_scope", ["first", None]),
    ("direction", ["left", None]),
    ("pass_locks_trick", ["false", None]),
    ("auto_pass", ["two_of_spades", ["player"], ["two_of_spades"] * 2, [["two_of_spades"]], [{}], None, {}]),
    ("duty", ["multi_card", None]),
    ("last_card", ["on", True]),
    ("liability", ["none", None]),
    ("point_tiers", [[[10]], [[10, 2, 3]], [[0, 2]], [[14, 2]], [[10, 0]], [[10, 1001]], [[13, 3], [10, 2]],
                     [[10, 2], [10, 3]], [["10", 2]], [[True, 2]], [[10, True]], [[10, 2.0]], [10, 2], "10", None]),
    ("twos", ["double", None]),
    ("comparison", ["pairs", None]),
    ("settlement_order", ["winner", None]),
    ("stake_cap", ["gain", None]),
    ("dragon", ["true", 1]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("switch", "value"), [(switch, value) for switch, values in WRONG for value in values]
)
def test_a_value_that_is_not_offered_is_refused_by_its_switch(switch, value):
    with pytest.raises(RuleSetError) as refused:
        rules(**{switch: value})
    assert refused.value.field == switch
    assert str(refused.value).startswith(f"{switch}: ")


def test_every_switch_is_tried_above():
    assert {switch for switch, _ in WRONG} == set(WHOLE)


def test_an_unknown_switch_is_refused():
    with pytest.raises(RuleSetError, match="jokers: is not a switch"):
        rules(jokers=True)


@pytest.mark.parametrize("base", ["nowhere", None, 1, ["actionpoker"], {}])
def test_an_unknown_base_is_refused(base):
    with pytest.raises(RuleSetError) as refused:
        ruleset_from_mapping({"base": base}, PRESETS)
    assert refused.value.field == "base"
    assert refused.value.reason == f"is not a preset; presets are {', '.join(sorted(PRESETS))}"


def test_a_rule_set_on_record_is_written_in_whole():
    assert ruleset_on_record(WHOLE) == PRESETS["actionpoker"]
    with pytest.raises(RuleSetError, match=r"^base: is not a preset"):
        ruleset_on_record({"base": "actionpoker"})


def test_a_missing_switch_is_refused():
    without = {name: value for name, value in WHOLE.items() if name != "twos"}
    with pytest.raises(RuleSetError, match="twos: is missing"):
        ruleset_from_mapping(without, {})


def test_all_problems_are_found_at_once():
    problems = ruleset_problems({"base": "nowhere", "suits": "X", "jokers": 1, "twos": "none"}, PRESETS)
    assert [problem.field for problem in problems] == ["base", "suits", "jokers"]
    assert len(ruleset_problems({}, PRESETS)) == len(WHOLE) - 2
    assert ruleset_problems({"base": "actionpoker"}, PRESETS) == []
    assert str(RuleSetError("", "is empty")) == "is empty"


def test_an_unknown_switch_that_is_nearly_one_is_asked_about():
    (problem,) = ruleset_problems({"base": "actionpoker", "straight_ties": "highest_rank"}, PRESETS)
    assert problem.reason == "is not a switch of a rule set; is straight_tie meant?"


def test_r8_1_tiers_whose_factors_fall_contradict_each_other():
    falling = {"base": "actionpoker", "point_tiers": [[8, 4], [10, 3], [13, 2]], "twos": "many"}
    problems = ruleset_problems(falling, PRESETS)
    assert [problem.field for problem in problems] == ["twos", "point_tiers"]
    assert problems[1].reason == (
        "factor 3 from 10 cards on is less than 4 from 8 on, factor 2 from 13 cards on is less than 3 from 10 on: "
        "who has more cards left never has fewer points (R8.1)"
    )
    with pytest.raises(RuleSetError, match="factor 2 from 13 cards on"):
        rules(point_tiers=[[10, 3], [13, 2]])
    assert rules(point_tiers=[[10, 3], [13, 3]]).point_tiers == ((10, 3), (13, 3))


def test_what_was_accepted_once_is_read_for_ever_but_never_what_is_no_rule_set():
    falling = WHOLE | {"point_tiers": [[10, 3], [13, 2]]}
    assert ruleset_on_record(falling).point_tiers == ((10, 3), (13, 2))
    with pytest.raises(RuleSetError, match="twos"):
        ruleset_on_record(falling | {"twos": "many"})


@pytest.mark.parametrize("switches", [
    {"quads_beat_any": True}, {"last_card": "off", "duty": "multi_card_first"}, {"straights": []},
    {"opening_play": "any_set", "opening_card": "3C"}, {"flush": "not_allowed", "triples": False},
])  # fmt: skip
def test_a_switch_without_effect_is_no_contradiction(switches):
    assert ruleset_problems({"base": "actionpoker"} | switches, PRESETS) == []


def test_highest_factor_and_tiers_at_their_limits():
    assert rules(point_tiers=[[1, 1], [13, 1000]]).point_tiers == ((1, 1), (13, 1000))


DRAGON = "3D 4D 5D 6D 7D 8D 9D TS JS QS KS AS 2S"
SECOND_DRAGON = "3C 4C 5C 6C 7C 8C 9C TH JH QH KH AH 2H"
OTHERS = {1: "3S 3H 4S 4H 5S 5H 6S 6H 7S 7H 8S 8H 9S", 4: "9H TD TC JD JC QD QC KD KC AD AC 2D 2C"}


def test_r12_dragon_a_seat_dealt_thirteen_ranks_wins_at_once():
    hand = dealt(rules(dragon=True), OTHERS | {2: DRAGON})
    assert (hand.winner, hand.turn, hand.liable) == (2, None, None)
    settlement = settle(hand, 10, {1: None, 2: None, 4: None})
    assert settlement.cards_left == {1: 13, 2: 0, 4: 13}
    assert settlement.net == {1: -130, 2: 260, 4: -130}


def test_r12_dragon_of_two_the_first_in_the_order_of_the_deal():
    two = OTHERS | {2: DRAGON, 3: SECOND_DRAGON}
    assert dealt(rules(dragon=True), two, dealer=1).winner == 2
    assert dealt(rules(dragon=True), two, dealer=2).winner == 3
    assert dealt(rules(dragon=True), two, dealer=1, direction=COUNTERCLOCKWISE).winner == 3


def test_r12_without_dragon_or_without_one_dealt_the_hand_is_played():
    assert dealt(rules(), OTHERS | {2: DRAGON}).winner is None
    assert dealt(rules(dragon=True), OTHERS | {2: SECOND_DRAGON.replace("2H", "3D")}).winner is None
    assert not is_dragon(mask(DRAGON[:-3]))


@pytest.mark.parametrize("switches", [
    {"pass_locks_trick": True},
    {"last_card": "forced"},
    {"last_card": "off", "auto_pass": []},
    {"pass_locks_trick": True, "last_card": "forced", "duty": "multi_card_or_highest_single"},
    {"quads_beat_any": True, "quads_kicker": False, "opening_play": "it_alone", "suits": "CSHD"},
    {"triples": False, "flush": "not_allowed", "straights": []},
])  # fmt: skip
def test_hands_of_every_variant_come_to_an_end(switches):
    for seed in range(12):
        states, actions = random_hand(random.Random(seed), rules(**switches))
        assert states[-1].winner is not None
        assert len(actions) < 400
        for hand in states[:-1]:
            assert options(hand) or may_pass(hand)
