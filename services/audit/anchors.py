"""Anchors: checkpoints kept where the service has no say, and whether the log still is what they say.

A chain that was made anew, and a tail that was cut off, are whole in themselves: only an anchor tells.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from domain.merkle import Range, completed, peaks_after, range_hash
from services import outgoing
from services.audit.checkpoints import Signed
from services.audit.notes import Checkpoint, NoteError, Verifier, opened
from services.errors import StoreError
from services.projections.tree import leaf_of
from services.store import Store

LARGEST_NOTE = 64 * 1024
"""Bytes of one line of an anchor's file."""
BATCH = 2_000
"""Events that are read at once."""


class AnchorError(StoreError):
    """A checkpoint could not be taken to its anchor; the message says why."""


class Anchored(msgspec.Struct, frozen=True):
    """One line of an anchor's file."""

    size: int
    at: str
    note: str


class Finding(NamedTuple):
    """What an anchored checkpoint says of the log: null where it still holds."""

    line: int
    size: int
    wrong: str | None


def append(file: Path, signed: Signed) -> None:
    """Add a checkpoint to a file of JSON lines, and wait until it is on the disk."""
    line = msgspec.json.encode(Anchored(signed.size, signed.at.isoformat(), signed.note))
    try:
        with file.open("ab") as out:
            out.write(line + b"\n")
            out.flush()
            os.fsync(out.fileno())
    except OSError as error:
        raise AnchorError(f"{file}: {error.strerror}") from error


def post(url: str, signed: Signed, *, private: bool = False) -> None:
    """Send a checkpoint's note, whose signature vouches for it, as text/plain; any 2xx has taken it.

    An address that is not a public one is refused unless `private`.
    """
    try:
        outgoing.send(
            url, signed.note.encode(), {"Content-Type": "text/plain; charset=utf-8"}, private=private
        )
    except outgoing.PrivateAddress as error:
        raise AnchorError(f"the URL {error}: --allow-private lets it be asked") from error
    except outgoing.ForbiddenUrl as error:
        raise AnchorError(f"the URL {error}") from error
    except outgoing.Undelivered as error:
        raise AnchorError(f"it was not taken: {error}") from error


def check(store: Store, keys: Iterable[Verifier], file: Path) -> Iterator[Finding]:
    """What each checkpoint of a file says of the log, event by event as it is stored now."""
    told = list(_read(file, list(keys)))
    roots = roots_of(store, {point.size for _, point in told if isinstance(point, Checkpoint)})
    for line, point in told:
        if isinstance(point, str):
            yield Finding(line, 0, point)
        elif point.size not in roots:
            most = max(roots, default=0)
            yield Finding(line, point.size, f"the log has only {most} of its events: its tail was cut off")
        elif roots[point.size] != point.root:
            yield Finding(line, point.size, "the first events of the log are not the ones that were signed")
        else:
            yield Finding(line, point.size, None)


def roots_of(store: Store, sizes: Iterable[int]) -> dict[int, bytes]:
    """The roots of the log's first events, from the events themselves; of all of them too, where more are asked for."""
    wanted, roots = set(sizes), {}
    size, position, peaks = 0, 0, list[bytes]()
    while wanted and size < max(wanted) and (rows := store.stored_log(position, BATCH)):
        for row in rows:
            done = completed(size, peaks, leaf_of(row))
            peaks, size = peaks_after(size, peaks, done), size + 1
            if size in wanted:
                roots[size] = _root(size, peaks)
        position = rows[-1].position
    if size:
        roots[size] = _root(size, peaks)
    return roots


def _root(size: int, peaks: list[bytes]) -> bytes:
    whole = Range(0, size)
    return range_hash(whole, dict(zip(whole.subtrees, peaks, strict=True)))


def _read(file: Path, keys: list[Verifier]) -> Iterator[tuple[int, Checkpoint | str]]:
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                anchored = msgspec.json.decode(line[:LARGEST_NOTE], type=Anchored)
                yield number, Checkpoint.parsed(opened(anchored.note, keys))
            except (msgspec.DecodeError, NoteError) as error:
                yield number, f"is no checkpoint of this log: {error}"
