"""Locks by key: one holder, a queue that needs no connections, and an end to every wait."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from uuid import uuid4

import psycopg
import pytest

from services.errors import Unavailable
from services.locks import LOCK_CONNECTIONS, AdvisoryLocks, LocalLocks


@pytest.fixture(params=["postgres", "memory"])
def locks(request):
    locks = (
        AdvisoryLocks(request.getfixturevalue("database_url"))
        if request.param == "postgres"
        else LocalLocks()
    )
    yield locks
    locks.close()


def test_a_hundred_threads_hold_a_lock_one_after_the_other(locks):
    key, inside, most = uuid4(), [], []

    def work(_):
        with locks.hold(key, 60):
            inside.append(1)
            most.append(len(inside))
            inside.pop()

    with ThreadPoolExecutor(100) as pool:
        list(pool.map(work, range(200)))
    assert len(most) == 200
    assert max(most) == 1


def test_more_keys_than_connections_are_held_in_turn(locks):
    def work(_):
        with locks.hold(uuid4(), 60):
            time.sleep(0.001)

    with ThreadPoolExecutor(4 * LOCK_CONNECTIONS) as pool:
        list(pool.map(work, range(40)))


def test_two_processes_exclude_each_other(database_url):
    key, entered = uuid4(), Event()
    one, two = AdvisoryLocks(database_url), AdvisoryLocks(database_url)

    def second():
        with two.hold(key, 60):
            entered.set()

    with ThreadPoolExecutor(1) as pool:
        with one.hold(key):
            waiting = pool.submit(second)
            assert not entered.wait(0.1)
        waiting.result(10)
    assert entered.is_set()
    one.close()
    two.close()


def test_a_wait_for_another_process_ends(database_url):
    key = uuid4()
    one, two = AdvisoryLocks(database_url), AdvisoryLocks(database_url)
    with one.hold(key), ThreadPoolExecutor(1) as pool, pytest.raises(Unavailable, match="not free"):
        pool.submit(lambda: two.hold(key, 0.05).__enter__()).result(10)
    with two.hold(key):  # and nothing of it is left
        pass
    one.close()
    two.close()


def test_a_wait_for_another_thread_ends(locks):
    key = uuid4()

    def impatient():
        with locks.hold(key, 0.05):
            raise AssertionError("it is held")

    with ThreadPoolExecutor(1) as pool, locks.hold(key), pytest.raises(Unavailable, match="not free"):
        pool.submit(impatient).result(10)


def test_a_lock_inside_a_lock_is_a_mistake(locks):
    with (
        locks.hold(uuid4()),
        pytest.raises(RuntimeError, match="may not ask for another"),
        locks.hold(uuid4()),
    ):
        pass
    with locks.hold(uuid4()):
        pass


def test_a_lock_is_free_after_an_error_inside(locks):
    key = uuid4()
    with pytest.raises(ZeroDivisionError), locks.hold(key):
        raise ZeroDivisionError
    with locks.hold(key, 0.1):
        pass


def test_a_connection_lost_under_a_lock_frees_it(database_url):
    key, locks = uuid4(), AdvisoryLocks(database_url)
    with locks.hold(key), psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE application_name = 'big2-locks' AND datname = current_database()"
        )
    with locks.hold(key):
        pass
    locks.close()


def test_a_holder_who_is_not_heard_of_keeps_it_no_longer_than_the_limit(database_url, monkeypatch):
    monkeypatch.setattr("services.locks.HELD_SECONDS", 1)
    key, cut_off, other = uuid4(), AdvisoryLocks(database_url), AdvisoryLocks(database_url)
    with cut_off.hold(key), other.hold(key, 60):
        pass
    with cut_off.hold(key):
        pass
    cut_off.close()
    other.close()


def test_two_locks_are_held_in_their_order_and_both_are_free_afterwards(locks):
    first, second = uuid4(), uuid4()
    with locks.hold(first, 60, second), ThreadPoolExecutor(2) as pool:
        for key in (first, second):
            assert isinstance(pool.submit(_hold, locks, key).exception(10), Unavailable)
    for key in (first, second):
        _hold(locks, key)


def test_the_same_lock_twice_is_that_lock(locks):
    key = uuid4()
    for _ in range(2):
        _hold(locks, key, key)


def test_a_second_lock_that_is_not_free_frees_the_first(locks):
    first, second = uuid4(), uuid4()
    with locks.hold(second), ThreadPoolExecutor(1) as pool:
        assert isinstance(pool.submit(_hold, locks, first, second).exception(10), Unavailable)
        pool.submit(_hold, locks, first).result(10)


def test_two_processes_exclude_each_other_from_the_second_lock_too(database_url):
    first, second = uuid4(), uuid4()
    one, two = AdvisoryLocks(database_url), AdvisoryLocks(database_url)
    with one.hold(first, 60, second), ThreadPoolExecutor(1) as pool:
        assert isinstance(pool.submit(_hold, two, second).exception(10), Unavailable)
    _hold(two, uuid4(), second)
    one.close()
    two.close()


def _hold(locks, key, then=None):
    with locks.hold(key, 0.3, then):
        pass
