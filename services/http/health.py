"""Whether this process lives, and whether the service can serve."""

from __future__ import annotations

import json

from flask import Blueprint, Response

from services.errors import StoreError
from services.http.calls import Parts, parts
from services.postgres import migrate

MOST_LAG = 5_000
"""Events that the projections may be behind the log before the service says that it is not ready."""

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> Response:
    """This process answers."""
    return _said(200, {"status": "ok"})


@blueprint.get("/readyz")
def readyz() -> Response:
    """The store answers, its schema is this release's, and the projections follow; or what is wrong."""
    checks = _checks(parts())
    wrong = {name: what for name, what in checks.items() if what != "ok"}
    return _said(503 if wrong else 200, {"status": "not ready" if wrong else "ok", "checks": checks})


def _checks(its: Parts) -> dict[str, str]:
    try:
        head = its.services.store.head()
        missing = migrate(its.services.store.database.url, check=True)
    except StoreError as error:
        return {"store": f"does not answer ({type(error).__name__})"}
    return {
        "store": "ok",
        "migrations": f"missing: {', '.join(missing)}" if missing else "ok",
        "projector": _lag(head, its.listener.position),
    }


def _lag(head: int, position: int) -> str:
    if position < 0:
        return "the projections were not read yet"
    return "ok" if head - position <= MOST_LAG else f"is {head - position} events behind"


def _said(status: int, document: dict[str, object]) -> Response:
    response = Response(json.dumps(document), status, content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    if status == 503:
        response.headers["Retry-After"] = "1"
    return response
