"""What joins a process with a server, on 127.0.0.1: it can be pulled out, and put in again.

Nothing comes through while it is out, and no connection ends: neither side can tell the other's silence from its being
busy. What was under way then arrives late, as on a network.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from asyncio import StreamReader, StreamWriter
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")

CHUNK = 65_536
ANSWER_SECONDS = 10


class Cable:
    """Leads from a port of its own to a Unix socket."""

    def __init__(self, socket: str) -> None:
        self._socket = socket
        self._loop = asyncio.new_event_loop()
        self._through = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._through.set()
        self._server = self._do(asyncio.start_server(self._connection, "127.0.0.1", 0))
        self.port: int = self._server.sockets[0].getsockname()[1]

    def pull(self) -> None:
        """From now on nothing comes through."""
        self._loop.call_soon_threadsafe(self._through.clear)

    def put(self) -> None:
        """Everything comes through, what was held up first."""
        self._loop.call_soon_threadsafe(self._through.set)

    def close(self) -> None:
        """End all connections."""
        self._do(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(ANSWER_SECONDS)
        self._loop.close()

    def _do(self, work: Coroutine[object, object, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(ANSWER_SECONDS)

    async def _close(self) -> None:
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _connection(self, reader: StreamReader, writer: StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.CancelledError):  # an end of it is gone: so is this
            await self._through.wait()
            there_reader, there_writer = await asyncio.open_unix_connection(self._socket)
            with contextlib.closing(there_writer):
                await until_one_ends(self._way(reader, there_writer), self._way(there_reader, writer))
        writer.close()

    async def _way(self, reader: StreamReader, writer: StreamWriter) -> None:
        while chunk := await reader.read(CHUNK):
            await self._through.wait()
            writer.write(chunk)
            await writer.drain()
        await self._through.wait()


async def until_one_ends(*ways: Coroutine[object, object, None]) -> None:
    """Run both ways of a connection until either is over; then the other is, too."""
    tasks = [asyncio.create_task(way) for way in ways]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
