"""The clock: looks at the agenda, and puts what is due on the queue. Being a query on the store it reconciles itself.

Two clocks may run: whoever marks an item first enqueues it, and every job may run twice in any case.
"""

from __future__ import annotations

import logging
import time
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from redis import Redis
from redis.exceptions import RedisError

from domain.ids import HandId
from services.application import hands
from services.bootstrap import Services
from services.errors import Unavailable
from services.projections import SCHEMA
from workers.jobs import JOBS
from workers.queue import enqueue, queue

LOOK_SECONDS = 0.2
"""How often the clock looks at the agenda."""
AGAIN_MS = 2000
"""After how long an item that is still due is enqueued again."""
MOST_DUE = 500
"""Items enqueued at one look."""
STEP = timedelta(seconds=2)
"""A larger difference between the database's clock and our own monotonic one is a step of the former."""

log = logging.getLogger(__name__)


class Due(NamedTuple):
    name: str
    job: str
    args: list[object]


class Clock:
    """One process's clock: `tick` is one look at the agenda."""

    def __init__(self, services: Services, client: Redis) -> None:
        self._services = services
        self._redis = client
        self._queue = queue(client)
        self._offset: timedelta | None = None

    def run(self) -> None:
        """Look until the process is ended; a store or Redis that is away is waited for."""
        while True:
            try:
                self.tick()
            except (Unavailable, RedisError) as error:
                log.warning("the clock waits: %s", error)
            time.sleep(LOOK_SECONDS)

    def tick(self) -> int:
        """Enqueue what is due and has not just been; the number of jobs."""
        now, due = self._look()
        if step := self._step(now):
            self._give_back(step)
            return 0
        fresh = [item for item in due if self._redis.set(f"tick:{item.name}", 1, nx=True, px=AGAIN_MS)]
        for item in fresh:
            enqueue(self._queue, f"{item.name}-{int(now.timestamp() * 1000)}", JOBS[item.job], item.args)
        return len(fresh)

    def _look(self) -> tuple[datetime, list[Due]]:
        with self._services.store.database.transaction() as cur:
            cur.execute(f"SET LOCAL search_path = {SCHEMA}")
            cur.execute(
                "SELECT clock_timestamp(), name, job, args FROM (SELECT 1) AS one LEFT JOIN LATERAL"
                " (SELECT * FROM agenda WHERE due_at <= clock_timestamp() ORDER BY due_at LIMIT %s) AS due ON true",
                (MOST_DUE,),
            )
            rows = cur.fetchall()
        return rows[0][0], [Due(name, job, args) for _, name, job, args in rows if name is not None]

    def _step(self, now: datetime) -> timedelta | None:
        """By how much the database's clock has stepped since the last look, if it has."""
        offset = now - datetime.fromtimestamp(time.monotonic(), now.tzinfo)
        before, self._offset = self._offset, offset
        return offset - before if before is not None and abs(offset - before) > STEP else None

    def _give_back(self, step: timedelta) -> None:
        """Act for nobody until running turns have the time back that they had left."""
        log.warning("the database's clock stepped by %s: running turns keep their time", step)
        with self._services.store.database.transaction() as cur:
            cur.execute(f"SELECT args->>0, due_at FROM {SCHEMA}.agenda WHERE job = 'turn'")  # noqa: S608
            turns = cur.fetchall()
        for hand_id, deadline in turns:
            hands.shift_clock(self._services, HandId(UUID(hand_id)), deadline, step)
