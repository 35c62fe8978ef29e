"""How a view becomes a route: its checks before it, its page in OpenAPI beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any
from uuid import UUID

import msgspec
from flask import Response
from flask_smorest import Blueprint
from marshmallow import missing

from domain.aggregate import Aggregate
from services.application.resources import WouldBe
from services.http.access import Who
from services.http.calls import Call, Operation, begin
from services.http.fields import Body, Digits, Id, Switch
from services.http.problems import MEDIA_TYPE, PROBLEMS

View = Callable[..., Response]
PREFIX = "/v1"
SHAPES: set[type] = set()
"""What is answered; the OpenAPI page describes each."""
_ALWAYS = (
    "bad-request",
    "not-found",
    "method-not-allowed",
    "too-many-requests",
    "headers-too-large",
    "internal",
    "unavailable",
)
_WITH_BODY = (
    "malformed-json", "body-too-large", "length-required", "unsupported-media-type", "validation",
)  # fmt: skip
_WITH_KEY = ("conflict", "missing-idempotency-key", "bad-idempotency-key", "idempotency-key-reuse")

HISTORY = "HandHistory"
IDEMPOTENCY_KEY = "IdempotencyKey"
OPTIONAL_KEY = "OptionalIdempotencyKey"
IF_NONE_MATCH = "IfNoneMatch"

Register = Callable[[View], View]


class Routes(Blueprint):  # type: ignore[misc]  # flask-smorest has no types
    """A group of routes. What OpenAPI says of each is told here alone, with nothing of flask-smorest's own."""

    def __init__(self, name: str, description: str) -> None:
        super().__init__(name, __name__, description=description)
        self._prepare_doc_cbks: list[object] = []


def get(
    blueprint: Routes,
    rule: str,
    answer: Any,  # noqa: ANN401 - a type that msgspec can describe
    *,
    who: Who = Who.ANYBODY,
    query: Body | None = None,
    problems: tuple[str, ...] = (),
    projected: bool = False,
    table: bool = False,
    listed: bool = False,
    stream: bool = False,
    media: str | tuple[str, ...] = (),
) -> Register:
    """A route that reads.

    `projected`: from the projections; `listed`: a page of a list; `table`: also as CSV; `stream`: server-sent events;
    `media`: a document of that type, or of one of those.
    """
    operation = Operation(who, query=query, projected=projected)
    doc = _doc(operation, 200, answer, ("validation", *problems))
    doc["responses"]["200"]["headers"] = {
        "ETag": {"schema": {"type": "string"}},
        "Vary": {"schema": {"type": "string"}},
    }
    doc["responses"]["304"] = {"description": "The reader has it already (If-None-Match)."}
    doc["parameters"].append(IF_NONE_MATCH)
    if listed:
        doc["responses"]["200"]["content"]["application/json"]["schema"] = _page(answer)
    kinds = ("text/event-stream",) if stream else (media,) if isinstance(media, str) else media
    if kinds:
        doc["responses"]["200"]["content"] = {kind: {"schema": {"type": "string"}} for kind in kinds}
    if table:
        text = {"schema": {"type": "string"}}
        doc["responses"]["200"]["content"] |= {"text/csv": text, "application/x-ndjson": text}
    return _register(blueprint, "GET", rule, operation, doc)


def listing(
    blueprint: Routes,
    rule: str,
    answer: Any,  # noqa: ANN401 - a type that msgspec can describe
    *,
    query: Body,
    who: Who = Who.ANYBODY,
) -> Register:
    """A route that reads a page of a list; as CSV too if its query takes a format."""
    table = "format" in query.fields
    return get(blueprint, rule, answer, who=who, query=query, projected=True, listed=True, table=table)


def command(
    blueprint: Routes,
    method: str,
    rule: str,
    answer: Any,  # noqa: ANN401 - a type that msgspec can describe, or None
    *,
    who: Who,
    status: int = 201,
    body: Body | None = None,
    body_required: bool = True,
    query: Body | None = None,
    problems: tuple[str, ...] = (),
    whole_service: bool = False,
    located: bool = False,
    keyed: bool = True,
    main: Aggregate[Any] | None = None,
    example: Mapping[str, object] | None = None,
) -> Register:
    """A route that writes.

    `whole_service`: it is closed to tokens that are limited to one tournament; `located`: what it makes has an
    address of its own; `keyed`: it takes an Idempotency-Key, for it stores an event; `main`: of the stream that its
    path names, and that it adds to.
    """
    operation = Operation(
        who, body, body_required, query, command=True, keyed=keyed, whole_service=whole_service, main=main
    )
    doc = _doc(operation, status, answer, (*_WITH_BODY, *(_WITH_KEY if keyed else ()), *problems))
    headers: dict[str, Any] = {}
    if keyed:
        doc["parameters"].append(IDEMPOTENCY_KEY if method == "POST" else OPTIONAL_KEY)
        headers["Idempotency-Hit"] = {
            "description": "`true` on a repeat.",
            "schema": {"type": "string", "const": "true"},
        }
    if located:
        headers["Location"] = {"description": "Where it is to be read.", "schema": {"type": "string"}}
    doc["responses"][str(status)]["headers"] = headers
    if query is not None and "dry_run" in query.fields:
        doc["responses"]["200"] = _or_what_would_be(doc["responses"].get("200"))
    if body is not None:
        choices = list(getattr(body, "choices", ()))
        schema = {"oneOf": choices} if choices else type(body)
        media: dict[str, Any] = {"schema": schema} | ({"example": dict(example)} if example else {})
        doc["requestBody"] = {"required": body_required, "content": {"application/json": media}}
    return _register(blueprint, method, rule, operation, doc)


def _register(
    blueprint: Routes, method: str, rule: str, operation: Operation, doc: dict[str, Any]
) -> Register:
    def decorate(view: View) -> View:
        @wraps(view)
        def handle(**path: UUID) -> Response:
            call: Call = begin(operation, path)
            return view(call, **path)

        doc["operationId"] = view.__name__
        handle._apidoc = {"manual_doc": doc}  # type: ignore[attr-defined]
        blueprint.add_url_rule(PREFIX + rule, view.__name__, handle, methods=[method])
        return view

    return decorate


def _doc(
    operation: Operation,
    status: int,
    answer: Any,  # noqa: ANN401
    problems: tuple[str, ...],
) -> dict[str, Any]:
    closed = operation.who is not Who.ANYBODY
    doc: dict[str, Any] = {
        "parameters": [_query_parameter(name, field) for name, field in _query_fields(operation)],
        "responses": {str(status): _answer(answer)} | _problem_responses(problems, closed=closed),
        "security": [{"bearer": []}] if closed else [{}, {"bearer": []}],
    }
    if closed:
        doc["x-roles"] = sorted(operation.who.value)
    return doc


def _answer(answer: Any) -> dict[str, Any]:  # noqa: ANN401
    if answer is None:
        return {"description": "It is done."}
    return {"description": "The answer.", "content": {"application/json": {"schema": _ref(answer)}}}


def _or_what_would_be(done: dict[str, Any] | None) -> dict[str, Any]:
    """The answer 200 of an operation that takes `dry_run`."""
    shown = _answer(WouldBe) | {"description": "What would be stored (dry run)."}
    if done is None:
        return shown
    of_both = [answer["content"]["application/json"]["schema"] for answer in (done, shown)]
    content = {"application/json": {"schema": {"oneOf": of_both}}}
    return done | {"description": "The answer, or what would be stored (dry run).", "content": content}


def _ref(shape: type) -> dict[str, Any]:
    if not issubclass(shape, msgspec.Struct):
        return {"$ref": f"#/components/schemas/{HISTORY}"}
    SHAPES.add(shape)
    return {"$ref": f"#/components/schemas/{shape.__name__}"}


def _page(shape: type) -> dict[str, Any]:
    following = {
        "type": ["string", "null"],
        "description": "`cursor` of the next page; null on the last one.",
    }
    return {
        "type": "object",
        "required": ["items", "next", "as_of"],
        "properties": {
            "items": {"type": "array", "items": _ref(shape)},
            "next": following,
            "as_of": {"type": "integer", "description": "A log position."},
        },
    }


def _problem_responses(problems: tuple[str, ...], *, closed: bool) -> dict[str, Any]:
    access = ("unauthenticated", *(("forbidden",) if closed else ()))
    by_status: dict[int, list[str]] = {}
    for slug in dict.fromkeys((*_ALWAYS, *access, *problems)):
        by_status.setdefault(PROBLEMS[slug].status, []).append(slug)
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        str(status): {
            "description": " · ".join(f"`{slug}`: {PROBLEMS[slug].title}." for slug in slugs),
            "content": {
                MEDIA_TYPE: {
                    "schema": schema,
                    "examples": {slug: {"$ref": f"#/components/examples/{slug}"} for slug in slugs},
                }
            },
        }
        for status, slugs in sorted(by_status.items())
    }


def _query_fields(operation: Operation) -> list[tuple[str, Any]]:
    return list(operation.query.fields.items()) if operation.query else []


def _query_parameter(name: str, field: Any) -> dict[str, Any]:  # noqa: ANN401
    kinds = {Digits: "integer", Switch: "boolean"}
    schema: dict[str, Any] = {"type": kinds.get(type(field), "string")}
    if isinstance(field, Id):
        schema["format"] = "uuid"
    schema |= {key: value for key, value in field.metadata.items() if key != "description"}
    if field.load_default is not missing:
        schema["default"] = field.load_default
    parameter = {"in": "query", "name": name, "required": False, "schema": schema}
    return parameter | {key: value for key, value in field.metadata.items() if key == "description"}
