"""The cases of an independent referee, and of other programs' test suites: all must agree."""

import json

import pytest
from jsonschema import Draft202012Validator

from big2.answers import answer_lines
from big2.history import read_history, verify, verify_lines, write_history
from tests.big2.play import CASES, PRESETS, ROOT

SCHEMA = Draft202012Validator(json.loads((ROOT / "big2/history.schema.json").read_text(encoding="utf-8")))
HANDS = (CASES / "hands.jsonl").read_text(encoding="utf-8")
BAD_HANDS = [
    json.loads(line) for line in (CASES / "hands-bad.jsonl").read_text(encoding="utf-8").splitlines()
]


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA.schema)


def test_every_whole_hand_is_valid():
    verdicts = list(verify_lines(HANDS, PRESETS))
    assert [verdict["verdict"] for verdict in verdicts] == ["valid"] * 300
    assert [verdict["line"] for verdict in verdicts] == list(range(1, 301))


def test_every_whole_hand_is_written_as_it_was_read():
    for line in HANDS.splitlines():
        hand = json.loads(line)
        assert write_history(read_history(hand, PRESETS)) == hand
        assert SCHEMA.is_valid(hand)


@pytest.mark.parametrize("case", BAD_HANDS, ids=lambda case: case["change"])
def test_every_changed_hand_gets_its_verdict(case):
    verdict = verify(case["hand"], PRESETS)
    assert {name: verdict.get(name) for name in case["expect"]} == case["expect"]
    if not SCHEMA.is_valid(case["hand"]):
        assert verdict["verdict"] == "malformed"


@pytest.mark.parametrize(("name", "count"), [("card-sets.jsonl", 581), ("card-sets-elsewhere.jsonl", 213)])
def test_every_question_gets_its_answer(name, count):
    answers = list(answer_lines((CASES / name).read_text(encoding="utf-8"), PRESETS))
    assert [line for line in answers if not line["ok"]] == []
    assert len(answers) == count
