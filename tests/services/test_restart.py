"""A PostgreSQL that is killed and comes back, under a store with all its connections in use."""

from __future__ import annotations

import shutil
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier
from uuid import uuid4

import psycopg
import pytest

from domain.player import PLAYER, enrol
from domain.topics import TOPICS
from services.commands import Decision, execute, on
from services.database import POOL_SIZE
from services.embedded import Postgres, start
from services.envelope import Command
from services.errors import Unavailable
from services.postgres import migrate
from services.store import Store


@pytest.fixture
def server():
    data = Path(tempfile.mkdtemp(prefix="b2-", dir="/tmp"))
    yield Postgres(data)
    shutil.rmtree(data)


def enrolled(store, player):
    decide = lambda stream, _now: Decision([on(stream, *enrol(player))])  # noqa: E731
    return execute(store, Command(uuid4(), "test", ""), (PLAYER, player), decide)


def until_unavailable(ask):
    give_up = time.monotonic() + 10
    while time.monotonic() < give_up:
        try:
            ask()
        except Unavailable:
            return
        time.sleep(0.05)
    raise AssertionError("the server is gone, and still there is an answer")


def locked(store, key):
    with store.lock(key):
        pass


def test_a_store_outlives_its_server_and_loses_nothing_that_it_acknowledged(server):
    first = start(server)
    migrate(server.url)
    store, player = Store(server.url, TOPICS), uuid4()
    together = Barrier(POOL_SIZE)

    def hold(_):
        with store.database.connection() as conn:
            together.wait(10)
            conn.execute("SELECT 1")

    with ThreadPoolExecutor(POOL_SIZE) as pool:
        list(pool.map(hold, range(POOL_SIZE)))  # as many connections as there can be
    enrolled(store, player)

    first.kill()
    first.wait()
    with ThreadPoolExecutor(2 * POOL_SIZE) as pool:
        calls = [pool.submit(store.load, PLAYER, player) for _ in range(2 * POOL_SIZE)]
        for call in calls:
            with suppress(Unavailable):
                assert call.result(10).version == 1, (
                    "a backend that outlives its server may answer, and rightly"
                )
    until_unavailable(lambda: store.load(PLAYER, player))
    until_unavailable(lambda: locked(store, player))

    second = start(server)
    assert store.load(PLAYER, player).version == 1
    with store.lock(player):
        enrolled(store, uuid4())
    store.close()
    second.send_signal(server.stop_signal)
    assert second.wait(10) == 0


def test_what_a_server_logs_of_a_refused_row_quotes_nothing_of_it(server):
    running = start(server)
    migrate(server.url)
    with psycopg.connect(server.url, autocommit=True) as conn:
        row = "INSERT INTO people (player_id, name, skeleton) VALUES (%s, %s, %s)"
        conn.execute(row, (uuid4(), "Mei Ling", "meiling"))
        with pytest.raises(psycopg.errors.UniqueViolation):
            conn.execute(row, (uuid4(), "Mei Ling", "meiling"))
    running.send_signal(server.stop_signal)
    running.wait(10)
    said = server.log.read_text()
    assert "people_skeleton_key" in said
    assert "meiling" not in said.lower()
