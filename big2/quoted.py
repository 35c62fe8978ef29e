"""What somebody wrote, repeated to him in an error or a list: short, in one line, and unable to do anything."""

import json
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

MOST_SHOWN: Final = 40
"""How many characters of a name, an id or a value are shown."""
MOST_NAMED: Final = 5
"""How many values of a list are named one by one."""


def shown(text: str, most: int = MOST_SHOWN) -> str:
    """As much of a text as tells which it is; what does not print is escaped, so that it can do nothing.

    >>> shown("a\\tb"), shown("abcdef", 4)
    ('a\\\\tb', 'abc…')
    """
    cut = text if len(text) <= most else text[: most - 1] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)


def quoted(value: object) -> str:
    """A value as JSON writes it, shortened; a day or a time of TOML as a text.

    >>> quoted("none"), quoted([14, 5])
    ('"none"', '[14, 5]')
    """
    return shown(json.dumps(value, ensure_ascii=False, default=str))


def all_quoted(values: Sequence[object]) -> str:
    """Some values one by one, and how many more there are.

    >>> all_quoted([7, 8]), all_quoted(range(9))
    ('7, 8', '0, 1, 2, 3, 4 and 4 more')
    """
    named = ", ".join(quoted(value) for value in values[:MOST_NAMED])
    return named if len(values) <= MOST_NAMED else f"{named} and {len(values) - MOST_NAMED} more"


def meant(name: str, names: Iterable[str]) -> str:
    """The question after a name that is not known, where one that is known is near; otherwise nothing.

    >>> meant("hongkong", ["taiwan", "hong-kong"]), meant("x", ["taiwan"])
    ('; is hong-kong meant?', '')
    """
    near = get_close_matches(name.lower(), list(names))
    return f"; is {near[0]} meant?" if near else ""
