"""What whoever owns the database could do to it: rows are changed, dropped and slipped in, and chains made anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any
from uuid import UUID

import psycopg

from domain.topics import TOPICS
from services.doctor.examination import Examination, Questions
from services.doctor.invariants import INVARIANTS
from services.doctor.violation import Violation
from services.envelope import GENESIS, Recorded, link
from tests.services.doctor.world import Played
from tests.services.projections.house import AheadStore

BY_THE_LOG = tuple(name for name in INVARIANTS if name != "I4")
"""All but the projections, which take their time to be rebuilt, and which whatever is tampered with makes differ."""

Envelope = dict[str, Any]


class Tampering:
    """A copy of the world's database."""

    def __init__(self, url: str, played: Played) -> None:
        self.url = url
        self.played = played
        self.store = AheadStore(url, TOPICS)

    def close(self) -> None:
        self.store.close()

    @cached_property
    def log(self) -> list[Recorded]:
        """The log as it was before anything was done to it."""
        return self.store.log(0, 10_000)

    def of(self, kind: Any, where: Callable[[Recorded], bool] = lambda _: True) -> list[Recorded]:
        """The events of a kind, in the order of the log."""
        return [r for r in self.log if isinstance(r.event, kind) and where(r)]

    def sql(self, statement: str, *values: object) -> None:
        with psycopg.connect(self.url, autocommit=True) as conn:
            assert conn.execute(statement, values).rowcount

    def edit(self, r: Recorded, change: Callable[[Any], object]) -> None:
        """Change an event's own members, and make the rest of its chain anew."""
        self.edit_envelope(r, lambda envelope: change(envelope["event"]))

    def edit_envelope(self, r: Recorded, change: Callable[[Envelope], object]) -> None:
        [row] = self.store.stored(r.stream, r.version, r.version)
        envelope = json.loads(row.state)
        change(envelope)
        self._write(r.stream, r.version, envelope)
        self.reseal(r.stream)

    def drop(self, r: Recorded) -> None:
        """Take an event out, and make the chain of the others anew."""
        self.sql(
            "DELETE FROM big2_events WHERE originator_id = %s AND originator_version = %s",
            r.stream,
            r.version,
        )
        self.reseal(r.stream)

    def add(self, stream: UUID, topic: str, envelope: Envelope) -> None:
        """Slip an event in, as the stream's newest."""
        rows = self.store.stored(stream)
        version = rows[-1].version + 1 if rows else 1
        self.sql(
            "INSERT INTO big2_events (originator_id, originator_version, topic, state) VALUES (%s, %s, %s, %s)",
            stream,
            version,
            topic,
            _canonical({**envelope, "prev": GENESIS}),
        )
        self.reseal(stream)

    def envelope(self, r: Recorded) -> Envelope:
        """An event as it is stored."""
        [row] = self.store.stored(r.stream, r.version, r.version)
        found: Envelope = json.loads(row.state)
        return found

    def reseal(self, stream: UUID) -> None:
        prev = GENESIS
        for row in self.store.stored(stream):
            envelope = json.loads(row.state) | {"prev": prev}
            state = self._write(stream, row.version, envelope)
            prev = link(stream, row.version, row.topic, state)

    def _write(self, stream: UUID, version: int, envelope: Envelope) -> bytes:
        state = _canonical(envelope)
        self.sql(
            "UPDATE big2_events SET state = %s WHERE originator_id = %s AND originator_version = %s",
            state,
            stream,
            version,
        )
        return state

    def examined(self, invariants: Sequence[str] = BY_THE_LOG, **asked: bool) -> list[Violation]:
        return list(Examination(self.store, Questions(invariants, **asked)).violations())


def _canonical(envelope: Envelope) -> bytes:
    return json.dumps(envelope, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
