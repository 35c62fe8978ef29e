"""Reading files: one way for every command, whatever an editor puts before the text."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.big2.told_hands import HANDS
from workers.cli import main
from workers.files import UnreadableError, read_bytes, read_or_status_two, read_text, token_from

MARK = b"\xef\xbb\xbf"
HOUSE = b'base = "actionpoker"\n'
QUESTION = b'{"rules": "actionpoker", "kind": "classify", "cards": "7D 7S"}'
SHEET = b"2013-03-19\nAnn Bob\n0 1\n"
READERS = [
    (["show", "{}"], HANDS["liable"].encode()),
    (["verify", "{}"], HANDS["liable"].encode()),
    (["rules", "explain", "{}", "--action", "0"], HANDS["liable"].encode()),
    (["rules", "show", "{}.toml"], HOUSE),
    (["rules", "show", "{}.json"], b'{"base": "actionpoker"}'),
    (["rules", "answer", "{}"], QUESTION),
    (["import", "scores", "{}", "--dry-run"], SHEET),
]


def run(command, name, written):
    asked = [part.format(name) for part in command]
    for part in asked:
        if part.startswith("/"):
            Path(part).write_bytes(written)
    return CliRunner().invoke(main, asked, input=written)


@pytest.mark.parametrize("number", range(len(READERS)))
def test_a_byte_order_mark_makes_no_difference(tmp_path, number):
    command, content = READERS[number]
    names = [tmp_path / "file"] + (["-"] if "{}" in command else [])
    for name in names:
        plain, marked = (run(command, name, written) for written in (content, MARK + content))
        assert plain.exit_code == marked.exit_code == 0, marked.output
        assert plain.output == marked.output


def test_a_mark_within_the_text_is_part_of_it(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(MARK + b"a" + MARK)
    assert read_text(str(path)) == "a\ufeff"
    assert read_bytes(str(path)) == MARK + b"a" + MARK


def test_standard_input_is_read_as_a_file_is(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(MARK + b"abc")))
    assert read_text("-") == "abc"


def test_a_file_may_be_as_large_as_its_limit(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    assert read_text(str(path), 3) == "abc"
    with pytest.raises(UnreadableError, match=r"file: is larger than 2 bytes$"):
        read_bytes(str(path), 2)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"abc")))
    with pytest.raises(UnreadableError, match=r"^-: is larger than 2 bytes$"):
        read_text("-", 2)


def test_what_cannot_be_read_is_told_with_its_name(tmp_path):
    latin = tmp_path / "latin"
    latin.write_bytes("J\xfcrg".encode("latin-1"))
    with pytest.raises(UnreadableError, match=r"latin: is not UTF-8 at byte 2$"):
        read_text(str(latin))
    with pytest.raises(UnreadableError, match=r"missing: No such file or directory$"):
        read_text(str(tmp_path / "missing"))
    with pytest.raises(UnreadableError, match=r"Is a directory$"):
        read_text(str(tmp_path))


def test_what_cannot_be_read_has_status_two(capsys):
    with pytest.raises(SystemExit) as exited, read_or_status_two():
        raise UnreadableError("file: is not there")
    assert (exited.value.code, capsys.readouterr().err) == (2, "file: is not there\n")


def test_a_file_that_cannot_be_read_stops_no_other(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(QUESTION)
    result = CliRunner().invoke(main, ["rules", "answer", str(tmp_path / "missing"), str(path)])
    assert (result.exit_code, json.loads(result.stdout)) == (2, {"line": 1, "answer": "pair"})
    assert result.stderr == f"{tmp_path / 'missing'}: No such file or directory\n"


def test_a_token_is_given_as_it_is_in_a_file_or_in_the_environment(tmp_path, monkeypatch):
    path = tmp_path / "token"
    path.write_bytes(b"b2_secret\n")
    monkeypatch.setenv("BIG2_TOKEN", "b2_around")
    assert token_from(None, None) == "b2_around"
    assert token_from("b2_given", path) == "b2_given"
    assert token_from(None, path) == "b2_secret"


@pytest.mark.parametrize("content", [b"", b" \n", b"b2_\xe9", b"\xff", b"b2\nb3"])
def test_what_no_request_can_carry_is_no_token(tmp_path, content):
    path = tmp_path / "token"
    path.write_bytes(content)
    for secret, file in ((None, path), (None, None)):
        with pytest.raises(click.UsageError, match="a token is needed: --token-file, BIG2_TOKEN"):
            token_from(secret, file)
