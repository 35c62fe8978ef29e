"""A service of a demo's own, and the bots that play at it: kept alive to the end, and nothing left behind.

Kill any of their processes and it goes on.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from services import bootstrap
from services.processes import spawn
from workers.client import Client, Refused
from workers.own_service import end, free_port
from workers.serving import SAFE_IMPORTS
from workers.showing import Show

READY_SECONDS = 180.0
RESTART_SECONDS = 0.2
LONGEST_REASON = 200
"""Characters of what a process said last, where it ended by itself."""


class DemoFailed(Exception):  # noqa: N818 - what happened
    """The demo did not end as it must; the message says where."""


class Stage(NamedTuple):
    """A service of the demo's own: its admin's client, its address and its data."""

    admin: Client
    url: str
    data: Path
    log: IO[bytes]
    show: Show

    def bots(self, *arguments: str) -> AbstractContextManager[None]:
        """House players at this service, until the block is left."""
        token = str(self.data / "admin-token")
        known = ["bots", "--url", self.url, "--token-file", token]
        return _kept_alive("bots", [*known, *arguments], self.log, self.show)


@contextmanager
def staged(show: Show, data: Path | None) -> Iterator[Stage]:
    """A service in a temporary directory, or in `data`, which is kept; it ends with the block."""
    with _folder(data) as folder, (folder / "demo.log").open("ab") as log:
        inside, port = folder / "data", free_port()
        url = f"http://127.0.0.1:{port}"
        serve = ["serve", "--host", "127.0.0.1", "--port", str(port), "--data", str(inside)]
        show.say("starting a service for the demo")
        with _kept_alive("service", serve, log, show):
            admin = Client(url, admin_token(inside, url))
            show.say(f"serving on {url}, data in {inside}")
            yield Stage(admin, url, inside, log, show)


@contextmanager
def _folder(data: Path | None) -> Iterator[Path]:
    if data is not None:
        data.mkdir(parents=True, exist_ok=True)
        yield data
        return
    with tempfile.TemporaryDirectory(prefix="big2-demo-") as folder:
        Path(folder).chmod(0o711)  # as root, the database's own user must pass through it
        yield Path(folder)


def admin_token(data: Path, url: str) -> str:
    """The first start's token, once the service is ready."""
    give_up = time.monotonic() + READY_SECONDS
    anybody = Client(url)
    while time.monotonic() < give_up:
        try:
            anybody.get("/readyz")
            return (data / "admin-token").read_text().strip()
        except (Refused, OSError):
            time.sleep(RESTART_SECONDS)
    raise DemoFailed(f"the service was not ready after {READY_SECONDS:.0f} s")


@contextmanager
def _kept_alive(name: str, arguments: list[str], log: IO[bytes], show: Show) -> Iterator[None]:
    """Run `big2` with these arguments, and again whenever it fails, until the block is left."""
    over = threading.Event()

    def keep() -> None:
        while True:
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
            show.say(f"{name} ended ({_reason(child.returncode, log)}): starting it again")

    keeper = threading.Thread(target=keep)
    keeper.start()
    try:
        yield
    finally:
        over.set()
        keeper.join()


def _reason(status: int, log: IO[bytes]) -> str:
    """What ended a process: a signal, or what the demo's log says last."""
    if status < 0:
        return f"signal {-status}"
    lines = Path(log.name).read_text(encoding="utf-8", errors="replace").rstrip().splitlines()
    return f"status {status}: {lines[-1][:LONGEST_REASON]}" if lines else f"status {status}"


def own_environment() -> dict[str, str]:
    """Ours without what would lead the demo to somebody's real service."""
    return {name: value for name, value in os.environ.items() if name not in bootstrap.VARIABLES}
