"""JSON bodies, taken strictly: one reading of a body, or none."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from math import isfinite
from typing import Any, NoReturn

from big2.quoted import all_quoted

DEEPEST = 16
"""Levels of nesting."""
LONGEST_INTEGER = 19
"""Digits."""


class NotJsonError(ValueError):
    """The text is not JSON as we take it; the message says why."""


def loads(raw: bytes) -> Any:  # noqa: ANN401 - JSON
    """The value of a JSON text in UTF-8. Duplicate keys, NaN, long integers and deep nesting are no JSON here."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise NotJsonError("The body is not UTF-8.") from None
    if text[:1] == "\ufeff":
        raise NotJsonError("The body begins with a byte order mark.")
    _check_depth(text)
    try:
        return _DECODER.decode(text)
    except NotJsonError:
        raise
    except (ValueError, RecursionError) as error:
        raise NotJsonError(f"The body is not JSON: {error}.") from None


def digest(value: object) -> str:
    """The SHA-256 of a value's canonical text: what makes a repeated request the same request."""
    return hashlib.sha256(_CANONICAL.encode(value).encode()).hexdigest()


def _check_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= DEEPEST:
        return
    depth, inside, escaped = 0, False, False
    for letter in text:
        if inside:
            inside = escaped or letter != '"'
            escaped = not escaped and letter == "\\"
        elif letter == '"':
            inside = True
        elif letter in "[{":
            depth += 1
            if depth > DEEPEST:
                raise NotJsonError(f"The body is nested more than {DEEPEST} levels deep.")
        elif letter in "]}":
            depth -= 1


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(members)
    if len(names) != len(members):
        counts = Counter(name for name, _ in members)
        twice = [name for name, count in counts.items() if count > 1]
        raise NotJsonError(f"The body names a member twice: {all_quoted(twice)}.")
    return names


def _integer(digits: str) -> int:
    if len(digits.removeprefix("-")) > LONGEST_INTEGER:
        raise NotJsonError(f"The body has an integer of more than {LONGEST_INTEGER} digits.")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise NotJsonError("The body has a number that is out of range.")
    return number


def _constant(name: str) -> NoReturn:
    raise NotJsonError(f"{name} is no JSON.")


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant
)
