"""The feed: server-sent events of a tournament, a table or a player. `id:` is the log position."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterator
from uuid import UUID

import msgspec
from flask import Response, request

from services.application.credentials import Actor
from services.application.errors import NotFound
from services.http.access import Gate
from services.http.bugs import told
from services.http.calls import Call
from services.http.listener import Listener, Row, Topic
from services.http.problems import Problem
from services.http.schemas import AHEAD

HEARTBEAT_SECONDS = 15
RETRY_MS = 1000
SLOWEST_SEND_SECONDS = 20.0
"""A reader that takes nothing for so long is cut."""
RECHECK_SECONDS = 30.0
"""How often the token that a feed began with is looked at again."""
LONGEST_ID = 19
"""Digits of the greatest log position."""

log = logging.getLogger(__name__)
_EXISTS = {
    "tournament": "SELECT 1 FROM projections.tournaments WHERE tournament_id = %s",
    "table": "SELECT 1 FROM projections.tables WHERE table_id = %s",
    "player": "SELECT 1 FROM projections.players WHERE player_id = %s",
}


def feed(call: Call) -> Response:
    """Open a feed; it ends when the reader goes, is too slow, or his token is no longer good."""
    topic = _topic(call)
    position = _position(call)
    _must_exist(call, topic)
    if request.method == "HEAD":
        return _response(iter(()))
    stream = _Stream(call.listener, call.parts.gate, topic, call.reader, position)
    places = call.parts.feeds
    places.take()
    try:
        _cut_when_slow()
        response = _response(stream.frames())
        response.call_on_close(places.give_back)
    except BaseException:
        places.give_back()
        raise
    return response


def _response(frames: Iterator[bytes]) -> Response:
    response = Response(frames, content_type="text/event-stream")
    response.headers |= {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return response


class _Stream:
    """One reader's feed."""

    def __init__(
        self, listener: Listener, gate: Gate, topic: Topic, reader: Actor | None, position: int
    ) -> None:
        self._listener = listener
        self._topic = topic
        self._reader = reader
        self._gate = gate
        self._request = request._get_current_object()  # type: ignore[attr-defined]
        self._position = position
        self._checked = time.monotonic()

    def frames(self) -> Iterator[bytes]:
        """What is sent, up to an error of ours: then the reader comes again, after the last event that he had."""
        try:
            yield from self._frames()
        except Exception as error:  # noqa: BLE001 - gunicorn would log its message
            log.error("a feed failed: %s", told(error))  # noqa: TRY400 - its message stays out

    def _frames(self) -> Iterator[bytes]:
        """The retry hint, then events as they come and heartbeats between them."""
        yield b"retry: %d\n\n" % RETRY_MS
        with self._listener.waiting(self._topic) as waiting:
            while not self._listener.stopping and self._still_good():
                waiting.awake.clear()
                rows, upto = self._listener.after(self._position, self._topic)
                self._position = max(self._position, upto)
                told = self._listener.told(waiting)
                if rows or told:
                    yield b"".join([*(self._frame(row) for row in rows), *told])
                elif self._position >= self._listener.position and not waiting.awake.wait(HEARTBEAT_SECONDS):
                    yield b": heartbeat\n\n"

    def _frame(self, row: Row) -> bytes:
        data = row.data
        own = self._own(row)
        if own is not None:
            data = f'{data[:-1]},"you":{msgspec.json.encode(own).decode()}}}'
        return f"id: {row.position}\nevent: {row.type}\ndata: {data}\n\n".encode()

    def _own(self, row: Row) -> object | None:
        """What the reader's own seat may see of it."""
        reader = self._reader
        if reader is None or reader.player_id is None or not row.seats:
            return None
        return row.seats.get(str(reader.player_id)) if reader.may_in(row.tournament_id) else None

    def _still_good(self) -> bool:
        if self._reader is None or time.monotonic() < self._checked + RECHECK_SECONDS:
            return True
        self._checked = time.monotonic()
        return self._gate.still_good(self._request, self._reader)


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


def _cut_when_slow() -> None:
    """A send that makes no progress for so long fails, and the feed ends (gunicorn tells us its socket)."""
    connection = request.environ.get("gunicorn.socket")
    if isinstance(connection, socket.socket):
        connection.settimeout(SLOWEST_SEND_SECONDS)
