"""The feed: server-sent events of a tournament, a table or a player. `id:` is the log position."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterator
from random import randrange
from threading import Event
from typing import NamedTuple
from uuid import UUID

import msgspec
from flask import Response, g, request

from services.application.errors import NotFound
from services.bugs import told
from services.http.calls import Call
from services.http.figures import ENDED
from services.http.listener import Listener, Row, Topic, Waiting
from services.http.problems import Problem
from services.http.queries import AHEAD
from services.http.sender import HandedOver, chunk
from services.logs import note

HEARTBEAT_SECONDS = 15
RETRY_MS = 1000
SPREAD_MS = 4000
"""Whoever is sent away because the process ends comes again within so long, and not all at once."""
SEND_BYTES = 64 * 1024
"""What the kernel keeps for a reader that does not read."""
RECHECK_SECONDS = 30.0
"""How often the token that a feed began with is looked at again."""
UNCHECKED_SECONDS = 2 * RECHECK_SECONDS + 15
"""For how long a feed goes on while nobody gets to look at its token, or the database does not answer."""
LONGEST_ID = 19
"""Digits of the greatest log position."""

log = logging.getLogger(__name__)
_HEARTBEAT = b": heartbeat\n\n"
_EXISTS = {
    "tournament": "SELECT 1 FROM projections.tournaments WHERE tournament_id = %s",
    "table": "SELECT 1 FROM projections.tables WHERE table_id = %s",
    "player": "SELECT 1 FROM projections.players WHERE player_id = %s",
}


def feed(call: Call) -> Response:
    """Open a feed.

    It ends when the reader goes or is too slow, when his token is no longer good, or when the process is to end.
    """
    topic = _topic(call)
    position = _position(call)
    _must_exist(call, topic)
    if request.method == "HEAD":
        return _response(iter(()))
    call.parts.feeds.take()
    stream = Stream(call, topic, position)
    try:
        _cut_when_slow(stream.patience)
        response = _response(stream.frames(handing=call.parts.sender.taking and stream.on_a_socket))
        response.call_on_close(stream.leave)
    except BaseException:
        stream.leave()
        raise
    return response


def _response(frames: Iterator[bytes]) -> Response:
    response = Response(frames, content_type="text/event-stream")
    response.headers |= {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return response


class Read(NamedTuple):
    """What the ring holds behind a position, as everybody is sent it, and as a chunk."""

    rows: list[Row]
    upto: int
    frames: bytes
    chunk: bytes


class Stream:
    """One reader's feed: what he is sent, in the server's thread (`frames`) or by the sender (`news`)."""

    def __init__(self, call: Call, topic: Topic, position: int) -> None:
        self.topic = topic
        self._awake = Event()
        self.waiting = Waiting(topic, self._awake)
        self.patience = call.parts.feeds.patience
        """For how many seconds he may take nothing."""
        self.chunked = request.environ.get("SERVER_PROTOCOL") == "HTTP/1.1"
        self.on_a_socket = self.chunked or request.environ.get("SERVER_PROTOCOL") == "HTTP/1.0"
        """Not in a stream of HTTP/2."""
        self._listener = call.listener
        self._places = call.parts.feeds
        self._gate = call.parts.gate
        self._reader = call.reader
        self._request = request._get_current_object()  # type: ignore[attr-defined]
        self._id = g.request_id
        self._position = position
        self._handed = False
        self._begun = self._checked = self._found_good = self._sent = time.monotonic()

    def frames(self, *, handing: bool) -> Iterator[bytes]:
        """What is sent, up to an error of ours: then the reader comes again, after the last event that he had.

        With `handing`, HandedOver once there is nothing to do but to wait.
        """
        why = "failed"
        self._listener.join(self.waiting)
        try:
            for frame in self._frames(handing):
                self.begins_to_send()
                yield frame
            why = "closed" if self._listener.closing else "token"
        except HandedOver:
            self._handed = True
            raise
        except GeneratorExit:
            why = "slow" if self.silent_seconds >= self.patience else "gone"
            raise
        except Exception as error:  # noqa: BLE001 - gunicorn would log its message
            log.error("a feed failed: %s", told(error))  # noqa: TRY400 - its message stays out
        finally:
            if not self._handed:
                self._over(why)

    def leave(self) -> None:
        """Give the place back, unless the sender has taken the feed."""
        if not self._handed:
            self._places.give_back()

    def end(self, why: str) -> None:
        """The sender has ended it."""
        self._over(why)
        self._places.give_back()

    def _over(self, why: str) -> None:
        self._listener.leave(self.waiting)
        ENDED.labels(why).inc()
        seconds = round(time.monotonic() - self._begun, 1)
        note(log, logging.INFO, "feed ended", why=why, seconds=seconds, id=self._id)

    def _frames(self, handing: bool) -> Iterator[bytes]:
        """The retry hint, then events as they come and heartbeats between them; another hint if we send him away."""
        yield b"retry: %d\n\n" % RETRY_MS
        behind = True
        while not self._listener.closing and self._still_good():
            if handing and not behind:
                raise HandedOver(self)
            woken = behind or self._awake.wait(HEARTBEAT_SECONDS)
            self._awake.clear()
            rows, upto = self._listener.after(self._position, self.topic)
            self._position = max(self._position, upto)
            behind = self.behind
            changes = self._listener.told(self.waiting)
            if rows or changes:
                yield b"".join([*map(self._frame, rows), *changes])
            elif not woken:
                yield _HEARTBEAT
        if self._listener.closing:
            yield self._farewell()

    # what the sender asks

    @property
    def behind(self) -> bool:
        """Whether the listener has read more than he was sent."""
        return self._position < self._listener.position

    @property
    def silent_seconds(self) -> float:
        """Since when nothing was sent, or he has not taken what was."""
        return time.monotonic() - self._sent

    @property
    def must_beat(self) -> bool:
        return self.silent_seconds >= HEARTBEAT_SECONDS

    @property
    def must_check(self) -> bool:
        """Whether the token that it began with is to be looked at again."""
        return self._reader is not None and time.monotonic() >= self._checked + RECHECK_SECONDS

    def good(self) -> bool:
        """Look at the token."""
        self._checked = now = time.monotonic()
        found = self._reader is None or self._gate.still_good(self._request, self._reader)
        if found:
            self._found_good = now
        return found

    @property
    def unchecked(self) -> bool:
        """Whether it was too long ago that its token was good."""
        return self._reader is not None and time.monotonic() >= self._found_good + UNCHECKED_SECONDS

    def begins_to_send(self) -> None:
        self._sent = time.monotonic()

    def news(self, read: dict[object, Read | None]) -> bytes | None:
        """What he is to be sent now; None if it is no longer in the ring.

        `read` is what was read for others: most often they are all at the same place, and all get the same bytes.
        """
        key = (self.topic, self._position)
        if key not in read:
            read[key] = _read(self._listener, self.topic, self._position)
        found = read[key]
        if found is None:
            return None
        self._position = max(self._position, found.upto)
        changes = self._listener.told(self.waiting)
        if changes or any(self._own(row) is not None for row in found.rows):
            return self._framed(b"".join([*map(self._frame, found.rows), *changes]))
        return found.chunk if self.chunked else found.frames

    def heartbeat(self) -> bytes:
        return self._framed(_HEARTBEAT)

    def farewell(self) -> bytes:
        return self._framed(self._farewell())

    def _framed(self, frames: bytes) -> bytes:
        return chunk(frames) if self.chunked else frames

    @staticmethod
    def _farewell() -> bytes:
        return b"retry: %d\n\n" % (RETRY_MS + randrange(SPREAD_MS))  # noqa: S311 - no secret

    def _frame(self, row: Row) -> bytes:
        own = self._own(row)
        return _frame(row, "" if own is None else f',"you":{msgspec.json.encode(own).decode()}')

    def _own(self, row: Row) -> object | None:
        """What the reader's own seat may see of it."""
        reader = self._reader
        if reader is None or reader.player_id is None or not row.seats:
            return None
        return row.seats.get(str(reader.player_id)) if reader.may_in(row.tournament_id) else None

    def _still_good(self) -> bool:
        return not self.must_check or self.good()


def _read(listener: Listener, topic: Topic, position: int) -> Read | None:
    held = listener.held(position, topic)
    if held is None:
        return None
    rows, upto = held
    frames = b"".join(map(_frame, rows))
    return Read(rows, upto, frames, chunk(frames) if rows else b"")


def _frame(row: Row, own: str = "") -> bytes:
    return f"id: {row.position}\nevent: {row.type}\ndata: {row.data[:-1]}{own}}}\n\n".encode()


def _topic(call: Call) -> Topic:
    given: list[tuple[str, UUID]] = [
        (kind, call.query[kind]) for kind in ("tournament", "table", "player") if kind in call.query
    ]
    if len(given) != 1:
        errors = {"/query": "must name exactly one of tournament, table and player"}
        raise Problem("validation", "The query is not right.", errors=errors)
    return given[0]


def _position(call: Call) -> int:
    """Where to go on, which is now if neither header nor query says; never ahead of the log."""
    now = call.listener.position
    header = request.headers.get("Last-Event-ID")
    if header is None:
        after: int = call.query.get("after", now)
        if after > now:
            raise Problem("validation", "The query is not right.", errors={"/query/after": AHEAD})
        return after
    if not (header.isascii() and header.isdigit() and len(header) <= LONGEST_ID and int(header) <= now):
        errors = {"/headers/Last-Event-ID": "is no id of this feed"}
        raise Problem("validation", "The header is not right.", errors=errors)
    return int(header)


def _must_exist(call: Call, topic: Topic) -> None:
    kind, subject = topic
    with call.services.store.database.connection() as conn:
        if conn.execute(_EXISTS[kind], (subject,)).fetchone() is None:
            raise NotFound(kind)


def _cut_when_slow(seconds: int) -> None:
    """A send that takes longer fails, and the feed ends (gunicorn tells us its socket)."""
    connection = request.environ.get("gunicorn.socket")
    if isinstance(connection, socket.socket):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BYTES)
        connection.settimeout(seconds)
