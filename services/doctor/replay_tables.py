"""I6 of the hands of a tournament's table: begun, dealt or recorded, and ended as the rules have it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import reduce
from itertools import islice
from uuid import UUID

from domain import hand as hands
from domain import results
from domain import table as tables
from domain.hand_events import HandRecorded, Timing
from domain.ids import HandId
from domain.table import Table
from domain.table_events import HandBegun, HandEnded, NextDealsCommitted, Opened
from domain.tournament import Tournament
from domain.tournament_events import LevelRaised
from services.doctor.judging import FAULTS, Append, Decided, appends, judged, refused
from services.doctor.reading import Streams
from services.doctor.replay_hands import deal_again, rules_of
from services.doctor.violation import Violation, at
from services.envelope import Recorded

HANDS = 50
"""Hands that are read at once."""
OF_HANDS = (HandBegun, NextDealsCommitted, HandEnded)
"""What hands bring to their table."""


class Hands:
    """The hands of one table, read some at a time, in the order in which it began them."""

    def __init__(self, log: Streams, ids: Sequence[UUID]) -> None:
        self._log = log
        self._following = iter(ids)
        self._read: dict[UUID, list[Recorded]] = {}

    def get(self, hand: UUID) -> list[Recorded]:
        """A hand's events; none if there is no such hand. UNREADABLE."""
        if hand not in self._read:
            self._read = self._log.streams([hand, *islice(self._following, HANDS)])
        return self._read.get(hand, [])


def hands_of(
    hands_read: Hands,
    tournament: Tournament,
    of_tournament: Sequence[Recorded],
    table_events: Sequence[Recorded],
    told: Collection[UUID],
    *,
    master: bytes | None,
) -> Iterator[Violation]:
    """Each hand that the table began and ended; of those in `told` something is told already, or it is not looked at.

    Without the tournament's `master` each seed is taken as its hand has it.
    """
    table: Table | None = None
    for append in appends(table_events):
        if table is not None:
            judge = _TableJudge(tournament, of_tournament, table, table_events, master)
            yield from (found := list(judge.hand(append, hands_read.get, told)))
            if found:
                return
        try:
            table = reduce(tables.evolve, (r.event for r in append.events), table)
        except FAULTS as fault:
            yield at("I6", append.first, refused(fault))
            return


class _TableJudge:
    """A table before an append, in its tournament."""

    def __init__(
        self,
        t: Tournament,
        of_tournament: Sequence[Recorded],
        table: Table,
        events: Sequence[Recorded],
        master: bytes | None,
    ) -> None:
        self.t = t
        self.master = master
        self.of_tournament = of_tournament
        self.table = table
        self.events = events

    def hand(
        self, append: Append, read: Callable[[UUID], list[Recorded]], told: Collection[UUID]
    ) -> Iterator[Violation]:
        at_table = [r for r in append.events if isinstance(r.event, OF_HANDS)]
        if not at_table:
            return
        first = at_table[0].event
        assert isinstance(first, HandBegun | HandEnded)
        if first.hand_id in told:
            return
        hand = read(first.hand_id)
        if not hand:
            yield at("I6", at_table[0], f"hand {first.hand_id} is not in the log")
        else:
            dealt = [r for r in hand if isinstance(first, HandBegun) and r.command == append.first.command]
            yield from judged(Append((*at_table, *dealt)), lambda: self._decided(first, append.first, hand))

    def _decided(self, first: HandBegun | HandEnded, r: Recorded, hand: Sequence[Recorded]) -> Decided:
        if isinstance(first, HandEnded):
            return {r.stream: hands.ended(upto(hand, r), self.table, r.at)}
        if isinstance(hand[0].event, HandRecorded):
            return self._recorded(first.hand_id, hand[0].event, r, hand)
        level = self._level(r)
        terms = tables.next_deal(self.table, rules_of(hand), level, self.t.structure.unit_at(level))
        s = self.t.structure
        timing = Timing(s.turn_seconds, s.between_hands_seconds, s.protest_seconds)
        dealt = deal_again(
            self.table,
            terms,
            hand,
            master=self.master,
            structure_hash=self.t.structure_hash,
            timing=timing,
            entropy_seconds=s.entropy_seconds,
        )
        begun = [*tables.begin(terms), *tables.commit_next_deals(self.table, terms, self.t.master)]
        ended = hands.ended(hands.folded(dealt), reduce(tables.evolve, begun, self.table), r.at)
        return {r.stream: [*begun, *ended], first.hand_id: dealt}

    def _recorded(
        self, hand_id: HandId, told: HandRecorded, r: Recorded, hand: Sequence[Recorded]
    ) -> Decided:
        result = results.Result(
            told.cards_left, told.winner, told.liable, told.twos_left or None, told.played_at
        )
        again = results.record(self.t, self.table, rules_of(hand), result, r.at, self._level_of_next_hand(r))
        return {r.stream: again.table, hand_id: again.hand}

    def _level(self, r: Recorded) -> int:
        raised = [
            e.event.level
            for e in self.of_tournament
            if isinstance(e.event, LevelRaised) and e.position < r.position
        ]
        return raised[-1] if raised else 1

    def _level_of_next_hand(self, r: Recorded) -> int:
        """As the table could begin it: `domain.results.level_of_next_hand`."""
        since = next(
            e
            for e in reversed(self.events)
            if e.position < r.position and isinstance(e.event, Opened | HandEnded)
        )
        so_far = [e for e in self.of_tournament if e.position < r.position]
        stood = sum(e.position < since.position or e.command == since.command for e in so_far)
        return results.level_of_next_hand(self.table.number, [e.event for e in so_far], stood)


def upto(hand: Sequence[Recorded], end: Recorded) -> hands.Hand:
    """The hand with what stands in the log by `end`, and in its append."""
    return hands.folded([r.event for r in hand if r.position < end.position or r.command == end.command])
