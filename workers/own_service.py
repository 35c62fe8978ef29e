"""The service that a command works with: the one that runs already, or one of its own for as long as it needs it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import IO

import urllib3
from urllib3.exceptions import HTTPError

from services import bootstrap
from services.processes import spawn
from workers.client import Client
from workers.serving import SAFE_IMPORTS, TOKEN_FILE
from workers.supervisor import address_on

READY_SECONDS = 180.0
"""How long a start may take: it takes a few seconds, and a minute where the machine has much else to do."""
STOP_SECONDS = 15.0
LOOK_SECONDS = 0.2
ANSWER_SECONDS = 5.0
LONGEST_REASON = 500
"""Characters of what a process said last."""
TAIL_BYTES = 4096
"""How much of what it said is read for that."""
_ELSE = "name another --data, or give --url and --token-file"


class NotServedError(Exception):
    """There is no service to work with; the message says why."""


@contextmanager
def service_on(data: Path | None) -> Iterator[Client]:
    """The service of a data directory, as its admin: the one that runs on it, or one of our own.

    Raises NotServedError if there is none and none can be started, or if the one that runs can't be worked with;
    SettingsError for a setting that can't be used.
    """
    found = bootstrap.settings(data=data).data
    url = _ready_on(found)
    if url is not None:
        yield Client(url, _good_token(found, url))
        return
    with tempfile.TemporaryFile("a+b") as log, _started(found, log) as url:
        yield Client(url, token_in(found))


@contextmanager
def service_at(
    url: str, token: str, start_seconds: float = 0.0, patience_seconds: float | None = None
) -> Iterator[Client]:
    """The service at an address, as whom the token says; raises NotServedError if nothing answers in `start_seconds`.

    A request is then sent again for `patience_seconds`, by default as long as any client does.
    """
    give_up = time.monotonic() + start_seconds
    while not url.startswith(("http://", "https://")) or answer_of(url.rstrip("/"), "/readyz") is None:
        if time.monotonic() >= give_up:
            raise NotServedError(f"no service answers at {url}")
        time.sleep(LOOK_SECONDS)
    yield Client(url, token, patience_seconds=patience_seconds)


def answer_of(url: str, path: str, token: str | None = None) -> int | None:
    """The status of a GET, asked once; None if nothing answers there."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        asked = urllib3.request("GET", url + path, headers=headers, retries=False, timeout=ANSWER_SECONDS)
    except HTTPError:
        return None
    return asked.status


def wait_until_ready(url: str, has_ended: Callable[[], bool], log: IO[bytes]) -> None:
    """Wait for a service that was started; raises NotServedError with its last words if it ends, or takes too long."""
    give_up = time.monotonic() + READY_SECONDS
    while answer_of(url, "/readyz") != HTTPStatus.OK:
        if has_ended():
            raise NotServedError(f"no service could be started: {last_line(log)}")
        if time.monotonic() > give_up:
            raise NotServedError(f"the service was not ready after {READY_SECONDS:.0f} s: {last_line(log)}")
        time.sleep(LOOK_SECONDS)


def last_line(log: IO[bytes]) -> str:
    """The last line that says something, of a file which somebody may still write to."""
    written = os.fstat(log.fileno()).st_size
    tail = os.pread(log.fileno(), TAIL_BYTES, max(0, written - TAIL_BYTES))
    lines = reversed(tail.decode("utf-8", "replace").split("\n"))
    return next((line for line in lines if line.strip()), "it said nothing")[:LONGEST_REASON]


def token_in(data: Path) -> str | None:
    """The admin's token that the first start on a data directory wrote there; None where there is none."""
    try:
        return (data / TOKEN_FILE).read_text().strip()
    except OSError:
        return None


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def end(child: subprocess.Popen[bytes]) -> None:
    """End a child: politely, and then for good."""
    if child.poll() is None:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


@contextmanager
def _started(data: Path, log: IO[bytes]) -> Iterator[str]:
    """`big2 serve` on a data directory, once it is ready, until the block is left."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    serve = ["serve", "--host", "127.0.0.1", "--port", str(port), "--data", str(data)]
    argv = [sys.executable, *SAFE_IMPORTS, "workers.cli", *serve]
    child = spawn(argv, env=os.environ, on_death=signal.SIGTERM, output=log)
    try:
        try:
            wait_until_ready(url, lambda: child.poll() is not None, log)
        except NotServedError as error:
            raise NotServedError(f"{error}; {_ELSE}") from error
        yield url
    finally:
        end(child)


def _ready_on(data: Path) -> str | None:
    """Where the service that runs on a data directory serves, once it is ready; None where none runs.

    That is what itself says there: the admin's token goes to nobody else.
    """
    give_up = time.monotonic() + READY_SECONDS
    while (url := _address_on(data)) is not None:
        if url and answer_of(url, "/readyz") == HTTPStatus.OK:
            return url
        if time.monotonic() > give_up:
            raise NotServedError(f"the service on {data} is not ready{f' at {url}' if url else ''}; {_ELSE}")
        time.sleep(LOOK_SECONDS)
    return None


def _address_on(data: Path) -> str | None:
    try:
        return address_on(data)
    except OSError as error:
        raise NotServedError(f"{data}: {error.strerror}; {_ELSE}") from error


def _good_token(data: Path, url: str) -> str:
    token = token_in(data)
    if not token or answer_of(url, "/v1/rulesets?limit=1", token) != HTTPStatus.OK:
        raise NotServedError(f"the service at {url} does not take {data / TOKEN_FILE} for a token: {_ELSE}")
    return token
