"""The projector: each event once and in order, however many follow the log, wherever one of them dies."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from domain.topics import TOPICS
from services.errors import Unavailable
from services.projections import CHANNEL, Projector, feed, growing, ledger, projector
from services.projections.rebuild import compare
from services.store import Store
from tests.services.projections.house import House


@pytest.fixture(scope="module")
def played(database_url):
    """A log with tournaments in it, of which nothing is projected."""
    house = House(database_url)
    for terms in ({"stack_points": 3}, {"stack_points": 3, "seats_per_table": 3}):
        house.play_on(house.started(6, **terms))
    house.close()
    return database_url


@pytest.fixture
def store(played):
    """The same log, with projections that are empty."""
    store = Store(played, TOPICS)
    with store.database.connection() as conn:
        conn.execute("DROP SCHEMA projections CASCADE")
    Projector(store).create()
    yield store
    store.close()


def position(store):
    with store.database.connection() as conn:
        return conn.execute("SELECT position FROM projections.tracking").fetchone()[0]


def test_it_stops_where_it_is_told_and_goes_on_from_there(store):
    one = Projector(store)
    assert one.catch_up(upto=40) == 40
    assert position(store) == 40
    assert one.step(upto=40) == 0
    assert one.catch_up() == store.head() - 40
    assert position(store) == store.head()
    assert compare(store) == []


def test_making_the_tables_again_leaves_them_alone(store):
    Projector(store).catch_up()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: Projector(store).create(), range(4)))
    assert position(store) == store.head()


@pytest.mark.parametrize("batch", [1, 7, 500])
def test_several_at_once_project_nothing_twice_and_leave_no_gap(store, played, monkeypatch, batch):
    monkeypatch.setattr(projector, "BATCH", batch)
    steps = ThreadPoolExecutor(3)
    done = []

    def follow(_):
        own = Store(played, TOPICS)
        mine = Projector(own)
        while count := mine.step():
            done.append(count)
        own.close()

    with steps:
        list(steps.map(follow, range(3)))
    assert sum(done) == store.head() == position(store)
    assert compare(store) == []


def test_two_that_take_turns_each_know_what_the_other_has_seen(store, monkeypatch):
    """A batch may end anywhere: also between a hand's commitment and its deal, which tells who sits there."""
    monkeypatch.setattr(projector, "BATCH", 1)
    turns = [Projector(store), Projector(store)]
    while turns[0].step():
        turns.reverse()
    assert position(store) == store.head()
    monkeypatch.setattr(projector, "BATCH", 500)
    assert compare(store) == []


@pytest.mark.parametrize("dies", [feed, ledger])
def test_one_that_dies_in_a_batch_has_written_nothing_of_it(store, monkeypatch, dies):
    mine, whole = Projector(store), dies.project
    mine.catch_up(upto=100)
    count = 0

    def fails(cur, r, context):
        nonlocal count
        count += 1
        if count == 150:
            raise RuntimeError("killed")
        whole(cur, r, context)

    monkeypatch.setattr(dies, "project", fails)
    with pytest.raises(RuntimeError):
        mine.step()
    assert position(store) == 100
    with store.database.connection() as conn:
        assert conn.execute("SELECT max(position) FROM projections.feed").fetchone()[0] <= 100
    mine.catch_up()  # the same one goes on: what it remembers is what it will read again
    assert compare(store) == []


def test_one_whose_statement_fails_has_written_nothing_of_its_batch(store, monkeypatch):
    whole = ledger.project

    def fails(cur, r, context):
        whole(cur, r, context)
        if r.position == 90:
            cur.execute("INSERT INTO nowhere VALUES (1)")

    with monkeypatch.context() as patched:
        patched.setattr(ledger, "project", fails)
        with pytest.raises(psycopg.errors.UndefinedTable):
            Projector(store).step()
    assert position(store) == 0
    Projector(store).catch_up()
    assert compare(store) == []


def test_one_whose_connection_is_cut_goes_on_where_it_was(store, played, monkeypatch):
    whole = feed.project

    def cut(cur, r, context):
        whole(cur, r, context)
        if r.position == 70:
            with psycopg.connect(played, autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s)", (cur.connection.info.backend_pid,))

    with monkeypatch.context() as patched:
        patched.setattr(feed, "project", cut)
        with pytest.raises(Unavailable):
            Projector(store).step()
    assert position(store) == 0
    Projector(store).catch_up()
    assert compare(store) == []


def test_a_notice_of_each_step_tells_how_far_it_is(store, played):
    with psycopg.connect(played, autocommit=True) as listener:
        listener.execute(f"LISTEN {CHANNEL}")
        Projector(store).catch_up(upto=30)
        Projector(store).catch_up()
        told = [int(notice.payload) for notice in listener.notifies(timeout=5, stop_after=2)]
    assert told[0] == 30
    assert told == sorted(told)


def test_a_rebuild_beside_it_gives_no_notice(store, played):
    with psycopg.connect(played, autocommit=True) as listener:
        listener.execute(f"LISTEN {CHANNEL}")
        Projector(store, "beside").create()
        Projector(store, "beside").catch_up(upto=30)
        assert list(listener.notifies(timeout=0.2)) == []
        listener.execute("DROP SCHEMA beside CASCADE")


def test_what_it_has_forgotten_it_reads_again(store, monkeypatch):
    monkeypatch.setattr("services.projections.context.REMEMBERED", 1)
    Projector(store).catch_up()
    monkeypatch.undo()
    assert compare(store) == []


def test_it_follows_a_log_that_grows_meanwhile(store, played):
    house = House(played)
    over = threading.Event()

    def follow():
        mine = Projector(store)
        while not over.is_set():
            mine.step()

    follower = threading.Thread(target=follow)
    follower.start()
    try:
        house.play_on(house.started(3, stack_points=3))
    finally:
        over.set()
        follower.join(10)
        house.close()
    assert compare(store) == []


def test_what_it_no_longer_remembers_it_reads_again(store, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(growing, "KEPT", 0)
        patched.setattr(projector, "BATCH", 7)
        Projector(store).catch_up()
    assert compare(store) == []
