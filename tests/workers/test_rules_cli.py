"""`big2 rules`: show, compare, check and explain, with the exit status that a script needs."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from big2.answers import MEMBERS
from big2.rulesets import ruleset_from_mapping, ruleset_to_mapping
from domain.ruleset import ruleset_digest
from services.bootstrap import presets
from tests.big2.told_hands import HANDS
from workers.cli import main

CASES = Path(__file__).parents[1] / "big2" / "cases"
HOUSE = 'base = "actionpoker"\nlast_card = "forced"\npoint_tiers = [[10, 2], [13, 3]]\n'


def big2(*arguments: object, given: str | bytes | None = None):
    return CliRunner().invoke(main, ["rules", *(str(argument) for argument in arguments)], input=given)


@pytest.fixture
def house(tmp_path):
    path = tmp_path / "house.toml"
    path.write_text(HOUSE, encoding="utf-8")
    return path


@pytest.fixture
def hand(tmp_path):
    path = tmp_path / "hand.json"
    path.write_text((CASES / "hands.jsonl").read_text(encoding="utf-8").splitlines()[4], encoding="utf-8")
    return path


@pytest.mark.parametrize("command", ["", "list", "show", "diff", "check", "schema", "explain", "answer"])
def test_every_command_explains_itself_with_examples(command):
    result = big2(*command.split(), "--help")
    assert result.exit_code == 0
    assert "Example" in result.output or not command


def test_the_list_has_every_preset():
    result = big2("list")
    assert [line.split()[0] for line in result.output.splitlines()] == sorted(presets())
    assert "♣ ♦ ♥ ♠" in result.output


# show


@pytest.mark.parametrize("name", presets())
def test_a_preset_is_shown_as_a_page_as_toml_and_as_json(name):
    page = big2("show", name)
    assert page.exit_code == 0
    assert "Points by cards left: 1→1" in page.output
    whole = ruleset_to_mapping(presets()[name])
    assert json.loads(big2("show", name, "--json").output) == whole
    toml = tomllib.loads(big2("show", name, "--toml").output)
    assert ruleset_from_mapping(toml, {}) == presets()[name]


def test_a_file_is_shown_in_whole_whatever_it_leaves_to_its_base(house, tmp_path):
    whole = json.loads(big2("show", house, "--json").output)
    assert whole["last_card"] == "forced"
    assert whole["suits"] == "DCHS"
    again = tmp_path / "whole.json"
    again.write_text(json.dumps(whole))
    assert json.loads(big2("show", again, "--json").output) == whole
    assert "liability: a breach is refused" in big2("show", house).output


def test_what_is_no_rule_set_is_not_shown(tmp_path):
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"base": "taiwan", "dragon": 1, "jokers": 2}')
    result = big2("show", wrong)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "dragon: must be true or false" in result.stderr
    assert "jokers: is not a switch" in result.stderr


def test_a_rule_set_is_read_from_standard_input_as_toml_or_as_json(house):
    toml, written = house.read_text(), json.dumps(tomllib.loads(HOUSE))
    for given in (toml, f"\n {written}"):
        assert big2("show", "-", given=given).output.startswith("Rule set from standard input\nCards\n")
        assert big2("check", "-", given=given).output.split() == [
            *big2("check", house).output.split()[:1],
            "-",
        ]
        assert big2("diff", "-", house, given=given).exit_code == 0
    wrong = big2("check", "-", given='{"base": }')
    assert (wrong.exit_code, wrong.stderr) == (2, "-: is not JSON: a value is missing at character 10\n")
    assert "-: is not TOML: " in big2("check", "-", given="suits").stderr
    both = big2("diff", "-", "-", given=toml)
    assert (both.exit_code, both.stdout) == (2, "")
    assert "standard input has one rule set" in both.stderr


@pytest.mark.parametrize("name", ["hongkong", "Hong-Kong", "hong-kong.toml", "HONG-KONG"])
def test_a_name_that_is_nearly_a_preset_s_is_answered_with_it(name):
    result = big2("show", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith("; is hong-kong meant?\n")


def test_a_page_has_the_name_of_its_rule_set(house):
    assert big2("show", "taiwan").output.startswith("Rule set taiwan\nCards\n")
    assert big2("show", house).output.startswith(f"Rule set {house}\nCards\n")


def test_data_are_shown_in_one_form():
    result = big2("show", "taiwan", "--json", "--toml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--json or --toml, not both" in result.stderr


# diff


def test_equal_rule_sets_have_status_zero_and_nothing_is_said():
    result = big2("diff", "dealer-puck", "english-harbour")
    assert (result.exit_code, result.output) == (0, "")


def test_what_differs_is_told_in_words_with_status_one(house):
    result = big2("diff", "actionpoker", house)
    assert result.exit_code == 1
    assert "last_card (R7.3): what becomes of a breach of that duty" in result.output
    assert 'actionpoker: "liable", it is allowed' in result.output
    assert f'{house}: "forced", it is refused' in result.output
    assert "×2 from 10 cards on, ×3 from 13 cards on" in result.output
    assert "suits" not in result.output


def test_a_list_is_told_once_on_each_side():
    told = big2("diff", "high-low", "taiwan").output.splitlines()
    ours = [line for line in told if "34567" in line]
    assert [line.partition(":")[0] for line in ours] == ["  high-low", "  taiwan"]
    assert all(line.count("34567") == 1 for line in ours)


@pytest.mark.parametrize("command", [("show", "taiwan"), ("diff", "actionpoker", "taiwan")])
def test_a_terminal_gets_titles_in_bold_and_lines_of_its_width(command):
    def lines(**env: str | None) -> list[str]:
        asked = {"FORCE_COLOR": "1", "TERM": "xterm", "NO_COLOR": None, "COLUMNS": "40"} | env
        return CliRunner().invoke(main, ["rules", *command], env=asked).output.splitlines()

    assert lines()[0].startswith("\x1b[1m")
    for plain in (lines(NO_COLOR="1"), lines(TERM="dumb")):
        assert not any("\x1b" in line for line in plain)
    assert max(map(len, lines(NO_COLOR="1"))) <= 40
    assert max(map(len, lines(NO_COLOR="1", FORCE_COLOR=None))) > 100


@pytest.mark.parametrize("order", [("actionpoker", "nowhere"), ("nowhere", "actionpoker")])
def test_what_cannot_be_compared_has_status_two(order):
    result = big2("diff", *order)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "nowhere: no such file, and no preset; presets are actionpoker" in result.stderr


# check


def test_a_valid_file_has_its_digest_and_status_zero(house):
    result = big2("check", house)
    whole = ruleset_to_mapping(ruleset_from_mapping(tomllib.loads(HOUSE), presets()))
    assert (result.exit_code, result.output) == (0, f"{ruleset_digest(dict(whole))}  {house}\n")


def test_everything_that_is_wrong_is_told_by_switch_with_status_one(tmp_path):
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(
        'base = "nowhere"\nsuits = "X"\npoint_tiers = [[8, 3], [10, 2]]\nlast_cards = 1979-05-27\n'
    )
    result = big2("check", wrong)
    assert result.exit_code == 1
    told = [line.removeprefix(f"{wrong}: ").partition(":")[0] for line in result.stdout.splitlines()]
    assert told == ["base", "suits", "last_cards", "point_tiers"]
    assert "is last_card meant?" in result.stdout


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.toml", "suits", "is not TOML"),
        ("a.json", "[1]", "must be an object"),
        ("a.json", '{"suits": "DCHS", "suits": "CDHS"}', 'names a member twice: "suits"'),
        (
            "a.json",
            '{"base": "taiwan",\n "suits" "DCHS"}',
            "is not JSON: a colon is missing at line 2, character 10",
        ),
        ("a.json", '{"type": "/problems/x", "title": "Gone", "status": 410}', "a problem document: 410 Gone"),
        ("a.txt", 'base = "taiwan"', "(a TOML file is named .toml)"),
        ("a.toml", "a = " + "[" * 5_000 + "]" * 5_000, "nested too deep"),
        ("a.json", b'{"base": "\xff"}', "is not UTF-8 at byte 11"),
        ("a.json", "[" + " " * 70_000 + "]", "is larger than"),
    ],
)
def test_a_file_that_cannot_be_read_has_status_two(tmp_path, name, text, reason):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    result = big2("check", path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert reason in result.stderr


def test_a_folder_is_no_rule_set_nor_is_a_name_that_no_file_can_have(tmp_path):
    result = big2("check", tmp_path)
    assert (result.exit_code, result.stderr) == (2, f"{tmp_path}: Is a directory\n")
    long = big2("check", "a" * 300)
    assert (long.exit_code, long.stderr) == (2, f"{'a' * 300}: File name too long\n")


def test_an_opening_card_that_a_base_left_behind_is_remarked_on(tmp_path):
    path = tmp_path / "suits.toml"
    path.write_text('base = "hong-kong"\nsuits = "CDHS"\n')
    result = big2("check", path)
    assert result.exit_code == 0
    assert result.stderr == f"{path}: remark: opening_card is 3♦, and the lowest card is 3♣ (R5.1)\n"
    assert "  opening_card is 3♦, and the lowest card is 3♣ (R5.1).\n" in big2("show", path).output


def test_a_body_for_the_api_is_told_as_one(tmp_path):
    path = tmp_path / "body.json"
    path.write_text('{"name": "friday", "rules": {"base": "taiwan"}}')
    result = big2("check", path)
    assert (result.exit_code, result.stdout) == (
        1,
        f"{path}: rules: this is a body for POST /v1/rulesets; check what is under `rules`\n",
    )
    path.write_text('{"name": "friday", "rules": 7}')
    assert "this is a body" not in big2("check", path).stdout


def test_a_base_that_is_missing_is_told_once_and_few_missing_switches_each(tmp_path):
    path = tmp_path / "whole.json"
    path.write_text('{"dragon": 1}')
    told = big2("check", path).stdout.splitlines()
    assert told[0].startswith(f"{path}: base: is missing, as are 20 switches: name the preset")
    assert told[1:] == [f"{path}: dragon: must be true or false, not 1"]
    whole = ruleset_to_mapping(presets()["taiwan"])
    for least, count in ((5, 5), (6, 1)):
        path.write_text(json.dumps(dict(list(whole.items())[least:])))
        assert len(big2("check", path).stdout.splitlines()) == count


# schema


def test_the_schema_is_printed():
    schema = json.loads(big2("schema").output)
    Draft202012Validator.check_schema(schema)
    assert Draft202012Validator(schema).is_valid({"base": "pusoy-dos", "dragon": True})


# explain: a position


def explained(*arguments: object, **more) -> dict:
    result = big2("explain", *arguments, "--json", **more)
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def test_a_play_is_explained_in_a_position_of_ones_own():
    result = big2("explain", "--holding", "3d,4D 7D 7♠", "--cards", "7D 7S", "--to-beat", "6C 6H")
    assert result.output == ("seat 1, 7D 7S: a pair: allowed\n7D 7S (a pair) beats 6C 6H (a pair).\n")
    assert explained("--holding", "3D 4D 7S", "--cards", "7S", "--must-include", "3D")["clause"] == "R5.2"
    assert explained("--rules", "taiwan", "--holding", "3D 3C 3H", "--cards", "3D 3C 3H")["kind"] is None


def test_a_duty_is_told_whether_it_is_done_or_not():
    ask = ("explain", "--rules", "high-low", "--holding", "5H 9C 9D", "--next-has-one", "--cards")
    assert "a breach, but allowed" in big2(*ask, "5H").output
    done = big2(*ask, "9C 9D").output
    assert "allowed" in done.splitlines()[0]
    assert done.splitlines()[-1].startswith("The next player has one card left (R7.1)")
    told = explained(*ask[1:], "5H")
    assert (told["breach"], told["duty"], told["code"]) == (True, "either", None)


def test_a_pass_is_explained_and_one_that_is_made_by_itself():
    assert big2("explain", "--holding", "3D", "--pass").output.startswith("seat 1, pass: refused\n")
    told = explained("--holding", "3D 4D", "--pass", "--to-beat", "2S")
    assert (told["automatic_pass"], told["playable"]) == ("two_of_spades", True)
    told = explained("--holding", "3D 4D", "--cards", "4D", "--to-beat", "2S")
    assert (told["playable"], told["clause"]) == (False, "R6.1")


def test_everything_that_is_wrong_with_a_position_is_told_at_once():
    wrong = {
        "--holding": "3D 3D", "--cards": "XX", "--to-beat": "3C 4C", "--must-include": "5D 6D",
    }  # fmt: skip
    result = big2("explain", *(part for option in wrong.items() for part in option))
    assert result.exit_code == 2
    for option in wrong:
        assert f"{option}: " in result.stderr
    result = big2("explain", "--holding", "3D 4D", "--to-beat", "3D", "--must-include", "5D", "--cards", "4D")
    assert "--to-beat: has a card of the holding" in result.stderr
    assert "--must-include: is no card of the holding" in result.stderr
    assert "--must-include: binds a lead only" in result.stderr
    assert "--cards is missing" in big2("explain", "--holding", "3D").stderr
    assert "--must-include: 'X'" in big2("explain", "--holding", "3D", "--must-include", "X").stderr
    assert "--to-beat: 'X'" in big2("explain", "--holding", "3D", "--to-beat", "X").stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "--holding is missing (or HISTORY and --action)"),
        (["--holding", "3D", "--action", "1"], "--action: only with HISTORY"),
        (["hand.json", "--holding", "3D", "--next-has-one"], "--next-has-one: only without HISTORY"),
        (["--holding", "3D", "--cards", "3D", "--pass"], "--cards or --pass, not both"),
    ],
)
def test_options_that_do_not_go_together_are_told_with_status_two(arguments, reason):
    result = big2("explain", *arguments)
    assert result.exit_code == 2
    assert reason in result.stderr


def test_a_rule_set_that_cannot_be_read_has_status_two_here_too():
    assert big2("explain", "--rules", "nowhere", "--holding", "3D", "--cards", "3D").exit_code == 2


# explain: a hand on record


def test_every_action_on_record_is_explained_as_allowed(hand):
    actions = json.loads(hand.read_text())["actions"]
    for number, action in enumerate(actions):
        told = explained(hand, "--action", number)
        assert (told["seat"], told["playable"]) == (action["seat"], True)
        assert told["cards"] == action.get("play", "").split()
        assert (told["automatic_pass"] is not None) == (
            action.get("pass", "player") not in ("player", "clock")
        )


def test_what_else_could_have_been_played_there_is_explained(hand):
    record = json.loads(hand.read_text())
    seat = record["actions"][0]["seat"]
    card = record["deal"][str(seat)].split()[-1]
    told = explained(hand, "--action", 0, "--cards", card)
    assert (told["seat"], told["cards"], told["kind"]) == (seat, [card], "single")
    assert explained("-", "--action", 0, "--pass", given=hand.read_text())["code"] == "leader-cannot-pass"


def test_what_comes_next_can_be_asked_of_a_hand_that_is_not_over(hand):
    record = json.loads(hand.read_text())
    record |= {"actions": record["actions"][:1], "settlement": None}
    hand.write_text(json.dumps(record))
    asked = big2("explain", hand, "--action", 1)
    assert "--action: the action is still to come: it is the turn of seat" in asked.stderr
    assert "say what to explain, --cards or --pass" in asked.stderr
    assert explained(hand, "--action", 1, "--pass")["playable"] is True
    assert "there is no /actions/2: the hand has 1 action, and" in big2("explain", hand, "--action", 2).stderr


def test_a_published_rule_set_is_given_by_its_file(hand, tmp_path):
    record = json.loads(hand.read_text())
    house = tmp_path / "house.json"
    house.write_text(json.dumps({"base": record["rules"]}))
    record["rules"] = "house@1"
    hand.write_text(json.dumps(record))
    unknown = big2("explain", hand, "--action", 0)
    assert unknown.exit_code == 2
    assert unknown.stderr.startswith(f"{hand}: /rules: is no known rule set: name a preset (actionpoker, ")
    assert explained(hand, "--rules", house, "--action", 0)["playable"] is True


def test_of_several_hands_one_is_named_by_its_line():
    hands = CASES / "hands.jsonl"
    assert "the file has 300 hands" in big2("explain", hands, "--action", 0).stderr
    assert "no hand begins on line 999" in big2("explain", hands, "--line", 999, "--action", 0).stderr
    assert explained(hands, "--line", 5, "--action", 0)["playable"] is True


@pytest.mark.parametrize(
    ("change", "arguments", "reason"),
    [
        ({}, [], "--action is missing: N for /actions/N, 0–"),
        ({}, ["--action", 0, "--cards", "XX"], "--cards: 'XX' is not a card"),
        ({}, ["--action", "end", "--pass"], "The hand is over (R4.4)."),
        (
            {"actions": [{"seat": 2, "pass": "player"}] * 2},
            ["--action", 1],
            "goes wrong before /actions/1: R4.1",
        ),
        ({"format": "other"}, ["--action", 0], "/format: must be big2-hand/1"),
    ],
)
def test_what_cannot_be_explained_is_told_with_status_two(hand, change, arguments, reason):
    record = json.loads(hand.read_text()) | change
    hand.write_text(json.dumps(record))
    end = len(record["actions"])
    result = big2("explain", hand, *(end if part == "end" else part for part in arguments))
    assert (result.exit_code, result.stdout) == (2, "")
    assert reason in result.stderr


@pytest.mark.parametrize(
    ("second", "clause", "word"),
    [
        ({"pass": "too_few_cards"}, "R6.3", "pass"),
        ({"play": "3S", "breach": True}, "R7.3", "3S: a single"),
        ({"play": "3S", "by": "clock"}, "R11.2", "3S: a single"),
    ],
)
def test_what_verify_does_not_accept_is_refused_here_too(tmp_path, second, clause, word):
    record = json.loads((CASES / "hands.jsonl").read_text(encoding="utf-8").splitlines()[4])
    first, seat = record["actions"][0], record["actions"][1]["seat"]
    lowest = record["deal"][str(first["seat"])].split()[0]
    highest = record["deal"][str(seat)].split()[-1]
    actions = [{"seat": first["seat"], "play": lowest}, {"seat": seat} | second]
    if "play" in second:
        actions[1]["play"] = highest
    path = tmp_path / "claimed.json"
    path.write_text(json.dumps(record | {"rules": "high-low", "actions": actions, "settlement": None}))
    verdict = json.loads(CliRunner().invoke(main, ["verify", str(path)]).output)
    assert (verdict["verdict"], verdict["action"], verdict["clause"]) == ("illegal_action", 1, clause)
    told = big2("explain", path, "--action", 1).output.splitlines()
    assert told == [
        f"/actions/1, seat {seat}, {word.replace('3S', highest)}: refused",
        f"{verdict['reason'].capitalize()} ({clause}).",
    ]


def test_a_pass_that_is_missing_is_told_where_it_should_stand(tmp_path):
    record = json.loads(HANDS["missing-pass"])
    path = tmp_path / "missing.json"
    path.write_text(json.dumps(record))
    verdict = json.loads(CliRunner().invoke(main, ["verify", str(path)]).output)
    told = big2("explain", path, "--action", verdict["action"]).output
    assert told.startswith(f"/actions/{verdict['action']}, seat ")
    assert "pass: refused\n" in told
    assert "passes automatically here (two_of_spades) (R6.4)" in told


def test_r12_a_dragon_has_won_before_anybody_acts(hand):
    dragon = "3D 4D 5D 6D 7D 8D 9D TS JS QS KS AS 2S"
    house = hand.with_name("dragon.json")
    house.write_text('{"base": "actionpoker", "dragon": true}')
    told = big2("explain", "--rules", house, "--holding", dragon, "--cards", "3D").output
    assert told.splitlines()[1] == "The hand is over: a dragon won it at once, by R12 (R4.4)."
    hand.write_text(HANDS["dragon"])
    asked = big2("explain", hand, "--action", 0)
    assert asked.exit_code == 2
    assert "a dragon won it at once, by R12" in asked.stderr


def test_a_hand_that_was_played_with_real_cards_has_nothing_to_explain(hand):
    record = json.loads(hand.read_text())
    del record["deal"], record["leader"]
    hand.write_text(json.dumps(record | {"recorded": True, "actions": []}))
    result = big2("explain", hand, "--action", 0)
    assert result.exit_code == 2
    assert "played with real cards" in result.stderr


def test_a_history_that_cannot_be_read_has_status_two(tmp_path):
    for path in (tmp_path / "missing", tmp_path):
        result = big2("explain", path, "--action", 0)
        assert result.exit_code == 2
        assert str(path) in result.stderr
    empty = big2("explain", "-", "--action", 0, given="\n")
    assert (empty.exit_code, empty.stderr) == (2, "-: no hand in the input\n")


def test_what_is_no_hand_history_is_told_as_that(house):
    result = big2("explain", house, "--action", 0)
    assert (result.exit_code, result.stderr) == (2, f"{house}: is no hand history (big2-hand/1)\n")


@pytest.mark.parametrize(("named", "told"), [("high-low", "high-low"), ({"base": "high-low"}, "written out")])
def test_rules_that_would_not_be_used_are_refused(hand, named, told):
    hand.write_text(json.dumps(json.loads(hand.read_text()) | {"rules": named}))
    result = big2("explain", hand, "--rules", "taiwan", "--action", 0)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"--rules would not be used: the history has its rules, {told}; leave it out" in result.stderr


# answer


def test_the_members_of_each_kind_of_question_are_told():
    told = big2("answer", "--help").output
    for kind, names in MEMBERS.items():
        [line] = [line for line in told.splitlines() if line.split()[:1] == [kind]]
        assert all(name in line for name in names)
    assert 'no cards at all, such as "3X"' in told


def test_questions_are_about_a_file_where_they_name_no_rule_set(house):
    question = '{"kind": "classify", "cards": "7D 7S"}'
    result = big2("answer", "--rules", house, "-", given=question)
    assert (result.exit_code, json.loads(result.output)) == (0, {"line": 1, "answer": "pair"})
    assert big2("answer", "-", given=question).exit_code == 1
    assert big2("answer", "--rules", "nowhere", "-", given=question).exit_code == 2
