"""The projector's process: woken by a notice, or by itself; whatever is cut, it goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from domain.topics import TOPICS
from services.http.readiness import Readiness
from services.projections import Projector, directory
from services.projections.progress import progress
from services.projections.rebuild import compare
from services.store import Store
from tests.services.projections.house import House
from workers import projecting


class Over(BaseException):
    """The end of a process that has none."""


@pytest.fixture
def house(database_url):
    house = House(database_url)
    yield house
    house.close()


@contextmanager
def following(url: str, monkeypatch) -> Iterator[list[int]]:
    """The process as a thread; the sizes of its batches."""
    over, batches = threading.Event(), []
    whole = Projector.step

    def step(self, upto=None):
        if over.is_set():
            raise Over
        batches.append(done := whole(self, upto))
        return done

    def run():
        store = Store(url, TOPICS)
        with pytest.raises(Over):
            projecting.follow(store, url)
        store.close()

    monkeypatch.setattr(Projector, "step", step)
    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield batches
    finally:
        over.set()
        thread.join(10)
        assert not thread.is_alive()


def shown(house: House) -> int:
    return house.rows("SELECT position FROM projections.tracking")[0]["position"]


def until_shown(house: House, seconds: float = 10) -> float:
    """Wait until everything is projected; how long that took."""
    begun = time.monotonic()
    while shown(house) < house.store.head():
        assert time.monotonic() - begun < seconds
        time.sleep(0.005)
    return time.monotonic() - begun


def test_it_follows_at_once(house, database_url, monkeypatch):
    monkeypatch.setattr(projecting, "POLL_SECONDS", 30.0)
    with following(database_url, monkeypatch):
        house.enrol(1)
        until_shown(house)
        for _ in range(5):
            house.enrol(1)
            assert until_shown(house) < 5  # a notice has woken it: it looks by itself after thirty seconds
        house.enrol(1)  # and this one lets it see that it is over


def test_a_lost_notice_is_made_up_for(house, database_url, monkeypatch):
    monkeypatch.setattr(projecting, "CHANNEL", "nobody_speaks_here")
    with following(database_url, monkeypatch):
        for _ in range(3):
            house.enrol(1)
            until_shown(house)


def test_when_its_connections_are_cut_it_goes_on(house, database_url, monkeypatch, caplog):
    monkeypatch.setattr(projecting, "AGAIN_SECONDS", 0.05)
    with following(database_url, monkeypatch):
        house.enrol(1)
        until_shown(house)
        with psycopg.connect(database_url, autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'big2-projector' AND datname = current_database()"
            )
        house.enrol(1)
        until_shown(house)
    assert "the projector waits" in caplog.text


def test_a_database_without_its_tables_is_waited_for(database_url, monkeypatch, caplog):
    monkeypatch.setattr(projecting, "AGAIN_SECONDS", 0.05)
    store = Store(database_url, TOPICS)
    with store.database.connection() as conn:
        conn.execute("DROP SCHEMA projections CASCADE")
    with following(database_url, monkeypatch) as batches:
        give_up = time.monotonic() + 10
        while "the projector waits" not in caplog.text:
            assert time.monotonic() < give_up
            time.sleep(0.01)
        assert batches == []
        Projector(store).create()
        while progress(store.database, 1).behind:
            assert time.monotonic() < give_up
            time.sleep(0.01)
    store.close()


class Following:
    """A listener of a web process that was started just now."""

    alive = True

    def __init__(self) -> None:
        self.read_at = time.monotonic()


def said(store) -> str:
    """What another web process says of the projector when it is asked for the first time."""
    return Readiness(store, Following()).checks()["projector"]


def until(what) -> None:
    give_up = time.monotonic() + 20
    while not what():
        assert time.monotonic() < give_up
        time.sleep(0.01)


def test_an_event_that_cannot_be_projected_is_told_and_tried_again_until_it_can(
    house, database_url, monkeypatch, caplog
):
    monkeypatch.setattr(projecting, "STALL_SECONDS", 0.05)
    house.project()
    whole, tries = directory.project, []
    bad = house.store.head() + 3

    def project(cur, r, context):
        if r.position == bad:
            tries.append(r.position)
            raise ValueError("3D of " + str(r.stream))
        whole(cur, r, context)

    monkeypatch.setattr(directory, "project", project)
    hidden = house.enrol(5)[2]
    with monkeypatch.context() as patched, following(database_url, patched):
        until(lambda: "cannot go on" in said(house.store))
        assert shown(house) == bad - 1
        first = said(house.store)
        assert f"at position {bad} since" in first
        assert "directory fails there (ValueError)" in first
        assert f"is at position {bad - 1}; events behind the log: 3, the oldest" in first
        until(lambda: len(tries) > 8)
        assert said(house.store).partition(";")[0] == first.partition(";")[0]
        assert shown(house) == bad - 1
    # Another process finds the same, from the same time on.
    with monkeypatch.context() as patched, following(database_url, patched):
        until(lambda: len([r for r in caplog.records if r.levelname == "CRITICAL"]) > 1)
        assert said(house.store).partition(";")[0] == first.partition(";")[0]
        monkeypatch.setattr(directory, "project", whole)
        until_shown(house)
        assert said(house.store) == "ok"
        until(lambda: "the projector goes on" in caplog.text)
    told = [r.getMessage() for r in caplog.records if r.levelname == "CRITICAL"]
    assert len(told) == 2  # once a process
    for text in told:
        assert text.startswith(
            f"the event at position {bad} cannot be projected: directory fails (ValueError)"
        )
        assert "in project" in text
    for text in (caplog.text, first):
        assert "3D" not in text.replace('"3D of "', "")  # that is a line of this file
        assert str(hidden) not in text
    assert compare(house.store) == []


def test_a_batch_that_fails_as_a_whole_only_is_projected_event_by_event(
    house, database_url, monkeypatch, caplog
):
    def fails(_self, _upto=None):
        raise ValueError("3D")

    house.project()
    house.enrol(3)
    projector = Projector(house.store)
    monkeypatch.setattr(Projector, "step", fails)
    assert projecting._step(projector) == 3
    assert shown(house) == house.store.head()
    assert "a batch failed" in caplog.text
