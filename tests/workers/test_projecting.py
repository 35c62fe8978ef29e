"""The projector's process: woken by a notice, or by itself; whatever is cut, it goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from domain.topics import TOPICS
from services.projections import Projector
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
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'big2-projector'"
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
        while store.head() and not any(batches):
            assert time.monotonic() < give_up
            time.sleep(0.01)
    store.close()


def test_an_event_that_cannot_be_projected_ends_it_and_tells_no_row(database_url, monkeypatch, caplog):
    def poisoned(_self, _upto=None):
        with psycopg.connect(database_url) as conn:
            conn.execute("CREATE TEMPORARY TABLE one (cards text PRIMARY KEY CHECK (cards <> '3D'))")
            conn.execute("INSERT INTO one VALUES ('3D')")

    monkeypatch.setattr(Projector, "step", poisoned)
    store = Store(database_url, TOPICS)
    with pytest.raises(SystemExit):
        projecting.follow(store, database_url)
    store.close()
    assert "cannot be projected" in caplog.text
    assert "3D" not in caplog.text
