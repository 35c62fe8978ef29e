"""The `big2` command: what it prints, where, and with which exit status; and that every part of it explains itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import distributions, version
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from click.testing import CliRunner

from domain.credential import Role
from domain.topics import TOPICS
from services.application import credentials
from services.errors import Unavailable
from services.postgres import migrate, migrations
from services.projections import Projector
from services.store import Store
from tests.workers.service import serving
from workers.cli import main

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "big2" / "cases"
QUESTION = {"rules": "actionpoker", "kind": "classify", "cards": "7D 7S"}


@pytest.fixture
def big2(monkeypatch):
    """Run a command; no environment of ours leaks into it."""
    for name in ("DATABASE_URL", "REDIS_URL", "BIG2_DATA", "PORT"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: object, input: str | bytes | None = None):  # noqa: A002 - as click names it
        return CliRunner().invoke(main, [str(a) for a in arguments], input=input)

    return run


def lines(result) -> list[dict]:
    return [json.loads(line) for line in result.stdout.splitlines()]


# explaining itself


@pytest.mark.parametrize(
    "command",
    ["", "serve", "verify", "rules", "rules answer", "token", "rebuild", "bots", "demo", "migrate", "run"],
)
def test_every_command_explains_itself(big2, command):
    for flag in ("--help", "-h"):
        result = big2(*command.split(), flag)
        assert result.exit_code == 0
        assert "Usage:" in result.output
        assert len(result.output.splitlines()) >= 5


def test_every_command_with_choices_gives_examples(big2):
    for command in ("serve", "verify", "rules answer", "token", "rebuild", "bots", "demo"):
        assert "Example" in big2(*command.split(), "--help").output


@pytest.mark.skipif(
    not list(distributions(name="big2-tournament")), reason="run from a folder, not installed"
)
def test_it_tells_its_version(big2):
    result = big2("--version")
    assert result.exit_code == 0
    assert version("big2-tournament") in result.output


@pytest.mark.parametrize(
    "wrong", ["nonsense", "verify", "token", "serve --port 0", "serve --port 65536", "run cook"]
)
def test_a_wrong_use_is_told_with_status_two(big2, wrong):
    result = big2(*wrong.split())
    assert result.exit_code == 2
    assert "Usage:" in result.stderr
    assert result.stdout == ""


def test_verify_starts_without_the_service_s_libraries():
    code = "import sys, workers.cli; print([m for m in sys.modules if m.partition('.')[0] in %r])"
    heavy = ("flask", "rq", "redis", "psycopg", "eventsourcing", "urllib3", "rich")
    out = subprocess.run(
        [sys.executable, "-c", code % (heavy,)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert out.stdout.strip() == "[]"


# verify


def history() -> str:
    """One hand history that is valid, as one line."""
    return (CASES / "hands.jsonl").read_text(encoding="utf-8").splitlines()[0]


def test_a_valid_history_has_status_zero(big2, tmp_path):
    path = tmp_path / "hand.json"
    path.write_text(history())
    result = big2("verify", path)
    assert result.exit_code == 0
    assert [line["verdict"] for line in lines(result)] == ["valid"]


def test_standard_input_is_a_dash_and_files_follow_each_other(big2, tmp_path):
    path = tmp_path / "hand.json"
    path.write_text(history())
    result = big2("verify", "-", path, input=history() + "\n" + history())
    assert result.exit_code == 0
    assert [(line["line"], line["verdict"]) for line in lines(result)] == [
        (1, "valid"),
        (2, "valid"),
        (1, "valid"),
    ]


def test_one_that_is_not_valid_has_status_one_and_the_others_are_judged_all_the_same(big2):
    result = big2("verify", "-", input="{}\n" + history())
    assert result.exit_code == 1
    assert [line["verdict"] for line in lines(result)] == ["malformed", "valid"]


@pytest.mark.parametrize(("command", "item"), [("verify", "hand"), ("rules answer", "question")])
def test_nothing_judged_is_no_success(big2, tmp_path, command, item):
    result = big2(*command.split(), "-", input="\n\n")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"-: no {item} in the input\n"
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert big2(*command.split(), empty).stderr == f"{empty}: no {item} in the input\n"
    assert big2(*command.split(), empty, tmp_path / "missing").exit_code == 2


@pytest.mark.parametrize("command", ["verify", "rules answer", "show"])
def test_a_problem_document_is_told_as_one(big2, command):
    problem = {"type": "/problems/not-found", "title": "Not found", "status": 404, "detail": "No such hand."}
    result = big2(*command.split(), "-", input=json.dumps(problem))
    assert result.exit_code == 1
    assert "this is a problem document: 404 Not found: No such hand." in result.stdout


@pytest.mark.parametrize("command", ["verify", "rules answer"])
def test_a_file_that_cannot_be_read_has_status_two(big2, tmp_path, command):
    missing, folder, latin = tmp_path / "missing.json", tmp_path, tmp_path / "latin.json"
    latin.write_bytes('{"name": "Jürg"}'.encode("latin-1"))
    for path in (missing, folder, latin):
        result = big2(*command.split(), path)
        assert result.exit_code == 2
        assert str(path) in result.stderr
        assert result.stdout == ""
        assert "Traceback" not in result.output


def test_bytes_that_are_no_text_on_standard_input_have_status_two(big2):
    result = big2("verify", "-", input=b"\xff\xfe{}")
    assert result.exit_code == 2
    assert result.stderr.startswith("-: ")


def test_a_file_that_cannot_be_read_stops_no_other(big2, tmp_path):
    path = tmp_path / "hand.json"
    path.write_text(history())
    result = big2("verify", path, tmp_path / "missing", path)
    assert result.exit_code == 2
    assert [line["verdict"] for line in lines(result)] == ["valid", "valid"]


@pytest.mark.parametrize("command", ["verify", "rules answer"])
def test_half_a_surrogate_pair_is_told_and_the_next_line_is_judged(big2, command):
    half = r'{"format": "big2-hand/1", "kind": "classify", "rules": {"base": "actionpoker", "\ud800": 1}}'
    result = big2(*command.split(), "-", input=f"{half}\n{{}}\n")
    assert result.exit_code == 1
    assert len(lines(result)) == 2
    assert "ud800" in result.stdout


# rules answer


def test_an_answer_is_one_line_and_its_letters_are_not_escaped(big2):
    result = big2("rules", "answer", "-", input=json.dumps(QUESTION))
    assert result.exit_code == 0
    [line] = lines(result)
    assert "pair" in json.dumps(line)
    assert "\\u" not in result.stdout


def test_an_answer_that_differs_from_what_was_expected_has_status_one(big2):
    good, bad = ({**QUESTION, "expected": kind} for kind in ("pair", "single"))
    right = big2("rules", "answer", "-", input=json.dumps(good))
    wrong = big2("rules", "answer", "-", input=json.dumps(bad))
    assert (right.exit_code, wrong.exit_code) == (0, 1)
    assert [line["ok"] for line in lines(wrong)] == [False]


def test_a_question_that_makes_no_sense_has_status_one(big2):
    result = big2("rules", "answer", "-", input='{"rules": "poker"}\nno json\n' + json.dumps(QUESTION))
    assert result.exit_code == 1
    assert len(lines(result)) == 3


# beside a running service


@pytest.fixture
def data(database_url, monkeypatch, tmp_path):
    """The environment of a service whose database is this one."""
    store = Store(database_url, TOPICS)
    Projector(store).create()
    yield tmp_path
    store.close()


@pytest.fixture
def beside(big2, database_url, monkeypatch, data):
    monkeypatch.setenv("DATABASE_URL", database_url)
    return big2


def test_a_token_is_printed_and_good(beside, store):
    for role in ("auditor", "operator", "director", "admin"):
        result = beside("token", "--role", role)
        assert result.exit_code == 0
        actor = credentials.authenticate(store, result.stdout.strip())
        assert (actor.role, actor.tournament_id) == (Role(role), None)
    assert beside("token", "--role", "player").exit_code == 2


def test_a_token_for_a_tournament_that_there_is_not_is_refused_in_one_line(beside):
    result = beside("token", "--role", "operator", "--tournament", uuid4())
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.strip() == "Error: No such token can be made. /tournament_id is no tournament."
    assert beside("token", "--role", "operator", "--tournament", "7").exit_code == 2


def test_a_rebuild_compares_and_replaces(beside, store):
    Projector(store).catch_up()
    result = beside("rebuild", "--compare")
    assert (result.exit_code, result.stdout.strip()) == (0, f"equal at position {store.head()}")
    with store.database.connection() as conn:
        conn.execute("INSERT INTO projections.players VALUES (%s, false, now(), 1000000)", (uuid4(),))
    result = beside("rebuild", "--compare")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == ["players: 1 rows only live, 0 rows only rebuilt", "differs"]
    assert beside("rebuild").exit_code == 0
    assert beside("rebuild", "--compare").exit_code == 0


def test_migrating_what_is_up_to_date_does_nothing(beside):
    result = beside("migrate")
    assert (result.exit_code, result.stdout.strip()) == (0, "nothing to do")


def test_a_check_tells_what_is_to_be_done_and_does_nothing(big2, empty_url, monkeypatch, tmp_path):
    monkeypatch.setenv("DATABASE_URL", empty_url)
    for _ in range(2):
        result = big2("migrate", "--check")
        assert result.exit_code == 1
        assert result.stdout.startswith("missing: events_table, ")
        assert result.stdout.endswith(", projections\n")
    assert big2("migrate").exit_code == 0
    result = big2("migrate", "--check")
    assert (result.exit_code, result.stdout) == (0, "up to date\n")
    with psycopg.connect(empty_url, autocommit=True) as conn:
        conn.execute("UPDATE projections.tracking SET tables = 'of another release'")
        assert big2("migrate", "--check").stdout == "missing: projections\n"
        conn.execute("DELETE FROM migrations WHERE number = 1")
        assert big2("migrate", "--check").stdout == "missing: events_table, projections\n"


def test_two_migrations_at_once_make_everything_once(empty_url):
    argv = [sys.executable, "-m", "workers.cli", "migrate"]
    env = os.environ | {"DATABASE_URL": empty_url}
    both = [subprocess.Popen(argv, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = sorted(run.communicate(timeout=60)[0] for run in both)
    assert [run.returncode for run in both] == [0, 0]
    assert said == [f"applied: {', '.join(step.name for step in migrations())}\n", "nothing to do\n"]


@pytest.mark.parametrize(
    "command", ["migrate", "migrate --check", "run web", "run worker", "run clock", "run projector"]
)
def test_an_old_release_on_a_newer_database_refuses_and_says_why(big2, empty_url, monkeypatch, command):
    monkeypatch.setenv("DATABASE_URL", empty_url)
    monkeypatch.setattr("services.logs.begin", lambda *_: None)
    migrate(empty_url)
    with psycopg.connect(empty_url, autocommit=True) as conn:
        conn.execute("INSERT INTO migrations VALUES (999, 'later')")
    result = big2(*command.split())
    assert result.exit_code == 1
    assert (
        result.stderr
        == "Error: the database's schema is of a newer release: this one doesn't know step 999\n"
    )


@pytest.mark.parametrize(
    "command", ["token --role admin", "rebuild --compare", "rebuild", "migrate"], ids=lambda c: c.split()[0]
)
def test_a_database_that_is_away_is_told_in_one_line(big2, tmp_path, monkeypatch, command):
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    monkeypatch.setattr("services.database.WAIT_SECONDS", 0.1)
    result = big2(*command.split())
    assert result.exit_code == 1
    assert [
        line for line in result.stderr.splitlines() if line.startswith("Error: the database did not answer")
    ]
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit)


def test_a_process_whose_database_is_away_is_not_told_of_an_option_that_it_lacks(big2, monkeypatch):
    def away(_name):
        raise Unavailable("the database did not answer")

    monkeypatch.setattr("workers.serving.run_process", away)
    result = big2("run", "clock")
    assert result.exit_code == 1
    assert result.stderr == "Error: the database did not answer; is the database there (DATABASE_URL)?\n"


@pytest.mark.parametrize("command", ["serve", "migrate", "run clock", "rebuild"])
def test_a_setting_that_cannot_be_used_is_named(big2, monkeypatch, command):
    monkeypatch.setenv("PORT", "eighty")
    result = big2(*command.split())
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: PORT must be a whole number")


# bots


def test_bots_need_a_token_and_a_tournament(big2, tmp_path):
    url = ("bots", "--url", "http://127.0.0.1:1", "--tournament", uuid4())
    result = big2(*url)
    assert result.exit_code == 2
    assert "a token is needed" in result.stderr
    assert big2(*url, "--token-file", tmp_path / "missing").exit_code == 2
    assert big2("bots", "--url", "http://127.0.0.1:1", "--token", "x", "--tournament", "7").exit_code == 2


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ((), "one of --tournament and --table is needed"),
        (("--tournament", uuid4(), "--table", uuid4()), "and not both"),
        (("--tournament", uuid4(), "--hands", 3), "--hands is for a ring table"),
    ],
)
def test_bots_play_a_tournament_or_at_a_ring_table(big2, where, told):
    result = big2("bots", "--url", "http://127.0.0.1:1", "--token", "x", *where)
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.split())


def test_bots_take_their_token_from_a_file_and_tell_a_refusal_in_one_line(big2, tmp_path):
    path = tmp_path / "admin-token"
    path.write_text("b2_secret\n")
    with serving(
        lambda _: (401, {"type": "/problems/unauthenticated", "detail": "The token is not good."})
    ) as service:
        result = big2("bots", "--url", service.url, "--token-file", path, "--tournament", uuid4())
        request = service.asked[1]  # after /readyz
    assert result.exit_code == 1
    assert "Error: 401 /problems/unauthenticated: The token is not good." in result.stderr
    assert request.headers["Authorization"] == "Bearer b2_secret"


def test_bots_say_that_no_service_answers(big2, monkeypatch):
    monkeypatch.setattr("workers.cli.RESTART_SECONDS", 0.3)
    result = big2("bots", "--url", "http://127.0.0.1:1", "--token", "x", "--tournament", uuid4())
    assert result.exit_code == 1
    assert "Error: no service answers at http://127.0.0.1:1" in result.stderr


def test_as_a_process_it_ends_with_the_same_status(tmp_path):
    path = tmp_path / "hand.json"
    path.write_text("{}")
    command = [sys.executable, "-m", "workers.cli", "verify", str(path)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 1
    assert json.loads(done.stdout)["verdict"] == "malformed"
