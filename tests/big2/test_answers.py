"""`big2 rules answer`: single questions about a rule set."""

import json

import pytest

from big2.answers import answer, answer_lines
from big2.errors import MalformedError
from tests.big2.play import PRESETS, rules


def ask(**question):
    return answer({"rules": "actionpoker"} | question, PRESETS)


def test_classify():
    assert ask(kind="classify", cards="10d jc Q♥ ks AD") == "straight"
    assert ask(kind="classify", cards="3D 4D") is None
    assert ask(kind="classify", cards="") is None
    assert ask(kind="classify", cards="3D 3D") is None
    assert ask(kind="classify", cards="D3") is None


def test_beats():
    assert ask(kind="beats", play="4D", over="3S") is True
    assert ask(kind="beats", play="3S", over="4D") is False
    assert ask(kind="beats", play="4D 5D", over="3S") is False
    assert ask(kind="beats", play="4D", over="nothing") is False


def test_legal_plays_are_sorted_as_text_and_written_by_the_rule_sets_suits():
    assert ask(kind="legal_plays", holding="4D 3S 3D") == ["3D", "3D 3S", "3S", "4D"]
    pusoy = {"base": "actionpoker", "suits": "CSHD"}
    assert ask(rules=pusoy, kind="legal_plays", holding="3S 3D", to_beat=None) == ["3D", "3S", "3S 3D"]
    assert ask(kind="legal_plays", holding="4D 3S 3D", to_beat="3C", must_include=None) == ["3S", "4D"]
    assert ask(kind="legal_plays", holding="4D 3S 3D", must_include="3D") == ["3D", "3D 3S"]


def test_r2_1_a_holding_has_thirteen_cards_at_most():
    singles = "3D 4C 5D 6C 8D 9C TD JC QD AD 2S 7H KH"
    assert sorted(singles.split()) == [
        play for play in ask(kind="legal_plays", holding=singles) if len(play) == 2
    ]


def test_a_published_rule_set():
    published = {"club@2": rules(triples=False)}.get
    question = {"rules": "club@2", "kind": "classify", "cards": "3D 3C 3H"}
    assert answer(question, PRESETS, published) is None
    with pytest.raises(MalformedError, match="no known rule set"):
        answer(question, PRESETS)
    lines = list(answer_lines(json.dumps(question), PRESETS, published))
    assert lines == [{"line": 1, "answer": None}]


@pytest.mark.parametrize(
    ("question", "pointer"),
    [
        ([], ""),
        ({}, ""),
        ({"rules": 1}, "/rules"),
        ({"rules": "nowhere"}, "/rules"),
        ({"rules": {"base": "actionpoker", "a/b~c": 1}}, "/rules/a~1b~0c"),
        ({"rules": {"base": "actionpoker", "twos": 1}}, "/rules/twos"),
        ({"kind": "guess"}, "/kind"),
        ({"kind": "classify"}, ""),
        ({"kind": "classify", "cards": 3}, "/cards"),
        ({"kind": "beats", "play": "3D"}, ""),
        ({"kind": "legal_plays"}, ""),
        ({"kind": "legal_plays", "holding": ""}, "/holding"),
        ({"kind": "legal_plays", "holding": "3D 3D"}, "/holding"),
        ({"kind": "legal_plays", "holding": "D3"}, "/holding"),
        ({"kind": "legal_plays", "holding": "3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD 2D 2S"}, "/holding"),
        ({"kind": "legal_plays", "holding": "3D", "to_beat": "3C 4C"}, "/to_beat"),
        ({"kind": "legal_plays", "holding": "3D", "to_beat": 4}, "/to_beat"),
        ({"kind": "legal_plays", "holding": "3D", "must_include": "D3"}, "/must_include"),
        ({"kind": "legal_plays", "holding": "3D 4D", "to_beat": "3D"}, "/to_beat"),
        ({"kind": "legal_plays", "holding": "3D 4D", "must_include": "5D"}, "/must_include"),
        ({"kind": "legal_plays", "holding": "3D", "to_beat": "3C", "must_include": "3D"}, "/must_include"),
    ],
)
def test_a_question_out_of_form_says_where(question, pointer):
    whole = {"rules": "actionpoker"} | question if isinstance(question, dict) and question else question
    with pytest.raises(MalformedError) as malformed:
        answer(whole, PRESETS)
    assert malformed.value.pointer == pointer


def test_a_file_of_questions():
    question = {"rules": "actionpoker", "kind": "classify", "cards": "3D"}
    lines = [
        json.dumps(question),
        "",
        json.dumps(question | {"expected": "single"}),
        json.dumps(question | {"expected": None}),
        json.dumps({"rules": "actionpoker", "kind": "beats", "play": "4D", "over": "3D", "expected": 1}),
        "{",
        json.dumps({"rules": "actionpoker", "kind": "guess"}),
    ]
    assert list(answer_lines("\r\n".join(lines) + "\n", PRESETS)) == [
        {"line": 1, "answer": "single"},
        {"line": 3, "answer": "single", "ok": True},
        {"line": 4, "answer": "single", "ok": False},
        {"line": 5, "answer": True, "ok": False},
        {"line": 6, "answer": None, "ok": False, "error": FIRST_ERROR, "pointer": ""},
        {
            "line": 7,
            "answer": None,
            "ok": False,
            "error": "must be one of classify, beats, legal_plays",
            "pointer": "/kind",
        },
    ]


FIRST_ERROR = "is not JSON: a member's name in double quotes is missing at character 2"


def test_a_member_that_no_kind_of_question_has_is_ignored():
    question = {
        "rules": "actionpoker",
        "kind": "beats",
        "play": "4D",
        "over": "3D",
        "source": "S2",
        "note": 1,
    }
    assert answer(question, PRESETS) is True


def test_a_question_that_names_no_rule_set_is_about_the_one_that_is_given():
    house = rules(triples=False)
    question = {"kind": "classify", "cards": "3D 3C 3H"}
    assert answer(question, PRESETS, otherwise=house) is None
    assert answer(question | {"rules": "actionpoker"}, PRESETS, otherwise=house) == "three_of_a_kind"
    lines = list(answer_lines(json.dumps(question), PRESETS, otherwise=house))
    assert lines == [{"line": 1, "answer": None}]
    with pytest.raises(MalformedError, match="lacks rules"):
        answer(question, PRESETS)
