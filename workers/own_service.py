"""The service that a command works with: the one that runs already, or one of its own for as long as it needs it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
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

READY_SECONDS = 60.0
STOP_SECONDS = 15.0
LOOK_SECONDS = 0.2
ANSWER_SECONDS = 5.0
LONGEST_REASON = 500


class NotServedError(Exception):
    """There is no service to work with; the message says why."""


@contextmanager
def service_on(data: Path | None) -> Iterator[Client]:
    """The service of a data directory, as its admin: where the settings say that it listens, or one of our own.

    Raises NotServedError if there is none and none can be started, SettingsError for a setting that can't be used.
    """
    settings = bootstrap.settings(data=data)
    url = f"http://{settings.host}:{settings.port}"
    token = _token(settings.data)
    if token and answer_of(url, "/v1/rulesets?limit=1", token) == HTTPStatus.OK:
        yield Client(url, token)
        return
    with tempfile.TemporaryFile() as log, _started(settings.data, log) as url:
        yield Client(url, _token(settings.data))


@contextmanager
def service_at(url: str, token: str) -> Iterator[Client]:
    """The service at an address, as whom the token says; raises NotServedError if nothing answers there."""
    if not url.startswith(("http://", "https://")) or answer_of(url.rstrip("/"), "/readyz") is None:
        raise NotServedError(f"no service answers at {url}")
    yield Client(url, token)


def answer_of(url: str, path: str, token: str | None = None) -> int | None:
    """The status of a GET, asked once; None if nothing answers there."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        asked = urllib3.request("GET", url + path, headers=headers, retries=False, timeout=ANSWER_SECONDS)
    except HTTPError:
        return None
    return asked.status


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
        _wait(child, url, log)
        yield url
    finally:
        end(child)


def _wait(child: subprocess.Popen[bytes], url: str, log: IO[bytes]) -> None:
    give_up = time.monotonic() + READY_SECONDS
    while answer_of(url, "/readyz") != HTTPStatus.OK:
        if child.poll() is not None:
            raise NotServedError(f"no service could be started: {_last_line(log)}")
        if time.monotonic() > give_up:
            raise NotServedError(f"the service was not ready after {READY_SECONDS:.0f} s: {_last_line(log)}")
        time.sleep(LOOK_SECONDS)


def _last_line(log: IO[bytes]) -> str:
    log.seek(0)
    lines = log.read().decode("utf-8", "replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "it said nothing")[:LONGEST_REASON]


def _token(data: Path) -> str | None:
    try:
        return (data / TOKEN_FILE).read_text().strip()
    except OSError:
        return None
