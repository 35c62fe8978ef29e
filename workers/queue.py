"""The RQ queue: who enqueues and who works agree here. Redis holds nothing that cannot be made again."""

from __future__ import annotations

import logging
import time
from typing import Any

from redis import Redis
from rq import Queue, Retry, SimpleWorker
from rq.job import Job
from rq.serializers import JSONSerializer

from services.bugs import told
from services.logs import note
from services.queues import QUEUE, SOCKET_TIMEOUT_SECONDS, redis_client
from workers.executions import QueuedJob

__all__ = ["QUEUE", "enqueue", "queue", "redis_client", "work", "worker"]

JOB_TIMEOUT_SECONDS = 10
JOB_RETRIES = 2
"""Within RQ; the agenda asks again in any case, as long as the work is due."""
FAILURE_TTL_SECONDS = 3600
JOB_TTL_SECONDS = 10
"""A job that waited longer is dropped: whatever is still due has been asked for again."""
WORKER_TTL_SECONDS = 30
MAINTENANCE_SECONDS = 10

log = logging.getLogger(__name__)


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


class JobWorker(SimpleWorker):
    """Logs each job once it is over: which, how long, and of a failure types and places alone."""

    def perform_job(self, job: Job, *args: Any, **more: Any) -> bool:  # noqa: ANN401 - the library's signature
        """Do the job; whether it succeeded."""
        begun = time.perf_counter()
        done = super().perform_job(job, *args, **more)
        ms = round((time.perf_counter() - begun) * 1000, 1)
        level = logging.INFO if done else logging.ERROR
        note(log, level, "job", job=str(job.func_name).rpartition(".")[2], id=job.id, done=done, ms=ms)
        return done

    def handle_exception(self, job: Job, *exc_info: Any) -> None:  # noqa: ANN401
        """Instead of the library's line, which has the error's message, and so maybe a card."""
        note(log, logging.ERROR, "a job failed", id=job.id, error=told(exc_info[1]))

    def handle_job_failure(self, *args: Any, **more: Any) -> None:  # noqa: ANN401
        """Redis keeps that it failed; why stands in the log."""
        super().handle_job_failure(*args, **(more | {"exc_string": ""}))


def worker(client: Redis) -> SimpleWorker:
    """A worker of a name of its own each time: a fixed one would block a restart."""
    return JobWorker(
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
