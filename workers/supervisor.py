"""Runs everything of one data directory: the embedded servers and the service's own processes.

What dies is started again, after a pause that grows with each death. SIGTERM and SIGINT end everything within
`STOP_SECONDS`. When the supervisor itself is killed, Linux ends its children for it: PostgreSQL by a fast shutdown,
the others at once (`services.processes.die_with_parent`; their own children must call that themselves).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from services.bootstrap import Settings, variables, with_urls
from services.embedded import Postgres, Server, Valkey, start
from services.folders import make_data, server_account
from services.logs import say
from services.postgres import migrate
from services.processes import Child, fork, spawn

STOP_SECONDS = 9.5
"""How long everything together may take to end; then the rest is killed."""
GRACE_SECONDS = {"web": 2.5, "worker": 1.5, "postgres": STOP_SECONDS}
"""How long a process may take to end before it is killed. They are ended one after the other, PostgreSQL last."""
OTHER_GRACE_SECONDS = 0.75
FIRST_PAUSE_SECONDS = 0.2
"""The pause before what died is started again; it doubles with each death."""
LONGEST_PAUSE_SECONDS = 10.0
HEALTHY_SECONDS = 30.0
"""After running for so long the next pause is the first again."""
LOOK_SECONDS = 0.1
"""How often the supervisor looks for the dead."""
_LOCK_FILE = "supervisor.lock"
_ANYWHERE = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - to be reached, not bound
"""Addresses to listen on that are none to ask."""
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Process(NamedTuple):
    """One of the service's own processes: a program, or a function that is called in a fork of the supervisor.

    `env` is added to the environment of all.
    """

    name: str
    what: Sequence[str] | Callable[[], object]
    env: Mapping[str, str] = {}


class AlreadyRunning(Exception):  # noqa: N818 - what the caller is told
    """Another supervisor works on the data directory; the message says which."""


class _Stop(BaseException):
    """SIGTERM or SIGINT has come while the servers start."""


class _StopSignal:
    """The handler of SIGTERM and SIGINT: breaks off the start at once, and is only remembered from then on.

    An exception out of a handler can come between any two steps of the interpreter: in a finalizer, which swallows it,
    or in `Popen.wait`, which then keeps its lock for ever. So none is thrown while processes are looked after.
    """

    def __init__(self) -> None:
        self.came = False
        self.interrupts = True

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        first, self.came = not self.came, True
        if first and self.interrupts:
            raise _Stop


def serve(
    settings: Settings, processes: Iterable[Process], on_ready: Sequence[Callable[[Settings], None]] = ()
) -> int:
    """Run until SIGTERM or SIGINT, and return the exit status. From the main thread only.

    The processes are ended in the order in which they are given. `on_ready` is called when PostgreSQL and Redis
    answer and the schema is up to date, before any process is started, with settings whose URLs are set: the place
    to make what a first start needs. Raises AlreadyRunning, or EmbeddedError when a server can't run here.
    """
    whole = with_urls(settings)
    servers = _servers(settings, whole.data)
    with alone_on(whole, servers):
        children: list[_Child] = []
        stop = _StopSignal()
        before = {number: signal.signal(number, stop) for number in _SIGNALS}
        try:
            for server in servers:
                children.insert(0, _Child(server.name, server.stop_signal, _spawner(server), server.busy))
                children[0].adopt(start(server))
            migrate(whole.database_url or "")
            for call in on_ready:
                call(whole)
            own = [_own(process, {**os.environ, **variables(whole)}) for process in processes]
            children[:0] = own
            stop.interrupts = False
            while not stop.came:
                for child in children:
                    child.look_after()
                time.sleep(LOOK_SECONDS)
        except _Stop:
            pass
        finally:
            stop.interrupts = False
            if stop.came:
                say("stopping")
            _end(children)
            for number, handler in before.items():
                signal.signal(number, handler)
    return 0


def address_on(data: Path) -> str | None:
    """Where the supervisor that works on a data directory serves, or soon will; None where there is none.

    Whoever holds the directory's lock says it there himself, so it is no stranger's address. It is empty for the moment
    in which he has only just taken the lock. Raises OSError if the directory can't be looked into.
    """
    try:
        with (data / _LOCK_FILE).open() as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return lock.read().partition("\n")[2].strip()
    except FileNotFoundError:
        pass
    return None


class _Child:
    """A process that is to run: `look_after` starts it, and again whenever it has died."""

    def __init__(
        self,
        name: str,
        stop_signal: signal.Signals,
        spawn: Callable[[], Child],
        busy: Callable[[], bool] = lambda: False,
    ) -> None:
        self.name = name
        self._stop_signal = stop_signal
        self._spawn = spawn
        self._busy = busy
        self._running: Child | None = None
        self._pause = FIRST_PAUSE_SECONDS
        self._since = self._next = 0.0

    def adopt(self, running: Child) -> None:
        self._running = running
        self._since = time.monotonic()
        say(f"{self.name} started (pid {running.pid})")

    def look_after(self) -> None:
        if self._running:
            if self._running.poll() is not None:
                self._mourn(self._running)
        elif time.monotonic() >= self._next and not self._busy():
            try:
                self.adopt(self._spawn())
            except OSError as error:  # no memory, no more processes: as if it had died at once
                self._wait_longer(f"{self.name} could not be started ({error})")

    def end(self, deadline: float) -> None:
        """Ask it to end, and kill it when its grace or the deadline is over."""
        if self._running is None:
            return
        grace = GRACE_SECONDS.get(self.name, OTHER_GRACE_SECONDS)
        how = "stopped"
        with contextlib.suppress(ProcessLookupError):
            self._running.send_signal(self._stop_signal)
        try:
            self._running.wait(max(0.0, min(grace, deadline - time.monotonic())))
        except subprocess.TimeoutExpired:
            how = "killed: it did not stop in time"
        self._sweep(self._running)
        say(f"{self.name} {how}")
        self._running = None

    def _mourn(self, dead: Child) -> None:
        self._sweep(dead)
        self._running = None
        if time.monotonic() - self._since >= HEALTHY_SECONDS:
            self._pause = FIRST_PAUSE_SECONDS
        code = dead.wait()
        self._wait_longer(f"{self.name} ended ({f'signal {-code}' if code < 0 else f'status {code}'})")

    def _wait_longer(self, what: str) -> None:
        say(f"{what}; next start in {self._pause:g} s")
        self._next = time.monotonic() + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE_SECONDS)

    def _sweep(self, leader: Child) -> None:
        """Kill what is left of its session, such as workers that would hold the port, and reap it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader.pid, signal.SIGKILL)
        leader.wait()


def _own(process: Process, environment: Mapping[str, str]) -> _Child:
    env, what = {**environment, **process.env}, process.what
    if callable(what):
        return _Child(process.name, signal.SIGTERM, lambda: fork(what, env))
    return _Child(process.name, signal.SIGTERM, lambda: spawn(what, env=env))


def _servers(settings: Settings, data: Path) -> list[Server]:
    """The servers to embed, PostgreSQL first."""
    servers: list[Server] = []
    if settings.database_url is None:
        servers.append(Postgres(data))
    if settings.redis_url is None:
        servers.append(Valkey(data))
    return servers


def _spawner(server: Server) -> Callable[[], subprocess.Popen[bytes]]:
    def again() -> subprocess.Popen[bytes]:
        server.prepare()
        return server.spawn()

    return again


def _end(children: Sequence[_Child]) -> None:
    deadline = time.monotonic() + STOP_SECONDS
    for child in children:
        child.end(deadline)


@contextlib.contextmanager
def alone_on(settings: Settings, servers: Sequence[Server]) -> Iterator[None]:
    """Hold the data directory for a block; the lock goes when the process goes, however it goes."""
    data = settings.data
    make_data(data, server_account(data / "postgres") if servers else None)
    with (data / _LOCK_FILE).open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise AlreadyRunning(
                f"{data} is in use by another `big2 serve` (pid {lock.readline().strip() or 'unknown'}): "
                "stop it, or choose another data directory"
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n{_address(settings)}\n")
        lock.flush()
        yield


def _address(settings: Settings) -> str:
    return url_of(_ANYWHERE.get(settings.host, settings.host), settings.port)


def url_of(host: str, port: int) -> str:
    """The URL of what serves there; an IPv6 address stands in brackets.

    >>> url_of("::1", 8000)
    'http://[::1]:8000'
    """
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
