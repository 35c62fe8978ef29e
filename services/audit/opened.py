"""The events of a bundle that was opened, decoded: as the log had them, but for those that are withheld."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import TypeVar
from uuid import UUID

import msgspec

from big2.errors import Big2Error
from domain.aggregate import Aggregate
from domain.topics import TOPICS
from services.audit import verify
from services.envelope import Codec, Recorded, Row, Stream, fold_on, nothing_yet
from services.errors import StoreError

S = TypeVar("S")
Members = Mapping[str, bytes]
"""The members of the zip by name."""
UNREADABLE = (*verify.UNREADABLE, AssertionError, Big2Error, msgspec.MsgspecError, StoreError)
"""What is raised where a bundle has what no service ever wrote."""
_NEVER = datetime.min.replace(tzinfo=UTC)
_CODEC = Codec(TOPICS)


def recorded(members: Members, kind: str) -> Iterator[Recorded]:
    """The events of one kind of stream, in the order of the log; raises what UNREADABLE lists."""
    for event in verify.read_events(members):
        if event["topic"].startswith(f"{kind}.") and "bytes" in event:
            where = (event["version"], event["topic"], event["bytes"], event["position"])
            yield _CODEC.decode(Row(UUID(event["stream"]), *where))


def streams(members: Members, kind: str) -> dict[UUID, list[Recorded]]:
    """The same by stream, in the order of their first events."""
    found: dict[UUID, list[Recorded]] = {}
    for r in recorded(members, kind):
        found.setdefault(r.stream, []).append(r)
    return found


def folded(members: Members, aggregate: Aggregate[S]) -> Iterator[Stream[S]]:
    """The streams of a kind, each folded from its first event on."""
    for stream, events in streams(members, aggregate.name).items():
        yield fold_on(aggregate, nothing_yet(stream, _NEVER), events)
