"""The key that signs checkpoints: where it is kept, and which were published, one announced by the other.

Private keys stand in a file or the environment; the log of public ones, `audit_keys`, stands beside the events.
"""

from __future__ import annotations

import os
import secrets
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from services.audit.notes import NoteError, Signer, Verifier, opened
from services.database import Database
from services.errors import StoreError

KEY_FILE = "audit-key"
"""In the data directory, for its owner alone."""
NAME = "big2-tournament"
_ANNOUNCED = "big2 audit key"
_KEYS = "SELECT number, verifier, announcement, added_at FROM audit_keys ORDER BY number"


class NoKey(StoreError):  # noqa: N818 - what the caller is told
    """The signing key is missing, or is not the newest; the message says what to do."""


class Published(NamedTuple):
    """A key that checkpoints are, or were, signed with; `announcement` is a note that the key before has signed."""

    number: int
    verifier: str
    announcement: str | None
    added_at: datetime


def published(database: Database) -> list[Published]:
    """All of them, the newest last."""
    with database.connection() as conn:
        return [Published(*row) for row in conn.execute(_KEYS)]


def verifiers(database: Database) -> list[Verifier]:
    """All of them, as keys."""
    return [Verifier.parsed(key.verifier) for key in published(database)]


def signer(given: str | None, data: Path) -> Signer | None:
    """The key that is set, or that of the data directory; None if there is none."""
    if given:
        return Signer.parsed(given)
    try:
        return Signer.parsed((data / KEY_FILE).read_text(encoding="utf-8").strip())
    except FileNotFoundError:
        return None


def current(database: Database, given: str | None, data: Path) -> Signer:
    """The signing key; NoKey if there is none, or if another one is the newest."""
    found = signer(given, data)
    known = published(database)
    if found is None or (known and known[-1].verifier != str(found.verifier)):
        which = f"; the newest is {known[-1].verifier}" if known else ""
        raise NoKey(
            f"checkpoints are not signed: the key is {'missing' if found is None else 'an older one'}{which}."
            " Set BIG2_AUDIT_KEY or BIG2_AUDIT_KEY_FILE to it, or put it into the data directory as"
            f" {KEY_FILE}; if it is lost, `big2 audit rotate --lost` begins a new one"
        )
    return found


def first(database: Database, given: str | None, data: Path) -> Signer | None:
    """The key of a first start: made if there is none yet, and published. None if it should be there, and is not."""
    found, known = signer(given, data), published(database)
    if known:
        return found
    if found is None:
        found = Signer.made(f"{NAME}/{secrets.token_hex(8)}")
        keep(data / KEY_FILE, found)
    _publish(database, found.verifier, None)
    return found


def rotate(database: Database, old: Signer | None, file: Path) -> Signer:
    """Begin a new key of the same name, kept in `file`, and announce it under the old one's signature.

    Without an old one, which was lost, nothing announces it. The file comes first, and until the new key is published
    the old one is kept beside it.
    """
    known = verifiers(database)
    if not known:
        raise NoKey("there is no key yet: the first start makes it")
    new = Signer.made(known[-1].name)
    fresh = file.with_name(f"{file.name}.new")
    keep(fresh, new)
    _publish(database, new.verifier, old.signed(f"{_ANNOUNCED}\n{new.verifier}\n") if old else None)
    fresh.replace(file)
    return new


def announced(keys: list[Published]) -> list[str]:
    """What is wrong with the announcements, key by key; nothing if each key follows from the first."""
    wrong = []
    for before, key in pairwise(keys):
        if key.announcement is None:
            wrong.append(f"{key.verifier} is announced by nobody: the key before was lost")
            continue
        try:
            text = opened(key.announcement, [Verifier.parsed(before.verifier)])
        except NoteError as error:
            wrong.append(f"{key.verifier}: {error}")
            continue
        if text != f"{_ANNOUNCED}\n{key.verifier}\n":
            wrong.append(f"{key.verifier}: the announcement is another key's")
    return wrong


def keep(file: Path, signer: Signer) -> None:
    """Write a key for its owner alone."""
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
        out.write(f"{signer.secret}\n")
        out.flush()
        os.fsync(out.fileno())


def _publish(database: Database, key: Verifier, announcement: str | None) -> None:
    with database.connection() as conn:
        conn.execute(
            "INSERT INTO audit_keys (verifier, announcement) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            (str(key), announcement),
        )
