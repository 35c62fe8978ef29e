"""One real PostgreSQL and one real Valkey for the whole run, and a fresh database for each test module.

postgres_url   the server's maintenance database (rarely what you want)
database_url   a migrated database of the module's own
empty_url      an empty database of the test's own
store          a `Store` with the product's topics on `database_url`
redis_url      a Valkey, shared by the run: use keys of your own
"""

from __future__ import annotations

import logging
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.topics import TOPICS
from services.embedded import Postgres, Server, Valkey, start
from services.postgres import migrate
from services.store import Store
from tests.databases import copy_of

FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "200"}


class Servers:
    """The run's servers, each started at its first use and ended with the run."""

    def __init__(self) -> None:
        self.data = Path(
            tempfile.mkdtemp(prefix="b2-tests-", dir="/tmp")
        )  # short, and open to the server's user
        self._started: dict[str, tuple[Server, object]] = {}

    def url(self, name: str) -> str:
        if name not in self._started:
            server = Postgres(self.data, FAST) if name == "postgres" else Valkey(self.data)
            self._started[name] = (server, start(server))
        return self._started[name][0].url

    def stop(self) -> None:
        for server, child in self._started.values():
            child.send_signal(server.stop_signal)
            child.wait(30)
        shutil.rmtree(self.data, ignore_errors=True)


SERVERS = pytest.StashKey[Servers]()


def _servers(config: pytest.Config) -> Servers:
    if SERVERS not in config.stash:
        config.stash[SERVERS] = Servers()
    return config.stash[SERVERS]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node) -> None:
    """With xdist the controller starts the servers, since they end with the process that started them."""
    servers = _servers(node.config)
    node.workerinput |= {name: servers.url(name) for name in ("postgres", "valkey")}


def pytest_unconfigure(config: pytest.Config) -> None:
    if SERVERS in config.stash:
        config.stash[SERVERS].stop()


def _url(config: pytest.Config, name: str) -> str:
    given = getattr(config, "workerinput", None)
    return given[name] if given else _servers(config).url(name)


@pytest.fixture(autouse=True)
def _log_as_before() -> Iterator[None]:
    """A test that lets a command begin its log leaves the next one neither its level nor its handlers."""
    root = logging.getLogger()
    level, handlers, disabled = root.level, root.handlers[:], root.manager.disable
    yield
    root.setLevel(level)
    root.handlers[:] = handlers
    logging.disable(disabled)


@pytest.fixture(autouse=True)
def _signals_as_before() -> Iterator[None]:
    """A test that works off a queue in this process leaves no handler behind: whoever interrupts the run ends it."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)


@pytest.fixture(scope="session")
def postgres_url(pytestconfig) -> str:
    return _url(pytestconfig, "postgres")


@pytest.fixture(scope="session")
def redis_url(pytestconfig) -> str:
    return _url(pytestconfig, "valkey")


@pytest.fixture(scope="session")
def _migrated(postgres_url: str) -> Iterator[str]:
    with copy_of(postgres_url) as made:
        migrate(made.url)
        yield made.name


@pytest.fixture(scope="module")
def database_url(postgres_url: str, _migrated: str) -> Iterator[str]:
    with copy_of(postgres_url, _migrated) as made:
        yield made.url


@pytest.fixture
def empty_url(postgres_url: str) -> Iterator[str]:
    with copy_of(postgres_url) as made:
        yield made.url


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = Store(database_url, TOPICS)
    yield store
    store.close()
