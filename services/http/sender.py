"""The one thread of a web process that sends every feed: a reader costs a socket and no thread.

A feed begins in a thread of the server, which sends its head and what is past (`services.http.feed`). When it has only
to wait, its socket comes here (`services.http.worker`), where nothing waits for one reader or for the database.
"""

from __future__ import annotations

import logging
import os
import select
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

from services.bugs import told
from services.http.listener import Listener

if TYPE_CHECKING:
    from services.http.feed import Read, Stream

LOOK_SECONDS = 0.5
"""How often heartbeats, stalled readers and tokens are looked at."""
IGNORED_BYTES = 64 * 1024
"""What is read at once, and thrown away, of a reader who sends more than his request."""

log = logging.getLogger(__name__)


class HandedOver(BaseException):
    """The rest of this answer is the sender's: no error, so past everything that treats errors."""

    def __init__(self, stream: Stream) -> None:
        super().__init__()
        self.stream = stream


class _Reader:
    """A feed, its socket, and what of it the kernel has not taken yet: at most what was read at once."""

    def __init__(
        self, stream: Stream, connection: socket.socket, done: Callable[[], object], sender: Sender
    ) -> None:
        self.stream = stream
        self.connection = connection
        self.done = done
        self.begun = self.over = False
        self.rest = memoryview(b"")
        self.stalled = False
        """Whether the kernel tells when it takes more."""
        self.ends: str | None = None
        """Why, if that is all."""
        self.good: bool | Exception = True
        """What the last look at its token found."""
        self.check: Future[None] | None = None
        self._sender = sender

    def set(self) -> None:
        self._sender.ring(self)


class Sender:
    """Follows the listener. It begins with the first feed that it is given."""

    def __init__(self, listener: Listener) -> None:
        self.taking = False
        """Whether whoever serves this process hands feeds over."""
        self._listener = listener
        self._readers: dict[int, _Reader] = {}
        self._rung: set[_Reader] = set()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._look_at = 0.0

    def take(self, stream: Stream, connection: socket.socket, done: Callable[[], object]) -> None:
        """Send what is left of a feed; once it is over its socket is closed, and `done` called."""
        with self._guard:
            if self._thread is None:
                self._poll, self._bell = select.epoll(), os.eventfd(0, os.EFD_NONBLOCK)
                self._poll.register(self._bell, select.EPOLLIN)
                self._tokens = ThreadPoolExecutor(1, "feed-tokens")
                thread = threading.Thread(target=self._run, name="feed-sender", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # no more threads
                    os.close(self._bell)
                    raise
                self._thread = thread
        reader = _Reader(stream, connection, done, self)
        stream.waiting.awake = reader
        self.ring(reader)

    def ring(self, reader: _Reader) -> None:
        """There may be something to send to this one."""
        with self._guard:
            quiet = not self._rung
            self._rung.add(reader)
        if quiet:
            os.eventfd_write(self._bell, 1)

    def _run(self) -> None:
        while True:
            try:
                self._turn()
            except Exception as error:  # noqa: BLE001 - every feed of the process depends on this thread
                log.error("the feeds' sender failed and goes on: %s", told(error))  # noqa: TRY400
                time.sleep(LOOK_SECONDS)

    def _turn(self) -> None:
        for number, events in self._poll.poll(LOOK_SECONDS):
            if number == self._bell:
                os.eventfd_read(self._bell)
            elif reader := self._readers.get(number):
                if events & ~select.EPOLLOUT:
                    self._try(reader, self._hear)
                if events & select.EPOLLOUT:
                    self._try(reader, self._flush)
        with self._guard:
            rung, self._rung = self._rung, set()
        read: dict[object, Read | None] = {}
        for reader in rung:
            self._try(reader, self._tell, read)
        if time.monotonic() >= self._look_at:
            self._look_at = time.monotonic() + LOOK_SECONDS
            for reader in list(self._readers.values()):
                self._try(reader, self._look)

    def _try(self, reader: _Reader, what: Callable[..., None], *values: object) -> None:
        """What fails for one reader ends his feed alone; he comes again, after the last event that he had."""
        if reader.over:
            return
        try:
            what(reader, *values)
        except OSError:
            self._end(reader, "gone")
        except Exception as error:  # noqa: BLE001
            log.error("a feed failed: %s", told(error))  # noqa: TRY400 - its message stays out
            self._end(reader, "failed")

    def _tell(self, reader: _Reader, read: dict[object, Read | None]) -> None:
        """Send what is new. What was read for one is in `read` for all at the same place."""
        if not reader.begun:
            self._begin(reader)
        stream = reader.stream
        if reader.rest or reader.ends:
            return  # when that is out
        if self._listener.closing:
            self._finish(reader, "closed", stream.farewell())
        elif isinstance(reader.good, Exception):
            raise reader.good
        elif not reader.good:
            self._finish(reader, "token")
        elif (news := stream.news(read)) is None:
            self._finish(reader, "slow")
        elif news:
            self._send(reader, news)
        if stream.behind:
            self.ring(reader)

    def _begin(self, reader: _Reader) -> None:
        reader.begun = True
        reader.connection.setblocking(False)
        number = reader.connection.fileno()
        self._readers[number] = reader
        self._poll.register(number, select.EPOLLIN)

    def _look(self, reader: _Reader) -> None:
        """What comes with time: the end of patience, a heartbeat, another look at the token."""
        stream = reader.stream
        if reader.rest:
            if stream.silent_seconds >= stream.patience:
                self._end(reader, "slow")
        elif stream.must_beat:
            self._send(reader, stream.news({}) or stream.heartbeat())
        if stream.must_check and (reader.check is None or reader.check.done()):
            reader.check = self._tokens.submit(self._check, reader)
        if stream.unchecked:
            reader.good = False
            self._tell(reader, {})

    def _check(self, reader: _Reader) -> None:
        try:
            reader.good = reader.stream.good()
        except Exception as error:  # noqa: BLE001 - it ends the feed
            reader.good = error
        self.ring(reader)

    def _hear(self, reader: _Reader) -> None:
        """Whatever a reader sends is nothing but a sign that he is there; without a byte he has gone."""
        with suppress(BlockingIOError):
            if not reader.connection.recv(IGNORED_BYTES):
                self._end(reader, "gone")

    def _finish(self, reader: _Reader, why: str, last: bytes = b"") -> None:
        """End the feed once he has this."""
        reader.ends = why
        self._send(reader, last + (chunk(b"") if reader.stream.chunked else b""))

    def _send(self, reader: _Reader, sent: bytes) -> None:
        reader.stream.begins_to_send()
        reader.rest = memoryview(sent)
        self._flush(reader)

    def _flush(self, reader: _Reader) -> None:
        """Give the kernel as much as it takes; of the rest it says when."""
        with suppress(BlockingIOError):
            reader.rest = reader.rest[reader.connection.send(reader.rest) :]
        stalled, reader.stalled = reader.stalled, bool(reader.rest)
        if stalled is not reader.stalled:
            self._poll.modify(reader.connection, select.EPOLLIN | (select.EPOLLOUT if reader.stalled else 0))
        if reader.rest:
            return
        if reader.ends:
            self._end(reader, reader.ends)
        elif stalled:
            self.ring(reader)  # for what has come meanwhile

    def _end(self, reader: _Reader, why: str) -> None:
        reader.over = True
        if self._readers.pop(reader.connection.fileno(), None):
            self._poll.unregister(reader.connection)
        with suppress(OSError):
            reader.connection.shutdown(socket.SHUT_WR)
        reader.connection.close()
        reader.stream.end(why)
        reader.done()


def chunk(body: bytes) -> bytes:
    """A part of a body as HTTP/1.1 sends it (RFC 9112, 7.1); an empty one ends it."""
    return b"%x\r\n%b\r\n" % (len(body), body)
