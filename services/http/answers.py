"""Answers: one JSON text for a reader, its ETag, and lists as JSON, CSV or NDJSON."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import msgspec
from flask import Response, request

from services.application.lists import Page
from services.http.problems import Problem
from services.spreadsheet import csv_text

JSON = "application/json"
CSV = "text/csv; charset=utf-8"
NDJSON = "application/x-ndjson"
_ENCODER = msgspec.json.Encoder(decimal_format="number")


def written(status: int, resource: object, *, repeat: bool = False, location: str | None = None) -> Response:
    """The answer to a command."""
    response = Response(_json(resource), status, content_type=JSON)
    response.headers["Cache-Control"] = "no-store"
    if location:
        response.headers["Location"] = location
    if repeat:
        response.headers["Idempotency-Hit"] = "true"
    return response


def gone(*, repeat: bool) -> Response:
    """The answer to a DELETE."""
    response = Response(status=204)
    del response.headers["Content-Type"]
    if repeat:
        response.headers["Idempotency-Hit"] = "true"
    return response


def read(resource: object) -> Response:
    """A resource as this reader may see it."""
    return _with_etag(_json(resource), JSON)


def document(body: bytes, content_type: str, **headers: str) -> Response:
    """A text or a file of its own kind."""
    response = _with_etag(body, content_type)
    response.headers.extend(headers)
    return response


def text(page: str, content_type: str) -> Response:
    """A text as this reader may see it."""
    return _with_etag(page.encode(), content_type)


def listed(page: Page[Any], as_of: int, query: Mapping[str, Any], **more: object) -> Response:
    """A page of a list; `more` stands beside its items in JSON."""
    after = cursor_of(page.next) if page.next is not None else None
    match query.get("format", "json"):
        case "csv":
            return _linked(_with_etag(_csv(page.kind, page.items), CSV), after)
        case "ndjson":
            lines = b"".join(_json(item) for item in page.items)
            return _linked(_with_etag(lines, NDJSON), after)
    return _with_etag(_json({"items": page.items, "next": after, "as_of": as_of, **more}), JSON)


def _json(value: object) -> bytes:
    """One line, with its end: so answers that are put one after the other are JSON Lines."""
    return _ENCODER.encode(value) + b"\n"


def cursor_of(key: Sequence[object]) -> str:
    """A position in the list that is asked for, as an opaque text that no other list takes."""
    text = json.dumps([_this_list(), *key], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _this_list() -> str:
    return hashlib.blake2b(request.path.encode(), digest_size=4).hexdigest()


def key_of(cursor: str | None, *kinds: type) -> list[Any] | None:
    """The position in a cursor: integers, texts, UUIDs; a problem if it is none of ours."""
    if cursor is None:
        return None
    try:
        of, *key = json.loads(base64.urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4)))
        if of == _this_list():
            return [_part(kind, part) for kind, part in zip(kinds, key, strict=True)]
    except (ValueError, TypeError, RecursionError, binascii.Error):
        pass
    raise Problem(
        "validation", "The query is not right.", errors={"/query/cursor": "is no cursor of this list"}
    )


def is_of(cursor: str | None, *kinds: type) -> bool:
    """Whether a cursor of this list has parts of these kinds."""
    try:
        return key_of(cursor, *kinds) is not None
    except Problem:
        return False


def _part(kind: type, part: object) -> object:
    if kind is UUID and isinstance(part, str):
        return UUID(part)
    if type(part) is not kind or "\0" in str(part) or (kind is int and abs(int(str(part))) >= 2**63):
        raise ValueError(part)
    str(part).encode()  # no half characters
    return part


def _with_etag(body: bytes, content_type: str) -> Response:
    etag = hashlib.blake2b(body, digest_size=16).hexdigest()
    headers = {"ETag": f'"{etag}"', "Vary": "Authorization", "Cache-Control": "private, no-cache"}
    if etag in request.if_none_match or request.if_none_match.contains_weak(etag):
        return Response(status=304, headers=headers)
    return Response(body, 200, headers, content_type=content_type)


def _linked(response: Response, after: str | None) -> Response:
    """The next page's address, where the body has no room for it."""
    if after is not None:
        pairs = [(name, value) for name, value in request.args.items() if name != "cursor"]
        query = urlencode([*pairs, ("cursor", after)])
        response.headers["Link"] = f'<{request.path}?{query}>; rel="next"'
    return response


def _csv(kind: type, items: Sequence[object]) -> bytes:
    """One line an item."""
    names = [name for name in kind.__struct_fields__ if name != "as_of"]  # type: ignore[attr-defined]
    return csv_text(names, ([getattr(item, name) for name in names] for item in items)).encode()
