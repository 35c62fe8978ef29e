"""Reading JSON strictly: a text into a value, and a value member by member, with a pointer to whatever is wrong.

A history may come from anybody. Whatever the text holds, the answer is a value or a `MalformedError`.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Final, NoReturn, TypeVar

from big2.errors import MalformedError
from big2.quoted import all_quoted, shown

MOST_DIGITS: Final = 40
"""No number of a hand is longer; longer ones cost more than they say."""


def parse_json(text: str) -> object:
    """The value of a JSON text; duplicate names, NaN, endless numbers and too deep nesting are malformed."""
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        raise MalformedError("", f"is not JSON: {_fault(error)}") from None
    except RecursionError:
        raise MalformedError("", "is nested too deep") from None
    return value


_FAULTS: Final = {
    "Expecting property name": "a member's name in double quotes is missing",
    "Expecting value": "a value is missing",
    "Expecting ':'": "a colon is missing",
    "Expecting ','": "a comma or a closing bracket is missing",
    "Extra data": "more follows after the value",
    "Unterminated string": "a text has no end",
    "Invalid control character": "a text has a line's end or another control character",
    "Invalid \\": "a text has an escape that JSON does not know",
}
"""What the reader of JSON says, by how it begins, in words for people."""


def _fault(error: json.JSONDecodeError) -> str:
    """What is wrong, and where: the line where there are several, and the character in it, from 1."""
    what = next((told for said, told in _FAULTS.items() if error.msg.startswith(said)), "it goes wrong")
    text = error.doc.rstrip()
    before = text[: error.pos].split("\n")
    line = f"line {len(before)}, " if "\n" in text else ""
    return f"{what} at {line}character {len(before[-1]) + 1}"


def _object(members: list[tuple[str, object]]) -> dict[str, object]:
    names = dict(members)
    if len(names) != len(members):
        twice = [name for name, times in Counter(name for name, _ in members).items() if times > 1]
        raise MalformedError("", f"names a member twice: {all_quoted(twice)}")
    return names


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise MalformedError("", f"has a number of more than {MOST_DIGITS} digits")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise MalformedError("", "has a number that is out of range")
    return number


def _constant(name: str) -> NoReturn:
    raise MalformedError("", f"is not JSON: {name} is no number")


Choice = TypeVar("Choice", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON value and where it stands; each reader answers the value or raises `MalformedError`."""

    value: object
    pointer: str = ""

    def wrong(self, reason: str) -> MalformedError:
        """The error that says so, at this place."""
        return MalformedError(self.pointer, reason)

    def members(self) -> Mapping[str, object]:
        """An object's members."""
        if not isinstance(self.value, dict):
            raise self.wrong("must be an object")
        return self.value

    def member(self, name: str) -> "Node":
        """A member that must be there."""
        if name not in self.members():
            raise self.wrong(f"lacks {name}")
        return self.below(name, self.members()[name])

    def optional(self, name: str) -> "Node | None":
        """A member, or None where it is absent."""
        return self.member(name) if name in self.members() else None

    def each_member(self) -> Iterator[tuple[str, "Node"]]:
        """An object's members, by name."""
        for name, value in self.members().items():
            yield name, self.below(name, value)

    def items(self) -> list["Node"]:
        """A list's items."""
        if not isinstance(self.value, list):
            raise self.wrong("must be a list")
        return [self.below(str(place), value) for place, value in enumerate(self.value)]

    def text(self) -> str:
        """A text."""
        if not isinstance(self.value, str):
            raise self.wrong("must be a text")
        return self.value

    def boolean(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.wrong("must be true or false")
        return self.value

    def integer(self, least: int | None = None, most: int | None = None) -> int:
        """A whole number, written as one: neither true nor 1.0 is."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self.wrong("must be a whole number")
        if least is not None and self.value < least:
            raise self.wrong(f"must be at least {least}")
        if most is not None and self.value > most:
            raise self.wrong(f"must be at most {most}")
        return self.value

    def choice(self, choices: type[Choice]) -> Choice:
        """One of the texts of an enumeration."""
        for choice in choices:
            if self.value == choice.value:
                return choice
        raise self.wrong(f"must be one of {', '.join(choices)}")

    def refuse_problem(self) -> None:
        """Raise `MalformedError` for a problem document (RFC 9457): what a service said instead of what was asked."""
        match self.value:
            case {"type": str(), "title": str(title), "status": int(status), **rest}:
                detail = rest.get("detail", "")
                told = ": ".join(
                    shown(part, 120) for part in (title, detail) if isinstance(part, str) and part
                )
                raise self.wrong(f"this is a problem document: {status} {told}")

    def below(self, name: str, value: object) -> "Node":
        """A value under this one."""
        return Node(value, f"{self.pointer}/{name.replace('~', '~0').replace('/', '~1')}")
