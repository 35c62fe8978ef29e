"""The invariants that take a client's log: I1, I8 and I10 are told of where that log and the database part."""

from __future__ import annotations

import json
from uuid import uuid4

import msgspec
import pytest
from click.testing import CliRunner

from services.application import players
from services.doctor.reading import Log
from services.envelope import Command
from tests.harness.invariants import Answer, UnreadableError, answers, main, told_and_stored
from tests.services.projections.house import House

BODY = "0f" * 32


@pytest.fixture(scope="module")
def house(database_url):
    house = House(database_url)
    yield house
    house.close()


def enrolled(house, **answered):
    """A player who was enrolled, and what his client was answered."""
    command = Command(uuid4(), "test", BODY)
    outcome = players.enrol_player(house, command, lambda: f"Guest {command.id.hex}")
    ids = (str(outcome.state.player_id),)
    return answer(command.id, 201, ids=ids, position=outcome.position, **answered)


def answer(command, status, **told):
    return Answer(command, "POST", "/v1/players", BODY, status, **told)


def found(house, *told):
    return [(v.invariant, v.where, v.what) for v in told_and_stored(Log(house.store), told)]


def but(told, **changes):
    return msgspec.structs.replace(told, **changes)


def test_what_was_acknowledged_refused_and_never_answered_may_stand_together(house):
    made = enrolled(house)
    beat = answer(uuid4(), 204, writes=False)
    told = [made, but(made), answer(made.command, None), answer(uuid4(), None), answer(uuid4(), 422), beat]
    assert found(house, *told) == []


def test_i8_what_was_acknowledged_and_is_not_in_the_log(house):
    lost = answer(uuid4(), 201)
    where = f"command {lost.command} (POST /v1/players)"
    assert found(house, enrolled(house), lost) == [("I8", where, "was acknowledged, and is not in the log")]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"digest": "00"}, "was acknowledged with another body than is in the log"),
        (
            {"position": 10**9},
            "was acknowledged at position 1000000000, where none of its events stands",
        ),
        ({"ids": ("somebody",)}, "was acknowledged as somebody, of which its events know nothing"),
    ],
)
def test_i8_what_was_acknowledged_otherwise_than_it_is_in_the_log(house, changes, what):
    made = but(enrolled(house), **changes)
    assert found(house, made) == [("I8", made.where, what)]


def test_i1_repeats_that_were_answered_otherwise(house):
    made = enrolled(house)
    [first] = found(house, made, but(made, position=None))
    what = "its repeats were answered otherwise: it took effect more than once"
    assert first == ("I1", made.where, what)


def test_i10_a_command_that_was_refused_and_left_an_event(house):
    made = enrolled(house)
    what = f"was refused ([409, 422]), and left events at {made.position}"
    told = [answer(made.command, 422), answer(made.command, 409)]
    assert found(house, *told) == [("I10", made.where, what)]


@pytest.mark.parametrize("status", [None, 201, 500])
def test_i10_whoever_was_refused_once_may_have_been_served_later(house, status):
    made = enrolled(house)
    assert found(house, answer(made.command, 409), answer(made.command, status)) == []


# the file


def line(told):
    return msgspec.json.encode(told) + b"\n"


def test_a_log_is_read_line_by_line_and_a_line_that_was_cut_off_is_none(house):
    made = enrolled(house)
    whole = line(made)
    assert list(answers([whole, whole, whole[:-9]])) == [made, made]


@pytest.mark.parametrize("wrong", [b"{}\n", b"[\n", b'{"command": 1}\n', b'{"id": 1}\n'])
def test_a_line_that_is_no_answer_is_named(house, wrong):
    with pytest.raises(UnreadableError, match="line 2: "):
        list(answers([line(enrolled(house)), wrong]))


# the command


def run(url, path, *options):
    return CliRunner().invoke(main, [url, str(path), *options])


@pytest.fixture
def acks(tmp_path, house):
    path = tmp_path / "acks.jsonl"
    path.write_bytes(line(enrolled(house)))
    return path


def test_the_command_finds_nothing_where_nothing_is_wrong(database_url, acks):
    result = run(database_url, acks, "--only", "I1,I5,I11", "--settled")
    assert result.exit_code == 0
    assert result.stdout.startswith("nothing is wrong in ")
    assert result.stdout.endswith("asked were I1, I5, I11, I8, I10\n")


def test_the_command_tells_what_is_wrong_as_json_lines(database_url, acks):
    lost = answer(uuid4(), 201)
    with acks.open("ab") as file:
        file.write(line(lost))
    result = run(database_url, acks, "--only", "i2", "--json")
    assert result.exit_code == 1
    violation, summary = map(json.loads, result.stdout.splitlines())
    assert violation == {
        "invariant": "I8",
        "where": lost.where,
        "what": "was acknowledged, and is not in the log",
        "position": None,
        "difference": None,
    }
    assert summary["violations"] == 1
    assert summary["invariants"] == ["I2", "I8", "I10"]


def test_the_command_tells_what_it_cannot_examine(database_url, acks):
    acks.write_bytes(b"{}\n")
    unreadable = run(database_url, acks)
    assert unreadable.exit_code == 2
    assert unreadable.stderr.startswith(f"Error: {acks}: line 1: ")
    nowhere = run("postgresql://127.0.0.1:1/nowhere", acks)
    assert nowhere.exit_code == 2
    assert "is the service running" in nowhere.stderr
