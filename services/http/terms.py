"""A tournament's published terms as one page."""

from __future__ import annotations

from uuid import UUID

from flask import Response, request

from domain.terms_page import terms_page
from services.application import lists
from services.http import queries
from services.http.answers import text
from services.http.calls import Call
from services.http.fields import OneOf
from services.http.routing import Routes, get
from services.pages import html, markdown

blueprint = Routes("terms", "What a tournament's structure says, for people")
HTML, MARKDOWN = "text/html", "text/markdown"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"


class PageAsked(queries.Query):
    format = OneOf(
        "html", "markdown", metadata={"description": "By default what `Accept` prefers, HTML first."}
    )


@get(
    blueprint,
    "/tournaments/<uuid:tournament_id>/terms",
    str,
    query=PageAsked(),
    media=(HTML, MARKDOWN),
    projected=True,
)
def get_terms(call: Call, tournament_id: UUID) -> Response:
    """Read a tournament's terms and the rules of its game as one page, as HTML or Markdown"""
    asked = call.query.get("format")
    found = lists.tournament(call.database, tournament_id)
    sections = terms_page(found, call.services.rulesets.resolve(found.rules))
    preferred = request.accept_mimetypes.best_match([HTML, MARKDOWN], HTML)
    if asked == "markdown" or (asked is None and preferred == MARKDOWN):
        return _varied(text(markdown(found.name, sections), f"{MARKDOWN}; charset=utf-8"))
    response = _varied(text(html(found.name, sections), f"{HTML}; charset=utf-8"))
    response.headers["Content-Security-Policy"] = _POLICY
    return response


def _varied(response: Response) -> Response:
    response.headers["Vary"] = "Authorization, Accept"
    return response
