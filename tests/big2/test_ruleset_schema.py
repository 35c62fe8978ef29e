"""The JSON Schema of a rule set says what the reader does, but for what no schema can say."""

import json

import pytest
from hypothesis import example, given, settings
from jsonschema import Draft202012Validator

from big2.ruleset_schema import ruleset_definition, ruleset_schema
from big2.rulesets import ruleset_on_record, ruleset_problems, ruleset_to_mapping
from big2.switch_table import SWITCHES
from tests.big2.play import PRESETS, ROOT
from tests.big2.rule_sets import CHANGED, written_rule_sets

SCHEMA = Draft202012Validator(ruleset_schema(PRESETS))
BEYOND = ("rising numbers of cards", "who has more cards left never has fewer points")
"""What stands between two members of a list: the schema cannot say it."""


def test_the_schema_is_one_of_its_draft():
    Draft202012Validator.check_schema(SCHEMA.schema)
    assert SCHEMA.schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert (SCHEMA.schema["$id"], SCHEMA.schema["title"]) == ("urn:big2-ruleset:1", "big2-ruleset/1")
    assert json.loads(json.dumps(SCHEMA.schema)) == SCHEMA.schema


def test_it_tells_each_switch_with_its_meaning_and_its_clause():
    properties = SCHEMA.schema["properties"]
    assert list(properties) == ["base", *(switch.name for switch in SWITCHES)]
    for switch in SWITCHES:
        assert f"({switch.clause})" in properties[switch.name]["description"]
        assert properties[switch.name].get("default") == switch.default


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_valid_in_whole_and_as_a_base(name):
    assert SCHEMA.is_valid(dict(ruleset_to_mapping(PRESETS[name])))
    assert SCHEMA.is_valid({"base": name})


@pytest.mark.parametrize(("switch", "value"), CHANGED)
def test_every_value_that_is_offered_is_valid(switch, value):
    assert SCHEMA.is_valid({"base": "actionpoker", switch: value})


def test_a_hand_history_knows_the_same_rule_sets():
    history = json.loads((ROOT / "big2/history.schema.json").read_text(encoding="utf-8"))
    assert history["$defs"]["ruleset"] == ruleset_definition(PRESETS)
    assert history["properties"]["rules"]["anyOf"] == [{"type": "string"}, {"$ref": "#/$defs/ruleset"}]


@settings(max_examples=1_500, deadline=None)
@given(written_rule_sets())
@example({"base": "dealer-puck", "point_tiers": [[6, 1000], [1000, False, False], [6, 1000]]})
def test_the_reader_accepts_what_the_schema_does(written):
    problems = ruleset_problems(written, PRESETS)
    told = [reason for problem in problems for reason in problem.reason.split("; ")]
    left = [reason for reason in told if not any(text in reason for text in BEYOND)]
    assert SCHEMA.is_valid(written) == (not left), problems
    if not problems and "base" not in written:
        assert SCHEMA.is_valid(dict(ruleset_to_mapping(ruleset_on_record(written))))
