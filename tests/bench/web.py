"""A gunicorn for the benches, served as the product serves, and clients that cost next to nothing."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

import urllib3

from services import bootstrap
from services.processes import spawn
from tests.bench.ground import Cluster, children_of, cpu_of
from workers.own_service import end, free_port

READY_SECONDS = 180
ANSWER_SECONDS = 60
UNLIMITED = {"BIG2_REQUESTS_PER_SECOND": "1000000"}


class Web(NamedTuple):
    """A gunicorn that serves at 127.0.0.1."""

    port: int
    pid: int

    def cpu(self) -> float:
        """The CPU seconds of its workers so far."""
        return cpu_of(*children_of(self.pid))


@contextmanager
def served(server: Cluster, url: str, application: str = "services.http.wsgi:app") -> Iterator[Web]:
    """Serve a database for a block, with the product's own settings but for its limit of requests."""
    own = {name: text for name, text in os.environ.items() if name not in bootstrap.VARIABLES}
    port = free_port()
    there = {"DATABASE_URL": url, "BIG2_DATA": str(server.data), "PORT": str(port)}
    argv = [sys.executable, "-m", "gunicorn", "-c", "python:services.http.gunicorn_conf", application]
    child = spawn(argv, env=own | UNLIMITED | there)
    try:
        _wait(child, port)
        yield Web(port, child.pid)
    finally:
        end(child)


def _wait(child: "subprocess.Popen[bytes]", port: int) -> None:
    give_up = time.monotonic() + READY_SECONDS
    while True:
        with suppress(urllib3.exceptions.HTTPError):
            answer = urllib3.request("GET", f"http://127.0.0.1:{port}/readyz", retries=False, timeout=5)
            if answer.status in (200, 503):  # 503: no clock and no workers here, which no bench needs
                return
        if child.poll() is not None or time.monotonic() > give_up:
            sys.exit("gunicorn did not start")
        time.sleep(0.1)


def post(path: str, token: str, body: bytes, key: str) -> bytes:
    """A request's bytes."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nIdempotency-Key: {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Client:
    """One connection that is kept."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, request: bytes) -> bytes:
        """Send a request, and the body of its answer, which must be 201."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        writer.write(request)
        async with asyncio.timeout(ANSWER_SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
            length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            body = await reader.readexactly(int(length or 0))
        if not head.startswith(b"HTTP/1.1 201"):
            sys.exit(f"{head.decode()}{body.decode()}")
        return body

    def close(self) -> None:
        if self._streams:
            self._streams[1].close()


async def all_at_once(clients: Sequence[Client], queues: Sequence[Sequence[bytes]]) -> float:
    """Each client sends its requests one after the other, all clients at a time; the seconds that takes."""

    async def one(client: Client, requests: Sequence[bytes]) -> None:
        for request in requests:
            await client.send(request)

    began = time.perf_counter()
    await asyncio.gather(*(one(*each) for each in zip(clients, queues, strict=True)))
    return time.perf_counter() - began
