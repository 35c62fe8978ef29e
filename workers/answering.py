"""Answers to files, one JSON line for each item: what `big2 verify` and `big2 rules answer` print."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import click

from workers.files import UNREADABLE, UnreadableError, read_text

Line = dict[str, Any]


def answer_files(
    files: tuple[str, ...],
    lines_of: Callable[[str], Iterator[Line]],
    good: Callable[[Line], bool],
    item: str = "hand",
) -> None:
    """Print a JSON line for each item of each file; exit with 1 if one is not good, 2 if a file can't be read.

    A file without any `item` is not good: nothing was judged.
    """
    status = 0
    for name in files:
        try:
            text = read_text(name)
        except UnreadableError as error:
            click.echo(str(error), err=True)
            status = UNREADABLE
            continue
        status = max(status, _answer(lines_of(text), good), nothing_in(name, text, item))
    sys.exit(status)


def nothing_in(name: str, text: str, item: str) -> int:
    """1 for a file without any item, which is told, and 0 for all others."""
    if text.strip():
        return 0
    click.echo(f"{name}: no {item} in the input", err=True)
    return 1


def _answer(lines: Iterator[Line], good: Callable[[Line], bool]) -> int:
    """Print the lines; 1 if one is not good, else 0."""
    status = 0
    for line in lines:
        click.echo(_json(line))
        status = status if good(line) else 1
    return status


def _json(line: Line) -> str:
    """One line of JSON; escaped where it repeats what no UTF-8 can say, such as half a surrogate pair."""
    text = json.dumps(line, ensure_ascii=False)
    return text if text.isascii() or _is_utf8(text) else json.dumps(line)


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
