"""A TCP proxy on 127.0.0.1 that loses replies: what was asked has been done, and nobody is told."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from asyncio import StreamReader, StreamWriter
from random import Random

from tests.harness.cable import until_one_ends

CHUNK = 65_536
START_SECONDS = 10


class LossyProxy:
    """Forwards everything to a port of this machine, and cuts the connection instead of some replies.

    `lost` is the part of replies that are lost, which may be changed at any time: half of them whole, the others in
    their middle. `losses` counts them.
    """

    def __init__(self, port: int, seed: int) -> None:
        self.lost = 0.0
        self.losses = 0
        self._upstream = port
        self._random = Random(seed)
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server | None = None
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> LossyProxy:
        self._thread.start()
        listening = asyncio.start_server(self._connection, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(listening, self._loop).result(START_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(START_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(START_SECONDS)
        self._loop.close()

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def _close(self) -> None:
        assert self._server is not None
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _connection(self, reader: StreamReader, writer: StreamWriter) -> None:
        with contextlib.suppress(
            OSError, asyncio.CancelledError
        ):  # the service, or the proxy, is down: so is this
            back_reader, back_writer = await asyncio.open_connection("127.0.0.1", self._upstream)
            with contextlib.closing(back_writer):
                await until_one_ends(self._forth(reader, back_writer), self._back(back_reader, writer))
        writer.close()

    @staticmethod
    async def _forth(reader: StreamReader, writer: StreamWriter) -> None:
        while chunk := await reader.read(CHUNK):
            writer.write(chunk)
            await writer.drain()

    async def _back(self, reader: StreamReader, writer: StreamWriter) -> None:
        while chunk := await reader.read(CHUNK):
            lost = self._random.random() < self.lost
            if lost:
                self.losses += 1
                chunk = chunk[: self._random.choice((0, len(chunk) // 2))]
            writer.write(chunk)
            await writer.drain()
            if lost:
                return
