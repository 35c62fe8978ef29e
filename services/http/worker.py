"""gunicorn's threaded worker, whose own errors are problem documents too. It logs neither headers nor bodies."""

from __future__ import annotations

import contextlib
import json
import logging
import sys
import time
from functools import partial
from http import HTTPStatus
from typing import Any

from gunicorn import util  # type: ignore[import-untyped]
from gunicorn.glogging import Logger  # type: ignore[import-untyped]
from gunicorn.http import errors  # type: ignore[import-untyped]
from gunicorn.workers.gthread import ThreadWorker  # type: ignore[import-untyped]

from services.bugs import told
from services.http.calls import EXTENSION, Parts
from services.http.observing import unread
from services.http.problems import MEDIA_TYPE, PROBLEMS, document_of
from services.http.sender import HandedOver

LINGER_SECONDS = 0.5
"""For how long a process that ends keeps idle connections: a request may be on its way."""

log = logging.getLogger(__name__)


class Log(Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's own lines go where ours go, in the same form (`services.logs`)."""

    def setup(self, cfg: Any) -> None:  # noqa: ANN401
        """Add no handlers."""
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True
        self.error_log.setLevel(logging.WARNING)

    def exception(self, msg: Any, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        """Of a reader who is too slow his feed tells; it is no error of ours."""
        if not isinstance(sys.exc_info()[1], TimeoutError):
            super().exception(msg, *args, **kwargs)


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Says what was wrong with a request that could not even be read. Hands feeds over to their sender, and when it is
    told to end lets them go at once."""

    def load_wsgi(self) -> None:
        """Load the application, and tell it that its feeds are handed over."""
        super().load_wsgi()
        if self._parts:
            self._parts.sender.taking = True

    def handle(self, conn: Any) -> Any:  # noqa: ANN401
        """Close what is to be closed here: gunicorn's main thread would wait for the client, and nobody be served."""
        kept = super().handle(conn)
        if not kept:
            conn.close(graceful=True)
            conn.close = _closed
        return kept

    def handle_request(self, req: Any, conn: Any) -> Any:  # noqa: ANN401
        """Answer; of a feed only the beginning. It counts as a connection until the sender has ended it."""
        try:
            return super().handle_request(req, conn)
        except HandedOver as over:
            parts = self._parts
            assert parts is not None
            done = partial(self.method_queue.defer, self._count, -1)
            self.method_queue.defer(self._count, 1)
            try:
                parts.sender.take(over.stream, conn.sock, done)
            except Exception as error:  # noqa: BLE001 - it ends the feed: its head is sent, a problem would be no frame
                log.error("a feed failed: %s", told(error))  # noqa: TRY400 - its message stays out
                over.stream.end("failed")
                done()
            else:
                conn.close = _closed
            return False

    def _count(self, change: int) -> None:
        """In gunicorn's main thread."""
        self.nr_conns += change

    @property
    def _parts(self) -> Parts | None:
        found: Parts | None = getattr(getattr(self, "wsgi", None), "extensions", {}).get(EXTENSION)
        return found

    def _cap_keepalive(self, deadline: float) -> None:
        """Of the time to end, connections on which nothing happens get little."""
        super()._cap_keepalive(min(deadline, time.monotonic() + LINGER_SECONDS))

    def handle_exit(self, sig: Any, frame: Any) -> None:  # noqa: ANN401
        """SIGTERM: requests in flight are finished, feeds are closed, nothing new is taken."""
        super().handle_exit(sig, frame)
        if self._parts:
            self._parts.listener.close_feeds()

    def handle_error(self, _req: Any, client: Any, _addr: Any, exc: Exception) -> None:  # noqa: ANN401
        if isinstance(exc, OSError):  # the client is gone, or a feed's reader too slow
            return
        slug = _slug(exc)
        unread(PROBLEMS[slug].status)
        if slug == "internal":
            log.error("a request failed: %s", told(exc))
        with contextlib.suppress(OSError):
            util.write_nonblock(client, _raw(slug))


def _closed(graceful: bool = False) -> None:
    """In the place of a connection's `close`, once that is done: gunicorn counts a second one that fails twice."""


def _slug(exc: Exception) -> str:
    match exc:
        case errors.LimitRequestLine():
            return "uri-too-long"
        case errors.LimitRequestHeaders():
            return "headers-too-large"
        case errors.ParseException():
            return "bad-request"
    return "internal"


def _raw(slug: str) -> bytes:
    """A whole response."""
    status = HTTPStatus(PROBLEMS[slug].status)
    body = json.dumps(document_of(slug))
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nConnection: close\r\nContent-Type: {MEDIA_TYPE}\r\n"
        f"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return (head + body).encode()
