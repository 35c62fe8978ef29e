"""`big2 doctor`: what it prints, and with which exit status."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from domain.topics import TOPICS
from services.doctor.invariants import INVARIANTS
from services.store import Store
from tests.services.projections.house import House
from workers.cli import main


@pytest.fixture(scope="module")
def players(database_url):
    """Three players, whose names' projections are up to date."""
    house = House(database_url)
    found = house.enrol(3)
    house.project()
    house.close()
    return found


def doctor(url, *options):
    return CliRunner().invoke(main, ["doctor", *options], env={"DATABASE_URL": url})


def test_nothing_is_wrong(players, database_url):
    result = doctor(database_url)
    assert result.exit_code == 0
    told = "nothing is wrong in 3 events of 3 streams up to position 3 (0 positions unused); asked were "
    assert result.stdout == f"{told}{', '.join(INVARIANTS)}\n"
    assert "streams" in result.stderr


def test_only_some_invariants_are_asked(players, database_url):
    result = doctor(database_url, "--only", "i11, I1", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "position": 3,
        "events": 3,
        "streams": 3,
        "unused_positions": 0,
        "invariants": ["I1", "I11"],
        "violations": 0,
    }


def test_an_unknown_invariant_is_refused(database_url):
    result = doctor(database_url, "--only", "I1,I8")
    assert result.exit_code == 2
    assert "I8: choose from I1, I2" in result.stderr


def test_what_is_wrong_is_told_line_by_line(players, database_url):
    store = Store(database_url, TOPICS)
    row = store.stored(players[0])[0]
    with store.database.connection() as conn:
        conn.execute(
            "UPDATE big2_events SET state = %s WHERE originator_id = %s",
            (row.state.replace(b'prev":"0', b'prev":"1'), players[0]),
        )
    try:
        told, as_json = doctor(database_url, "--only", "I5"), doctor(database_url, "--only", "I5", "--json")
    finally:
        with store.database.connection() as conn:
            conn.execute(
                "UPDATE big2_events SET state = %s WHERE originator_id = %s", (row.state, players[0])
            )
        store.close()
    where = f"player {players[0]}, version 1 (position {row.position})"
    what = "does not follow from its predecessor as it is stored"
    assert told.exit_code == as_json.exit_code == 1
    assert told.stdout.splitlines()[0] == f"I5  {where}: {what}"
    assert told.stdout.splitlines()[1].startswith("1 violations in 3 events")
    assert json.loads(as_json.stdout.splitlines()[0]) == {
        "invariant": "I5",
        "where": where,
        "what": what,
        "position": row.position,
        "difference": None,
    }


def test_a_database_without_a_log_cannot_be_examined(empty_url):
    result = doctor(empty_url)
    assert result.exit_code == 2
    assert result.stderr == "Error: this database has no log of this release: `big2 migrate` makes it\n"


def test_a_database_that_does_not_answer_cannot_be_examined():
    result = doctor("postgresql://127.0.0.1:1/nowhere")
    assert result.exit_code == 2
    assert "is the service running on this data directory (--data)?" in result.stderr


def test_settings_that_cannot_be_read_are_told(tmp_path):
    result = CliRunner().invoke(
        main, ["doctor"], env={"BIG2_CONNECTION_FAIR_MS": "x", "DATABASE_URL": "postgresql://x"}
    )
    assert result.exit_code == 2
    assert "BIG2_CONNECTION_FAIR_MS" in result.stderr
