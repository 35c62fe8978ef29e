"""The machine under the simulated service: one virtual time, one random source, and every fault that it has."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random
from types import SimpleNamespace
from typing import Any

from domain.errors import Conflicting
from domain.ids import TournamentId
from services.application import payments
from services.errors import StoreError, Unavailable
from tests.harness.sim_log import Violation
from tests.harness.sim_service import AgendaDatabase, Job, Projected, Valkey, services_on
from tests.harness.sim_store import Killed, MemoryConnections, SimRows, store_on
from workers import jobs
from workers.clock import LOOK_SECONDS, Clock

EPOCH = datetime(2026, 3, 1, 20, 0, tzinfo=UTC)
RATES = (0.0, 0.02, 0.05, 0.1)
"""How often what can go wrong does; each seed has one of them."""
JUMPS = (-7200.0, -300.0, -7.0, -4.0, 4.0, 7.0, 300.0, 7200.0)
"""By so many seconds the database's clock may be set."""
WITHIN = 3
"""How deep others may come in between, while one is between its reading and its writing."""
WORKS = "no command and no job fails for a bug"
JOB_TRIES = 3
"""RQ's own: once, and two retries."""


class Machine:
    """Virtual time, processes, queue and projector. `calm` ends every fault."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.entropy_seconds = Random(f"entropy {seed}").choice((0, 0, 0, 3))
        self.rate = self.random.choice(RATES)
        self.now = 0.0
        self.skew = 0.0
        self.calm = False
        self.steps = 0
        self.faults: Counter[str] = Counter()
        self.bugs: list[BaseException] = []
        self._unseen: set[int] = set()
        self._events: list[tuple[float, int, Callable[[], object]]] = []
        self._number = 0
        self._depth = 0
        self._attempts = [0]
        self._attempt = 0
        self.rows = SimRows(self.database_time, self)
        self.connections = MemoryConnections(self.database_time)
        self.web = services_on(self.rows, self.connections)
        self.worker = services_on(self.rows, self.connections)
        self.reader = store_on(self.rows)
        self.projected = Projected(self.reader)
        self.valkey = Valkey(lambda: self.now, self._deliver)
        self.clocks: list[Clock] = []

    # time

    def database_time(self) -> datetime:
        return EPOCH + timedelta(microseconds=round((self.now + self.skew) * 1_000_000))

    def at(self, seconds: float, what: Callable[[], object]) -> None:
        """Do something so many seconds from now."""
        self._number += 1
        heapq.heappush(self._events, (self.now + seconds, self._number, what))

    def soon(self, most: float, what: Callable[[], object]) -> None:
        self.at(self.random.random() * most, what)

    def step(self) -> bool:
        """The next thing that happens; False if there is none."""
        if not self._events:
            return False
        due, _, what = heapq.heappop(self._events)
        self.now = max(self.now, due)
        self.steps += 1
        self._run(what)
        return True

    def _run(self, what: Callable[[], object]) -> None:
        self._attempt += 1
        self._attempts.append(self._attempt)
        try:
            what()
        except Killed:
            self.restart()
        finally:
            self._attempts.pop()

    def restart(self) -> None:
        """Whoever was killed comes back without what he remembered."""
        if self.random.random() < 0.5:
            self.web = services_on(self.rows, self.connections)
        self.worker = services_on(self.rows, self.connections)

    # faults

    def hit(self, what: str, weight: float = 1.0) -> bool:
        """Whether this goes wrong now."""
        if self.calm or self.random.random() >= self.rate * weight:
            return False
        self.faults[what] += 1
        return True

    def attempt(self) -> int:
        """Whose turn it is: the innermost of what is under way."""
        return self._attempts[-1]

    def before_read(self) -> None:
        if self.hit("others came before a read", 0.1):
            self._others_first()

    def before_append(self) -> None:
        if self.hit("others came before an append", 2.0):
            self._others_first()
        if self.hit("killed before an append", 0.5):
            raise Killed
        if self.hit("the database was away before an append", 0.5):
            raise Unavailable("it was away")

    def after_append(self) -> None:
        if self.hit("killed after an append", 0.5):
            raise Killed
        if self.hit("the answer to an append was lost", 0.5):
            raise Unavailable("its answer was lost")

    def _others_first(self) -> None:
        """Whatever would happen within the next second happens now, while somebody has read and not yet written."""
        if self._depth >= WITHIN:
            return
        self._depth += 1
        try:
            for _ in range(self.random.randint(1, 3)):
                if self._events and self._events[0][0] <= self.now + 1:
                    self.step()
        finally:
            self._depth -= 1

    def mishaps(self) -> None:
        """Once a second, what can happen by itself.

        A clock that has just been started, or sleeps, cannot tell what came before a jump and what after it; so the
        database's clock does not jump then.
        """
        if self.hit("the queue was emptied"):
            self.valkey.empty()
        if not self._unseen and self.hit("the clock jumped"):
            self.skew += self.random.choice(JUMPS)
            self._unseen = set(range(len(self.clocks)))
        if not self._unseen and self.hit("a clock was restarted"):
            number = self.random.randrange(len(self.clocks))
            self.clocks[number] = self._clock()
            self._unseen = {number}
        if self.hit("a web process was restarted"):
            self.web = services_on(self.rows, self.connections)
        if not self.calm:
            self.at(1.0, self.mishaps)

    # processes

    def begin(self) -> None:
        self.clocks = [self._clock() for _ in range(self.random.choice((1, 2)))]
        self.at(1.0, self.mishaps)
        for number in range(len(self.clocks)):
            self.soon(LOOK_SECONDS, lambda number=number: self._tick(number))

    def _clock(self) -> Clock:
        database = AgendaDatabase(self.projected, self.database_time)
        its = services_on(self.rows, self.connections, database)
        return Clock(its, self.valkey)

    def _tick(self, number: int) -> None:
        sleeps = self.hit("a clock slept")
        busy = sleeps or self.projected.due(self.database_time())
        wait = LOOK_SECONDS * (20 if sleeps else 1 if busy else 5)
        if self.hit("a clock failed to look"):
            return self.at(LOOK_SECONDS, lambda: self._tick(number))
        self.at(wait, lambda: self._tick(number))
        try:
            self.clocks[number].tick()
        except Unavailable:
            return None
        self._unseen.discard(number)
        if sleeps:
            self._unseen.add(number)
        return None

    def project_soon(self) -> None:
        late = 3.0 if self.hit("the projector was late") else 0.05
        self.soon(late, self._project)

    def _project(self) -> None:
        if self.hit("a projection was torn"):
            self.projected.torn()
            self.at(0.5, self._project)
            return
        self.projected.step(500)

    def _deliver(self, job: Job, tries: int = 1) -> None:
        """A worker takes it, some time; or nobody, or two."""
        if self.hit("a job was lost"):
            return
        emptied = self.valkey.emptied
        for _ in range(2 if self.hit("a job ran twice", 2.0) else 1):
            late = 15.0 if self.hit("a job was late", 2.0) else 0.05
            self.soon(late, lambda: self._work(job, tries, emptied))

    def _work(self, job: Job, tries: int, emptied: int) -> None:
        if emptied != self.valkey.emptied:
            return
        self.valkey.count = max(0, self.valkey.count - 1)
        if self.hit("a worker was killed at its first step"):
            raise Killed
        try:
            getattr(jobs, job.function.rpartition(".")[2])(*job.args)
        except (StoreError, Conflicting):  # others were faster, or the database was away
            if tries < JOB_TRIES:
                self._deliver(job, tries + 1)
        except Violation:
            raise
        except Exception as bug:  # noqa: BLE001 - RQ would write it down and go on; here it ends the run
            self.bugs.append(bug)

    def _pay(self, services: Any, t: TournamentId, number: int) -> None:
        payments.pay(services, t, number, self.projected.all_final)

    def patches(self) -> dict[str, Any]:
        """What stands in for the product's time, chance, queue, jobs' services and projections while a seed runs."""
        return {
            "secrets.token_bytes": self.random.randbytes,
            "workers.jobs.services": lambda: self.worker,
            "workers.jobs.payments": SimpleNamespace(pay=self._pay),
            "workers.clock.queue": lambda client: client,
            "workers.clock.time": SimpleNamespace(monotonic=lambda: self.now),
        }
