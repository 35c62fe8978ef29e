"""Whether this process lives, and whether the service can serve."""

from __future__ import annotations

import json

from flask import Blueprint, Response

from services.http.calls import parts

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> Response:
    """This process answers."""
    return _said(200, {"status": "ok"})


@blueprint.get("/readyz")
def readyz() -> Response:
    """The store answers, its schema is this release's, and the projections follow; or what is wrong."""
    checks = parts().readiness.checks()
    ready = all(what == "ok" for what in checks.values())
    return _said(200 if ready else 503, {"status": "ok" if ready else "not ready", "checks": checks})


def _said(status: int, document: dict[str, object]) -> Response:
    response = Response(json.dumps(document), status, content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    if status == 503:
        response.headers["Retry-After"] = "1"
    return response
