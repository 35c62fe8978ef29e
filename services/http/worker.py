"""gunicorn's threaded worker, whose own errors are problem documents too. It logs neither headers nor bodies."""

from __future__ import annotations

import contextlib
import json
import logging
from http import HTTPStatus
from typing import Any

from gunicorn import util  # type: ignore[import-untyped]
from gunicorn.http import errors  # type: ignore[import-untyped]
from gunicorn.workers.gthread import ThreadWorker  # type: ignore[import-untyped]

from services.http.bugs import told
from services.http.problems import MEDIA_TYPE, PROBLEMS, document_of

log = logging.getLogger(__name__)


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Says what was wrong with a request that could not even be read."""

    def handle_error(self, _req: Any, client: Any, _addr: Any, exc: Exception) -> None:  # noqa: ANN401
        if isinstance(exc, OSError):  # the client is gone, or a feed's reader too slow
            return
        slug = _slug(exc)
        if slug == "internal":
            log.error("a request failed: %s", told(exc))
        with contextlib.suppress(OSError):
            util.write_nonblock(client, _raw(slug))


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
