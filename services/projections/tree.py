"""`tree`: the Merkle tree over the whole log (`domain.merkle`), one leaf an event, in the order of the log.

A leaf's data is the event's link, the 32 bytes whose hexadecimal the next event of its stream carries as `prev`. A row
has the hashes of all full subtrees that its leaf completes, itself first: two on average, and none is ever changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from domain.merkle import HASH_BYTES, Range, completed, leaf_hash, peaks_after
from domain.topics import TOPICS
from domain.tournament_events import Cancelled, Finished
from services.database import Cursor
from services.envelope import Row, link

DDL = """
CREATE TABLE tree (
    leaf bigint PRIMARY KEY, -- counted from 0, without the holes that positions have
    position bigint NOT NULL UNIQUE,
    hashes bytea NOT NULL,
    ends boolean NOT NULL -- whether the event ends a tournament
);
CREATE INDEX ON tree (position) WHERE ends;
"""
_GROW = """
INSERT INTO tree SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::bytea[], %s::boolean[])
"""
_ENDS = frozenset(topic for topic, event in TOPICS.items() if issubclass(event, Finished | Cancelled))


class Grown(NamedTuple):
    """The tree at a log position: how many leaves it has, and its full subtrees from left to right."""

    position: int
    size: int
    peaks: list[bytes]


def grow(cur: Cursor, grown: Grown, rows: Sequence[Row]) -> Grown:
    """Add the events that follow, in one statement; the tree as it is then."""
    position, size, peaks = grown
    leaves, positions, hashes, ends = [], [], [], []
    for row in rows:
        done = completed(size, peaks, leaf_of(row))
        leaves.append(size)
        positions.append(row.position)
        hashes.append(b"".join(done))
        ends.append(row.topic in _ENDS)
        peaks, size, position = peaks_after(size, peaks, done), size + 1, row.position
    cur.execute(_GROW, (leaves, positions, hashes, ends))
    return Grown(position, size, peaks)


def read(cur: Cursor, position: int) -> Grown:
    """The tree as it stands in the table, which holds all up to `position`."""
    cur.execute("SELECT COALESCE(max(leaf) + 1, 0) FROM tree")
    row = cur.fetchone()
    assert row is not None
    size = row[0]
    rooted = Range(0, size).subtrees
    cur.execute(
        "SELECT leaf, hashes FROM tree WHERE leaf = ANY(%s)",
        ([((number + 1) << level) - 1 for level, number in rooted],),
    )
    found: dict[int, bytes] = dict(cur.fetchall())
    return Grown(position, size, [hash_in(found[((n + 1) << level) - 1], level) for level, n in rooted])


def leaf_of(row: Row) -> bytes:
    """The hash of an event's leaf."""
    return leaf_hash(bytes.fromhex(link(row.stream, row.version, row.topic, row.state)))


def hash_in(hashes: bytes, level: int) -> bytes:
    """The hash of the full subtree of a level, of those that a leaf completes."""
    return hashes[level * HASH_BYTES : (level + 1) * HASH_BYTES]
