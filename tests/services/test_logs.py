"""What a log line is: the same members everywhere, and nothing that is not for a log."""

from __future__ import annotations

import json
import logging
import sys
from uuid import uuid4

import pytest

from services import logs
from services.logs import note, say

log = logging.getLogger("tests.logs")


class Err:
    """Standard error, as far as it was written."""

    def __init__(self, capsys) -> None:
        self._capsys = capsys
        self._text = ""

    def getvalue(self) -> str:
        self._text += self._capsys.readouterr().err
        return self._text


@pytest.fixture
def err(capsys):
    """What is logged; afterwards the root logger is as it was."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    yield Err(capsys)
    root.handlers[:] = before
    root.setLevel(level)


def line(err) -> dict:
    [text] = err.getvalue().splitlines()
    return json.loads(text)


def failed() -> None:
    """Log a failure whose message holds a card."""
    try:
        int("2" + "S")
    except ValueError:
        log.exception("it failed")


def test_a_line_is_one_json_object(err):
    logs.begin("web", "json")
    note(log, logging.INFO, "request", status=201, ms=1.5, command=None, id="⟨7⟩")
    found = line(err)
    assert found.pop("time").endswith("Z")
    assert isinstance(found.pop("pid"), int)
    assert found == {
        "level": "info",
        "process": "web",
        "logger": "tests.logs",
        "event": "request",
        "status": 201,
        "ms": 1.5,
        "id": "⟨7⟩",
    }


def test_as_text_the_same_is_for_people(err):
    logs.begin("clock", "text", "info")
    note(log, logging.INFO, "tick", enqueued=3)
    log.warning("the clock %s", "waits")
    first, second = err.getvalue().splitlines()
    assert first.endswith(" clock INFO tick enqueued=3")
    assert second.endswith(" clock WARNING the clock waits")


@pytest.mark.parametrize(("form", "told"), [("json", ["info", "warning"]), ("text", ["warning"])])
def test_a_terminal_hears_what_is_out_of_order_and_a_collector_everything(err, form, told):
    logs.begin("web", form)
    for level in ("debug", "info", "warning"):
        note(log, getattr(logging, level.upper()), level)
    assert [level for level in ("debug", "info", "warning") if level in err.getvalue()] == told


def test_of_an_error_a_log_has_types_and_places_and_no_message(err):
    logs.begin("web", "json")
    failed()
    found = line(err)
    assert found["event"] == "it failed"
    assert found["error"].startswith("ValueError")
    assert "test_logs.py" in found["error"]
    assert "2S" not in err.getvalue()


def test_as_text_an_error_follows_its_line(err):
    logs.begin("web", "text")
    failed()
    assert err.getvalue().splitlines()[0].endswith("web ERROR it failed")
    assert "ValueError" in err.getvalue()
    assert "2S" not in err.getvalue()


@pytest.mark.parametrize("form", ["json", "text"])
def test_tokens_and_passwords_are_struck_out_whoever_logs_them(err, form):
    logs.begin("web", form)
    log.warning("token b2_%s_s3cret-Of_his is not good", uuid4())
    log.warning("no answer from postgresql://big2:s3cret@db/big2 nor redis://:s3cret@cache")
    log.warning("connection failed: host=db password=s3cret user=big2, password='s3cret too'")
    assert "s3cret" not in err.getvalue()
    assert err.getvalue().count("…") == 5
    assert "big2:…@db/big2" in err.getvalue()


def test_a_line_has_an_end(err):
    logs.begin("web", "json")
    log.warning("x" * 100_000)
    assert line(err)["event"] == "x" * logs.MOST_CHARACTERS


def test_a_log_that_cannot_be_written_stops_nobody(monkeypatch, err):
    class Full:
        def write(self, _text):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stderr", Full())
    logs.begin("web", "json")
    log.warning("nobody hears this")


def test_what_an_operator_is_told_is_a_sentence_or_an_event(err, capsys):
    logs.begin("supervisor", "text")
    say("web started (pid 7)")
    assert capsys.readouterr().out == "big2: web started (pid 7)\n"
    assert not logs.as_json()
    logs.begin("supervisor", "json")
    say("web started (pid 7)")
    out, told = capsys.readouterr()
    found = json.loads(told)
    assert (out, found["process"], found["event"]) == ("", "supervisor", "web started (pid 7)")


def test_nobody_has_to_listen(monkeypatch, err):
    class Closed:
        def write(self, _text):
            raise BrokenPipeError

    logs.begin("supervisor", "text")
    monkeypatch.setattr(sys, "stdout", Closed())
    say("stopping")
