"""What the log says of jobs, looks and batches, and what it must not."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator

import pytest
from redis import Redis

from tests.services.projections.house import House
from workers.clock import Clock
from workers.queue import enqueue, queue, redis_client, worker

CARD = "2" + "S"


@pytest.fixture
def redis(redis_url) -> Iterator[Redis]:
    runner = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    client = redis_client(f"{redis_url}?db={5 + int(runner) % 8}")  # one of this run's own
    client.flushdb()
    yield client
    client.close()


def fields(caplog, event: str) -> list[dict]:
    return [record.fields for record in caplog.records if record.args == (event,)]


def test_a_job_that_is_done_is_one_line(redis, caplog):
    caplog.set_level(logging.INFO, "workers.queue")
    enqueue(queue(redis), "deal-7", "builtins.abs", [7])
    worker(redis).work(burst=True, logging_level="WARNING")
    [line] = fields(caplog, "job")
    assert line.pop("ms") >= 0
    assert line == {"job": "abs", "id": "deal-7", "done": True}


def test_of_a_job_that_fails_log_and_redis_keep_no_message(redis, caplog):
    enqueue(queue(redis), "turn-7", "builtins.int", [CARD])
    worker(redis).work(burst=True, logging_level="WARNING")
    assert {line["done"] for line in fields(caplog, "job")} == {False}
    assert fields(caplog, "a job failed")[0]["error"].startswith("ValueError")
    assert CARD not in caplog.text
    [job] = map(queue(redis).fetch_job, queue(redis).failed_job_registry.get_job_ids())
    assert CARD not in str(job.latest_result().exc_string)


def test_a_look_that_finds_something_is_told_when_debugging(redis, database_url, caplog):
    caplog.set_level(logging.DEBUG, "workers.clock")
    house = House(database_url)
    house.started(2)
    house.project()
    look = Clock(house, redis)
    look.tick()
    look.tick()
    house.close()
    [line] = fields(caplog, "tick")
    assert line["enqueued"] >= 1
