"""Reading TOML: a text into its members, or what is wrong with it in words for people."""

from __future__ import annotations

import re
import tomllib
from collections import Counter

from big2.quoted import all_quoted

_FAULTS = {
    "Expected '='": "an equals sign is missing",
    "Invalid statement": "a name is missing",
    "Invalid value": "no value of TOML stands there (a text has quotes; true and false have small letters)",
    "Expected newline": "more follows after the value",
    "Unclosed array": "a list lacks a comma or its closing bracket",
    "Unclosed inline table": "a table lacks a comma or its closing bracket",
    "Unterminated string": "a text has no end",
    "Illegal character '\\n'": "a text has no end",
    "Illegal character": "a character stands there that TOML does not allow",
    "Found invalid character '\\n'": "a text has no end",
    "Found invalid character": "a character stands there that TOML does not allow",
    'Expected "\'"': "a text has no end",
    "Unescaped": "a text has an escape that TOML does not know",
    "Cannot declare": "a table stands there twice",
}
"""What the reader of TOML says, by how it begins, in words for people."""
_TWICE = ("Cannot overwrite", "Duplicate inline table key")
_WHERE = re.compile(r"\(at line ([0-9]+), column ([0-9]+)\)$")
_NAME = re.compile(r"(?:^|[{,])[ \t]*([A-Za-z0-9_-]+)[ \t]*=", re.MULTILINE)


class NotTomlError(ValueError):
    """The text is not TOML; the message says why."""


def read_toml(text: str) -> dict[str, object]:
    """The members of a TOML text; raises NotTomlError."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise NotTomlError(_told(str(error), text)) from None
    except RecursionError:
        raise NotTomlError("is nested too deep") from None


def _told(said: str, text: str) -> str:
    found = _WHERE.search(said)
    where = f"line {found[1]}, character {found[2]}" if found else "its end"
    if said.startswith(_TWICE):
        return f"names a member twice{_names_twice(text)} at {where}"
    what = next((told for start, told in _FAULTS.items() if said.startswith(start)), "it goes wrong")
    return f"is not TOML: {what} at {where}"


def _names_twice(text: str) -> str:
    """Which names those are, as far as lines tell it."""
    twice = [name for name, times in Counter(_NAME.findall(text)).items() if times > 1]
    return f": {all_quoted(twice)}," if twice else ""
