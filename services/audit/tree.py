"""The log's tree as it is projected: its roots, and the hashes that proofs are made of, as of one moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from domain.merkle import Range, Subtree, range_hash, subtrees_of
from services.database import Cursor, Database
from services.projections.projector import SCHEMA
from services.projections.tree import hash_in

_HEAD = f"SELECT leaf + 1, position FROM {SCHEMA}.tree ORDER BY leaf DESC LIMIT 1"  # noqa: S608 - our own names
_HASHES = f"SELECT leaf, hashes FROM {SCHEMA}.tree WHERE leaf = ANY(%s)"  # noqa: S608
_AT = f"SELECT leaf FROM {SCHEMA}.tree WHERE position = %s"  # noqa: S608
_LEAVES = f"SELECT position, leaf FROM {SCHEMA}.tree WHERE position = ANY(%s)"  # noqa: S608


class Head(NamedTuple):
    """How many leaves the tree has, and the log position of the newest."""

    size: int
    position: int


class LogTree:
    """The tree in a transaction."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor

    def head(self) -> Head:
        """How far it is."""
        found = self._cursor.execute(_HEAD).fetchone()
        return Head(*found) if found else Head(0, 0)

    def leaf_at(self, position: int) -> int | None:
        """The index of the event at a log position; None if it has none there, or not yet."""
        found = self._cursor.execute(_AT, (position,)).fetchone()
        return found[0] if found else None

    def leaves_at(self, positions: Sequence[int]) -> dict[int, int]:
        """The indexes of events by their log positions, of those that it has."""
        return dict(self._cursor.execute(_LEAVES, (positions,)).fetchall())

    def subtrees(self, wanted: Iterable[Subtree]) -> dict[Subtree, bytes]:
        """The hashes of full subtrees."""
        by_leaf = {(level, number): ((number + 1) << level) - 1 for level, number in wanted}
        rows = self._cursor.execute(_HASHES, (list(set(by_leaf.values())),)).fetchall()
        found: dict[int, bytes] = dict(rows)
        return {subtree: hash_in(found[leaf], subtree[0]) for subtree, leaf in by_leaf.items()}

    def hashes(self, ranges: Sequence[Range]) -> list[bytes]:
        """The hash of each range."""
        known = self.subtrees(subtrees_of(ranges))
        return [range_hash(of, known) for of in ranges]

    def root(self, size: int) -> bytes:
        """The root of the first `size` leaves."""
        return self.hashes([Range(0, size)])[0]


@contextmanager
def log_tree(database: Database) -> Iterator[LogTree]:
    """The tree as of one moment, for a block."""
    with database.transaction() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield LogTree(cursor)
