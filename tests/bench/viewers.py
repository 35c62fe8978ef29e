"""A thousand readers of one feed, in a process of their own: when each event came, to the first and to the last.

It ends when it is told to, after `LONGEST_SECONDS`, or with the process that started it.
"""

import asyncio
import re
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from time import monotonic
from typing import NamedTuple

AT_ONCE = 32
"""Connections that are opened at a time."""
AGAIN_SECONDS = 0.2
CONNECT_SECONDS = 120
LONGEST_SECONDS = 900
SPARE_FILES = 200
_EVENT = re.compile(rb"^id: (\d+)\n", re.MULTILINE)


class Seen(NamedTuple):
    """How many viewers got an event, and when the first and the last did, by the machine's monotonic clock."""

    viewers: int
    first: float
    last: float


class Viewers:
    """The other end of a process of viewers."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def held(self) -> int:
        """How many have their feed, once all have or no more will."""
        return int(self._asked("held"))

    def seen(self) -> dict[int, Seen]:
        """What was seen so far, by log position."""
        return {position: Seen(*told) for position, told in self._asked("seen").items()}

    def _asked(self, what: str):
        self._pipe.send(what)
        if not self._pipe.poll(CONNECT_SECONDS + 10):
            sys.exit("the viewers do not answer")
        return self._pipe.recv()


@contextmanager
def watching(port: int, path: str, viewers: int) -> Iterator[Viewers]:
    """So many viewers of a feed, for a block."""
    ours, theirs = get_context("spawn").Pipe()
    child = get_context("spawn").Process(target=_run, args=(port, path, viewers, theirs), daemon=True)
    child.start()
    try:
        yield Viewers(ours)
    finally:
        ours.close()
        child.join(10)
        child.kill()


def enough_files(viewers: int) -> None:
    """See to it that this process and its children may open so many sockets, or say what to do."""
    wanted = viewers + SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= wanted or soft == resource.RLIM_INFINITY:
        return
    if hard != resource.RLIM_INFINITY and hard < wanted:
        sys.exit(
            f"{viewers} viewers need {wanted} open files and {hard} are allowed: raise it (ulimit -Hn {wanted})"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class _Viewer(asyncio.Protocol):
    """One feed. What it has seen it adds to what all have."""

    def __init__(self, request: bytes, seen: dict[int, list[float]], answered: asyncio.Future[bool]) -> None:
        self._request = request
        self._seen = seen
        self.answered = answered
        self._rest = b""

    def connection_made(self, transport) -> None:
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        now = monotonic()
        if not self.answered.done():
            self.answered.set_result(data.startswith(b"HTTP/1.1 200"))
        data = self._rest + data
        whole = data.rfind(b"\n") + 1
        self._rest = data[whole:]
        for found in _EVENT.finditer(data, 0, whole):
            self._seen.setdefault(int(found[1]), []).append(now)

    def connection_lost(self, _error: Exception | None) -> None:
        if not self.answered.done():
            self.answered.set_result(False)


def _run(port: int, path: str, viewers: int, pipe: Connection) -> None:
    asyncio.run(_watch(port, path, viewers, pipe))


async def _watch(port: int, path: str, viewers: int, pipe: Connection) -> None:
    seen: dict[int, list[float]] = {}
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    gate, give_up = asyncio.Semaphore(AT_ONCE), monotonic() + CONNECT_SECONDS
    loop = asyncio.get_running_loop()

    async def connected() -> bool:
        while monotonic() < give_up:
            async with gate:
                viewer = _Viewer(request, seen, loop.create_future())
                transport, _ = await loop.create_connection(lambda viewer=viewer: viewer, "127.0.0.1", port)
                if await viewer.answered:
                    return True
                transport.close()
            await asyncio.sleep(AGAIN_SECONDS)
        return False

    held = sum(await asyncio.gather(*(connected() for _ in range(viewers))))
    asked: asyncio.Queue[str] = asyncio.Queue()
    loop.add_reader(pipe.fileno(), _take, pipe, asked)
    async with asyncio.timeout(LONGEST_SECONDS):
        while (what := await asked.get()) != "over":
            pipe.send(held if what == "held" else {at: (len(t), min(t), max(t)) for at, t in seen.items()})


def _take(pipe: Connection, asked: asyncio.Queue[str]) -> None:
    try:
        asked.put_nowait(pipe.recv())
    except (EOFError, OSError):
        asyncio.get_running_loop().remove_reader(pipe.fileno())
        asked.put_nowait("over")
