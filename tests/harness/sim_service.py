"""The service under simulation: the product's own clock, jobs and applications, on a table, a queue and a time of ours.

The agenda is the one thing that is not the product's: its projection is SQL. In its place stands `World.agenda`, the
same list worked out from the streams, to which `tests/services/projections` holds the SQL at every position of an
evening, and `test_sim_agenda` at many positions of simulated logs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from types import SimpleNamespace
from typing import Any, NamedTuple
from uuid import UUID

from domain.hand import State
from services.application.ring_stakes import Stakes
from services.application.rulesets import RuleSets
from services.bootstrap import presets, stakes
from services.envelope import NEWEST
from services.store import Store
from tests.harness.sim_store import MemoryConnections, SimRows, store_on
from tests.services.projections.world import Entry, World
from workers import clock as clock_module
from workers.queue import JOB_TTL_SECONDS


def services_on(rows: SimRows, connections: MemoryConnections, database: object = None) -> Any:
    """What a process works with, fresh: its memory of earlier work is gone."""
    store = store_on(rows, database)
    return SimpleNamespace(
        store=store,
        rulesets=RuleSets(store, presets()),
        stakes=Stakes(store, stakes()),
        connections=connections,
        webhook_hosts=frozenset(),
    )


class Projected:
    """The projections: the log up to a position, and what is due as far as that tells."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.world = World()
        self._agenda: tuple[int, list[tuple[str, Entry]]] = (-1, [])

    @property
    def position(self) -> int:
        return self.world.position

    def step(self, limit: int) -> int:
        """Project the next batch; the number of its events."""
        batch = self._store.log(self.position, limit)
        for r in batch:
            self.world.add(r)
        return len(batch)

    def torn(self) -> None:
        """A projector that is killed in the middle of a batch: nothing of it is there, neither rows nor position."""
        before = self._store.log(0, self.position) if self.position else []
        self.world = World()
        for r in before:
            self.world.add(r)

    def due(self, now: datetime) -> list[tuple[str, str, list[Any]]]:
        """Name, job and arguments of what is due, the oldest first."""
        if self._agenda[0] != self.position:
            named = [(_name(subject, it.args), it) for subject, it in self.world.agenda().items()]
            self._agenda = self.position, sorted(named, key=lambda row: (row[1].due_at, row[0]))
        return [(name, it.job, it.args) for name, it in self._agenda[1] if it.is_due(now)]

    def all_final(self, tournament: UUID) -> bool:
        """As far as that tells, whether nobody can rule on a hand of a tournament that is over."""
        known = self.world.tournaments.get(tournament)
        return known is not None and known.over and self.world.payable_since(tournament) is not None

    def running(self) -> list[UUID]:
        """The hands that run as far as that tells, and those that the log has begun since."""
        known = [h for h, hand in self.world.hands.items() if hand.state is State.RUNNING]
        since = self._store.log(self.position, NEWEST)
        return [*known, *(r.stream for r in since if r.version == 1 and r.topic.startswith("hand."))]


def _name(subject: str, args: list[Any]) -> str:
    return "-".join([subject.replace("/", "-"), *(str(a) for a in args if isinstance(a, int))])


class AgendaDatabase:
    """Answers the clock's two questions to the database, and no other."""

    def __init__(self, projected: Projected, now: Callable[[], datetime]) -> None:
        self._projected = projected
        self._now = now

    @contextmanager
    def connection(self) -> Iterator[AgendaDatabase]:
        yield self

    def execute(self, query: str, values: tuple[Any, ...] = ()) -> SimpleNamespace:
        if query is clock_module._LOOK:
            rows = self._look(*values)
        elif query is clock_module._RUNNING:
            rows = [(hand,) for hand in self._projected.running()]
        else:
            raise AssertionError(f"the clock has a new question: {query}")
        return SimpleNamespace(fetchall=lambda: rows)

    def _look(self, asked: list[str], most: int) -> list[tuple[Any, ...]]:
        now, position = self._now(), self._projected.position
        due = [row for row in self._projected.due(now) if row[0] not in asked][:most]
        return [(now, position, *row) for row in due] or [(now, position, None, None, None)]


class Job(NamedTuple):
    function: str
    args: list[Any]
    expires: float


class Valkey:
    """Marks that lapse, and the queue: all of it may be gone at any moment."""

    def __init__(self, monotonic: Callable[[], float], deliver: Callable[[Job], None]) -> None:
        self._monotonic = monotonic
        self._deliver = deliver
        self._marks: dict[str, float] = {}
        self.count = 0
        self.emptied = 0

    def set(self, name: str, value: int, *, nx: bool, px: int) -> bool:  # noqa: ARG002
        assert nx
        if self._marks.get(name, -1.0) > self._monotonic():
            return False
        self._marks[name] = self._monotonic() + px / 1000
        return True

    def enqueue(self, function: str, *, args: tuple[Any, ...], ttl: int, **_: Any) -> None:
        """As RQ does it with its JSON serializer."""
        assert ttl == JOB_TTL_SECONDS
        self.count += 1
        self._deliver(Job(function, json.loads(json.dumps(args)), self._monotonic() + ttl))

    def empty(self) -> None:
        self._marks.clear()
        self.count, self.emptied = 0, self.emptied + 1
