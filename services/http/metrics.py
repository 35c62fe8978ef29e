"""`/metrics`, for the staff and for whoever has the token that was set for it."""

from __future__ import annotations

import hmac

from flask import Blueprint, Response, request
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from services.http.access import Who, admit
from services.http.calls import Parts, parts
from services.http.figures import counted

blueprint = Blueprint("metrics", __name__)


@blueprint.get("/metrics")
def metrics() -> Response:
    """Figures for Prometheus, in its text format."""
    its = parts()
    if not _has_its_token(its):
        admit(Who.STAFF, its.gate.actor(request), whole_service=True)
    response = Response(counted() + its.asked.page(), content_type=CONTENT_TYPE_PLAIN_0_0_4)
    response.headers["Cache-Control"] = "no-store"
    return response


def _has_its_token(its: Parts) -> bool:
    given = request.headers.get("Authorization", "").encode()
    expected = f"Bearer {its.metrics_token}".encode()
    return its.metrics_token is not None and hmac.compare_digest(given, expected)
