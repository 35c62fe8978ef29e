"""I6: everything in the log is decided again from the state before it, by the rules, and must come out the same.

Tournaments and ring tables first, with the deals of their hands; then each hand's actions; then the rest. What a
narrower invariant has told of a stream is not told again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from uuid import UUID

from domain.ids import TournamentId, roster_id
from domain.ring_events import RingHandBegun
from domain.table_events import HandBegun
from domain.tournament import TOURNAMENT, Tournament
from domain.tournament_events import TableOpened
from services.doctor import (
    chips,
    replay_disputes,
    replay_hands,
    replay_others,
    replay_tournament_rulings,
)
from services.doctor.judging import FAULTS, unread
from services.doctor.reading import UNREADABLE, Log
from services.doctor.replay_rings import ring_events
from services.doctor.replay_tables import Hands, hands_of
from services.doctor.replay_tournaments import tournament_events
from services.doctor.violation import Violation, stream
from services.envelope import Recorded, Row

KINDS = (
    "tournament",
    "ring",
    "hand",
    "wallet",
    "player",
    "credential",
    "ruleset",
    "stakes",
    "webhook",
    "webhooks",
)
"""In this order; rosters and tables come with their tournaments."""
STREAMS = 50
"""Streams that are read at once,"""
AT_ONCE = {"tournament": 1, "ring": 1}
"""but for these, which are long."""


class Replay:
    """One replay of the whole log; `told` are the streams of which something is told already."""

    def __init__(self, log: Log, told: Collection[UUID]) -> None:
        self._log = log
        self._told = told
        self._begun: set[UUID] = set()
        self._known: dict[str, set[UUID]] = {"table": set(), "roster": set()}

    def run(self, done: Callable[[int], None]) -> Iterator[Violation]:
        """All violations; `done` is called with the number of events that have been replayed since."""
        judges: dict[str, Callable[[list[Recorded]], Iterator[Violation]]] = {
            "tournament": self._tournament,
            "ring": self._ring,
            "hand": self._hand,
            "wallet": replay_others.wallet_events,
            "player": replay_others.player_events,
        }
        for kind in KINDS:
            judge = judges.get(kind, lambda events, kind=kind: replay_others.folded(kind, events))
            ids = self._log.ids(kind)
            while some := list(islice(ids, AT_ONCE.get(kind, STREAMS))):
                for rows in self._log.rows_of(some).values():
                    yield from self._stream(kind, rows, judge)
                    done(len(rows))
        yield from self._orphans()

    def _stream(
        self,
        kind: str,
        rows: list[Row],
        judge: Callable[[list[Recorded]], Iterator[Violation]],
    ) -> Iterator[Violation]:
        try:
            found = list(judge(self._log.decoded(rows)))
        except UNREADABLE as error:
            found = [Violation("I6", stream(kind, rows[0].stream), unread(error))]
        if rows[0].stream not in self._told:
            yield from found

    def _tournament(self, events: list[Recorded]) -> Iterator[Violation]:
        t = TournamentId(events[0].stream)
        roster = roster_id(t)
        of_league = [r.event.table.table_id for r in events if isinstance(r.event, TableOpened)]
        tables = [*chips.tables_of(events), *of_league]
        self._known["roster"].add(roster)
        self._known["table"].update(tables)
        streams = self._log.streams([roster, *tables])
        at_tables = [streams.get(table, []) for table in tables]
        found = list(tournament_events(events, streams.get(roster, []), at_tables))
        state = _folded(events)
        if state is not None:
            for table in at_tables:
                found += self._at_table(state, events, table)
            found += replay_disputes.corrections(self._log, events)
            found += replay_tournament_rulings.followed(self._log, events)
            if not found:
                found += replay_others.payments(self._log, state, streams.get(roster, []))
        yield from sorted(found, key=lambda v: v.position or 0)  # what came of it follows its cause

    def _at_table(
        self, state: Tournament, events: Sequence[Recorded], table: list[Recorded]
    ) -> Iterator[Violation]:
        ids = [r.event.hand_id for r in table if isinstance(r.event, HandBegun)]
        self._begun.update(ids)
        yield from hands_of(Hands(self._log, ids), state, events, table, self._told, master=state.master)

    def _ring(self, events: list[Recorded]) -> Iterator[Violation]:
        ids = [r.event.hand_id for r in events if isinstance(r.event, RingHandBegun)]
        self._begun.update(ids)
        return ring_events(events, Hands(self._log, ids).get, self._told)

    def _hand(self, events: list[Recorded]) -> Iterator[Violation]:
        if events[0].stream not in self._begun:
            yield Violation("I6", stream("hand", events[0].stream), "no table has begun it")
        found = list(replay_hands.actions(events))
        if not found:
            found += replay_disputes.made(self._log, events)
            found += replay_tournament_rulings.brought_about(self._log, events)
        yield from found

    def _orphans(self) -> Iterator[Violation]:
        """Tables and rosters that nothing was said of, for no tournament has them."""
        for kind, known in self._known.items():
            for stream_id in self._log.ids(kind):
                if stream_id not in known:
                    yield Violation("I6", stream(kind, stream_id), "no tournament has it")


def _folded(events: Sequence[Recorded]) -> Tournament | None:
    """A tournament; None where its events cannot be folded, which is told."""
    state: Tournament | None = None
    try:
        for r in events:
            state = TOURNAMENT.evolve(state, r.event)
    except FAULTS:
        return None
    return state
