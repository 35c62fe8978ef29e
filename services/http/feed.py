"""The feed: server-sent events of a tournament, a table or a player. `id:` is the log position."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterator
from random import randrange
from uuid import UUID

import msgspec
from flask import Response, g, request

from services.application.errors import NotFound
from services.bugs import told
from services.http.calls import Call
from services.http.figures import ENDED
from services.http.listener import Row, Topic
from services.http.problems import Problem
from services.http.queries import AHEAD
from services.logs import note

HEARTBEAT_SECONDS = 15
RETRY_MS = 1000
SPREAD_MS = 4000
"""Whoever is sent away because the process ends comes again within so long, and not all at once."""
SEND_BYTES = 64 * 1024
"""What the kernel keeps for a reader that does not read."""
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
    """Open a feed.

    It ends when the reader goes or is too slow, when his token is no longer good, or when the process is to end.
    """
    topic = _topic(call)
    position = _position(call)
    _must_exist(call, topic)
    if request.method == "HEAD":
        return _response(iter(()))
    places = call.parts.feeds
    stream = _Stream(call, topic, position)
    places.take()
    try:
        _cut_when_slow(places.patience)
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

    def __init__(self, call: Call, topic: Topic, position: int) -> None:
        self._listener = call.listener
        self._gate = call.parts.gate
        self._patience = call.parts.feeds.patience
        self._topic = topic
        self._reader = call.reader
        self._request = request._get_current_object()  # type: ignore[attr-defined]
        self._id = g.request_id
        self._position = position
        self._begun = self._checked = self._sent = time.monotonic()

    def frames(self) -> Iterator[bytes]:
        """What is sent, up to an error of ours: then the reader comes again, after the last event that he had."""
        why = "failed"
        try:
            for frame in self._frames():
                self._sent = time.monotonic()
                yield frame
            why = "closed" if self._listener.closing else "token"
        except GeneratorExit:
            why = "slow" if time.monotonic() - self._sent >= self._patience else "gone"
            raise
        except Exception as error:  # noqa: BLE001 - gunicorn would log its message
            log.error("a feed failed: %s", told(error))  # noqa: TRY400 - its message stays out
        finally:
            ENDED.labels(why).inc()
            seconds = round(time.monotonic() - self._begun, 1)
            note(log, logging.INFO, "feed ended", why=why, seconds=seconds, id=self._id)

    def _frames(self) -> Iterator[bytes]:
        """The retry hint, then events as they come and heartbeats between them; another hint if we send him away."""
        yield b"retry: %d\n\n" % RETRY_MS
        with self._listener.waiting(self._topic) as waiting:
            behind = True
            while not self._listener.closing and self._still_good():
                woken = behind or waiting.awake.wait(HEARTBEAT_SECONDS)
                waiting.awake.clear()
                rows, upto = self._listener.after(self._position, self._topic)
                self._position = max(self._position, upto)
                behind = self._position < self._listener.position
                told = self._listener.told(waiting)
                if rows or told:
                    yield b"".join([*(self._frame(row) for row in rows), *told])
                elif not woken:
                    yield b": heartbeat\n\n"
        if self._listener.closing:
            yield b"retry: %d\n\n" % (RETRY_MS + randrange(SPREAD_MS))  # noqa: S311 - no secret

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


def _cut_when_slow(seconds: int) -> None:
    """A send that takes longer fails, and the feed ends (gunicorn tells us its socket)."""
    connection = request.environ.get("gunicorn.socket")
    if isinstance(connection, socket.socket):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BYTES)
        connection.settimeout(seconds)
