"""A rebuild equals the live projections; what differs is found, and replaced while the service runs."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from domain.topics import TOPICS
from services.projections import Projector
from services.projections.rebuild import BESIDE, Difference, compare, replace
from services.store import Store
from tests.services.projections.house import House


@pytest.fixture(scope="module")
def played(database_url):
    """One tournament that is over, one in the middle of two hands."""
    house = House(database_url)
    house.play_on(house.started(4, stack_points=3))
    open_one = house.started(8)
    house.play_on(open_one, until=lambda: len(house.running(open_one)) == 2)
    yield house
    house.close()


def run(house, statement):
    with house.store.database.connection() as conn:
        conn.execute("SET search_path = projections")
        conn.execute(statement)
        conn.execute("RESET search_path")


WRONG = {
    "a changed row": (
        "UPDATE standings SET points = points + 1 WHERE ctid = (SELECT min(ctid) FROM standings)",
        Difference("standings", 1, 1),
    ),
    "a row too many": (
        "INSERT INTO leaderboard SELECT 'x', player_id, 1, 0, 0, 0, 0, 0, NULL FROM leaderboard LIMIT 1",
        Difference("leaderboard", 1, 0),
    ),
    "a row too few": (
        "DELETE FROM feed WHERE position = (SELECT max(position) FROM feed)",
        Difference("feed", 0, 1),
    ),
    "a time": (
        "UPDATE agenda SET due_at = due_at + interval '1 us' WHERE job = 'turn'",
        Difference("agenda", 2, 2),
    ),
    "a null": (
        "UPDATE hands SET winner = NULL WHERE ctid = (SELECT min(ctid) FROM hands WHERE winner > 0)",
        Difference("hands", 1, 1),
    ),
    "a document": (
        "UPDATE tournaments SET prizes = '[]' WHERE state = 'finished'",
        Difference("tournaments", 1, 1),
    ),
    "the position": ("UPDATE tracking SET position = position + 1", Difference("tracking", 1, 1)),
}


def test_a_rebuild_equals_the_live_ones_and_leaves_nothing_behind(played):
    told = []
    assert compare(played.store, lambda done, everything: told.append((done, everything))) == []
    assert told[-1] == (played.store.head(), played.store.head())
    assert played.rows("SELECT 1 FROM pg_namespace WHERE nspname LIKE %s", "projections_%") == []


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_row_is_found_and_replaced(played, what):
    statement, difference = WRONG[what]
    run(played, statement)
    assert compare(played.store) == [difference]
    assert compare(played.store) == [difference]  # it changes nothing
    replace(played.store)
    assert compare(played.store) == []
    assert played.rows("SELECT 1 FROM pg_namespace WHERE nspname LIKE %s", "projections_%") == []


def test_a_rebuild_that_was_cut_off_is_no_obstacle(played):
    left_over = Projector(played.store, BESIDE)
    left_over.create()
    left_over.catch_up(upto=30)
    assert compare(played.store) == []
    left_over.create()
    replace(played.store)
    assert compare(played.store) == []


def test_a_live_projection_that_is_behind_is_not_taken_for_a_wrong_one(played):
    played.enrol(3)
    assert compare(played.store) == []


class Service:
    """Projectors and readers in threads, as long as the block lasts; what went wrong with them is in `errors`."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._over = threading.Event()
        self._threads = [threading.Thread(target=work) for work in (self._project, self._project, self._read)]
        self.errors: list[BaseException] = []
        self.reads = self.steps = 0

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        for thread in self._threads:
            thread.join(30)

    def _loop(self, work):
        store = Store(self._url, TOPICS)
        step = work(store)
        try:
            while not self._over.is_set():
                step()
        except BaseException as error:  # noqa: BLE001 - the test tells it
            self.errors.append(error)
        store.close()

    def _project(self):
        def work(store):
            mine = Projector(store)

            def step():
                self.steps += mine.step()

            return step

        self._loop(work)

    def _read(self):
        def work(store):
            def step():
                with store.database.connection() as conn:
                    conn.execute(
                        "SELECT * FROM projections.tournaments JOIN projections.tables USING (tournament_id)"
                    )
                self.reads += 1
                time.sleep(0.001)

            return step

        self._loop(work)


def test_replacing_disturbs_neither_projectors_nor_readers_nor_commands(played, database_url):
    with Service(database_url) as service, ThreadPoolExecutor(1) as pool:
        enrolling = pool.submit(lambda: [played.enrol(1) for _ in range(150)])
        rounds = 0
        while not enrolling.done() or rounds < 5:
            replace(played.store)
            rounds += 1
        enrolling.result(30)
    assert service.errors == []
    assert service.reads > rounds
    played.project()
    assert compare(played.store) == []


def test_comparing_while_the_service_runs_finds_no_difference(played, database_url):
    with Service(database_url) as service, ThreadPoolExecutor(1) as pool:
        enrolling = pool.submit(lambda: [played.enrol(1) for _ in range(60)])
        while not enrolling.done():
            assert compare(played.store) == []
        enrolling.result(30)
    assert service.errors == []


def test_projections_that_are_gone_are_made_again(played):
    run(played, "DROP SCHEMA projections CASCADE")
    replace(played.store)
    assert compare(played.store) == []


def test_two_rebuilds_at_once_take_their_turns(played):
    with ThreadPoolExecutor(3) as pool:
        jobs = [pool.submit(job, played.store) for job in (replace, compare, replace)]
        assert [job.result(60) for job in jobs] == [None, [], None]
    assert compare(played.store) == []
