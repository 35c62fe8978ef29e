"""The whole service in its real processes: a tournament over HTTP from the first entry to the winner, whatever dies."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from redis import Redis
from urllib3 import PoolManager

from services.audit import verify_log
from services.bootstrap import store_in
from services.embedded import Valkey
from services.projections.rebuild import compare
from tests.workers.process import PATIENCE_SECONDS, Big2, big2, working_below
from workers.client import Client, Refused

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="children end with their parent on Linux only"
)

NAMES = ("web", "worker", "clock", "projector", "valkey", "postgres")
SHORT = {"stack_points": 3, "hands_per_level": 2, "between_hands_seconds": 0}
LONG = {"stack_points": 100, "hands_per_level": 2, "between_hands_seconds": 0}


class Service:
    """`big2 serve` on a data directory, and again on the same one."""

    def __init__(self) -> None:
        self.data = Path(tempfile.mkdtemp(prefix="b2-serve-", dir="/tmp"))
        self.data.chmod(0o711)
        self.inside = self.data / "data"
        self.run: Big2 | None = None
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Service:
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """End it, and take its directory away."""
        self.close()
        shutil.rmtree(self.data)

    def start(self) -> Big2:
        if self.run is None or self.run.popen.poll() is not None:
            self.close()
            self.run = big2("serve", "--host", "127.0.0.1", "--port", self.port, "--data", self.inside)
            self.run.until(self.ready)
        return self.run

    def close(self) -> None:
        """Whatever state it is in, end it."""
        if self.run:
            self.run.close()
            self.nothing_left()

    def ready(self) -> bool:
        try:
            return self._get("/readyz") == 200
        except Exception:  # noqa: BLE001 - nobody listens yet
            return False

    def _get(self, path: str) -> int:
        with PoolManager(retries=False, timeout=3) as pool:
            return pool.request("GET", f"{self.url}{path}").status

    @property
    def admin(self) -> Client:
        return Client(self.url, (self.inside / "admin-token").read_text().strip())

    def stop(self) -> None:
        """As an operator would; within ten seconds nothing is left."""
        begun = time.monotonic()
        self.run.popen.send_signal(signal.SIGTERM)
        assert self.run.popen.wait(PATIENCE_SECONDS) == 0, self.run.said
        assert time.monotonic() - begun < 10
        self.nothing_left()

    def nothing_left(self) -> None:
        give_up = time.monotonic() + 10
        while left := [*self.run.left(), *working_below(self.data)]:
            assert time.monotonic() < give_up, left
            time.sleep(0.05)

    def beside(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Another command on the same data."""
        command = [sys.executable, "-m", "workers.cli", *map(str, arguments), "--data", str(self.inside)]
        env = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")}
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env={**env, "PYTHONPATH": str(Path(__file__).parents[2])},
        )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def house() -> Iterator[Service]:
    service = Service()
    yield service
    service.close()
    shutil.rmtree(service.data)


@pytest.fixture
def service(house) -> Service:
    house.start()
    return house


def entered(admin: Client, entrants: int, **terms: Any) -> str:
    """A tournament with so many entrants, started unless it starts by itself."""
    terms = {"name": "Friday", "format": "freezeout", "capacity": entrants, **terms}
    t = admin.post("/v1/tournaments", terms)["tournament_id"]
    for _ in range(entrants):
        player = admin.post("/v1/players", {"name": f"Guest {uuid4().hex[:20]}"})["player_id"]
        admin.post(f"/v1/tournaments/{t}/entries", {"player_id": player})
    if terms["format"] != "sit_and_go":
        admin.post(f"/v1/tournaments/{t}/start")
    return t


@contextmanager
def played(service: Service, t: str) -> Iterator[Big2]:
    """House players at its tables."""
    token = service.inside / "admin-token"
    with big2("bots", "--url", service.url, "--token-file", token, "--tournament", t, "--seed", 1) as bots:
        yield bots


def finished(admin: Client, t: str) -> bool:
    return admin.get(f"/v1/tournaments/{t}")["state"] == "finished"


def hands_of(admin: Client, t: str) -> int:
    return sum(1 for _ in admin.pages(f"/v1/tournaments/{t}/hands"))


def check(service: Service, t: str, entrants: int, stack: int) -> None:
    """Of a tournament that is over: one winner, every chip, a whole log, true projections."""
    admin = service.admin
    standings = list(admin.pages(f"/v1/tournaments/{t}/standings"))
    assert [s["place"] for s in standings].count(1) == 1
    assert len(standings) == entrants
    assert sum(s["chips"] for s in standings) == entrants * stack
    assert sum(s["points"] for s in standings) == 0
    assert {table["state"] for table in admin.pages(f"/v1/tournaments/{t}/tables")} == {"closed"}
    assert {hand["state"] for hand in admin.pages(f"/v1/tournaments/{t}/hands")} == {"final"}
    store = store_in(service.inside)
    assert verify_log(store).events > 0
    assert compare(store) == []
    store.close()


def test_the_first_start_makes_an_admin_s_token_and_tells_it_once(service):
    path = service.inside / "admin-token"
    token = path.read_text().strip()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert service.run.said.count(token) in (0, 1)  # 0 when another test has started the service again
    assert token.startswith("b2_")
    assert service.admin.post("/v1/tokens", {"role": "auditor"})["token"].startswith("b2_")


def test_it_is_ready_and_a_stranger_may_look_but_not_touch(service):
    anybody = Client(service.url)
    assert anybody.get("/readyz")["status"] == "ok"
    assert anybody.get("/v1/tournaments")["items"] == anybody.get("/v1/tournaments")["items"]
    with pytest.raises(Refused) as refused:
        anybody.post("/v1/players", {"name": "Stranger"})
    assert refused.value.status == 401


def test_a_token_can_be_made_beside_the_running_service(service):
    made = service.beside("token", "--role", "operator")
    assert made.returncode == 0, made.stderr
    operator = Client(service.url, made.stdout.strip())
    name = f"Guest {uuid4().hex[:20]}"
    assert operator.post("/v1/players", {"name": name})["name"] == name
    with pytest.raises(Refused):
        operator.post("/v1/tokens", {"role": "admin"})


def test_a_sit_and_go_of_four_is_played_by_house_players_to_its_winner(service):
    admin = service.admin
    t = entered(admin, 4, format="sit_and_go", **SHORT)
    with played(service, t) as bots:
        service.run.until(lambda: hands_of(admin, t))
        assert service.beside("rebuild").returncode == 0  # in the middle of it
        service.run.until(lambda: finished(admin, t))
        assert bots.popen.wait(30) == 0, bots.said
    check(service, t, 4, 3)
    made_again = service.beside("rebuild", "--compare")
    assert made_again.returncode == 0, made_again.stderr
    assert made_again.stdout.startswith("equal at position")


def test_a_tournament_whose_players_never_come_is_played_by_the_clock(service):
    admin = service.admin
    quick = {**SHORT, "turn_seconds": 0, "stack_points": 1, "unit_levels": [50]}
    t = entered(admin, 2, format="sit_and_go", seats_per_table=2, **quick)
    service.run.until(lambda: finished(admin, t))
    check(service, t, 2, 1)


def test_whatever_is_killed_in_the_middle_the_supervisor_included_it_goes_on_to_its_end(service):
    admin, run = service.admin, service.run
    t = entered(admin, 9, **LONG)
    with played(service, t) as bots:
        for name in NAMES:
            another_hand(service, t)
            times = run.said.count(f"big2: {name} started")
            os.kill(run.pid(name), signal.SIGKILL)
            run.until(lambda name=name, times=times: run.said.count(f"big2: {name} started") > times)
        another_hand(service, t)
        with Redis.from_url(Valkey(service.inside).url) as redis:
            redis.flushall()
        another_hand(service, t)
        os.kill(run.pid("valkey"), signal.SIGSTOP)
        time.sleep(3)
        os.kill(run.pid("valkey"), signal.SIGCONT)
        another_hand(service, t)
        run.popen.kill()
        run.popen.wait()
        service.nothing_left()
        service.start()
        service.run.until(lambda: finished(admin, t))
        assert bots.popen.wait(30) == 0, bots.said
    check(service, t, 9, 100)


def another_hand(service: Service, t: str) -> None:
    """Wait until it has gone on by a hand at least."""
    admin = service.admin
    before = hands_of(admin, t)
    service.run.until(lambda: hands_of(admin, t) > before or finished(admin, t))
    assert not finished(admin, t), "it was too short for this"


def test_it_ends_within_ten_seconds_and_the_next_start_tells_no_token(service):
    token = (service.inside / "admin-token").read_text().strip()
    service.stop()
    again = service.start()
    assert "shown this once" not in again.said
    assert token not in again.said
    assert (service.inside / "admin-token").read_text().strip() == token
    assert service.admin.get("/v1/players?limit=1")["items"] is not None
    service.stop()
