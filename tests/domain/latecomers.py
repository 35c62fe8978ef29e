"""Whole tournaments in memory with late entries and re-entries, at random moments as long as they are taken."""

from __future__ import annotations

from typing import Any

from domain import roster as rosters
from domain.events import Event
from domain.ids import PlayerId, entry_id, roster_id
from domain.late_entry import enter
from domain.roster import ROSTER, Registered, Roster
from domain.table import Table
from domain.tournament import TOURNAMENT, Tournament
from domain.tournament_events import EntriesClosed
from tests.domain import given as g
from tests.domain.memory import Memory

AT = roster_id(g.TOURNAMENT)


class Latecomers(Memory):
    """`eager` is how likely somebody enters before a step; up to `newcomers` players come for the first time."""

    def __init__(self, structure: Any, entrants: int, eager: float = 0.02, newcomers: int = 9, **others: Any):
        self.roster = Roster()
        self.eager = eager
        self.newcomers = list(g.players(entrants + newcomers)[entrants:])
        self.refusals: list[str] = []
        super().__init__(structure, entrants, **others)
        self.record({AT: [self._registered(player) for player in g.players(entrants)]})

    def _fold(self, stream: Any, event: Event) -> None:
        if stream == AT:
            self.roster = ROSTER.evolve(self.roster, event)
        else:
            super()._fold(stream, event)

    def record(self, changes: dict[Any, Any]) -> None:
        """One transaction; the roster closes with late entry."""
        closing = any(isinstance(event, EntriesClosed) for events in changes.values() for event in events)
        super().record(changes | ({AT: rosters.close(self.roster, g.TOURNAMENT)} if closing else {}))

    def step(self) -> None:
        if self.tournament.entries_open and self.random.random() < self.eager:
            self.come()
        super().step()

    def come(self) -> None:
        """Somebody who is out enters again, or a newcomer for the first time."""
        out = sorted(out.player_id for out in self.tournament.outs)
        again = [player for player in out if not self.random.randrange(3)]
        if again:
            return self.enter(self.random.choice(again))
        return self.enter(self.newcomers.pop()) if self.newcomers else None

    def enter(self, player: PlayerId) -> None:
        """The service's part of an entry: both streams in one transaction."""
        at_roster, at_tournament = enter(self.tournament, self.roster, player, self.now)
        self.record({AT: at_roster, g.TOURNAMENT: at_tournament})

    def seats_of(self, player: PlayerId) -> list[Table]:
        return [table for table in self.tables.values() if table.seat_of(player) is not None]

    def replayed(self) -> Tournament:
        """The tournament, folded anew from the log."""
        return g.fold(TOURNAMENT, [event for stream, event in self.log if stream == g.TOURNAMENT])

    @staticmethod
    def _registered(player: PlayerId) -> Registered:
        return Registered(
            tournament_id=g.TOURNAMENT, entry_id=entry_id(g.TOURNAMENT, player), player_id=player
        )
