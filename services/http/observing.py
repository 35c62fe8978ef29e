"""What is told of each request, to the log and to `/metrics`: its id, route, status and time, never what it holds."""

from __future__ import annotations

import logging
import re
import time
from functools import cache
from uuid import uuid4

from flask import Flask, Response, g, request
from prometheus_client import Counter, Histogram

from domain.ids import CommandId
from services.application.credentials import Actor
from services.http.figures import COMMANDS, METHODS, NOWHERE, READS, SECONDS
from services.logs import note

REQUEST_ID = "X-Request-Id"
"""Names a request in the answer and in the log; a proxy's own is kept if it is a UUID or 32 hexadecimal digits."""
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
"""Asked all the time: logged at debug only."""
_ID = re.compile(r"[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.ASCII)
_WRITING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_OTHER = "OTHER"

log = logging.getLogger(__name__)


def observe(app: Flask) -> None:
    """Tell of every request of this application."""
    app.before_request(_begin)
    app.after_request(_end)


def seen(actor: Actor | None) -> None:
    """Whom the request has turned out to come from; only the role is told."""
    g.role = actor.role.value if actor else None


def commanded(command: CommandId) -> None:
    """The command that the request is, by which its events are found in the log of events."""
    g.command = str(command)


def unread(status: int) -> None:
    """A request that could not be read, and was answered so."""
    READS.labels(NOWHERE, status).inc()
    note(log, logging.INFO, "request", route=NOWHERE, status=status)


def _begin() -> None:
    given = request.headers.get(REQUEST_ID, "")
    g.request_id = given if _ID.fullmatch(given) else uuid4().hex
    g.begun = time.perf_counter()


def _end(response: Response) -> Response:
    seconds = time.perf_counter() - g.begun
    method = request.method if request.method in METHODS else _OTHER
    route = request.url_rule.rule if request.url_rule else NOWHERE
    response.headers[REQUEST_ID] = g.request_id
    _counter(method, route, response.status_code).inc()
    _clock(method, route).observe(seconds)
    level = _level(route, response.status_code)
    if log.isEnabledFor(level):
        _note(level, method, route, response, seconds)
    return response


def _note(level: int, method: str, route: str, response: Response, seconds: float) -> None:
    note(
        log,
        level,
        "request",
        method=method,
        route=route,
        status=response.status_code,
        ms=round(seconds * 1000, 1),
        id=g.request_id,
        role=g.get("role"),
        command=g.get("command"),
        repeat=True if "Idempotency-Hit" in response.headers else None,
    )


@cache
def _counter(method: str, route: str, status: int) -> Counter:
    return COMMANDS.labels(method, route, status) if method in _WRITING else READS.labels(route, status)


@cache
def _clock(method: str, route: str) -> Histogram:
    return SECONDS.labels(method, route)


def _level(route: str, status: int) -> int:
    if status >= 500 and route not in PROBES:
        return logging.WARNING
    return logging.DEBUG if route in PROBES else logging.INFO
