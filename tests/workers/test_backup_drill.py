"""The drill: back up while a tournament runs, restore elsewhere, and prove that it is the same and goes on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from services.bootstrap import store_in
from tests.services.http.playing import until
from tests.workers.test_service import LONG, Service, another_hand, entered, finished, played
from workers.cli import main
from workers.supervisor import AlreadyRunning


@pytest.fixture
def services():
    made = [Service(), Service()]
    yield made
    for service in made:
        service.close()
        shutil.rmtree(service.data)


def stored(service: Service, most: int = 10_000) -> list:
    store = store_in(service.inside)
    try:
        return store.stored_log(0, most)
    finally:
        store.close()


def test_a_backup_under_load_is_restored_elsewhere_and_the_tournament_goes_on_there(services):
    source, other = services
    file = source.data / "big2.zip"
    source.start()
    t = entered(source.admin, 9, **LONG)
    with played(source, t):
        another_hand(source, t)
        written = source.beside("backup", file)
        assert written.returncode == 0, written.stderr
        another_hand(source, t)
    again = source.beside("backup", file)
    assert (again.returncode, again.stderr) == (1, f"Error: {file} is there already: name another file\n")

    into_itself = source.beside("restore", file)
    assert into_itself.returncode == 1
    assert "the database is not empty" in into_itself.stderr
    restored = other.beside("restore", file)
    assert restored.returncode == 0, restored.stderr
    said, proved = restored.stdout.splitlines()
    assert said == written.stdout.strip()
    assert proved.endswith("every chain whole; projections made")
    assert other.beside("restore", file).returncode == 1  # it is no empty one any more

    other.start()
    log = stored(source)
    events = int(said.partition(": ")[2].partition(" events")[0])
    assert len(log) > events
    assert stored(other, events) == log[:events]
    for proof in (["rebuild", "--compare"], ["doctor"]):
        found = other.beside(*proof)
        assert found.returncode == 0, found.stdout + found.stderr
    shutil.copy(source.inside / "admin-token", other.inside)  # its hash is in the log, itself in no backup
    with played(other, t) as bots:
        until(lambda: finished(other.admin, t), 240)
        assert bots.popen.wait(60) == 0, bots.said
    assert other.beside("doctor", "--settled").returncode == 0


@pytest.fixture
def big2(monkeypatch):
    for name in ("DATABASE_URL", "REDIS_URL", "BIG2_DATA", "PORT"):
        monkeypatch.delenv(name, raising=False)
    return lambda *arguments: CliRunner().invoke(main, [str(a) for a in arguments])


def test_a_folder_without_a_database_is_not_backed_up_and_not_made(big2, tmp_path):
    result = big2("backup", tmp_path / "file.zip", "--data", tmp_path / "none")
    assert (result.exit_code, result.stderr) == (
        1,
        f"Error: there is no database in {tmp_path / 'none'}: choose another --data, or set DATABASE_URL\n",
    )
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_backup_makes_no_database(big2, tmp_path):
    (tmp_path / "file.zip").write_text("no backup")
    result = big2("restore", tmp_path / "file.zip", "--data", tmp_path / "data")
    assert result.exit_code == 1
    assert result.stderr.endswith("it is no backup, or damaged\n")
    assert [path.name for path in tmp_path.iterdir()] == ["file.zip"]


def test_a_backup_into_a_folder_that_is_not_there_is_told(big2, database_url, monkeypatch, tmp_path):
    monkeypatch.setenv("DATABASE_URL", database_url)
    result = big2("backup", tmp_path / "none" / "file.zip")
    assert (result.exit_code, result.stderr.endswith(": No such file or directory\n")) == (1, True)


def test_a_database_of_yours_is_restored_into_by_its_url(
    big2, database_url, empty_url, monkeypatch, tmp_path
):
    file = tmp_path / "file.zip"
    monkeypatch.setenv("DATABASE_URL", database_url)
    assert big2("backup", file).exit_code == 0
    monkeypatch.setenv("DATABASE_URL", empty_url)
    result = big2("restore", file)
    assert result.exit_code == 0, result.output
    assert big2("migrate", "--check").stdout == "up to date\n"


def test_a_data_directory_that_somebody_works_on_is_left_to_him(big2, monkeypatch, tmp_path):
    def busy(*_):
        raise AlreadyRunning(f"{tmp_path} is in use")

    (tmp_path / "data" / "postgres").mkdir(parents=True)
    monkeypatch.setattr("services.embedded.server_account", lambda _: None)
    monkeypatch.setattr("workers.own_database.alone_on", busy)
    result = big2("backup", tmp_path / "file.zip", "--data", tmp_path / "data")
    assert (result.exit_code, result.stderr) == (1, f"Error: {tmp_path} is in use\n")


def test_a_database_whose_service_is_stopped_is_backed_up_all_the_same(services):
    service, _ = services
    service.start()
    service.stop()
    file = Path(service.data) / "big2.zip"
    result = service.beside("backup", file)
    assert result.returncode == 0, result.stderr
    service.nothing_left()
