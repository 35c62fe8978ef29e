"""The supervisor with real servers and small processes: restarts, an orderly end, and nothing left after any end."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from services.bootstrap import settings, with_urls
from services.embedded import MAJOR
from services.folders import SOCKET_BYTES
from workers.supervisor import AlreadyRunning, Process, address_on
from workers.supervisor import serve as run

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="children end with their parent on Linux only"
)

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 30

RUNNER = """
import json, sys, time
from functools import partial
from pathlib import Path
from services.bootstrap import settings
from services.embedded import EmbeddedError
from workers.supervisor import AlreadyRunning, Process, serve

def ready(whole):
    if (whole.data / "slow").exists():
        time.sleep(1000)
    (whole.data / "ready").write_text(whole.database_url)

def what(name, code):
    return [sys.executable, "-c", code] if name == "worker" else partial(exec, code, {})

processes = [Process(name, what(name, code)) for name, code in json.loads(sys.argv[2]).items()]
try:
    sys.exit(serve(settings({}, data=Path(sys.argv[1])), processes, [ready]))
except (AlreadyRunning, EmbeddedError) as error:
    sys.exit(str(error))
"""
"""A worker is a program here, all others are forks of the supervisor."""
SLEEPS = "import time; time.sleep(1000)"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(1000)"
DIES = "raise SystemExit(3)"
FORKS = """
import os, time
from services.processes import die_with_parent
if os.fork() == 0:
    die_with_parent()
    if os.fork() == 0:
        die_with_parent()
time.sleep(1000)
"""
TELLS = f"""
import os
print({{k: os.environ.get(k) for k in ("DATABASE_URL", "REDIS_URL")}}, flush=True)
{SLEEPS}
"""


class Service:
    """One `serve` in a process of its own."""

    def __init__(self, data: Path, **processes: str) -> None:
        self.data = data
        (data / "ready").unlink(missing_ok=True)
        self._out = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed in `kill`
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        self.popen = subprocess.Popen(
            [sys.executable, "-c", RUNNER, str(data), json.dumps(processes)],
            env={**os.environ, "PYTHONPATH": path, "DATABASE_URL": "", "REDIS_URL": ""},
            stdout=self._out,
            stderr=subprocess.STDOUT,
        )

    @property
    def said(self) -> str:
        self._out.seek(0)
        return self._out.read()

    def until(self, wanted: Callable[[], object]) -> None:
        give_up = time.monotonic() + PATIENCE_SECONDS
        while not wanted():
            assert time.monotonic() < give_up, self.said
            time.sleep(0.02)

    def until_said(self, line: str, times: int = 1) -> None:
        self.until(lambda: self.said.count(line) >= times)

    def pid(self, name: str) -> int:
        """The newest process of that name."""
        return int(self.said.rpartition(f"big2: {name} started (pid ")[2].partition(")")[0])

    def descendants(self) -> list[int]:
        found, parents = [], [self.popen.pid]
        while parents:
            parent = parents.pop()
            children = [pid for pid, its in _parents().items() if its == parent]
            found += children
            parents += children
        return found

    def stop(self) -> None:
        """End it in good order; what it had started must be gone within the ten seconds."""
        family = self.descendants()
        begun = time.monotonic()
        self.popen.send_signal(signal.SIGTERM)
        assert self.popen.wait(PATIENCE_SECONDS) == 0, self.said
        assert time.monotonic() - begun < 10
        self.until(lambda: not _alive(family))

    def kill(self) -> None:
        """Whatever state it is in, end it."""
        family = self.descendants()
        self.popen.kill()
        self.popen.wait()
        self.until(lambda: not _alive(family))
        self._out.close()


def _parents() -> dict[int, int]:
    """Every living process's parent."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = entry.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state != "Z":
            found[int(entry.parent.name)] = int(parent)
    return found


def _alive(pids: list[int]) -> list[int]:
    return [pid for pid in pids if pid in _parents()]


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="b2-serve-", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def serve(data: Path) -> Iterator[Callable[..., Service]]:
    started = []

    def begin(where: Path = data, **processes: str) -> Service:
        started.append(Service(where, **processes))
        return started[-1]

    yield begin
    for service in reversed(started):
        service.kill()


def test_everything_starts_in_order_and_ends_in_order(serve, data):
    service = serve(web=TELLS, worker=SLEEPS, clock=SLEEPS, projector=SLEEPS)
    service.until_said("DATABASE_URL")
    service.until_said("projector started")
    assert (data / "ready").read_text() == with_urls(settings({}, data=data)).database_url
    assert service.said.count(str(data)) >= 2  # both URLs reach the children
    with psycopg.connect((data / "ready").read_text()) as conn:
        assert conn.execute("SELECT count(*) FROM big2_events").fetchone() == (0,)
    service.stop()
    names = ["postgres", "valkey", "web", "worker", "clock", "projector"]
    lines = service.said.splitlines()
    assert [line.split()[1] for line in lines if " started (pid " in line] == names
    assert [line.split()[1] for line in lines if line.endswith(" stopped")] == [
        *names[2:],
        "valkey",
        "postgres",
    ]


def test_what_is_killed_starts_again_each_time(serve, data):
    service = serve(web=SLEEPS)
    service.until_said("web started")
    for name in ("web", "valkey", "postgres", "web"):
        times = service.said.count(f"{name} started")
        os.kill(service.pid(name), signal.SIGKILL)
        service.until_said(f"{name} ended (signal 9)", times)
        service.until_said(f"{name} started", times + 1)
    url = (data / "ready").read_text()
    service.until(lambda: _connects(url))
    service.stop()


def test_the_pause_grows_with_each_death(serve):
    service = serve(web=DIES)
    for pause in ("0.2", "0.4", "0.8"):
        service.until_said(f"web ended (status 3); next start in {pause} s")
    service.stop()


def test_a_stubborn_process_and_its_children_are_killed_in_time(serve):
    service = serve(web=STUBBORN, worker=f"import os; os.fork(); {STUBBORN}", clock=FORKS)
    service.until_said("clock started")
    service.until(lambda: len(service.descendants()) >= 8)
    service.stop()
    assert "web killed" in service.said
    assert "worker killed" in service.said


def test_after_the_death_of_the_supervisor_nothing_is_left_and_the_next_starts_at_once(serve):
    for _ in range(2):
        service = serve(web=FORKS, worker=STUBBORN)
        service.until_said("worker started")
        service.until(lambda service=service: len(service.descendants()) >= 6)
        service.kill()
    service = serve(web=SLEEPS)
    service.until_said("web started")
    service.stop()


def test_a_second_supervisor_is_refused(serve):
    first = serve(web=SLEEPS)
    first.until_said("web started")
    second = serve()
    assert second.popen.wait(PATIENCE_SECONDS) == 1
    assert f"in use by another `big2 serve` (pid {first.popen.pid})" in second.said
    first.stop()


def test_a_stop_while_it_starts_is_obeyed(serve, data):
    (data / "slow").touch()
    service = serve(web=SLEEPS)
    service.until_said("valkey started")
    service.stop()
    (data / "slow").unlink()
    assert "web started" not in service.said


def test_a_stale_pid_file_is_no_obstacle(serve, data):
    service = serve()
    service.until_said("valkey started")
    service.stop()
    (data / "postgres" / "postmaster.pid").write_text(f"{os.getpid()}\n{data / 'postgres'}\n")
    service = serve(web=SLEEPS)
    service.until_said("web started")
    service.stop()


def test_a_cluster_of_another_version_is_refused_with_what_to_do(serve, data):
    version = data / "postgres" / "PG_VERSION"
    version.write_text("17\n")
    service = serve()
    assert service.popen.wait(PATIENCE_SECONDS) == 1
    version.write_text(f"{MAJOR}\n")
    assert "made by PostgreSQL 17" in service.said
    assert "pg_dump" in service.said
    assert "DATABASE_URL" in service.said


def test_a_long_path_and_one_with_blanks_works(serve, data):
    deep = data / "a folder with blanks" / ("long" * 30)
    deep.mkdir(parents=True)
    for folder in (deep.parent, deep):
        folder.chmod(0o711)
    service = serve(deep, web=SLEEPS)
    service.until_said("web started")
    url = (deep / "ready").read_text()
    assert len(url) < SOCKET_BYTES
    assert _connects(url)
    service.stop()
    shutil.rmtree(Path(url.partition("host=")[2].partition("&")[0]))


def test_with_servers_of_yours_it_runs_the_processes_alone(
    database_url, redis_url, tmp_path, capfd, monkeypatch
):
    """In this very process, so that a debugger, or a measure of coverage, can follow it."""
    monkeypatch.setattr("workers.supervisor.FIRST_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr("workers.supervisor.OTHER_GRACE_SECONDS", 0.3)
    before = signal.getsignal(signal.SIGINT)
    ends_us = (
        "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        f"time.sleep(1.5); os.kill(os.getppid(), signal.SIGTERM); {STUBBORN}"
    )
    processes = [
        Process("web", [sys.executable, "-c", DIES]),
        Process("worker", [str(tmp_path / "no such program")]),
        Process("clock", [sys.executable, "-c", ends_us], {"MARK": "x"}),
    ]
    ready = []
    yours = settings({"DATABASE_URL": database_url, "REDIS_URL": redis_url}, data=tmp_path / "data")
    assert run(yours, processes, [ready.append]) == 0
    said = capfd.readouterr().out
    assert [whole.database_url for whole in ready] == [database_url]
    assert "postgres" not in said.replace("postgresql", "")
    assert said.count("web started") >= 2
    assert "worker could not be started" in said
    assert "clock killed" in said
    assert signal.getsignal(signal.SIGINT) is before


def test_in_one_process_only_one_supervisor_works_on_a_directory(database_url, redis_url, tmp_path):
    yours = settings({"DATABASE_URL": database_url, "REDIS_URL": redis_url}, data=tmp_path)

    def again(whole):
        assert address_on(tmp_path) == f"http://127.0.0.1:{yours.port}"
        run(whole, [])

    assert address_on(tmp_path) is None
    with pytest.raises(AlreadyRunning, match=rf"\(pid {os.getpid()}\)"):
        run(yours, [], [again])
    assert address_on(tmp_path) is None


@pytest.mark.parametrize(
    ("host", "asked"),
    [("0.0.0.0", "127.0.0.1"), ("::", "[::1]"), ("::1", "[::1]"), ("big2.example", "big2.example")],
)
def test_the_address_that_is_left_for_others_can_be_asked(database_url, redis_url, tmp_path, host, asked):
    yours = settings(
        {"DATABASE_URL": database_url, "REDIS_URL": redis_url}, data=tmp_path, host=host, port=81
    )

    def look(_whole):
        assert address_on(tmp_path) == f"http://{asked}:81"
        raise AlreadyRunning

    with pytest.raises(AlreadyRunning):
        run(yours, [], [look])


def _connects(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True
