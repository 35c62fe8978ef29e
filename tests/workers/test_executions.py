"""The job of a worker that was killed is run again by another one, and put away without an error."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator

import pytest
from redis import Redis
from rq import Queue

from workers.queue import enqueue, queue, redis_client, worker

DONE = "os.getpid"
FAILS = "os.close"
"""Functions that do, and that do not, without arguments."""


@pytest.fixture
def redis(redis_url) -> Iterator[Redis]:
    runner = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    client = redis_client(f"{redis_url}?db={5 + int(runner) % 8}")  # one of this run's own
    client.flushdb()
    yield client
    client.close()


def taken_and_never_heard_of_again(client: Redis, job_id: str, function: str) -> None:
    """A job that a worker has begun when it is killed, over a minute ago: Redis has its execution's name alone."""
    jobs = queue(client)
    enqueue(jobs, job_id, function, [])
    killed = worker(client)
    killed.register_birth()
    job, _ = Queue.dequeue_any(
        [jobs], None, connection=client, job_class=jobs.job_class, serializer=jobs.serializer
    )
    execution = killed.prepare_execution(job)
    killed.prepare_job_execution(job, remove_from_intermediate_queue=True)
    client.delete(execution.key, killed.key)
    client.zadd("rq:wip:jobs", {execution.composite_key: 1})


def left(client: Redis) -> set[bytes]:
    """What Redis has of jobs and of executions; a dead worker's own list of them ends by itself."""
    return {key for what in ("job", "execution", "executions", "wip") for key in client.keys(f"rq:{what}:*")}


def test_the_job_of_a_killed_worker_is_done_again_without_an_error_and_nothing_stays(redis, caplog):
    taken_and_never_heard_of_again(redis, "pay-7", DONE)
    with caplog.at_level(logging.WARNING):
        worker(redis).work(burst=True, logging_level="WARNING")
    assert [record.getMessage() for record in caplog.records] == []
    assert queue(redis).failed_job_registry.count == 0
    assert left(redis) == set()


def test_one_that_fails_is_told_and_kept_as_ever(redis, caplog):
    taken_and_never_heard_of_again(redis, "pay-8", FAILS)
    with caplog.at_level(logging.WARNING):
        worker(redis).work(burst=True, logging_level="WARNING")
    assert caplog.records
    assert queue(redis).failed_job_registry.get_job_ids() == ["pay-8"]
