"""Tables for spreadsheets: comma-separated values, in which no text is taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from decimal import Decimal

import msgspec

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""


def harmless(text: str) -> str:
    """A text with an apostrophe before it, if a spreadsheet would run it.

    >>> harmless("=1+1"), harmless("1+1")
    ("'=1+1", '1+1')
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


def csv_text(names: Sequence[str], rows: Iterable[Sequence[object]], *, line_end: str = "\r\n") -> str:
    """A line of names and one for each row; RFC 4180 ends them with `line_end`.

    >>> csv_text(("name", "open", "stack"), [("=Ann", True, None)], line_end=" | ")
    "name,open,stack | '=Ann,true, | "
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=line_end)
    writer.writerow(names)
    writer.writerows(map(_cell, row) for row in rows)
    return out.getvalue()


def _cell(value: object) -> object:
    plain = msgspec.to_builtins(value, builtin_types=(Decimal,))
    if isinstance(plain, dict | list):
        return msgspec.json.encode(plain).decode()
    if isinstance(plain, str):
        return harmless(plain)
    if isinstance(plain, bool):
        return "true" if plain else "false"
    return plain
