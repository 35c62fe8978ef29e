"""The whole examination: which invariants hold of a database, without anybody's log of what was acknowledged."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from uuid import UUID

import msgspec

from services.doctor import chips, hands
from services.doctor.commands import nothing_missing_within, one_append_each, unused_positions
from services.doctor.heads import begins_with_what_was_signed
from services.doctor.invariants import INVARIANTS
from services.doctor.judging import FAULTS, unread
from services.doctor.money import Books
from services.doctor.projections import projections_are_rebuilt
from services.doctor.reading import UNREADABLE, Log
from services.doctor.replay import Replay
from services.doctor.streams import chain_verifies, versions_without_holes
from services.doctor.violation import Progress, Violation, stream
from services.envelope import Recorded, Row
from services.store import Store


class Questions(msgspec.Struct, frozen=True):
    """What is asked: which invariants, and of I7 whether all is `settled` or whether nothing is `idle`."""

    invariants: Collection[str] = tuple(INVARIANTS)
    settled: bool = False
    idle: bool = False


class Examination:
    """One examination of the log as it stands when this is made."""

    def __init__(
        self, store: Store, questions: Questions, progress: Progress = lambda _what, _done, _all: None
    ) -> None:
        self.log = Log(store)
        self.events = 0
        self.streams = 0
        self._questions = questions
        self._progress = progress
        self._told: set[UUID] = set()
        self._now = store.now()

    @property
    def unused_positions(self) -> int:
        """Positions of the log that hold no event, none of them within an append where I11 holds."""
        return unused_positions(self.log)

    def violations(self) -> Iterator[Violation]:
        """Everything that is wrong, invariant by invariant where they are asked of the whole log."""
        if self._asked("I1"):
            yield from one_append_each(self.log)
        if self._asked("I11"):
            yield from nothing_missing_within(self.log)
        yield from self._stream_by_stream()
        if self._asked("I5"):
            yield from begins_with_what_was_signed(self.log.store)
        if self._asked("I6"):
            yield from self._replayed()
        if self._asked("I4"):
            progress = lambda done, everything: self._progress("projections", done, everything)  # noqa: E731
            yield from projections_are_rebuilt(self.log.store, progress)

    def _asked(self, *invariants: str) -> bool:
        return any(invariant in self._questions.invariants for invariant in invariants)

    def _stream_by_stream(self) -> Iterator[Violation]:
        books = Books()
        for rows in self.log.every_stream():
            for violation in self._of_stream(rows, books):
                self._told.add(rows[0].stream)
                yield violation
            self.streams += 1
            self.events += len(rows)
            self._progress("streams", self.events, self.log.head)
        if self._asked("I3"):
            yield from books.close(settled=self._questions.settled)

    def _of_stream(self, rows: list[Row], books: Books) -> Iterator[Violation]:
        if self._asked("I11"):
            yield from versions_without_holes(rows)
        if self._asked("I5"):
            yield from chain_verifies(rows)
        if not self._asked("I2", "I3", "I7", "I9"):
            return
        kind = rows[0].topic.partition(".")[0]
        try:
            yield from list(self._of_events(kind, self.log.decoded(rows), books))
        except (*UNREADABLE, *FAULTS) as fault:
            if rows[0].stream not in self._told:
                yield Violation("I6", stream(kind, rows[0].stream), unread(fault))

    def _of_events(self, kind: str, events: list[Recorded], books: Books) -> Iterator[Violation]:
        if kind == "hand":
            yield from self._of_hand(events)
        if self._asked("I3"):
            yield from self._sums(kind, events, books)

    def _of_hand(self, events: list[Recorded]) -> Iterator[Violation]:
        if self._asked("I2"):
            yield from hands.cards_add_up(events)
        if self._asked("I3"):
            yield from hands.nets_sum_up(events)
        if self._asked("I7") and self._questions.settled:
            yield from hands.is_settled(events)
        if self._asked("I7") and self._questions.idle:
            yield from hands.is_not_idle(events, self._now)
        if self._asked("I9"):
            yield from hands.clock_names_its_turn(events)

    def _sums(self, kind: str, events: list[Recorded], books: Books) -> Iterator[Violation]:
        yield from books.add(events)
        if kind == "tournament":
            tables = self.log.streams(chips.tables_of(events))
            yield from chips.chips_add_up(events, tables)

    def _replayed(self) -> Iterator[Violation]:
        replayed = 0

        def done(events: int) -> None:
            nonlocal replayed
            replayed += events
            self._progress("replay", replayed, self.log.head)

        yield from Replay(self.log, self._told).run(done)
