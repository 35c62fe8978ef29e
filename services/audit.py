"""Proving the log: every stream's chain, over all of it.

A tail that was cut off, and a chain that was made anew from some event on, take a checkpoint kept elsewhere to be seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from uuid import UUID

import msgspec

from services.envelope import GENESIS, Row, link, prev_of
from services.errors import BrokenChain
from services.store import Store

BATCH = 2000

Progress = Callable[[int, int], None]


class LogProof(msgspec.Struct, frozen=True):
    """What a proven log holds."""

    events: int
    streams: int
    by_topic: dict[str, int]


def verify_log(store: Store, progress: Progress = lambda _done, _all: None) -> LogProof:
    """Check the chain of every stream over the whole log; raises BrokenChain at the first wrong event."""
    heads: dict[UUID, tuple[int, str]] = {}
    topics: Counter[str] = Counter()
    position, head = 0, store.head()
    while position < head and (rows := store.stored_log(position, BATCH)):
        for row in rows:
            heads[row.stream] = (row.version, _follows(row, *heads.get(row.stream, (0, GENESIS))))
            topics[row.topic] += 1
        position = rows[-1].position
        progress(position, head)
    return LogProof(sum(topics.values()), len(heads), dict(topics))


def _follows(row: Row, version: int, head: str) -> str:
    if row.version != version + 1 or prev_of(row) != head:
        raise BrokenChain(f"stream {row.stream}: version {row.version} does not follow version {version}")
    return link(row.stream, row.version, row.topic, row.state)
