"""What `/metrics` tells, in Prometheus' text format. No label holds a card, a name, an id or a token.

Two kinds of figures. Requests and feeds are counted where they happen: every web process writes into one folder, and a
page sums them, dead processes included. All else is asked of the store and of Redis when a page is made, so it is the
same whichever process answers, and needs nothing of workers, clock and projector.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from threading import Lock

import psycopg
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from services.errors import StoreError
from services.projections.agenda import IS_DUE
from services.projections.progress import Progress, progress
from services.store import Store

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""prometheus-client's own: where the processes of one server count, if it has several."""
KEPT_SECONDS = 1.0
"""How long what the store and Redis said is told again."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
MOST_COUNTED = 100_000
"""A greater lag is told as this."""
NOWHERE = "none"
"""The route of a request that no route takes."""
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

_COUNTED = CollectorRegistry()
COMMANDS = Counter(
    "big2_commands",
    "Requests that write, by what was answered: 2xx are done, 4xx refused.",
    ["method", "route", "status"],
    registry=_COUNTED,
)
READS = Counter("big2_reads", "Requests that read.", ["route", "status"], registry=_COUNTED)
SECONDS = Histogram(
    "big2_request_seconds",
    "How long an answer took; a feed counts up to its first byte.",
    ["method", "route"],
    buckets=_BUCKETS,
    registry=_COUNTED,
)
FEEDS = Gauge("big2_feeds", "Feeds that are open.", registry=_COUNTED, multiprocess_mode="livesum")
PLACES = Gauge(
    "big2_feed_places", "Feeds that there is room for.", registry=_COUNTED, multiprocess_mode="livesum"
)
ENDED = Counter("big2_feeds_ended", "Feeds that have ended, by why.", ["why"], registry=_COUNTED)

_AGENDA = f"""
SELECT job, count(*), greatest(0, extract(epoch FROM statement_timestamp() - min(due_at)))::float8
FROM projections.agenda WHERE {IS_DUE} GROUP BY job ORDER BY job
"""  # noqa: S608 - our own words
_WEBHOOKS = """
SELECT count(*) FILTER (WHERE w.state = 'active'), count(*) FILTER (WHERE w.state = 'disabled'),
       count(*) FILTER (WHERE w.state = 'active' AND d.failures > 0),
       COALESCE(max(t.position - COALESCE(d.position, w.created)) FILTER (WHERE w.state = 'active'), 0)
FROM projections.tracking t, projections.webhooks w LEFT JOIN webhook_deliveries d USING (webhook_id)
"""
_DELIVERIES = "SELECT COALESCE(sum(delivered), 0), COALESCE(sum(failed), 0) FROM webhook_deliveries"
_SIZE = "SELECT pg_database_size(current_database())"
_UNSIGNED = """
SELECT greatest(0, extract(epoch FROM statement_timestamp()
    - (convert_from(state, 'UTF8')::jsonb->>'at')::timestamptz))::float8
FROM big2_events WHERE notification_id > (SELECT coalesce(max(position), 0) FROM checkpoints)
ORDER BY notification_id LIMIT 1
"""


def counted() -> bytes:
    """What the web processes of this server have counted."""
    if FOLDER_VARIABLE not in os.environ:
        return generate_latest(_COUNTED)
    summed = CollectorRegistry()
    MultiProcessCollector(summed)  # type: ignore[no-untyped-call]
    return generate_latest(summed)


class Asked:
    """What the store and Redis say, at most once a second however many ask."""

    def __init__(
        self, store: Store, redis_url: str | None, data: Path, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._redis_url = redis_url
        self._data = data
        self._clock = clock
        self._guard = Lock()
        self._page = b""
        self._until = float("-inf")

    def page(self) -> bytes:
        """The newest figures; whoever asks meanwhile waits for them."""
        with self._guard:
            if self._clock() >= self._until:
                self._page = generate_latest(self)
                self._until = self._clock() + KEPT_SECONDS
            return self._page

    def collect(self) -> Iterator[Metric]:
        """The figures; those of a store or a Redis that is away are left out."""
        yield from _with_state("big2_store_up", "Whether PostgreSQL answers.", self._of_store)
        if url := self._redis_url:
            yield from _with_state("big2_redis_up", "Whether Redis answers.", lambda: _of_redis(url))
        if free := _free_bytes(self._data):
            yield GaugeMetricFamily("big2_data_free_bytes", "Room left in the data directory.", free)

    def _of_store(self) -> Iterable[Metric]:
        head, at = self._store.head(), progress(self._store.database, MOST_COUNTED)
        with self._store.database.connection() as conn:
            due, size = conn.execute(_AGENDA).fetchall(), conn.execute(_SIZE).fetchone()
            unsigned = conn.execute(_UNSIGNED).fetchone()
            webhooks, deliveries = conn.execute(_WEBHOOKS).fetchone(), conn.execute(_DELIVERIES).fetchone()
        assert size is not None
        assert webhooks is not None
        assert deliveries is not None
        overdue = GaugeMetricFamily(
            "big2_overdue_items", "Items of the agenda that are due and not done.", labels=["job"]
        )
        oldest = GaugeMetricFamily(
            "big2_overdue_seconds",
            "For how long the oldest of them is due by the database's clock; 0 if none is.",
            labels=["job"],
        )
        for job, number, seconds in due:
            overdue.add_metric([job], number)
            oldest.add_metric([job], seconds)
        return [
            CounterMetricFamily("big2_events", "Position of the newest event of the log.", head),
            *(_of_projector(at) if at else ()),
            overdue,
            oldest,
            GaugeMetricFamily(
                "big2_oldest_overdue_seconds",
                "For how long the agenda's oldest item is due by the database's clock; 0 if none is.",
                max((seconds for _, _, seconds in due), default=0),
            ),
            GaugeMetricFamily("big2_database_bytes", "Size of the database.", size[0]),
            GaugeMetricFamily(
                "big2_unsigned_seconds",
                "Age of the oldest event that no checkpoint covers; 0 if none is.",
                unsigned[0] if unsigned else 0.0,
            ),
            *_of_webhooks(webhooks, deliveries),
        ]


def _of_redis(url: str) -> Iterable[Metric]:
    from services.queues import counts  # noqa: PLC0415 - a tenth of a web process's start

    found = counts(url)
    return [
        GaugeMetricFamily("big2_queue_depth", "Jobs that wait for a worker.", found.waiting),
        GaugeMetricFamily("big2_failed_jobs", "Jobs that failed within the last hour.", found.failed),
        GaugeMetricFamily("big2_workers", "Workers that take jobs.", found.workers),
    ]


def _of_projector(at: Progress) -> Iterator[Metric]:
    yield GaugeMetricFamily("big2_projector_lag_events", "Events that are not projected yet.", at.behind)
    seconds = at.oldest.total_seconds() if at.oldest is not None else float("nan")
    yield GaugeMetricFamily(
        "big2_projector_lag_seconds", "Age of the oldest event that is not projected.", seconds
    )
    yield GaugeMetricFamily(
        "big2_projector_stalled",
        "1 while there is an event that cannot be projected.",
        int(at.stall is not None),
    )


def _of_webhooks(webhooks: Sequence[int], deliveries: Sequence[int]) -> Iterator[Metric]:
    active, disabled, failing, behind = webhooks
    delivered, failed = deliveries
    by_state = GaugeMetricFamily("big2_webhooks", "Webhooks, by state.", labels=["state"])
    for state, number in (("active", active - failing), ("failing", failing), ("disabled", disabled)):
        by_state.add_metric([state], number)
    yield by_state
    yield CounterMetricFamily("big2_webhook_delivered", "Events that webhooks have taken.", delivered)
    yield CounterMetricFamily("big2_webhook_failed", "Deliveries that no webhook took.", failed)
    yield GaugeMetricFamily(
        "big2_webhook_behind_events",
        "Positions of the log that the active webhook furthest behind has not been told of.",
        behind,
    )


def _with_state(name: str, meaning: str, ask: Callable[[], Iterable[Metric]]) -> Iterator[Metric]:
    try:
        found = list(ask())
    except (StoreError, psycopg.Error):
        yield GaugeMetricFamily(name, meaning, 0)
        return
    yield GaugeMetricFamily(name, meaning, 1)
    yield from found


def _free_bytes(data: Path) -> int | None:
    try:
        found = os.statvfs(data)
    except OSError:
        return None
    return found.f_bavail * found.f_frsize
