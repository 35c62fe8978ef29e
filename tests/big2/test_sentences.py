"""What is refused is told in a sentence: each kind of them once, as players and the writers of texts read it."""

import json
from datetime import date

import pytest

from big2.answers import answer
from big2.cards import parse_card, parse_cards, parse_stored_cards
from big2.errors import (
    IllegalPlay,
    MalformedError,
    NoSuchStepError,
    NotationError,
    RefusalCode,
    RuleSetError,
)
from big2.form import Node
from big2.hand import pass_turn, play
from big2.history import verify, verify_text
from big2.ring import step_for
from big2.rulesets import ruleset_problems
from big2.settlement import settle
from big2.state import start
from tests.big2.play import CLOCKWISE, PRESETS, after, cards, dealt, mask, rules
from tests.big2.told_hands import HANDS

HAND = json.loads(HANDS["liable"])
RECORDED = json.loads(HANDS["recorded"])
DEAL = HAND["deal"]
UNKNOWN = f"is no known rule set: name a preset ({', '.join(sorted(PRESETS))}), or write it out as an object"
NO_CARD = "is not a card: write rank then suit, such as 3D, TC or 2S"


def sentence(error, act, *arguments, **named):
    with pytest.raises(error) as refused:
        act(*arguments, **named)
    return str(refused.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("D3", f"'D3' {NO_CARD}"),
        ("♣3", f"'\\u26633' {NO_CARD}"),
        ("12345678", f"'12345678' {NO_CARD}"),
        ("123456789", f"'12345678\\u2026' {NO_CARD}"),
    ],
)
def test_r1_2_what_is_no_card_is_shown_in_part_and_with_examples(text, told):
    assert sentence(NotationError, parse_card, text) == told
    assert sentence(NotationError, parse_stored_cards, text) == told


def test_r1_2_a_stored_list_has_no_card_twice():
    assert sentence(NotationError, parse_stored_cards, "3D 3D") == "a card stands twice in the list"
    assert parse_cards("3D 3D") == (0, 0)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not JSON: a value is missing at character 1"),
        ("[1,]", "is not JSON: a value is missing at character 4"),
        ("{3: 1}", "is not JSON: a member's name in double quotes is missing at character 2"),
        ('{"unit" 1}', "is not JSON: a colon is missing at character 9"),
        (
            '{"unit": 1\n "seats": []}',
            "is not JSON: a comma or a closing bracket is missing at line 2, character 2",
        ),
        ("[1,\n2\n", "is not JSON: a comma or a closing bracket is missing at line 2, character 2"),
        ("{} {}", "is not JSON: more follows after the value at character 4"),
        ('{"unit', "is not JSON: a text has no end at character 2"),
        ('["\t"]', "is not JSON: a text has a line's end or another control character at character 3"),
        (r'["\d"]', "is not JSON: a text has an escape that JSON does not know at character 3"),
        ("\ufeff[]", "is not JSON: it goes wrong at character 1"),
        ("[NaN]", "is not JSON: NaN is no number"),
        ('{"unit": 1, "unit": 2}', 'names a member twice: "unit"'),
        ('[{"a": 1, "b": 2, "c": 3, "a": 1, "b": 2, "b": 2}]', 'names a member twice: "a", "b"'),
        ("[" + "9" * 41 + "]", "has a number of more than 40 digits"),
        ("[1e999]", "has a number that is out of range"),
        ("[" * 100_000, "is nested too deep"),
        ("[" + "9" * 40 + "]", "must be an object"),
    ],
    ids=range(18),
)
def test_what_is_wrong_with_a_text(text, reason):
    assert verify_text(text, PRESETS) == {"verdict": "malformed", "reason": reason, "pointer": ""}


@pytest.mark.parametrize(
    ("members", "pointer", "reason"),
    [
        ({"format": "big2-hand/2"}, "/format", "must be big2-hand/1"),
        ({"rules": "nowhere"}, "/rules", UNKNOWN),
        ({"unit": 0}, "/unit", "must be at least 1"),
        ({"unit": 2**53}, "/unit", "must be at most 9007199254740991"),
        ({"unit": 1.0}, "/unit", "must be a whole number"),
        ({"seats": {}}, "/seats", "must be a list"),
        ({"seats": HAND["seats"][:1]}, "/seats", "must be 2, 3 or 4 seats (R2.1)"),
        ({"seats": HAND["seats"][::-1]}, "/seats/1", "must stand in ascending order of seats"),
        ({"seats": [7, 7]}, "/seats/0", "must be an object"),
        ({"seats": [HAND["seats"][0] | {"player": 7}] * 2}, "/seats/0/player", "must be a text"),
        ({"dealer": 5}, "/dealer", "must be at most 4"),
        ({"direction": "left"}, "/direction", "must be one of clockwise, counterclockwise"),
        ({"leader": 5}, "/leader", "is no seat dealt in"),
        ({"deal": {}}, "/deal", "lacks 1"),
        ({"deal": DEAL | {"5": DEAL["4"]}}, "/deal/5", "is no seat dealt in"),
        ({"deal": DEAL | {"2": "3C"}}, "/deal/2", "must be 13 cards (R2.1)"),
        ({"deal": DEAL | {"2": "3C 3C"}}, "/deal/2", "a card stands twice in the list"),
        ({"deal": DEAL | {"2": DEAL["1"]}}, "/deal/2", "has a card that was dealt to another seat"),
        ({"actions": [{"seat": 1}]}, "/actions/0", "must be either a play or a pass"),
        (
            {"actions": [{"seat": 1, "play": f"{DEAL['1']} 3C"}]},
            "/actions/0/play",
            "must be 13 cards at most",
        ),
        ({"voided": 0}, "/voided", "must be true or false"),
    ],
    ids=str,
)
def test_what_is_out_of_form_in_a_history(members, pointer, reason):
    assert verify(HAND | members, PRESETS) == {"verdict": "malformed", "reason": reason, "pointer": pointer}


@pytest.mark.parametrize(
    ("members", "pointer", "reason"),
    [
        ({"deal": DEAL}, "/deal", "must be left out: nobody knows the deal of a recorded hand"),
        (
            {"actions": HAND["actions"]},
            "/actions",
            "must be empty: nobody knows the actions of a recorded hand",
        ),
        (
            {"settlement": None},
            "/settlement",
            "must have a settlement: the hand is recorded and not voided",
        ),
    ],
    ids=str,
)
def test_what_a_recorded_hand_cannot_have(members, pointer, reason):
    assert verify(RECORDED | members, PRESETS) == {
        "verdict": "malformed",
        "reason": reason,
        "pointer": pointer,
    }


def test_an_error_names_its_place_before_its_reason():
    assert str(MalformedError("/unit", "must be at least 1")) == "/unit: must be at least 1"
    assert str(MalformedError("", "must be an object")) == "/: must be an object"
    assert str(Node(1, "/a").below("b/c~d", 2).wrong("is wrong")) == "/a/b~1c~0d: is wrong"


def test_r10_2_a_unit_that_the_schedule_does_not_have():
    assert sentence(NoSuchStepError, step_for, [], 26) == "the schedule has no table of unit 26"


STRAIGHTS = "A2345, 23456, 34567, 45678, 56789, 6789T, 789TJ, 89TJQ, 9TJQK, TJQKA, JQKA2"
TIERS = "must hold [cards, factor], cards 1–13 and a factor 1–1000"


@pytest.mark.parametrize(
    ("switch", "value", "reason"),
    [
        ("suits", "DCH", 'must name the four suits D, C, H and S, each once, low to high, not "DCH"'),
        ("straights", "34567", 'must be a list, not "34567"'),
        ("straights", ["34567", "34567"], "names 34567 twice"),
        ("straights", ["KA234"], f'may only name {STRAIGHTS}, not "KA234"'),
        (
            "straights",
            ["A2345", "34567", "34567", "QKA23", "TJQKA", [1], "TJQKA"],
            f'may only name {STRAIGHTS}, not "QKA23", [1]; names 34567, TJQKA twice',
        ),
        ("straights", list(range(7)), f"may only name {STRAIGHTS}, not 0, 1, 2, 3, 4 and 2 more"),
        ("twos", "double", 'must be one of none, double_each, add_factor, and not "double"'),
        ("triples", 1, "must be true or false, not 1"),
        ("opening_card", "D3", 'must be lowest_dealt or a card such as 3D, not "D3"'),
        ("opening_card", 3, "must be lowest_dealt or a card such as 3D, not 3"),
        ("opening_card", date(1979, 5, 27), 'must be lowest_dealt or a card such as 3D, not "1979-05-27"'),
        ("auto_pass", ["player"], 'may only name two_of_spades and too_few_cards, not "player"'),
        ("auto_pass", ["two_of_spades"] * 2, "names two_of_spades twice"),
        ("point_tiers", [[13, 3], [10, 2]], "must name rising numbers of cards, not 10 after 13"),
        ("point_tiers", [[8, 2], [8, 3]], "must name rising numbers of cards, not 8 after 8"),
        (
            "point_tiers",
            [[8, 2], [7, 3], [6, 4]],
            "must name rising numbers of cards, not 7 after 8, 6 after 7",
        ),
        ("point_tiers", [[14, 5]], f"{TIERS}, not [14, 5]"),
        (
            "point_tiers",
            [[10, 2], [0, 1], [True, 2], [1, 1001], [8, 3], 7],
            f"{TIERS}, not [0, 1], [true, 2], [1, 1001], 7; must name rising numbers of cards, not 8 after 10",
        ),
        ("jokers", 2, "is not a switch of a rule set"),
        ("tripples", True, "is not a switch of a rule set; is triples meant?"),
    ],
)
def test_r12_what_a_switch_does_not_take(switch, value, reason):
    (problem,) = ruleset_problems({"base": "actionpoker", switch: value}, PRESETS)
    assert (problem.field, problem.reason) == (switch, reason)


def test_r12_a_base_that_is_no_preset_is_answered_with_those_that_are():
    (problem,) = ruleset_problems({"base": "nowhere"}, {name: rules() for name in ("house", "club")})
    assert str(problem) == "base: is not a preset; presets are club, house"
    assert isinstance(problem, RuleSetError)
    for near in ("hous", "House"):
        (problem,) = ruleset_problems({"base": near}, {name: rules() for name in ("house", "club")})
        assert str(problem) == "base: is not a preset; presets are club, house; is house meant?"


PROBLEM = {"type": "/problems/not-found", "title": "Not found", "status": 404}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, "404 Not found"),
        ({"detail": "There is no such hand."}, "404 Not found: There is no such hand."),
        ({"title": "", "detail": 7}, "404 "),
    ],
)
def test_a_problem_document_is_told_as_one(change, told):
    found = {"verdict": "malformed", "reason": f"this is a problem document: {told}", "pointer": ""}
    assert verify(PROBLEM | change, PRESETS) == found
    with pytest.raises(MalformedError, match=f"this is a problem document: {told}"):
        answer(PROBLEM | change, PRESETS)


def test_what_lacks_a_part_of_a_problem_document_is_none():
    for name in PROBLEM:
        part = {other: value for other, value in PROBLEM.items() if other != name}
        assert verify(part, PRESETS)["reason"] == "lacks format"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            {"kind": "legal_plays", "holding": "5H", "over": "4S"},
            "/over: is no member of legal_plays: that has holding, to_beat, must_include",
        ),
        (
            {"kind": "classify", "cards": "5H", "to_beat": None},
            "/to_beat: is no member of classify: that has cards",
        ),
        (
            {"kind": "beats", "play": "5H", "cards": "4S"},
            "/cards: is no member of beats: that has play, over",
        ),
        ({"kind": "guess"}, "/kind: must be one of classify, beats, legal_plays"),
        ({"kind": "legal_plays", "holding": "3D 3D"}, "/holding: must be 1–13 cards, none twice"),
        ({"kind": "legal_plays", "holding": "D3"}, f"/holding: 'D3' {NO_CARD}"),
        ({"kind": "legal_plays", "holding": "3D", "to_beat": "3C 4C"}, "/to_beat: is no card set"),
        ({"kind": "legal_plays", "holding": "3D", "must_include": "D3"}, f"/must_include: 'D3' {NO_CARD}"),
    ],
)
def test_what_is_out_of_form_in_a_question(question, told):
    assert sentence(MalformedError, answer, {"rules": "actionpoker"} | question, PRESETS) == told


ONE_LEFT = {1: "5D 6C 6D 9D", 2: "9H", 3: "8D 8C TC"}


def refused(hand, text, seat=1):
    """The sentence, its clause before it; and its code."""
    with pytest.raises(IllegalPlay) as error:
        play(hand, seat, cards(text))
    return str(error.value), error.value.code


def test_r2_1_and_r3_1_cards_that_cannot_be_played_at_all():
    hand = dealt(rules(), ONE_LEFT, leader=1)
    assert refused(hand, "5D 5D") == ("R2.1: a card is named twice", RefusalCode.DUPLICATE_CARD)
    held = "R2.1: seat 1 does not hold 7D 7S"
    assert refused(hand, "7S 5D 7D") == (held, RefusalCode.CARD_NOT_HELD)
    assert refused(hand, "9D 5D") == ("R3.1: 5D 9D is not a card set", RefusalCode.NOT_A_CARD_SET)
    assert refused(hand, "") == ("R3.1: no card is not a card set", RefusalCode.NOT_A_CARD_SET)


def test_r12_the_sentence_has_the_rule_sets_order_of_suits():
    hand = dealt(rules(suits="CDHS"), {1: "6C 6D 9D", 2: "7C 7D 4C 4D"}, leader=1)
    assert refused(hand, "5D 5C")[0] == "R2.1: seat 1 does not hold 5C 5D"
    assert refused(hand, "6D 6C 9D")[0] == "R3.1: 6C 6D 9D is not a card set"
    beaten = after(hand, "6C 6D")
    assert refused(beaten, "4D 4C", seat=2)[0] == "R4.1: 4C 4D does not beat 6C 6D"


def test_r4_1_what_does_not_follow():
    hand = after(dealt(rules(), {1: "6C 6D 9D", 2: "7C 7D 4C"}, leader=1), "6D")
    assert refused(hand, "4C", seat=2) == ("R4.1: 4C does not beat 6D", RefusalCode.DOES_NOT_BEAT)
    several = "R4.1: 2 cards cannot follow one card"
    assert refused(hand, "7C 7D", seat=2) == (several, RefusalCode.WRONG_CARD_COUNT)
    assert refused(hand, "9D") == ("R4.1: it is the turn of seat 2", RefusalCode.NOT_YOUR_TURN)
    leads = dealt(rules(), ONE_LEFT, leader=1)
    assert sentence(IllegalPlay, pass_turn, leads, 1) == "R4.1: the leader may not pass"


def test_r4_4_after_the_end():
    over = after(dealt(rules(), ONE_LEFT, leader=2), "9H")
    assert refused(over, "5D") == ("R4.4: the hand is over", RefusalCode.HAND_OVER)


@pytest.mark.parametrize(("opening_play", "must"), [("includes_it", "include"), ("it_alone", "be")])
def test_r5_2_a_first_play_without_the_opening_card(opening_play, must):
    hand = dealt(rules(opening_play=opening_play), {1: "3D 3C 9D", 2: "7C 7D 4C"})
    told = (f"R5.2: the first play must {must} 3D", RefusalCode.MUST_INCLUDE_LOWEST)
    assert refused(hand, "9D") == told
    if opening_play == "it_alone":
        assert refused(hand, "3D 3C") == told


@pytest.mark.parametrize(
    ("base", "holding", "play", "owed"),
    [
        ("actionpoker", "5D 6C 6D", "5D", "play more than one card"),
        ("actionpoker", "5D 6C 9D", "5D", "play the highest single"),
        ("high-low", "5D 6C 6D", "5D", "play more than one card, or the highest single"),
    ],
)
def test_r7_2_a_duty_that_is_forced(base, holding, play, owed):
    hand = dealt(rules(base, last_card="forced"), ONE_LEFT | {1: holding}, leader=1)
    told = f"R7.2: the next player has one card left: {owed}"
    assert refused(hand, play) == (told, RefusalCode.ASSISTANT_RULE)


def test_who_calls_the_rules_wrongly_is_told_by_which_of_them():
    with pytest.raises(AssertionError, match=r"^a hand has 2, 3 or 4 players \(R2.1\)$"):
        started({1: mask("3D")})
    with pytest.raises(AssertionError, match=r"^a card was dealt twice$"):
        started({1: mask("3D"), 2: mask("3D")})
    with pytest.raises(AssertionError, match=r"^only a hand that somebody won is settled$"):
        settle(dealt(rules(), ONE_LEFT), 1, {})


def started(holdings):
    return start(rules(), dealer=1, direction=CLOCKWISE, leader=None, holdings=holdings)


def test_a_problem_document_is_told_as_far_as_it_can_be_read():
    document = {"type": "/problems/x", "title": "x" * 120, "status": 404, "detail": "y" * 121}
    told = sentence(MalformedError, Node(document).refuse_problem)
    assert told == f"/: this is a problem document: 404 {'x' * 120}: {'y' * 119}…"
