"""Random tournaments are whole and sound, whatever comes of them; moves and lots that were tampered with are named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from click.testing import CliRunner

from config.settings import Settings
from domain.ids import TournamentId
from domain.tournament_events import MoneyPrizesAwarded, PlayerMoved
from services.bootstrap import Services, build
from services.doctor import drawn
from services.doctor.examination import Examination, Questions
from services.doctor.reading import Log
from services.envelope import Recorded
from services.projections import Projector
from tests.services.doctor.tampering import Tampering
from tests.services.projections.house import House
from workers.cli import main
from workers.generating import FORMATS, Generated, Generator

BUY_IN = {"amount": 1003, "fee": 0, "currency": "EUR"}
"""Of three: 3009, of which 903 and 602 are for two who share the second place."""


@pytest.fixture(scope="module")
def services(database_url: str) -> Iterator[Services]:
    made = build(Settings(database_url=database_url, data=Path("/tmp")))
    Projector(made.store).create()
    yield made
    made.close()


@pytest.fixture(scope="module")
def generator(services) -> Generator:
    return Generator(services, seed=7)


@pytest.mark.parametrize("format_", FORMATS)
def test_generated_tournaments_are_sound_and_all_that_they_drew_agrees(format_, generator, services):
    made = [generator.tournament(format_, entrants) for entrants in (4, 8)]
    log = Log(services.store)
    for each in made:
        found = drawn.verify(log, each.tournament_id)
        assert (found.wrong, found.state) == (None, "finished")
        assert each.format == format_
        assert each.hands > 0
    by_the_log = ("I1", "I2", "I3", "I5", "I6", "I7", "I9", "I11")
    assert list(Examination(services.store, Questions(by_the_log, settled=True)).violations()) == []


def test_a_moved_player_is_named(generator, services, database_url):
    t = generator.tournament("freezeout", 12).tournament_id
    tampering = Tampering(database_url, None)
    move = tampering.of(PlayerMoved, lambda r: r.stream == t)[-1]
    seat = move.event.to_seat
    tampering.edit(move, lambda event: event.update(to_seat=seat % 3 + 1))
    found = drawn.verify(Log(services.store), t)
    tampering.edit(move, lambda event: event.update(to_seat=seat))
    tampering.close()
    assert found.wrong
    assert found.wrong.position == move.position
    assert found.wrong.difference
    assert (found.wrong.difference.pointer, found.wrong.difference.should) == ("/to_seat", seat)


@pytest.fixture(scope="module")
def other_lot(services, database_url) -> tuple[TournamentId, Recorded]:
    """A tournament whose odd unit has gone to another than the lot says, and the award as it was."""
    house = House(database_url)
    t = house.publish(
        recorded=True, seats_per_table=3, stack_points=8, buy_in=BUY_IN, prizes_bp=[5000, 3000, 2000]
    )
    house.enter(t, *house.rich(3, 1003))
    house.start(t)
    house.work()
    [table] = house.tables(house.tournament(t))
    house.record(table.table_id, 0, 13, 13)
    house.close()
    tampering = Tampering(database_url, None)
    [awarded] = tampering.of(MoneyPrizesAwarded, lambda r: r.stream == t)
    second, third = (prize.amount for prize in awarded.event.prizes[1:])

    def change(event: dict) -> None:
        event["prizes"][1]["amount"], event["prizes"][2]["amount"] = third, second

    assert drawn.verify(Log(services.store), t).wrong is None
    tampering.edit(awarded, change)
    tampering.close()
    return t, awarded


def test_another_lot_is_named(services, other_lot):
    t, awarded = other_lot
    amounts = [prize.amount for prize in awarded.event.prizes[1:]]
    assert sorted(amounts) == [752, 753]
    found = drawn.verify(Log(services.store), t)
    assert found.wrong
    assert found.wrong.position == awarded.position
    assert found.wrong.difference
    assert found.wrong.difference.pointer == "/prizes/1/amount"
    assert (found.wrong.difference.stands, found.wrong.difference.should) == (amounts[1], amounts[0])


def run(url: str, *arguments: str):
    return CliRunner().invoke(main, list(arguments), env={"DATABASE_URL": url})


def test_the_command_tells_each_drawing_and_the_first_wrong_place(other_lot, generator, database_url):
    generator.tournament("league", 4)
    told = run(database_url, "verify-draw")
    assert told.exit_code == 1
    assert "the first wrong place: tournament " in told.stdout
    assert "/prizes/1/amount: " in told.stdout
    lines = [json.loads(line) for line in run(database_url, "verify-draw", "--json").stdout.splitlines()]
    [wrong] = [line for line in lines if line["wrong"]]
    assert f"{len(lines) - 1} of {len(lines)} tournaments agree" in told.stdout
    right = next(line["tournament_id"] for line in lines if not line["wrong"])
    agrees = run(database_url, "verify-draw", right)
    assert agrees.exit_code == 0
    assert "differs" not in agrees.stdout
    assert wrong["tournament_id"] == str(other_lot[0])
    assert run(database_url, "verify-draw", wrong["tournament_id"]).exit_code == 1
    missing = run(database_url, "verify-draw", "00000000-0000-5000-8000-000000000000")
    assert (missing.exit_code, "there is no tournament" in missing.stderr) == (2, True)


def test_it_awaits_no_disk_in_its_own_connections_and_leaves_the_database_as_it_is(empty_url, monkeypatch):
    own = "SELECT source FROM pg_settings WHERE name = 'synchronous_commit'"
    asked = f"SELECT ({own}), count(*) FROM pg_db_role_setting"
    found = []

    def tournament(generator: Generator, *_: object) -> Generated:
        with generator._store.database.connection() as conn:
            found.append(conn.execute(asked).fetchone())
        return Generated(TournamentId(uuid4()), "league", 0, 0)

    monkeypatch.setattr(Generator, "tournament", tournament)
    assert run(empty_url, "generate").exit_code == 0
    assert found == [("client", 0)]


def test_the_command_fills_an_empty_database_and_no_other(empty_url):
    made = run(empty_url, "generate", "--tournaments", "2", "--format", "sit_and_go", "--entrants", "2")
    assert made.exit_code == 0, made.output
    assert made.stdout.count("2 entrants") == 2
    assert run(empty_url, "verify-draw").exit_code == 0
    again = run(empty_url, "generate")
    assert (again.exit_code, "holds events already" in again.stderr) == (2, True)
