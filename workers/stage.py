"""A service of a demo's own, and the bots that play at it: kept alive to the end, and nothing left behind.

Kill any of their processes and it goes on.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from services import bootstrap
from services.processes import spawn
from workers.client import Client, Refused
from workers.own_service import NotServedError, end, free_port, last_line, token_in, wait_until_ready
from workers.serving import SAFE_IMPORTS, TOKEN_FILE
from workers.showing import Show

RESTART_SECONDS = 0.2
MOST_RESTARTS = 20
"""How often a process that ends too early is started again; then the demo has failed."""


class DemoFailed(Exception):  # noqa: N818 - what happened
    """The demo did not end as it must; the message says where."""


class Kept:
    """A process that is kept alive, until it is given up."""

    def __init__(self) -> None:
        self.failure: str | None = None

    def must_live(self) -> None:
        """Raises DemoFailed once it is given up."""
        if self.failure is not None:
            raise DemoFailed(self.failure)


class Stage(NamedTuple):
    """A service of the demo's own: its admin's client, its address and its data."""

    admin: Client
    url: str
    data: Path
    log: IO[bytes]
    show: Show

    def bots(self, *arguments: str) -> AbstractContextManager[Kept]:
        """House players at this service, until the block is left."""
        token = str(self.data / TOKEN_FILE)
        known = ["bots", "--url", self.url, "--token-file", token]
        return _kept_alive("bots", [*known, *arguments], self.log, self.show)


@contextmanager
def staged(show: Show, data: Path | None) -> Iterator[Stage]:
    """A service in a temporary directory, or in `data`, which is kept; it ends with the block."""
    with _folder(data) as folder, (folder / "demo.log").open("a+b") as log:
        inside, port = folder / "data", free_port()
        url = f"http://127.0.0.1:{port}"
        serve = ["serve", "--host", "127.0.0.1", "--port", str(port), "--data", str(inside)]
        show.say("starting a service for the demo")
        with _kept_alive("service", serve, log, show) as service:
            admin = Client(url, _admin_token(inside, url, service, log))
            show.say(f"serving on {url}, data in {inside}")
            try:
                yield Stage(admin, url, inside, log, show)
            except Refused:
                service.must_live()
                raise


@contextmanager
def _folder(data: Path | None) -> Iterator[Path]:
    if data is not None:
        data.mkdir(parents=True, exist_ok=True)
        yield data
        return
    with tempfile.TemporaryDirectory(prefix="big2-demo-") as folder:
        Path(folder).chmod(0o711)  # as root, the database's own user must pass through it
        yield Path(folder)


def _admin_token(data: Path, url: str, service: Kept, log: IO[bytes]) -> str:
    """The first start's token, once the service is ready."""
    try:
        wait_until_ready(url, lambda: service.failure is not None, log)
    except NotServedError as error:
        raise DemoFailed(str(error)) from error
    token = token_in(data)
    if token is None:
        raise DemoFailed(f"{data / TOKEN_FILE} is gone: choose another --data")
    return token


@contextmanager
def _kept_alive(name: str, arguments: list[str], log: IO[bytes], show: Show) -> Iterator[Kept]:
    """Run `big2` with these arguments, and again whenever it fails, until the block is left or it is given up."""
    over, kept = threading.Event(), Kept()

    def keep() -> None:
        for ended in range(1, MOST_RESTARTS + 2):
            # This thread outlives the child, so the child's end with its parent is its end with the demo.
            child = spawn(
                [sys.executable, *SAFE_IMPORTS, "workers.cli", *arguments],
                env=own_environment(),
                on_death=signal.SIGTERM,
                output=log,
            )
            while child.poll() is None and not over.wait(RESTART_SECONDS):
                pass
            if over.is_set():
                return end(child)
            if child.returncode == 0:
                return None
            reason = _reason(child.returncode, log)
            if ended <= MOST_RESTARTS:
                show.say(f"{name} ended ({reason}): starting it again")
        kept.failure = f"{name} ended {ended} times, the last time with {reason}"
        return None

    keeper = threading.Thread(target=keep)
    keeper.start()
    try:
        yield kept
    finally:
        over.set()
        keeper.join()


def _reason(status: int, log: IO[bytes]) -> str:
    """What ended a process: a signal, or what the demo's log says last."""
    return f"signal {-status}" if status < 0 else f"status {status}: {last_line(log)}"


def own_environment() -> dict[str, str]:
    """Ours without what would lead the demo to somebody's real service."""
    return {name: value for name, value in os.environ.items() if name not in bootstrap.VARIABLES}
