"""`big2-hand/1` and `big2 verify`: what is malformed, what is illegal, what is a wrong settlement."""

import json
from copy import deepcopy

import pytest
from jsonschema import Draft202012Validator

from big2.errors import IllegalPlay
from big2.hand import By, Passed, PassReason, Played
from big2.history import (
    action_on_record,
    judged_replay,
    read_history,
    verify,
    verify_lines,
    verify_text,
    write_history,
    write_settlement,
)
from big2.settlement import settle
from tests.big2.play import CASES, PRESETS, ROOT, mask, rules

SCHEMA = Draft202012Validator(json.loads((ROOT / "big2/history.schema.json").read_text(encoding="utf-8")))
HANDS = [json.loads(line) for line in (CASES / "hands.jsonl").read_text(encoding="utf-8").splitlines()]
HAND = next(hand for hand in HANDS if len(hand["seats"]) == 3 and hand["settlement"]["liable"])
SEATS = [seated["seat"] for seated in HAND["seats"]]


def changed(path, value, hand=HAND):
    """The hand with one place changed; `...` takes the member away."""
    copy = deepcopy(hand)
    place = copy
    for step in path[:-1]:
        place = place[step]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return copy


def first(kind, hand=HAND):
    return next(index for index, action in enumerate(hand["actions"]) if kind in action)


ABSENT = next(seat for seat in (1, 2, 3, 4) if seat not in SEATS)
PLAY, PASS = first("play"), first("pass")
DEAL = HAND["deal"][str(SEATS[0])]
OTHER_DEAL = HAND["deal"][str(SEATS[1])]

OUT_OF_FORM = [
    (("format",), "big2-hand/2", "/format"),
    (("format",), ..., ""),
    (("rules",), "nowhere", "/rules"),
    (("rules",), "nowhere@1", "/rules"),
    (("rules",), None, "/rules"),
    (("rules",), {"base": "actionpoker", "twos": "three"}, "/rules/twos"),
    (("rules",), {"base": "actionpoker", "jokers": 2}, "/rules/jokers"),
    (("unit",), 0, "/unit"),
    (("unit",), 1.5, "/unit"),
    (("unit",), True, "/unit"),
    (("unit",), "1", "/unit"),
    (("unit",), 2**53, "/unit"),
    (("unit",), ..., ""),
    (("seats",), {}, "/seats"),
    (("seats",), HAND["seats"][:1], "/seats"),
    (("seats",), HAND["seats"] * 2, "/seats"),
    (("seats",), HAND["seats"][::-1], "/seats/1"),
    (("seats",), [HAND["seats"][0]] * 2, "/seats/1"),
    (("seats", 0, "seat"), 5, "/seats/0/seat"),
    (("seats", 0, "seat"), 0, "/seats/0/seat"),
    (("seats", 0, "player"), 7, "/seats/0/player"),
    (("seats", 0, "stack"), -1, "/seats/0/stack"),
    (("seats", 0, "stack"), False, "/seats/0/stack"),
    (("seats", 0, "stack"), ..., "/seats/0"),
    (("seats", 0), [], "/seats/0"),
    (("dealer",), 5, "/dealer"),
    (("dealer",), 0, "/dealer"),
    (("dealer",), "1", "/dealer"),
    (("direction",), "left", "/direction"),
    (("direction",), 1, "/direction"),
    (("leader",), ABSENT, "/leader"),
    (("leader",), "highest_card", "/leader"),
    (("leader",), None, "/leader"),
    (("deal",), [], "/deal"),
    (("deal", str(SEATS[0])), ..., "/deal"),
    (("deal", str(ABSENT)), DEAL, f"/deal/{ABSENT}"),
    (("deal", "north"), DEAL, "/deal/north"),
    (("deal", str(SEATS[0])), DEAL[3:], f"/deal/{SEATS[0]}"),
    (("deal", str(SEATS[0])), DEAL + " " + DEAL[:2], f"/deal/{SEATS[0]}"),
    (("deal", str(SEATS[0])), DEAL.replace(" ", "  "), f"/deal/{SEATS[0]}"),
    (("deal", str(SEATS[0])), DEAL.lower(), f"/deal/{SEATS[0]}"),
    (("deal", str(SEATS[0])), DEAL.split(), f"/deal/{SEATS[0]}"),
    (("deal", str(SEATS[1])), DEAL[:2] + OTHER_DEAL[2:], f"/deal/{SEATS[1]}"),
    (("actions",), None, "/actions"),
    (("actions", 0), "3D", "/actions/0"),
    (("actions", 0, "seat"), ABSENT, "/actions/0/seat"),
    (("actions", 0, "seat"), 9, "/actions/0/seat"),
    (("actions", 0, "seat"), True, "/actions/0/seat"),
    (("actions", PLAY, "pass"), "player", f"/actions/{PLAY}"),
    (("actions", PLAY, "play"), ..., f"/actions/{PLAY}"),
    (("actions", PLAY, "play"), "3D 3D", f"/actions/{PLAY}/play"),
    (("actions", PLAY, "play"), "10D", f"/actions/{PLAY}/play"),
    (("actions", PLAY, "play"), "", f"/actions/{PLAY}/play"),
    (("actions", PLAY, "play"), DEAL + " " + OTHER_DEAL, f"/actions/{PLAY}/play"),
    (("actions", PLAY, "by"), 1, f"/actions/{PLAY}/by"),
    (("actions", PASS, "by"), None, f"/actions/{PASS}/by"),
    (("actions", PASS, "pass"), "tired", f"/actions/{PASS}/pass"),
    (("actions", PASS, "pass"), None, f"/actions/{PASS}/pass"),
    (("actions", PASS, "breach"), 1, f"/actions/{PASS}/breach"),
    (("settlement",), [], "/settlement"),
    (("settlement", "winner"), ..., "/settlement"),
    (("settlement", "winner"), ABSENT, "/settlement/winner"),
    (("settlement", "liable"), ABSENT, "/settlement/liable"),
    (("settlement", "liable"), ..., "/settlement"),
    (("settlement", "net", str(ABSENT)), 0, f"/settlement/net/{ABSENT}"),
    (("settlement", "net", str(SEATS[0])), 1.0, f"/settlement/net/{SEATS[0]}"),
    (("settlement", "cards_left"), None, "/settlement/cards_left"),
    (("settlement", "transfers"), {}, "/settlement/transfers"),
    (("settlement", "transfers", 0), 1, "/settlement/transfers/0"),
    (("settlement", "transfers", 0, "from"), ABSENT, "/settlement/transfers/0/from"),
    (("settlement", "transfers", 0, "points"), ..., "/settlement/transfers/0"),
    (("settlement", "transfers", 0, "points"), True, "/settlement/transfers/0/points"),
    (("settlement", "transfers", 0, "covers"), 1, "/settlement/transfers/0/covers"),
    (("settlement", "transfers", 0, "paid"), None, "/settlement/transfers/0/paid"),
    (("voided",), None, "/voided"),
    (("voided",), 0, "/voided"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "pointer"), OUT_OF_FORM)
def test_malformed_with_a_pointer(path, value, pointer):
    verdict = verify(changed(path, value), PRESETS)
    assert (verdict["verdict"], verdict["pointer"]) == ("malformed", pointer)
    assert verdict["reason"]


BEYOND_THE_SCHEMA = {"/rules", "/rules/twos", "/rules/jokers", "/leader", "/deal", "/seats/1"}


@pytest.mark.parametrize(("path", "value", "pointer"), OUT_OF_FORM)
def test_what_the_published_schema_rejects_is_malformed_and_little_else(path, value, pointer):
    """Beyond it: who is dealt in, cards twice, the order of seats, known rule sets; and 1.0 is no whole number."""
    if SCHEMA.is_valid(changed(path, value)):
        seat_or_cards = value in (ABSENT, DEAL, "3D 3D", 1.0) or str(ABSENT) in path or path[:1] == ("deal",)
        assert seat_or_cards or pointer in BEYOND_THE_SCHEMA


@pytest.mark.parametrize("value", [None, [], "hand", 1, True, 1.5])
def test_what_is_no_object_is_malformed(value):
    assert verify(value, PRESETS)["pointer"] == ""


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "nonsense", "[1,]", '{"unit": NaN}', '{"unit": -Infinity}', '{"unit": 1, "unit": 1}',
        '{"a": {"b": 1, "b": 2}}', '{"unit": ' + "9" * 5_000 + "}", '{"unit": 1e999}', "[" * 100_000, '"\ud800',
        "\ufeff{}",
    ],
    ids=range(13),
)  # fmt: skip
def test_no_text_is_too_bad_for_a_verdict(text):
    verdict = verify_text(text, PRESETS)
    assert (verdict["verdict"], verdict["pointer"]) == ("malformed", "")


def test_numbers_of_unknown_members_may_be_anything_that_json_has():
    assert verify_text(json.dumps(HAND | {"weight": 1.5}), PRESETS)["verdict"] == "valid"


def test_unknown_members_are_ignored_at_every_level_and_kept():
    hand = deepcopy(HAND) | {"hand_id": "x", "venue": {"city": "y"}}
    hand["seats"][0]["country"] = "z"
    hand["actions"][0]["at"] = "2026-01-01T00:00:00Z"
    hand["actions"][PASS]["by"] = "player"
    hand["settlement"]["note"] = "n"
    hand["settlement"]["transfers"][0]["id"] = 7
    assert verify(hand, PRESETS)["verdict"] == "valid"
    assert write_history(read_history(hand, PRESETS)) == hand
    assert SCHEMA.is_valid(hand)


def test_known_members_are_not_kept_as_unknown_ones():
    history = read_history(changed(("actions", PASS, "breach"), False), PRESETS)
    kept = [part.extra for part in (history, *history.seats, *history.actions)]
    assert kept == [{}] * len(kept)


def test_a_stack_is_from_nothing_to_what_json_can_hold():
    for stack in (0, 2**53 - 1):
        assert read_history(changed(("seats", 0, "stack"), stack), PRESETS).seats[0].stack == stack
    verdict = verify(changed(("seats", 0, "stack"), 2**53), PRESETS)
    assert verdict["reason"] == "must be at most 9007199254740991"


def test_r2_1_a_card_is_dealt_once_to_whatever_seats():
    first, last = HAND["deal"][str(SEATS[0])], HAND["deal"][str(SEATS[2])]
    verdict = verify(changed(("deal", str(SEATS[2])), first[:2] + last[2:]), PRESETS)
    assert verdict["reason"] == "has a card that was dealt to another seat"


def test_r3_1_thirteen_cards_are_in_form_and_no_card_set():
    verdict = judged(play(1, SMALL["deal"]["1"]))
    assert (verdict["verdict"], verdict["clause"]) == ("illegal_action", "R3.1")


def test_a_voided_hand_is_written_so():
    voided = HAND | {"settlement": None, "voided": True}
    assert write_history(read_history(voided, PRESETS)) == voided
    assert verify(voided, PRESETS)["verdict"] == "valid"


def test_a_settlement_may_be_absent_and_cards_in_any_order():
    hand = changed(("settlement",), ...)
    hand["deal"] = {seat: " ".join(reversed(deal.split())) for seat, deal in hand["deal"].items()}
    assert read_history(hand, PRESETS).settlement is None
    assert verify(hand, PRESETS)["verdict"] == "wrong_settlement"


def test_published_and_inline_rule_sets():
    same = {"base": HAND["rules"]}
    assert verify(HAND | {"rules": same}, PRESETS)["verdict"] == "valid"
    published = {"club@3": PRESETS[HAND["rules"]]}.get
    hand = HAND | {"rules": "club@3"}
    assert verify(hand, PRESETS, published)["verdict"] == "valid"
    assert write_history(read_history(hand, PRESETS, published)) == hand


# --- illegal actions -------------------------------------------------------------------------------------------------

SMALL = {
    "format": "big2-hand/1",
    "rules": "actionpoker",
    "unit": 10,
    "seats": [{"seat": seat, "player": f"p{seat}", "stack": None} for seat in (1, 2, 3)],
    "dealer": 3,
    "direction": "clockwise",
    "leader": "lowest_card",
    "deal": {
        "1": "3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD 2S",
        "2": "3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC 2C",
        "3": "3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH 2H",
    },
    "actions": [],
    "settlement": None,
}


def judged(*actions, **members):
    return verify(SMALL | {"actions": list(actions)} | members, PRESETS)


def play(seat, text, **more):
    return {"seat": seat, "play": text} | more


def passes(seat, reason="player", **more):
    return {"seat": seat, "pass": reason} | more


ALL_THIRTEEN = (
    play(1, "3D 4D 5D 6D 7D"), passes(2), passes(3), play(1, "8D 9D TD JD QD"), passes(2), passes(3),
    play(1, "KD"), passes(2), passes(3), play(1, "2S"), passes(2, "two_of_spades"), passes(3, "two_of_spades"),
    play(1, "AD"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("actions", "action", "clause"),
    [
        ([play(1, "4D")], 0, "R5.2"),
        ([play(2, "3C")], 0, "R4.1"),
        ([passes(1)], 0, "R4.1"),
        ([play(1, "3D 4D")], 0, "R3.1"),
        ([play(1, "3H")], 0, "R2.1"),
        ([play(1, "3D"), play(2, "4C 5C 6C 7C 8C")], 1, "R4.1"),
        ([play(1, "5D"), play(2, "4C")], 0, "R5.2"),
        ([play(1, "3D"), play(2, "5C"), play(3, "4H")], 2, "R4.1"),
        ([play(1, "3D"), passes(2, "too_few_cards")], 1, "R6.3"),
        ([play(1, "3D"), passes(3, "too_few_cards")], 1, "R4.1"),
        ([*ALL_THIRTEEN[:10], passes(2)], 10, "R6.4"),
        ([*ALL_THIRTEEN[:10], passes(3, "two_of_spades")], 10, "R6.4"),
        ([*ALL_THIRTEEN[:10], play(2, "2C")], 10, "R6.4"),
        ([*ALL_THIRTEEN[:10]], 10, "R6.4"),
        ([*ALL_THIRTEEN[:11]], 11, "R6.4"),
        ([*ALL_THIRTEEN[:10], passes(2, "two_of_spades", breach=True)], 10, "R7.3"),
        ([*ALL_THIRTEEN, passes(2)], 13, "R4.4"),
        ([*ALL_THIRTEEN, passes(2, "two_of_spades")], 13, "R4.4"),
        ([play(1, "3D", breach=True)], 0, "R7.3"),
        ([play(1, "3D 4D 5D 6D 7D", by="clock")], 0, "R11.2"),
        ([play(1, "3D"), play(2, "4C", by="clock")], 1, "R11.2"),
        ([play(1, "3D"), play(2, "3C", by="clock"), passes(3, "clock")], 1, "R11.2"),
    ],
)
def test_the_first_action_that_the_rules_forbid(actions, action, clause):
    verdict = judged(*actions)
    assert (verdict["verdict"], verdict["action"], verdict["clause"]) == ("illegal_action", action, clause)
    assert verdict["reason"]


def test_r7_3_a_breach_may_be_marked_or_not_but_not_denied():
    index = next(place for place, action in enumerate(HAND["actions"]) if replay_breach(place))
    assert verify(changed(("actions", index, "breach"), True), PRESETS)["verdict"] == "valid"
    verdict = verify(changed(("actions", index, "breach"), False), PRESETS)
    assert (verdict["action"], verdict["clause"]) == (index, "R7.3")
    assert verdict["reason"] == "the action is a breach"
    denied = verify(changed(("actions", 0, "breach"), True), PRESETS)
    assert (denied["action"], denied["reason"]) == (0, "the action is no breach")
    assert verify(changed(("actions", 0, "breach"), False), PRESETS)["verdict"] == "valid"


def replay_breach(index):
    prefix = HAND | {"actions": HAND["actions"][: index + 1], "settlement": None}
    return judged_replay(read_history(prefix, PRESETS)).breach_by is not None


def test_incomplete_says_whose_turn_it_is():
    assert judged() == {"verdict": "incomplete", "turn": 1}
    assert judged(play(1, "3D"), passes(2)) == {"verdict": "incomplete", "turn": 3}


def test_a_voided_hand_without_an_end_is_valid():
    assert judged(play(1, "3D"), voided=True) == {"verdict": "valid", "settlement": None}
    assert judged(play(1, "3D"), voided=False)["verdict"] == "incomplete"
    assert judged(play(1, "4D"), voided=True)["verdict"] == "illegal_action"


# --- settlements -----------------------------------------------------------------------------------------------------


def test_a_settlement_though_no_one_is_out():
    verdict = judged(play(1, "3D"), settlement=HAND["settlement"] | {"winner": 1, **no_seats()})
    assert verdict == {"verdict": "wrong_settlement", "settlement": None, "field": "/settlement"}


def no_seats():
    return {"liable": None, "transfers": [], "net": {}, "cards_left": {}}


def test_an_end_without_a_settlement():
    verdict = judged(*ALL_THIRTEEN)
    assert (verdict["verdict"], verdict["field"]) == ("wrong_settlement", "/settlement")
    right = verdict["settlement"]
    assert right["net"] == {"1": 260, "2": -130, "3": -130}
    assert judged(*ALL_THIRTEEN, settlement=right) == {"verdict": "valid", "settlement": right}
    assert judged(*ALL_THIRTEEN, voided=True) == {"verdict": "valid", "settlement": right}


COVER = len(HAND["settlement"]["transfers"]) - 1
TRANSFER = HAND["settlement"]["transfers"][0]


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("winner",), HAND["settlement"]["liable"], "/winner"),
        (("cards_left", str(SEATS[0])), 12, f"/cards_left/{SEATS[0]}"),
        (("cards_left", str(SEATS[0])), ..., f"/cards_left/{SEATS[0]}"),
        (("liable",), None, "/liable"),
        (("liable",), HAND["settlement"]["winner"], "/liable"),
        (("transfers", 0, "due"), 10**9, "/transfers/0/due"),
        (("transfers", 0, "paid"), -1, "/transfers/0/paid"),
        (("transfers", 0, "covers"), True, "/transfers/0/covers"),
        (("transfers", COVER), TRANSFER, f"/transfers/{COVER}/"),
        (("transfers", COVER), ..., f"/transfers/{COVER}"),
        (("transfers",), [*HAND["settlement"]["transfers"], TRANSFER], f"/transfers/{COVER + 1}"),
        (("net", str(SEATS[1])), 10**9, f"/net/{SEATS[1]}"),
        (("net",), {}, f"/net/{SEATS[0]}"),
    ],
)
def test_the_field_is_the_first_difference(path, value, field):
    verdict = verify(changed(("settlement", *path), value), PRESETS)
    assert verdict["verdict"] == "wrong_settlement"
    assert verdict["field"].startswith("/settlement" + field)
    assert verdict["settlement"] == HAND["settlement"]


def test_several_differences_are_told_in_order():
    wrong = changed(("settlement", "net", str(SEATS[0])), 10**9)
    wrong["settlement"]["winner"] = wrong["settlement"]["liable"]
    assert verify(wrong, PRESETS)["field"] == "/settlement/winner"


# --- files -----------------------------------------------------------------------------------------------------------


def test_json_lines_with_blank_lines_counted():
    text = "\n" + json.dumps(SMALL) + "\r\n\n  \n[]\n" + json.dumps(HAND)
    verdicts = list(verify_lines(text, PRESETS))
    assert [(each["line"], each["verdict"]) for each in verdicts] == [
        (2, "incomplete"),
        (5, "malformed"),
        (6, "valid"),
    ]
    assert list(verify_lines(" \n\n", PRESETS)) == []


def test_one_object_on_many_lines():
    verdicts = list(verify_lines("\n" + json.dumps(HAND, indent=2) + "\n", PRESETS))
    assert [(each["line"], each["verdict"]) for each in verdicts] == [(2, "valid")]


def test_one_broken_object_on_many_lines_is_one_malformed_hand():
    broken = json.dumps(HAND, indent=2).replace('"unit"', '"dealer"', 1)
    verdicts = list(verify_lines(broken, PRESETS))
    assert [(each["line"], each["verdict"]) for each in verdicts] == [(1, "malformed")]


@pytest.mark.parametrize(
    "text", ['{"format": 1,\n{}\n{"a": 1}', '{"format": "big2-h\n{"format": "big2-h\n{}']
)
def test_lines_that_break_off_are_a_verdict_each(text):
    assert [(each["line"], each["verdict"]) for each in verify_lines(text, PRESETS)] == [
        (line, "malformed") for line in (1, 2, 3)
    ]


def test_a_broken_first_line_does_not_swallow_the_others():
    text = json.dumps(SMALL)[:-1] + "\n" + json.dumps(SMALL) + "\nnonsense"
    assert [each["verdict"] for each in verify_lines(text, PRESETS)] == [
        "malformed",
        "incomplete",
        "malformed",
    ]
    assert [each["verdict"] for each in verify_lines("nonsense\nmore", PRESETS)] == ["malformed"] * 2


def test_a_file_may_tell_of_published_rule_sets():
    published = {"club@3": PRESETS[HAND["rules"]]}.get
    text = json.dumps(HAND | {"rules": "club@3"})
    assert [each["verdict"] for each in verify_lines(text, PRESETS, published)] == ["valid"]
    assert [each["verdict"] for each in verify_lines(text, PRESETS)] == ["malformed"]


def test_two_lines_may_be_one_object_or_two():
    start, end = json.dumps(HAND)[:-1], "}"
    assert [each["verdict"] for each in verify_lines(f"{start}\n{end}", PRESETS)] == ["valid"]
    assert [each["line"] for each in verify_lines("{}\n{", PRESETS)] == [1, 2]


def test_blanks_round_a_line_do_not_make_it_another():
    assert [each["line"] for each in verify_lines("{} \nnonsense", PRESETS)] == [1, 2]
    assert [each["line"] for each in verify_lines(' {"unit":\nnonsense', PRESETS)] == [1]


def test_where_a_line_breaks_off_is_counted_within_the_line():
    (verdict,) = verify_lines("\n\n{", PRESETS)
    assert verdict["reason"].endswith(" at character 2")


def test_a_line_separator_within_a_text_is_no_new_line():
    named = changed(("seats", 0, "player"), "a\u2028b")
    text = json.dumps(named, ensure_ascii=False) + "\n" + json.dumps(HAND)
    assert [each["verdict"] for each in verify_lines(text, PRESETS)] == ["valid", "valid"]


# --- replay and export -----------------------------------------------------------------------------------------------


def test_replay_gives_the_hand_and_its_settlement():
    history = read_history(HAND, PRESETS)
    hand = judged_replay(history)
    assert hand.liable == HAND["settlement"]["liable"]
    assert write_settlement(settle(hand, history.unit, history.stacks())) == HAND["settlement"]


def test_replay_of_an_illegal_action_stops_at_it():
    with pytest.raises(IllegalPlay, match=r"R5\.2"):
        judged_replay(read_history(SMALL | {"actions": [play(1, "4D")]}, PRESETS))


def test_actions_go_on_record_with_their_marks():
    history = read_history(SMALL, PRESETS)
    actions = (
        action_on_record(Played(1, mask("3D"), By.CLOCK), {"at": "now"}),
        action_on_record(Passed(2, PassReason.PLAYER, breach=True)),
        action_on_record(Passed(3, PassReason.TOO_FEW_CARDS)),
    )
    written = write_history(
        type(history)(**{name: getattr(history, name) for name in history.__slots__} | {"actions": actions})
    )
    assert written["actions"] == [
        {"seat": 1, "play": "3D", "by": "clock", "at": "now"},
        {"seat": 2, "pass": "player", "breach": True},
        {"seat": 3, "pass": "too_few_cards"},
    ]


def test_a_dragon_on_record():
    dragon = {"base": "actionpoker", "dragon": True}
    deal = SMALL["deal"]
    verdict = judged(rules=dragon, deal=deal)
    assert verdict["field"] == "/settlement"
    assert judged(rules=dragon, deal=deal, settlement=verdict["settlement"])["verdict"] == "valid"
    assert rules(dragon=True) == read_history(SMALL | {"rules": dragon}, PRESETS).rules


def test_r1_2_cards_are_written_in_the_rule_sets_order_of_suits():
    deal = {"1": "3H 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD", "2": "3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC 2C"}
    hand = SMALL | {
        "rules": {"base": "actionpoker", "suits": "HCDS"},
        "seats": SMALL["seats"][:2],
        "deal": deal,
        "actions": [play(1, "3D 3H")],
    }
    assert read_history(hand, PRESETS).rules.suits == "HCDS"
    written = write_history(read_history(hand, PRESETS))
    assert written["deal"] == deal
    assert written["actions"] == [play(1, "3H 3D")]
