"""Checkpoints: the signed heads of the log, one a minute while it grows and one at each tournament's end."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from uuid import uuid5

from domain.ids import NS
from services.audit import keys
from services.audit.notes import Checkpoint
from services.audit.tree import LogTree, log_tree
from services.database import Connection, Database
from services.errors import BrokenChain
from services.projections.projector import SCHEMA
from services.store import Store

EVERY_SECONDS = 60
"""How old a checkpoint is before the next, while there are new events."""
JOB = "checkpoint"
_ALONE = uuid5(NS, JOB)
_COLUMNS = "size, position, root, note, at"
_IS_DUE = f"""
SELECT c.size FROM {SCHEMA}.tracking AS t LEFT JOIN LATERAL (
    SELECT size, position, at FROM public.checkpoints ORDER BY size DESC LIMIT 1
) AS c ON true
WHERE t.position > COALESCE(c.position, 0) AND (
    c.at IS NULL OR abs(extract(epoch FROM statement_timestamp() - c.at)) >= %s
    OR EXISTS (SELECT FROM {SCHEMA}.tree WHERE ends AND position > c.position)
)
"""  # noqa: S608 - our own names
"""A clock that was set back by more than that makes the next one due, not late."""


class Signed(NamedTuple):
    """A checkpoint as it is kept: the tree's size, the log position of its last event, its root, the signed note."""

    size: int
    position: int
    root: bytes
    note: str
    at: datetime


class ForkedLog(BrokenChain):
    """The log does not begin with what was signed: an event before the last checkpoint was changed or removed."""


def due(conn: Connection) -> int | None:
    """The size of the last checkpoint, 0 before the first, if another one is due."""
    row = conn.execute(_IS_DUE, (EVERY_SECONDS,)).fetchone()
    return None if row is None else row[0] or 0


def publish(store: Store, given: str | None, data: Path) -> Signed | None:
    """Sign the log's head as it is projected; None if it is signed already.

    Raises keys.NoKey without the newest key, and ForkedLog, without signing, if the log isn't the one that was signed.
    """
    with store.lock(_ALONE):
        signer = keys.current(store.database, given, data)
        last = newest(store.database)
        with log_tree(store.database) as tree:
            size, position = tree.head()
            if last:
                grown_from(tree, last, size)
            if size == (last.size if last else 0):
                return None
            root = tree.root(size)
        note = signer.signed(str(Checkpoint(signer.name, size, root)))
        with store.database.connection() as conn:
            conn.execute(
                "INSERT INTO checkpoints (size, position, root, note) VALUES (%s, %s, %s, %s)",
                (size, position, root, note),
            )
    return newest(store.database)


def grown_from(tree: LogTree, last: Signed, size: int) -> None:
    """ForkedLog unless the tree of `size` begins with what was signed."""
    if size < last.size or tree.root(last.size) != last.root:
        raise ForkedLog(
            f"the log is not the one that was signed: its first {last.size} events have another root than the"
            f" checkpoint of {last.at:%Y-%m-%dT%H:%M:%SZ}. `big2 doctor` and an anchor tell where it changed"
        )


def newest(database: Database) -> Signed | None:
    """The last checkpoint."""
    found = listed(database, None, 1)
    return found[0] if found else None


def covering(database: Database, size: int) -> Signed | None:
    """The first checkpoint of at least `size` events."""
    query = f"SELECT {_COLUMNS} FROM checkpoints WHERE size >= %s ORDER BY size LIMIT 1"  # noqa: S608
    with database.connection() as conn:
        row = conn.execute(query, (size,)).fetchone()
    return Signed(*row) if row else None


def listed(database: Database, below: int | None, limit: int) -> list[Signed]:
    """Checkpoints of less than `below` events, the newest first."""
    query = f"SELECT {_COLUMNS} FROM checkpoints WHERE size < %s ORDER BY size DESC LIMIT %s"  # noqa: S608
    with database.connection() as conn:
        return [Signed(*row) for row in conn.execute(query, (below or 2**63 - 1, limit))]
