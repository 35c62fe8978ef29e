"""Where the jobs wait: the queue's name, and how Redis is asked. Redis holds nothing that cannot be made again."""

from __future__ import annotations

from typing import NamedTuple

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Queue
from rq.worker_registration import get_keys

from services.errors import Unavailable

QUEUE = "jobs"
SOCKET_TIMEOUT_SECONDS = 0.5


class Counts(NamedTuple):
    """Jobs that wait for a worker, those that failed within the last hour, and the workers that take jobs."""

    waiting: int
    failed: int
    workers: int


def redis_client(url: str) -> Redis:
    """A client that fails quickly: whoever asks tries again later, and no request waits for Redis."""
    return Redis.from_url(
        url,
        socket_timeout=SOCKET_TIMEOUT_SECONDS,
        socket_connect_timeout=SOCKET_TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


def counts(url: str) -> Counts:
    """What Redis says of the queue; Unavailable if it does not answer."""
    try:
        with redis_client(url) as client:
            jobs = Queue(QUEUE, connection=client)
            failed = jobs.failed_job_registry.get_job_count(cleanup=False)
            return Counts(jobs.count, failed, _workers(client, jobs))
    except RedisError as error:
        raise Unavailable(f"Redis did not answer: {type(error).__name__}") from error


def _workers(client: Redis, jobs: Queue) -> int:
    """A worker that was killed stays in the set of them, but its own key goes with its last sign of life."""
    keys = get_keys(queue=jobs)
    found: int = client.exists(*keys) if keys else 0
    return found
