"""Many at once on the real service: two web processes, and two of everything else. Nothing is done twice.

Beside them stand the races of one process (`tests/services/http/test_repeats.py`,
`tests/services/application/test_director.py`,
`tests/services/projections/test_projector.py`, `tests/workers/test_clock.py`).
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple
from uuid import uuid4

import psycopg
import pytest
import urllib3
from redis import Redis

from services import bootstrap
from services.doctor.examination import Examination, Questions
from services.embedded import Postgres, Valkey
from services.processes import spawn
from tests.proof.money import raw_events
from tests.workers.process import ROOT
from tests.workers.test_service import Service, finished, played
from workers.client import Client
from workers.jobs import JOBS
from workers.queue import enqueue, queue
from workers.serving import SAFE_IMPORTS

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="children end with their parent on Linux only"
)

TWINS = ("worker", "clock", "projector")
QUICK = {"stack_points": 6, "hands_per_level": 2, "between_hands_seconds": 0}
LATE_SECONDS = 0.5
AGENDA = "SELECT name, job, args FROM projections.agenda WHERE job IN ('turn', 'deal', 'start', 'draw')"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """The service, with a second worker, clock and projector on the same servers."""
    service = Service()
    twins = []
    try:
        service.start()
        env = os.environ | bootstrap.variables(
            bootstrap.with_urls(bootstrap.settings({}, data=service.inside))
        )
        for name in TWINS:
            argv = [sys.executable, *SAFE_IMPORTS, "workers.cli", "run", name]
            twins.append(spawn(argv, env=env | {"PYTHONPATH": str(ROOT)}))
        yield service
        assert [twin.poll() for twin in twins] == [None] * len(TWINS), "a twin has ended"
    finally:
        for twin in twins:
            twin.kill()
            twin.wait()
        service.close()
        shutil.rmtree(service.data)


class Answered(NamedTuple):
    status: int
    body: bytes
    hit: bool


def together(service: Service, token: str, requests: list[tuple[str, Any, str]]) -> list[Answered]:
    """POST requests (path, body, key), each on a connection of its own, so that both web processes get some.

    Who is told that the service is busy sends the same again.
    """
    start = threading.Barrier(len(requests))

    def send(request: tuple[str, Any, str]) -> Answered:
        path, body, key = request
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": key}
        with urllib3.PoolManager(retries=False, timeout=60) as pool:
            start.wait()
            while True:
                answer = pool.request("POST", f"{service.url}{path}", json=body, headers=headers)
                if answer.status != 503:
                    return Answered(answer.status, answer.data, "Idempotency-Hit" in answer.headers)
                time.sleep(0.1)

    with ThreadPoolExecutor(len(requests)) as threads:
        return list(threads.map(send, requests))


def admin_token(service: Service) -> str:
    return (service.inside / "admin-token").read_text().strip()


def enrolled(admin: Client) -> str:
    return str(admin.post("/v1/players", {"name": f"Guest {uuid4().hex[:20]}"})["player_id"])


def opened(admin: Client, players: int, **terms: Any) -> tuple[str, list[str]]:
    """A tournament with so many entrants."""
    t = admin.post("/v1/tournaments", {"name": "Friday", "format": "freezeout"} | QUICK | terms)[
        "tournament_id"
    ]
    entrants = [enrolled(admin) for _ in range(players)]
    for player in entrants:
        admin.post(f"/v1/tournaments/{t}/entries", {"player_id": player})
    return t, entrants


def stored(service: Service, topic: str, **fields: str) -> int:
    """How many events of this topic have these values."""
    log = raw_events(Postgres(service.inside).url)
    return sum(t.startswith(topic) and fields.items() <= event.items() for _, t, event in log)


def running_hand(service: Service, t: str) -> dict[str, Any]:
    """A hand of the tournament whose turn it is for somebody."""
    found: list[dict[str, Any]] = []

    def there() -> bool:
        hands = [table["hand_id"] for table in service.admin.get(f"/v1/tournaments/{t}/tables")["items"]]
        found.extend(service.admin.get(f"/v1/hands/{hand}") for hand in hands if hand)
        return bool(found)

    service.run.until(there)
    return found[0]


def test_fifty_repeats_of_one_play_are_one_event_and_fifty_equal_answers(service):
    admin = service.admin
    t, players = opened(admin, 4, turn_seconds=600)
    tokens = {player: admin.post(f"/v1/players/{player}/tokens")["token"] for player in players}
    admin.post(f"/v1/tournaments/{t}/start")
    hand = running_hand(service, t)
    path = f"/v1/hands/{hand['hand_id']}"
    turn = hand["turn"]["seat"]
    token = tokens[next(seat["player_id"] for seat in hand["seats"] if seat["seat"] == turn)]
    legal = Client(service.url, token).get(f"{path}/legal-plays")
    body = {"turn": legal["turn"], "cards": legal["items"][0]["cards"]}
    answers = together(service, token, [(f"{path}/plays", body, "fifty")] * 50)
    assert {answer.status for answer in answers} == {201}
    assert len({answer.body for answer in answers}) == 1
    assert sum(not answer.hit for answer in answers) == 1
    assert stored(service, "hand.played.", cards=" ".join(body["cards"])) == 1
    admin.post(f"/v1/tournaments/{t}/cancel")


def test_of_200_who_want_16_places_exactly_16_get_one(service):
    admin = service.admin
    t, _ = opened(admin, 0, capacity=16)
    with ThreadPoolExecutor(16) as pool:
        players = list(pool.map(lambda _: enrolled(admin), range(200)))
    path = f"/v1/tournaments/{t}/entries"
    wishes = [(path, {"player_id": player}, uuid4().hex) for player in players]
    answers = together(service, admin_token(service), wishes)
    assert Counter(answer.status for answer in answers) == {201: 16, 409: 184}
    assert stored(service, "roster.registered.", tournament_id=t) == 16
    admin.post(f"/v1/tournaments/{t}/cancel")


def test_of_sixteen_starts_at_once_one_starts_and_each_table_gets_one_hand(service):
    admin = service.admin
    t, _ = opened(admin, 8, turn_seconds=600)
    starts = [(f"/v1/tournaments/{t}/start", {}, uuid4().hex) for _ in range(16)]
    answers = together(service, admin_token(service), starts)
    assert Counter(answer.status for answer in answers) == {200: 1, 409: 15}
    service.run.until(lambda: len(list(admin.pages(f"/v1/tournaments/{t}/hands"))) == 2)
    assert stored(service, "hand.committed.", tournament_id=t) == 2
    admin.post(f"/v1/tournaments/{t}/cancel")


class LateJobs(threading.Thread):
    """Asks for everything on the agenda once more, when it is late: for turns that are over, and hands dealt."""

    def __init__(self, service: Service) -> None:
        super().__init__(daemon=True)
        self._service = service
        self._over = threading.Event()
        self.asked: Counter[str] = Counter()

    def run(self) -> None:
        with (
            Redis.from_url(Valkey(self._service.inside).url) as redis,
            psycopg.connect(Postgres(self._service.inside).url, autocommit=True) as conn,
        ):
            seen: dict[str, tuple[float, str, list[object]]] = {}
            while not self._over.wait(0.02):
                for name, job, args in conn.execute(AGENDA).fetchall():
                    seen.setdefault(name, (time.monotonic(), job, args))
                for name, (at, job, args) in list(seen.items()):
                    if time.monotonic() - at > LATE_SECONDS and job:
                        seen[name] = (at, "", [])
                        self.asked[job] += 1
                        enqueue(queue(redis), f"late-{name}", JOBS[job], args)

    def stop(self) -> None:
        self._over.set()
        self.join()


def test_two_of_everything_and_every_job_again_when_it_is_late_do_nothing_twice(service):
    admin = service.admin
    late = LateJobs(service)
    late.start()
    by_clock, _ = opened(admin, 4, turn_seconds=0)
    by_bots, _ = opened(admin, 6, turn_seconds=20)
    for t in (by_clock, by_bots):
        admin.post(f"/v1/tournaments/{t}/start")
    with played(service, by_bots):
        service.run.until(lambda: finished(admin, by_bots) and finished(admin, by_clock), 300)
    late.stop()
    assert late.asked["turn"] > 10
    assert late.asked["deal"] > 0
    store = bootstrap.store_in(service.inside)
    assert list(Examination(store, Questions()).violations()) == []
    store.close()
