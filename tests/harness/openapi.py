"""Requests drawn from an OpenAPI document, right and nearly right; and whether an answer is one that it promises."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import jsonschema
from hypothesis import strategies as st

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False),
    st.text(max_size=6),
    st.sampled_from(["\ud800", "a\0b", "\u202eabc", "٣", "1_0", "=1+1", " ", "x" * 300, [], {}, [[[]]]]),
)
WRONG = 6
"""Of so many values one is of another kind."""
DEEPEST = 4


class Operation(NamedTuple):
    """A method at a path, and what the document says of it."""

    method: str
    path: str
    told: Mapping[str, Any]


class Document:
    """An OpenAPI document."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.spec = spec
        self._validator = cache(self._make_validator)

    def operations(self) -> Iterator[Operation]:
        for path, methods in self.spec["paths"].items():
            for method, told in methods.items():
                if method != "parameters":
                    yield Operation(method.upper(), path, told)

    def parameters(self, operation: Operation, where: str) -> dict[str, Any]:
        """The schemas of an operation's own parameters."""
        own = [p for p in operation.told.get("parameters", ()) if p.get("in") == where]
        return {p["name"]: p["schema"] for p in own}

    def bodies(self, operation: Operation) -> st.SearchStrategy[Any]:
        """Bodies that fit, and others."""
        content = operation.told.get("requestBody", {}).get("content", {}).get("application/json")
        return self.values(content["schema"]) | JUNK if content else st.none()

    def values(self, schema: Mapping[str, Any], depth: int = 0) -> st.SearchStrategy[Any]:
        """Values of a schema; some members are wrong, missing, or too many."""
        fitting = self._fitting(self._resolved(schema), depth)
        return st.integers(1, WRONG).flatmap(lambda n: JUNK if n == WRONG else fitting)

    def _fitting(self, schema: Mapping[str, Any], depth: int) -> st.SearchStrategy[Any]:
        if depth > DEEPEST:
            return st.none()
        if "enum" in schema:
            return st.sampled_from(schema["enum"])
        if choices := schema.get("oneOf") or schema.get("anyOf"):
            return st.one_of([self.values(each, depth) for each in choices])
        kinds = schema.get("type", "string")
        if isinstance(kinds, list):
            return st.one_of([self._fitting({**schema, "type": kind}, depth) for kind in kinds])
        match kinds:
            case "object":
                return self._objects(schema, depth)
            case "array":
                return st.lists(self.values(schema.get("items", {}), depth + 1), max_size=4)
            case "integer":
                return st.integers(schema.get("minimum", -3), min(schema.get("maximum", 99), 99))
            case "boolean":
                return st.booleans()
            case "null":
                return st.none()
        if schema.get("format") == "uuid":
            return st.uuids().map(str)
        return st.text(max_size=8) | st.sampled_from(["3D", "actionpoker", "2099-01-01T00:00:00Z", "admin"])

    def _objects(self, schema: Mapping[str, Any], depth: int) -> st.SearchStrategy[Any]:
        members = {name: self.values(s, depth + 1) for name, s in schema.get("properties", {}).items()}
        required = {name: members.pop(name) for name in schema.get("required", ()) if name in members}
        extra = st.dictionaries(st.text(max_size=3), JUNK, max_size=1)
        whole = st.fixed_dictionaries(required, optional=members)
        return st.tuples(whole, extra, st.booleans()).map(lambda t: {**t[0], **t[1]} if t[2] else t[0])

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in schema:
            found: Any = self.spec
            for part in schema["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            schema = found
        return schema

    def wrong_with(self, operation: Operation, status: int, headers: Mapping[str, str], body: bytes) -> str:
        """What of an answer is not as promised; empty if it is all right."""
        told = operation.told["responses"].get(str(status))
        if status >= 500:
            return f"{status}: a failure of ours"
        if told is None:
            return f"{status} is not in the document"
        kind = headers.get("Content-Type", "").partition(";")[0]
        content = told.get("content", {})
        if not body:
            return ""
        if kind not in content:
            return f"{status}: {kind} is not in the document"
        if kind not in ("application/json", "application/problem+json"):
            return ""
        errors = self._validator(operation.path, operation.method, status, kind).iter_errors(json.loads(body))
        return next((f"{status}: {error.json_path}: {error.message}" for error in errors), "")

    def _make_validator(self, path: str, method: str, status: int, kind: str):
        told = self.spec["paths"][path][method.lower()]["responses"][str(status)]
        schema = told["content"][kind]["schema"]
        return jsonschema.Draft202012Validator({**schema, "components": self.spec["components"]})
