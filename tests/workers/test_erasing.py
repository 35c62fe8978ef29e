"""What is kept beside the log may go: a player's name when he asks for it, looks and connections after some days."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from click.testing import CliRunner

from config.settings import Settings
from services import people
from services.application import card_reads, resources
from services.application.card_reads import note
from services.audit import verify_log
from services.bootstrap import Services, build
from tests.services.projections.house import House
from workers.cli import main
from workers.clock import Clock


@pytest.fixture(scope="module")
def house(database_url: str) -> Iterator[House]:
    made = House(database_url)
    yield made
    made.close()


@pytest.fixture(scope="module")
def services(database_url: str) -> Iterator[Services]:
    kept = Settings(database_url=database_url, data=Path("/tmp"), access_log_days=30, connection_days=60)
    made = build(kept)
    yield made
    made.close()


def run(url: str, *arguments: str):
    return CliRunner().invoke(main, list(arguments), env={"DATABASE_URL": url})


def test_an_erased_name_is_gone_and_free_again_while_every_chain_still_verifies(house, database_url):
    [player, other] = house.enrol(2)
    name = people.names(house.store.database, [player])[player]
    before = verify_log(house.store)
    assert run(database_url, "erase", str(player)).exit_code == 0
    assert people.names(house.store.database, [player, other]).keys() == {other}
    assert verify_log(house.store) == before
    assert run(database_url, "erase", str(player)).exit_code == 0, "he may ask twice"
    with house.store.database.transaction() as cursor:
        people.claim(cursor, uuid4(), name)
    assert resources.UNNAMED == "(erased)"


def test_there_must_be_such_a_player(house, database_url):
    missing = run(database_url, "erase", str(uuid4()))
    assert (missing.exit_code, "there is no player" in missing.stderr) == (1, True)


def test_looks_and_connections_are_forgotten_after_the_days_that_are_set(house, services):
    hands = [uuid4() for _ in range(3)]
    note(services.store.database, hands, None)
    for days, hand in zip((31, 29, 0), hands, strict=True):
        house.rows(
            "UPDATE card_reads SET at = at - make_interval(days => %s) WHERE hand = %s RETURNING 1",
            days,
            hand,
        )
    for days in (61, 59):
        house.rows(
            "INSERT INTO connection_changes VALUES (%s, %s, clock_timestamp() - make_interval(days => %s), 'poor')"
            " RETURNING 1",
            *(uuid4(), uuid4(), days),
        )
    clock = Clock.__new__(Clock)
    clock._services = services
    clock._tidy_at = 0.0
    assert clock.tidy() == 2
    assert [row["hand"] for row in house.rows("SELECT hand FROM card_reads ORDER BY number")] == hands[1:]
    assert len(house.rows("SELECT 1 FROM connection_changes")) == 1


def test_old_looks_are_found_without_reading_all_of_them(services):
    with services.store.database.transaction() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        plan = cursor.execute(f"EXPLAIN {card_reads._FORGET}", (30, 10)).fetchall()
    text = "\n".join(line for (line,) in plan)
    assert "Index Scan using card_reads_at" in text
    assert "Sort" not in text


def test_the_access_log_is_kept_for_good_unless_days_are_set(services):
    assert Settings().access_log_days == 0
    assert card_reads.forget(services.store.database, 0) == 0
