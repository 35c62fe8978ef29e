"""The clock: looks at the agenda, and puts what is due on the queue. Being a query on the store it reconciles itself.

Two clocks may run: whoever marks an item first enqueues it, and every job may run twice in any case.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from redis import Redis
from redis.exceptions import RedisError

from domain.errors import Conflicting
from domain.ids import HandId
from domain.waits import STEP
from services.application import card_reads, hands
from services.application.hands import ClockStep
from services.audit import checkpoints
from services.bootstrap import Services
from services.database import Connection
from services.errors import Unavailable
from services.logs import note
from services.projections import SCHEMA
from services.projections.agenda import IS_DUE
from workers.jobs import JOBS
from workers.queue import enqueue, queue

LOOK_SECONDS = 0.2
"""How often the clock looks at the agenda."""
AGAIN_MS = 2000
"""After how long an item that is still due is enqueued again."""
MOST_DUE = 500
"""Items enqueued at one look."""
MOST_QUEUED = 1000
"""With so many jobs waiting nobody works: more would only be older when somebody does."""
CHECKPOINT_SECONDS, CHECKPOINT_AGAIN_SECONDS = 1.0, 10.0
"""How often the clock asks whether a checkpoint is due, and how long it waits for one that is."""
PUT_AWAY_SECONDS = 60.0
"""How often old heartbeats are put away, and old changes forgotten."""

log = logging.getLogger(__name__)


class Due(NamedTuple):
    name: str
    job: str
    args: list[object]


class Look(NamedTuple):
    """One look: the database's clock between two readings of our own, how far the projections are, what is due."""

    before: float
    now: datetime
    after: float
    position: int
    due: list[Due]


class Clock:
    """One process's clock: `tick` is one look at the agenda."""

    def __init__(self, services: Services, client: Redis, *, signing: bool = False) -> None:
        """`signing`: there is a key, so it asks for checkpoints."""
        self._services = services
        self._signing = signing
        self._redis = client
        self._queue = queue(client)
        self._last: Look | None = None
        self._asked: dict[str, float] = {}
        self._checkpoint_at = 0.0
        self._tidy_at = 0.0

    def run(self) -> None:
        """Look until the process is ended; a store or Redis that is away is waited for."""
        while True:
            try:
                self.tick()
                self.tidy()
            except (Unavailable, RedisError) as error:
                log.warning("the clock waits: %s", error)
            time.sleep(LOOK_SECONDS)

    def tick(self) -> int:
        """Enqueue what is due and has not just been; the number of jobs."""
        look = self._look()
        step = jump(self._last, look) if self._last else None
        if step:
            self._give_back(step)  # if that fails, the next look sees the same jump
        self._last = look
        return 0 if step else self._enqueue(look)

    def tidy(self) -> int:
        """Put old heartbeats away, and forget what is kept for some days only, once a minute; how many."""
        if time.monotonic() < self._tidy_at:
            return 0
        self._tidy_at = time.monotonic() + PUT_AWAY_SECONDS
        kept, connections = self._services.settings, self._services.connections
        forgotten = connections.forget(kept.connection_days)
        forgotten += card_reads.forget(self._services.store.database, kept.access_log_days)
        return connections.put_away() + forgotten

    def _enqueue(self, look: Look) -> int:
        """One job for what is the same work: every table of a tournament asks for the same look."""
        if self._queue.count >= MOST_QUEUED:
            log.warning("the clock waits: %d jobs are queued and no worker takes them", self._queue.count)
            return 0
        fresh = [item for item in look.due if self._redis.set(f"tick:{item.name}", 1, nx=True, px=AGAIN_MS)]
        self._asked |= {item.name: look.after for item in look.due}
        work = {(item.job, *map(str, item.args)): item for item in reversed(fresh)}
        for item in work.values():
            enqueue(self._queue, f"{item.name}-{int(look.now.timestamp() * 1000)}", JOBS[item.job], item.args)
        if work:
            note(log, logging.DEBUG, "tick", enqueued=len(work), overdue=len(look.due))
        return len(work)

    def _look(self) -> Look:
        """What is due and was not asked for just now, so that what stays due hides nothing behind it."""
        with self._services.store.database.connection() as conn:
            checkpoint = self._checkpoint_due(conn)
            before = time.monotonic()
            self._asked = {name: at for name, at in self._asked.items() if before - at < AGAIN_MS / 1000}
            rows = conn.execute(_LOOK, (list(self._asked), MOST_DUE)).fetchall()
            after = time.monotonic()
        due = [Due(name, job, args) for _, _, name, job, args in rows if name is not None]
        due += [item for item in checkpoint if item.name not in self._asked]
        return Look(before, rows[0][0], after, rows[0][1], due)

    def _checkpoint_due(self, conn: Connection) -> list[Due]:
        """It is no row of the agenda: no event makes it due, and none is left when it is done."""
        if not self._signing or time.monotonic() < self._checkpoint_at:
            return []
        size = checkpoints.due(conn)
        wait = CHECKPOINT_SECONDS if size is None else CHECKPOINT_AGAIN_SECONDS
        self._checkpoint_at = time.monotonic() + wait
        return [] if size is None else [Due(f"{checkpoints.JOB}-{size}", checkpoints.JOB, [])]

    def _give_back(self, step: ClockStep) -> None:
        """Act for nobody until running turns have the time back that they had left."""
        log.warning("the database's clock jumped by %s: running turns keep their time", step.by)
        with self._services.store.database.connection() as conn:
            running = conn.execute(_RUNNING).fetchall()
        for (hand_id,) in running:
            with suppress(Conflicting):  # somebody plays, and so gets the next turn going himself
                hands.shift_clock(self._services, HandId(hand_id), step)


_LOOK = f"""
SELECT statement_timestamp(), (SELECT position FROM {SCHEMA}.tracking), name, job, args FROM (SELECT 1) AS one
LEFT JOIN LATERAL
(
    SELECT * FROM {SCHEMA}.agenda WHERE {IS_DUE} AND name <> ALL (%s) ORDER BY due_at LIMIT %s
) AS due ON true
"""  # noqa: S608 - our own names

# Their clocks may stand, or have been started since: the agenda, which is behind the log, does not tell.
_RUNNING = f"""
SELECT hand_id FROM {SCHEMA}.hands WHERE state = 'running' UNION
SELECT originator_id FROM public.big2_events
WHERE notification_id > (SELECT position FROM {SCHEMA}.tracking) AND originator_version = 1
    AND starts_with(topic, 'hand.')
"""  # noqa: S608 - our own names


def jump(last: Look, look: Look) -> ClockStep | None:
    """By how much the database's clock has jumped between two looks, if it has.

    It was read at some time between our two readings: a look that took long proves only what its ends prove.
    """
    went = look.now - last.now
    least = went - timedelta(seconds=look.after - last.before)
    most = went - timedelta(seconds=look.before - last.after)
    if least <= STEP and most >= -STEP:
        return None
    by = (least + most) / 2
    blind = timedelta(seconds=look.after - last.before)
    return ClockStep(by, last.position, look.now - by if blind < abs(by) / 2 else None)
