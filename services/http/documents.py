"""The API's own pages: problems, OpenAPI, and its reader without any outside host."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import msgspec
from flask import Blueprint, Response
from flask_smorest import Api
from flask_swagger_ui import get_swaggerui_blueprint

from big2.ruleset_schema import ruleset_definition, ruleset_schema
from services.bootstrap import presets
from services.http.examples import EXAMPLES
from services.http.problems import PROBLEMS, Problem, document_of, page_of
from services.http.routing import HISTORY, IDEMPOTENCY_KEY, IF_NONE_MATCH, OPTIONAL_KEY, SHAPES
from services.http.schemas import RULES

DOCS = "/docs"
blueprint = Blueprint("problems", __name__)


@blueprint.get("/problems/<string:slug>")
def problem_page(slug: str) -> Response:
    """What a problem means and what to do."""
    if slug not in PROBLEMS:
        raise Problem("not-found", "There is no such problem.")
    return Response(page_of(slug), content_type="text/plain; charset=utf-8")


@blueprint.get("/problems")
def problem_list() -> Response:
    """All problems."""
    lines = [f"{slug} ({kind.status}): {kind.title}." for slug, kind in sorted(PROBLEMS.items())]
    return Response("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


@blueprint.get("/schemas/ruleset.json")
def rule_set_schema() -> Response:
    """The JSON Schema of a rule set, by itself."""
    text = json.dumps(ruleset_schema(presets()), ensure_ascii=False)
    return Response(text, content_type="application/schema+json")


def reader() -> Blueprint:
    """The pages at /docs: Swagger UI from its own files."""
    config = {"app_name": "Big 2", "validatorUrl": None, "oauth2RedirectUrl": f"{DOCS}/oauth2-redirect.html"}
    pages: Blueprint = get_swaggerui_blueprint(DOCS, "/openapi.json", config)
    return pages


def describe(api: Api) -> None:
    """Add to OpenAPI what no single route has: shapes, problems, headers, security."""
    components = api.spec.components
    shapes = sorted(SHAPES, key=lambda shape: shape.__name__)
    _, described = msgspec.json.schema_components(shapes, ref_template="#/components/schemas/{name}")
    for name, schema in sorted(_with_numbers(described).items()):
        shown = {"examples": [EXAMPLES[name]]} if name in EXAMPLES else {}
        components.schema(name, {**schema, **shown})
    components.schema("Problem", _PROBLEM)
    components.schema(HISTORY, _history())
    components.schema(RULES, ruleset_definition(presets()))
    for slug in PROBLEMS:
        components.example(slug, {"value": document_of(slug)})
    for leftover in ("Error", "PaginationMetadata"):  # flask-smorest's own, which no route uses
        components.schemas.pop(leftover, None)
    components.security_scheme(
        "bearer", {"type": "http", "scheme": "bearer", "bearerFormat": "b2_<id>_<secret>"}
    )
    for name, header, required, text, schema in _HEADERS:
        parameter = {"name": header, "required": required, "description": text, "schema": schema}
        components.parameter(name, "header", parameter)


def _with_numbers(described: dict[str, Any]) -> dict[str, Any]:
    """A decimal is written as a number, which msgspec does not know here."""
    text = json.dumps(described).replace('{"type": "string", "format": "decimal"}', '{"type": "number"}')
    numbers: dict[str, Any] = json.loads(text)
    return numbers


def _history() -> dict[str, Any]:
    """`big2-hand/1`, whose own references are made to point into this page."""
    text = (files("big2") / "history.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text.replace('"#/$defs/', f'"#/components/schemas/{HISTORY}/$defs/'))
    schema["$defs"]["ruleset"] = {"$ref": f"#/components/schemas/{RULES}"}
    return {name: value for name, value in schema.items() if name not in ("$schema", "$id")}


_PROBLEM = {
    "type": "object",
    "description": "RFC 9457. `type` is an address at which the problem is explained.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "enum": [f"/problems/{slug}" for slug in PROBLEMS]},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "clause": {
            "type": "string",
            "description": "The clause of the rulebook that decided it; of several errors, if it is the same of all.",
            "examples": ["R4.1"],
        },
        "missing": {
            "type": "integer",
            "description": "How much the wallet is short of, in minor units of `currency`.",
        },
        "currency": {"type": "string", "examples": ["EUR"]},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["pointer", "detail"],
                "properties": {
                    "pointer": {"type": "string"},
                    "detail": {"type": "string"},
                    "clause": {"type": "string", "description": "Where a rule decided it."},
                },
            },
        },
    },
}
_KEY = {"type": "string", "pattern": "^[!-~]{1,255}$"}
_HEADERS = (
    (
        IDEMPOTENCY_KEY,
        "Idempotency-Key",
        True,
        "1–255 visible ASCII characters; the same again is the same command.",
        _KEY,
    ),
    (OPTIONAL_KEY, "Idempotency-Key", False, "As with POST, where wanted.", _KEY),
    (
        IF_NONE_MATCH,
        "If-None-Match",
        False,
        "An ETag that the reader has; then 304 if it is still right.",
        {"type": "string"},
    ),
)
