"""Files as the commands read them: by name or from standard input, in UTF-8, no larger than what they can hold."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

UNREADABLE = 2
"""Exit status when a file can't be read."""
LARGEST_FILE = 256 * 1024 * 1024
"""Bytes, where nothing else is said: some 100,000 hands."""

VARIABLE = "BIG2_TOKEN"
"""A token for commands that go to a service; other accounts can read a command line, but not the environment."""


class UnreadableError(Exception):
    """A file that can't be read, or that is not what it should be; the message begins with its name."""


def read_text(name: str, largest: int = LARGEST_FILE) -> str:
    """The text of a file, without its byte-order mark; `-` is standard input. Raises UnreadableError."""
    try:
        return read_bytes(name, largest).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{name}: is not UTF-8 at byte {error.start + 1}") from error


def read_bytes(name: str, largest: int = LARGEST_FILE) -> bytes:
    """The bytes of a file; `-` is standard input. Raises UnreadableError."""
    try:
        raw = _from_stdin(largest) if name == "-" else _from_file(name, largest)
    except OSError as error:
        raise UnreadableError(f"{name}: {error.strerror}") from error
    if len(raw) > largest:
        raise UnreadableError(f"{name}: is larger than {largest} bytes")
    return raw


def _from_stdin(largest: int) -> bytes:
    return sys.stdin.buffer.read(largest + 1)


def _from_file(name: str, largest: int) -> bytes:
    with Path(name).open("rb") as file:
        return file.read(largest + 1)


@contextmanager
def read_or_status_two() -> Iterator[None]:
    """Tell what can't be read within the block, and exit with UNREADABLE."""
    try:
        yield
    except UnreadableError as error:
        click.echo(str(error), err=True)
        sys.exit(UNREADABLE)


def token_from(secret: str | None, file: Path | None) -> str:
    """The token of `--token`, in the file of `--token-file`, or of the environment; raises UsageError where none can
    be sent."""
    token = secret or (file.read_text("utf-8", "replace").strip() if file else os.environ.get(VARIABLE, ""))
    if not (token and token.isascii() and token.isprintable()):
        raise click.UsageError(f"a token is needed: --token-file, {VARIABLE} in the environment, or --token")
    return token
