"""What a telling says, hand by hand; how it looks is tested with the command."""

import json

import pytest

from big2.rulesets import ruleset_to_mapping
from big2.telling import tell
from big2.told import Block, Tone
from tests.big2.play import CASES, PRESETS
from tests.big2.told_hands import DRAGON, HANDS, TO_THE_LAST_CARD, told


def lines(block: Block) -> list[str]:
    rows = (block.title, *(sum(((*cell,) for cell in row), ()) for row in block.rows))
    return ["".join(piece.text for piece in row) for row in rows]


def said(history: str | dict) -> list[str]:
    text = history if isinstance(history, str) else json.dumps(history)
    return [line for block in tell(text, PRESETS).blocks for line in lines(block)]


def verdict(history: str | dict) -> str:
    return said(history)[-1]


def tones(name: str, tone: Tone) -> list[str]:
    blocks = tell(HANDS[name], PRESETS).blocks
    cells = [
        cell for block in blocks for cell in (block.title, *(cell for row in block.rows for cell in row))
    ]
    return [piece.text for cell in cells for piece in cell if piece.tone is tone]


@pytest.mark.parametrize(
    ("name", "accepted", "sentence"),
    [
        ("liable", True, "Valid: all that was played is allowed, and the settlement is right"),
        ("voided", True, "Valid: all that there was is allowed; the hand was voided, and nobody pays"),
        ("unfinished", True, "Unfinished: it is the turn of Ann, seat 1"),
        ("illegal", False, "Not allowed: /actions/3: seat 4 does not hold 3H (R2.1)"),
        (
            "missing-pass",
            False,
            "Not allowed: /actions/7, after the last action: "
            "seat 4 passes automatically here (two_of_spades) (R6.4)",
        ),
        ("recorded", True, "Valid: there can be such a result, and the settlement is right"),
        (
            "recorded-voided",
            True,
            "Valid: all that there was is allowed; the hand was voided, and nobody pays",
        ),
        ("no-settlement", False, "Wrong settlement: there is none, and somebody went out"),
        ("malformed", False, "Malformed: /deal/2: must be 13 cards (R2.1)"),
    ],
)
def test_the_verdict_is_a_sentence(name, accepted, sentence):
    assert verdict(HANDS[name]) == sentence
    assert tell(HANDS[name], PRESETS).accepted == accepted


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"format": "big2-hand/1"}', "[" * 100_000, '"\\ud800"']
)
def test_what_is_no_history_is_told_as_malformed(text):
    assert not tell(text, PRESETS).accepted
    assert verdict(text).startswith("Malformed: ")
    assert verdict(text).isprintable()


def test_what_is_wrong_is_marked_as_such():
    assert tones("wrong-settlement", Tone.WRONG)[-1] == "Wrong settlement: "
    assert tones("malformed", Tone.WRONG) == ["Malformed: "]


def test_a_malformed_text_is_told_by_its_place_as_far_as_that_can_be_read():
    assert verdict("[]") == "Malformed: the whole: must be an object"
    longest = "/rules/" + "x" * 193
    for name, place in (("x" * 193, longest), ("x" * 194, longest[:-1] + "…")):
        history = told("3D") | {"rules": {"base": "actionpoker", name: 1}}
        assert verdict(history) == f"Malformed: {place}: is not a switch of a rule set"


@pytest.mark.parametrize(
    ("voided", "line"),
    [
        ([{}], "actions, once, while it ran: told is what stands"),
        ([{}, {}], "actions, 2 times, while it ran: told is what stands"),
        ([], None),
        ({"a": 1}, None),
        ("3D", None),
    ],
)
def test_that_actions_were_voided_is_told_beside_what_stands(voided, line):
    plain, ruled = said(told("3D")), said(told("3D") | {"voided_actions": voided})
    at = plain.index("Seats")
    assert ruled == plain[:at] + ([f"voided{line}"] if line else []) + plain[at:]


def test_where_no_settlement_is_claimed_the_one_by_the_rules_is_told():
    assert "Settlement by the rules: Ann went out, Dan is liable (R7.4)" in said(HANDS["no-settlement"])


def test_a_settlement_before_the_end_is_told():
    settlement = json.loads(HANDS["liable"])["settlement"]
    assert verdict(told("3D", settlement=settlement)) == "Wrong settlement: nobody went out yet"


def test_a_wrong_settlement_is_told_by_what_differs_first():
    history = json.loads(HANDS["liable"])
    history["settlement"]["net"]["1"] = 179
    assert verdict(history) == "Wrong settlement: /settlement/net/1 is 179, and by the rules it is 180"
    assert "Settlement by the rules: Ann went out, Dan is liable (R7.4)" in said(history)


def test_a_transfer_that_is_missing_is_told():
    assert verdict(HANDS["wrong-settlement"]).startswith(
        "Wrong settlement: /settlement/transfers/4 is none, and by the rules it is {"
    )


def test_what_follows_a_broken_action_is_counted():
    history = told("3D", "3C")
    history["actions"][0] = {"seat": 1, "pass": "player"}
    assert verdict(history) == ("Not allowed: /actions/0: the leader may not pass (R4.1); 1 more not shown")


def test_a_voided_hand_that_somebody_had_won_shows_no_settlement():
    history = json.loads(HANDS["liable"]) | {"settlement": None, "voided": True}
    assert not [line for line in said(history) if line.startswith("Settlement")]


def test_breaches_and_what_the_rules_stop_are_marked():
    assert tones("liable", Tone.WRONG) == ["BREACH: owed more than one card (R7.3)"]
    assert tones("illegal", Tone.WRONG) == [
        "Here the rules stop it",
        "seat 4 does not hold 3H (R2.1)",
        "Not allowed: ",
    ]


def test_an_action_has_all_its_notes():
    history = told("3D 4D 5D 6D 7D", leader=1)
    history["actions"][0]["by"] = "clock"
    history["leader"] = 1
    assert "the clock would have acted otherwise (R11.2)" in verdict(history)
    two = {1: "3D 3C 3H 3S 4D 5D 6D 7D 8D 9D TD JD QD", 2: "4C 4H 4S 5C 5H 5S 6C 6H 6S 7C 7H 7S 8C"}
    played = told("3D", *["pass", "clock"] * 12, deal=two, stack=None)
    assert any("by the clock (R11.2), out" in line for line in said(played))
    last = tell(json.dumps(played), PRESETS).blocks[-4].rows[-1]
    assert [(piece.text, piece.tone) for piece in last[-1]] == [
        ("by the clock (R11.2)", Tone.QUIET), (", ", Tone.QUIET), ("out", Tone.STRONG),
    ]  # fmt: skip


def test_r12_a_dragon_is_told_where_there_are_no_tricks():
    assert "Ann was dealt a dragon and is out at once (R12)" in said(HANDS["dragon"])


def test_whose_seat_is_empty_may_still_be_the_dealer():
    assert "dealerseat 3" in said(told("3D", deal=DRAGON, dealer=3))


def test_a_rule_set_of_its_own_is_told_as_its_switches():
    history = told("3D") | {"rules": ruleset_to_mapping(PRESETS["actionpoker"]), "rules_named": "club@2"}
    head = said(history)[1:]
    assert head[0] == "rules namedclub@2"
    assert head[1].startswith("rulessuits DCHS, straights [")
    assert head[2].startswith("straight_tie highest_rank, ")
    lines = head[1 : [line.startswith("unit") for line in head].index(True)]
    assert max(map(len, lines)) <= len("rules") + 72
    switches = " ".join(lines).removeprefix("rules").split(", ")
    assert {"triples true", "stake_cap loss", "quads_kicker true"} <= set(switches)


def test_the_lines_of_a_rule_set_are_72_long_at_most_and_part_no_switch_from_its_value():
    switches = {
        "last_card": "forced", "twos": "double_each", "triples": False, "opening_play": "any_set",
        "point_tiers": [[8, 2], [10, 3], [12, 5], [13, 9]], "straights": ["A2345", "TJQKA"], "dragon": True,
    }  # fmt: skip
    assert said(told("3D") | {"rules": {"base": "actionpoker"} | switches})[1:5] == [
        "rulesactionpoker",
        "withlast_card forced, twos double_each, triples false, opening_play any_set,",
        "point_tiers [[8, 2], [10, 3], [12, 5], [13, 9]],",
        'straights ["A2345", "TJQKA"], dragon true',
    ]


def test_a_rule_set_over_a_base_is_told_by_its_base_and_what_differs():
    history = told("3D") | {"rules": {"base": "high-low", "direction": "counterclockwise", "dragon": True}}
    assert said(history)[1:4] == ["ruleshigh-low", "withdirection counterclockwise, dragon true", "unit5"]
    assert said(history | {"rules": {"base": "high-low"}})[1:3] == ["ruleshigh-low", "unit5"]


def test_a_rule_set_is_named_once_where_both_names_are_the_same():
    history = told("3D") | {"rules_named": "actionpoker"}
    assert said(history)[1:3] == ["rulesactionpoker", "unit5"]
    assert said(history | {"rules_named": "club@2"})[1:3] == ["rules namedclub@2", "rulesactionpoker"]


def test_every_case_can_be_told():
    histories = (CASES / "hands.jsonl").read_text(encoding="utf-8").splitlines()[::20]
    cases = (CASES / "hands-bad.jsonl").read_text(encoding="utf-8").splitlines()
    assert all(tell(history, PRESETS).accepted for history in histories)
    for case in map(json.loads, cases):
        accepted = case["expect"]["verdict"] in ("valid", "incomplete")
        assert tell(json.dumps(case["hand"]), PRESETS).accepted == accepted


def test_r12_twos_that_count_are_told_with_a_hand_that_was_played():
    doubled = told(*TO_THE_LAST_CARD, "3S", "2S", named={"base": "actionpoker", "twos": "double_each"})
    assert any(line.startswith("4Dan1040-100") for line in said(doubled))
    assert any(line.startswith("2Bob1313") for line in said(doubled))


def test_a_result_that_cannot_be_is_told():
    told = verdict(HANDS["recorded-without-a-winner"])
    assert told.startswith("Malformed: /settlement/cards_left")
    assert "R4.4" in told


def test_r12_twos_that_count_are_told_with_a_recorded_hand():
    history = json.loads(HANDS["recorded"]) | {
        "rules": {"base": "actionpoker", "twos": "double_each", "liability": "comparisons"},
        "twos_left": {"4": 2},
    }
    assert any(line.startswith("4Dan1040") for line in said(history))
