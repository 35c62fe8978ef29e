"""`big2 show`: hands as people read them, word for word; and what cannot be shown."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.big2.told_hands import HANDS
from workers.cli import main

TOLD = Path(__file__).parent / "told"
BROKEN = {
    "illegal", "illegal-pass", "missing-pass", "after-the-end", "wrong-settlement", "no-settlement", "malformed",
    "recorded-without-a-winner",
}  # fmt: skip


def show(*arguments: object, input: str | bytes | None = None, **env: str):  # noqa: A002 - as click names it
    return CliRunner().invoke(main, ["show", *map(str, arguments)], input=input, env=env)


def test_there_is_a_text_for_each_hand():
    assert {path.stem for path in TOLD.iterdir()} == set(HANDS)


@pytest.mark.parametrize("name", HANDS)
def test_a_hand_is_told_word_for_word(name):
    result = show("-", "--plain", input=HANDS[name])
    assert result.stdout == (TOLD / f"{name}.txt").read_text(encoding="utf-8")
    assert result.exit_code == (1 if name in BROKEN else 0)
    assert result.stderr == ""


def test_a_file_is_shown_as_standard_input_is(tmp_path):
    path = tmp_path / "hand.json"
    path.write_text(json.dumps(json.loads(HANDS["liable"]), indent=2), encoding="utf-8")
    assert show(path).stdout == show("-", input=HANDS["liable"]).stdout


def test_a_byte_order_mark_makes_no_difference():
    marked = b"\xef\xbb\xbf" + HANDS["liable"].encode()
    assert show("-", input=marked).stdout == show("-", input=HANDS["liable"]).stdout


def test_many_hands_follow_each_other_and_one_that_is_broken_stops_no_other():
    result = show("-", input=f"{HANDS['voided']}\n\n{{}}\n{HANDS['dragon']}\n")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert [line for line in lines if line.startswith("line ")] == ["line 1", "line 3", "line 4"]
    assert "Malformed: the whole: lacks format" in lines
    assert lines[-2].startswith("Valid: ")


def test_one_hand_of_many_is_chosen_by_its_line():
    many = f"{HANDS['voided']}\n\n{HANDS['dragon']}\n"
    result = show("-", "--line", 3, input=many)
    assert result.stdout == (TOLD / "dragon.txt").read_text(encoding="utf-8")
    assert result.exit_code == 0


@pytest.mark.parametrize("line", [2, 9, 0, "x"])
def test_a_line_without_a_hand_is_told(line):
    result = show("-", "--line", line, input=f"{HANDS['voided']}\n\n{HANDS['dragon']}\n")
    assert result.exit_code == 2
    assert "--line" in result.stderr
    assert result.stdout == ""


def test_nothing_shown_is_no_success():
    result = show("-", input="\n")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", "-: no hand in the input\n")


def test_a_file_that_cannot_be_read_has_status_two(tmp_path):
    latin = tmp_path / "latin.json"
    latin.write_bytes('{"name": "Jürg"}'.encode("latin-1"))
    for path in (tmp_path / "missing", tmp_path, latin):
        result = show(path)
        assert (result.exit_code, result.stdout) == (2, "")
        assert str(path) in result.stderr
        assert "Traceback" not in result.output


def test_a_terminal_gets_colours_unless_it_wants_none():
    forced = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "NO_COLOR": None}
    assert "\x1b[91m3♦" in show("-", input=HANDS["liable"], **forced).stdout
    assert "\x1b" not in show("-", "--plain", input=HANDS["liable"], **forced).stdout
    assert "\x1b" not in show("-", input=HANDS["liable"], **{**forced, "NO_COLOR": "1"}).stdout
    assert (
        "\x1b"
        not in show("-", input=HANDS["hostile-names"], FORCE_COLOR=os.environ.get("FORCE_COLOR")).stdout
    )


def test_it_explains_itself():
    result = show("--help")
    assert result.exit_code == 0
    assert "Examples:" in result.stdout
