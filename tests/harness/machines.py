"""Two machines that share one PostgreSQL and one Valkey and know nothing of each other; each can be cut off.

A machine has a web, a worker, a clock and a projector. They reach the two servers by cables of the machine's own.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from urllib3 import PoolManager
from urllib3.exceptions import HTTPError

from services.embedded import Postgres, Server, Valkey, start
from tests.harness.cable import Cable
from tests.workers.process import Big2
from tests.workers.test_service import free_port

PROCESSES = ("web", "worker", "clock", "projector")
END_SECONDS = 30


class Machine:
    """One machine. `settings` are its processes' environment."""

    def __init__(self, servers: Servers) -> None:
        self._cables = [Cable(servers.postgres_socket), Cable(servers.valkey_socket)]
        postgres, valkey = (cable.port for cable in self._cables)
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self.settings = {
            "DATABASE_URL": f"postgresql://big2@127.0.0.1:{postgres}/big2",
            "REDIS_URL": f"redis://127.0.0.1:{valkey}/0",
            "PORT": str(self._port),
            "BIG2_WEB_PROCESSES": "1",
            "BIG2_DATA": str(servers.data),
        }
        self.processes = {name: Big2("run", name, settings=self.settings) for name in PROCESSES}

    def cut_off(self) -> None:
        for cable in self._cables:
            cable.pull()

    def joined(self) -> None:
        for cable in self._cables:
            cable.put()

    def ready(self) -> bool:
        try:
            with PoolManager(retries=False, timeout=3) as pool:
                return pool.request("GET", f"{self.url}/readyz").status == 200
        except HTTPError:
            return False

    def close(self) -> None:
        """End its processes, whether or not they can reach anything."""
        for process in self.processes.values():
            process.close()
        for cable in self._cables:
            cable.close()


class Servers(NamedTuple):
    """The two servers that all machines share, in a directory of their own."""

    data: Path
    url: str
    postgres_socket: str
    valkey_socket: str


@contextmanager
def servers() -> Iterator[Servers]:
    """PostgreSQL with the service's tables, and Valkey."""
    data = Path(tempfile.mkdtemp(prefix="b2-many-", dir="/tmp"))
    data.chmod(0o711)
    with ExitStack() as ends:
        ends.callback(shutil.rmtree, data)
        postgres, valkey = Postgres(data), Valkey(data)
        for server in (postgres, valkey):
            ends.enter_context(_running(server))
        _said("migrate", url=postgres.url)
        yield Servers(data, postgres.url, str(data / "run/.s.PGSQL.5432"), valkey.url.removeprefix("unix://"))


def admin_token(servers: Servers) -> str:
    """A token with which everything may be done."""
    return _said("token", "--role", "admin", url=servers.url).strip()


def _said(*arguments: str, url: str) -> str:
    """What a command says that ends well."""
    with Big2(*arguments, settings={"DATABASE_URL": url}) as command:
        assert command.ended() == 0, command.said
        return command.said


@contextmanager
def _running(server: Server) -> Iterator[None]:
    child = start(server)
    yield
    child.send_signal(server.stop_signal)
    child.wait(END_SECONDS)


@contextmanager
def machines(servers: Servers, count: int) -> Iterator[list[Machine]]:
    """So many machines that are ready."""
    with ExitStack() as ends:
        made = []
        for _ in range(count):
            made.append(Machine(servers))
            ends.callback(made[-1].close)
        for machine in made:
            machine.processes["web"].until(machine.ready)
        yield made
