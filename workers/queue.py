"""The RQ queue: who enqueues and who works agree here. Redis holds nothing that cannot be made again."""

from __future__ import annotations

from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry as RedisRetry
from rq import Queue, Retry, SimpleWorker
from rq.serializers import JSONSerializer

from workers.executions import QueuedJob

QUEUE = "jobs"
JOB_TIMEOUT_SECONDS = 10
JOB_RETRIES = 2
"""Within RQ; the agenda asks again in any case, as long as the work is due."""
FAILURE_TTL_SECONDS = 3600
JOB_TTL_SECONDS = 10
"""A job that waited longer is dropped: whatever is still due has been asked for again."""
SOCKET_TIMEOUT_SECONDS = 0.5
WORKER_TTL_SECONDS = 30
MAINTENANCE_SECONDS = 10


def redis_client(url: str) -> Redis:
    """A client that fails quickly: whoever asks tries again later, and no request waits for Redis."""
    return Redis.from_url(
        url,
        socket_timeout=SOCKET_TIMEOUT_SECONDS,
        socket_connect_timeout=SOCKET_TIMEOUT_SECONDS,
        retry=RedisRetry(NoBackoff(), 0),
    )


def queue(client: Redis) -> Queue:
    return Queue(
        QUEUE,
        connection=client,
        job_class=QueuedJob,
        serializer=JSONSerializer,
        default_timeout=JOB_TIMEOUT_SECONDS,
    )


def enqueue(jobs: Queue, job_id: str, function: str, args: list[object]) -> None:
    """Put one job on the queue under `job_id` (letters, digits, `_` and `-`)."""
    jobs.enqueue(
        function,
        args=tuple(args),
        job_id=job_id,
        ttl=JOB_TTL_SECONDS,
        result_ttl=0,
        failure_ttl=FAILURE_TTL_SECONDS,
        retry=Retry(max=JOB_RETRIES),
    )


def worker(client: Redis) -> SimpleWorker:
    """A worker of a name of its own each time: a fixed one would block a restart."""
    return SimpleWorker(
        [queue(client)],
        connection=client,
        job_class=QueuedJob,
        serializer=JSONSerializer,
        worker_ttl=WORKER_TTL_SECONDS,
        maintenance_interval=MAINTENANCE_SECONDS,
    )


def work(url: str) -> None:
    """Run jobs until told to stop."""
    # A worker waits for jobs on the connection itself, so its socket may be silent for longer than a clock's.
    client = Redis.from_url(url, socket_connect_timeout=SOCKET_TIMEOUT_SECONDS)
    worker(client).work(logging_level="WARNING")
