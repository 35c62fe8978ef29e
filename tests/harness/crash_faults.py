"""Who is killed, in what order, and how long it takes until everything works again."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Final, NamedTuple

import psycopg
from redis import Redis, RedisError

from services.embedded import Postgres, Valkey
from tests.harness.crash_acks import Acks
from tests.workers.process import started, working_below
from tests.workers.test_service import Service
from workers.client import Client

KINDS = (
    "web",
    "web child",
    "worker",
    "projector",
    "clock",
    "postgres immediate",
    "postgres killed",
    "valkey",
    "valkey emptied",
    "valkey paused",
)
EVERY: Final = MappingProxyType({"valkey paused": 4})
"""What takes long comes in each fourth round only."""
LOOK_SECONDS = 0.02
GIVE_UP_SECONDS = 120
"""What a supervisor has not started again by then is gone."""
_JOBS_SINCE = """
SELECT coalesce(max(notification_id), %(head)s), count(*) FILTER (WHERE substring(state FROM 1 FOR 14) = %(job)s)
FROM big2_events WHERE notification_id > %(head)s
"""


class Kill(NamedTuple):
    """What was done, and after how many seconds what was served again; `whole` unless something was not in time."""

    kind: str
    back: dict[str, float]
    whole: bool

    @property
    def seconds(self) -> float:
        """Until everything that was waited for was served again."""
        return max(self.back.values(), default=0.0)


def order_of(kinds: Sequence[str], seed: int) -> Iterator[str]:
    """An endless order in which each kind comes once before any comes again, but of the rare ones."""
    random = Random(seed)
    for number in count():
        deck = [kind for kind in kinds if number % EVERY.get(kind, 1) == 0 or len(kinds) == 1]
        random.shuffle(deck)
        yield from deck


class Pulses(threading.Thread):
    """Sees that lists are read and jobs are done, all the time; commands are the clients' affair."""

    def __init__(self, service: Service, acks: Acks) -> None:
        super().__init__(daemon=True)
        self._client = Client(service.url)
        self._url = Postgres(service.inside).url
        self._acks = acks
        self._over = threading.Event()
        self._head = 0

    def run(self) -> None:
        jobs = threading.Thread(target=self._again_and_again, args=(self._jobs,), daemon=True)
        jobs.start()
        self._again_and_again(self._read)
        jobs.join()

    def stop(self) -> None:
        self._over.set()
        self.join()

    def _again_and_again(self, look: Callable[[], None]) -> None:
        while not self._over.wait(LOOK_SECONDS):
            look()

    def _read(self) -> None:
        since = time.monotonic()
        status, _ = self._asked()
        if status == 200:
            self._acks.served("read", since)

    def _asked(self) -> tuple[int, object]:
        with suppress(Exception):
            return self._client._once("GET", "/v1/tournaments?limit=1", None, {})
        return 503, None

    def _jobs(self) -> None:
        """What a job has appended since the last look was begun after it."""
        with suppress(psycopg.OperationalError), psycopg.connect(self._url, connect_timeout=3) as conn:
            since = time.monotonic()
            while not self._over.wait(LOOK_SECONDS):
                begun = time.monotonic()
                row = conn.execute(_JOBS_SINCE, {"head": self._head, "job": b'{"actor":"job/'}).fetchone()
                conn.rollback()
                assert row is not None
                self._head, done = row
                if done:
                    self._acks.served("job", since)
                since = begun


class Killer:
    """Does to a service what is asked, and waits for its recovery."""

    def __init__(
        self,
        service: Service,
        acks: Acks,
        awaited: Sequence[str],
        *,
        pause: float,
        patience: float,
        seed: int,
    ) -> None:
        self._service = service
        self._acks = acks
        self._awaited = awaited
        self._pause = pause
        self._patience = patience
        self._random = Random(seed)
        self.served_in_pauses = 0

    def kill(self, kind: str) -> Kill:
        """Kill, and wait until whatever is asked for after that is served."""
        self._do(kind)
        since = time.monotonic()
        back: dict[str, float] = {}
        while len(back) < len(self._awaited) and time.monotonic() - since < self._patience:
            time.sleep(LOOK_SECONDS)
            for what in self._awaited:
                if self._acks.served_after(what, since):
                    back.setdefault(what, time.monotonic() - since)
        return Kill(kind, back, len(back) == len(self._awaited))

    def _do(self, kind: str) -> None:
        match kind:
            case "web child":
                self._signal(lambda: children_of(self._living("web")), signal.SIGKILL)
            case "postgres immediate":
                self._signal(lambda: self._living("postgres"), signal.SIGQUIT)
            case "postgres killed":
                self._signal(lambda: self._living("postgres"), signal.SIGKILL)
            case "valkey emptied":
                self._empty()
            case "valkey paused":
                self._hold()
            case _:
                self._signal(lambda: self._living(kind), signal.SIGKILL)

    def _signal(self, whom: Callable[[], list[int]], what: signal.Signals) -> int:
        """To one of these, once there is one."""
        give_up = time.monotonic() + GIVE_UP_SECONDS
        while True:
            if pids := whom():
                victim = self._random.choice(pids)
                with suppress(ProcessLookupError):
                    os.kill(victim, what)
                    return victim
            assert time.monotonic() < give_up, self._service.run.said
            time.sleep(LOOK_SECONDS)

    def _living(self, name: str) -> list[int]:
        ours = {*self._service.run.left(), *working_below(self._service.data)}
        return [pid for pid in started(self._service.run.said, name) if pid in ours]

    def _empty(self) -> None:
        with Redis.from_url(Valkey(self._service.inside).url, socket_timeout=1) as redis:
            give_up = time.monotonic() + GIVE_UP_SECONDS
            while time.monotonic() < give_up:
                with suppress(RedisError):
                    redis.flushall()
                    return
                time.sleep(LOOK_SECONDS)
        raise AssertionError("Valkey does not come back")

    def _hold(self) -> None:
        """Commands are served while it stands."""
        victim = self._signal(lambda: self._living("valkey"), signal.SIGSTOP)
        before = self._acks.acknowledged.total()
        try:
            time.sleep(self._pause)
        finally:
            self.served_in_pauses += self._acks.acknowledged.total() - before
            os.kill(victim, signal.SIGCONT)


def children_of(parents: Sequence[int]) -> list[int]:
    """The living children of these processes."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if int(parent) in parents and state != "Z":
                found.append(int(stat.parent.name))
    return found
