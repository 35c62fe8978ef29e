"""The Flask application: put together after a fork, for one process."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from flask import Flask, Response, request
from flask_smorest import Api
from gunicorn.http.errors import ParseException  # type: ignore[import-untyped]
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from big2.errors import IllegalPlay
from domain.errors import Conflicting, NotAllowed, Refused, Rejected
from services.application.errors import NotFound
from services.bootstrap import Services
from services.bugs import told
from services.errors import Unavailable
from services.http import (
    auditing,
    boards,
    connections,
    disputes,
    documents,
    health,
    leaderboards,
    ledger,
    looking_back,
    metrics,
    play,
    players,
    recorded,
    ring,
    rulesets,
    terms,
    tournaments,
    wallets,
    webhooks,
)
from services.http.access import Gate
from services.http.calls import EXTENSION, LARGEST_BODY, Parts
from services.http.figures import Asked
from services.http.limits import Places
from services.http.listener import Listener, wait_until_ready
from services.http.observing import observe
from services.http.problems import PROBLEMS, Problem, response_of
from services.http.readiness import Readiness
from services.http.sender import Sender

FEEDS_OF_THREADS = (3, 4)
"""A process holds at most so many feeds: three quarters of its threads. One that only waits has no thread."""
READY_SECONDS = 2.0

log = logging.getLogger(__name__)
_BY_STATUS = {
    400: "bad-request",
    401: "unauthenticated",
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    411: "length-required",
    413: "body-too-large",
    414: "uri-too-long",
    415: "unsupported-media-type",
    429: "too-many-requests",
    431: "headers-too-large",
    503: "unavailable",
}
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
_DOCS_HEADERS = _HEADERS | {
    "Content-Security-Policy": "default-src 'none'; script-src 'self' 'unsafe-inline';"
    " style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'",
}


class App(Flask):
    """Flask, where no view is a coroutine: it need not ask that of each at each request."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func


class BigTwoApi(Api):  # type: ignore[misc]  # flask-smorest has no types
    """flask-smorest, with every HTTP error as a problem document."""

    def handle_http_exception(self, error: HTTPException) -> BaseResponse:
        return _http_error(error)


def create_app(services: Services) -> Flask:
    """The application over `services`; it starts the thread that follows the projections."""
    app = App(__name__, static_folder=None)
    app.url_map.merge_slashes = False
    app.config |= {
        "MAX_CONTENT_LENGTH": LARGEST_BODY + 1,  # a chunked body is cut there in silence: one byte more tells
        "API_TITLE": "Big 2 tournaments",
        "API_VERSION": "v1",
        "OPENAPI_VERSION": "3.1.0",
        "OPENAPI_URL_PREFIX": "/",
    }
    settings = services.settings
    listener = Listener(services.store, services.connections)
    gate = Gate(services.store, settings.requests_per_second, settings.failures_per_minute)
    part, whole = FEEDS_OF_THREADS
    places = Places(settings.web_threads * part // whole, settings.feed_seconds)
    readiness = Readiness(services.store, listener)
    asked = Asked(services.store, settings.redis_url, settings.data)
    app.extensions[EXTENSION] = Parts(
        services, gate, listener, places, Sender(listener), readiness, asked, settings.metrics_token
    )
    observe(app)
    _add_routes(app)
    _add_errors(app)
    app.after_request(_secured)
    listener.start()
    wait_until_ready(listener, READY_SECONDS)
    return app


def _add_routes(app: Flask) -> None:
    api = BigTwoApi(app)
    for module in (
        players,
        rulesets,
        tournaments,
        boards,
        play,
        connections,
        disputes,
        recorded,
        ring,
        leaderboards,
        wallets,
        ledger,
        auditing,
        looking_back,
        terms,
        webhooks,
    ):
        api.register_blueprint(module.blueprint)
    documents.describe(api)
    app.register_blueprint(health.blueprint)
    app.register_blueprint(metrics.blueprint)
    app.register_blueprint(documents.blueprint)
    app.register_blueprint(documents.reader())


def _add_errors(app: Flask) -> None:
    app.register_error_handler(Problem, response_of)
    app.register_error_handler(Rejected, _rejected)
    app.register_error_handler(IllegalPlay, _illegal)
    app.register_error_handler(Unavailable, _unavailable)
    app.register_error_handler(ParseException, _unreadable)
    app.register_error_handler(Exception, _bug)


def _rejected(error: Rejected) -> Response:
    refused = error if isinstance(error, Refused) else None
    slug = error.code if error.code in PROBLEMS else _fallback(error)
    errors, members = (refused.errors, refused.members) if refused else (None, None)
    return response_of(Problem(slug, error.detail, errors=errors, members=members))


def _fallback(error: Rejected) -> str:
    """The general problem of a rejection whose code this table does not have yet."""
    match error:
        case NotFound():
            return "not-found"
        case NotAllowed():
            return "forbidden"
        case Conflicting():
            return "conflict"
    return "validation"


def _illegal(error: IllegalPlay) -> Response:
    return response_of(Problem(error.code.value, _sentence(error.reason), clause=error.clause))


def _unavailable(error: Unavailable) -> Response:
    log.warning("unavailable: %s", error)
    return response_of(Problem("unavailable", headers={"Retry-After": "1"}))


def _unreadable(_error: ParseException) -> Response:
    """A chunked body that is broken, which gunicorn finds while we read it."""
    return response_of(Problem("bad-request"))


def _bug(error: Exception) -> Response:
    log.error("a request failed: %s", told(error))
    return response_of(Problem("internal"))


def _http_error(error: HTTPException) -> BaseResponse:
    status = error.code or 500
    if status < 400:
        return error.get_response()
    slug = _BY_STATUS.get(status, "bad-request" if status < 500 else "internal")
    response = response_of(Problem(slug))
    for name, value in error.get_headers():
        if name in ("Allow", "Retry-After", "WWW-Authenticate"):
            response.headers[name] = value
    return response


def _sentence(reason: str) -> str:
    return f"{reason[0].upper()}{reason[1:]}."


def _secured(response: Response) -> Response:
    """Headers for every answer, but those that it has; the pages of /docs bring scripts of their own."""
    headers = response.headers
    wanted = _DOCS_HEADERS if request.path.startswith(documents.DOCS) else _HEADERS
    there = {name.lower() for name, _ in headers}
    headers.extend([(name, value) for name, value in wanted.items() if name.lower() not in there])
    if request.method == "OPTIONS":
        headers.pop("Content-Type", None)
    return response
