"""Recorded tournaments in memory: results at random tables, each with all that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from domain import results
from domain import table as tables
from domain import tournament as tournaments
from domain.director import Facts, look, look_between
from domain.events import Event
from domain.hand import HAND
from domain.ids import TableId
from domain.results import Result
from domain.table import TABLE, Table
from domain.tournament import TOURNAMENT, State, Tournament
from tests.big2.play import PRESETS
from tests.domain import given as g


class Hall:
    """A recorded tournament of chips, its tables, and everything that was recorded."""

    def __init__(self, entrants: int, seed: int = 0, **terms: Any) -> None:
        self.random = Random(seed)
        self.log: list[Event] = []
        self.of_tournament: list[Event] = []
        self.tables: dict[TableId, Table] = {}
        self.positions: dict[TableId, int] = {}
        self.stood: dict[TableId, int] = {}
        structure = g.terms(**({"format_": "freezeout", "recorded": True} | terms))
        self.tournament: Tournament = g.fold(
            TOURNAMENT, tournaments.publish(g.TOURNAMENT, structure, g.MASTER, self.random.randbytes(32))
        )
        self.record({g.TOURNAMENT: tournaments.start(self.tournament, g.players(entrants), g.NOW)})
        drawn, opened = tournaments.draw(self.tournament, g.NOW)
        self.record({g.TOURNAMENT: [drawn], **{event.table_id: [event] for event in opened}})
        self.began(*self.tables)

    def record(self, changes: dict[Any, Sequence[Event]]) -> None:
        for stream, events in changes.items():
            for event in events:
                self.log.append(event)
                if stream == g.TOURNAMENT:
                    self.of_tournament.append(event)
                    self.tournament = TOURNAMENT.evolve(self.tournament, event)
                else:
                    self.tables[stream] = TABLE.evolve(self.tables.get(stream), event)

    def began(self, *tables: TableId) -> None:
        """These tables can begin their next hand, unless they are held."""
        self.stood |= dict.fromkeys(tables, len(self.of_tournament))

    def level(self, table: Table) -> int:
        return results.level_of_next_hand(table.number, self.of_tournament, self.stood[table.table_id])

    def open_tables(self) -> list[Table]:
        return [self.tables[self.tournament.table_id(n)] for n in self.tournament.open_tables]

    def free_tables(self) -> list[Table]:
        """The tables whose next hand may be played."""
        return [table for table in self.open_tables() if table.number not in self.tournament.held]

    def result(self, table: Table, result: Result | None = None) -> None:
        """A hand at this table, as it is told or as chance has it, and what follows from it."""
        t = self.tournament
        results.may_record(t, table, table.hands_begun + 1)
        told = result or chance(self.random, table)
        hand = results.record(t, table, PRESETS[table.rules], told, g.NOW, self.level(table))
        g.fold(HAND, hand.hand)
        self.record({table.table_id: hand.table})
        self.positions[table.table_id] = len(self.log)
        facts = [Facts(other, self.positions.get(other.table_id, 0)) for other in self.open_tables()]
        steps = look(self.tournament, facts, g.NOW, table.table_id)
        assert not steps.deals
        opened = [other for other in steps.tables if other not in self.tables]
        self.record({g.TOURNAMENT: steps.tournament, **steps.tables})
        self.began(table.table_id, *opened)
        assert steps.state == self.tournament

    def ruled(self, events: Sequence[Event]) -> None:
        """What a final ruling brings to the tournament, and what the director makes of it between results."""
        facts = [Facts(other, self.positions.get(other.table_id, 0)) for other in self.open_tables()]
        steps = look_between(self.tournament, events, facts, g.NOW)
        opened = [other for other in steps.tables if other not in self.tables]
        self.record({g.TOURNAMENT: [*events, *steps.tournament], **steps.tables})
        self.began(*opened)

    def play_on(self, until: Any = None) -> Hall:
        while self.tournament.state is State.RUNNING and not (until and until(self)):
            self.result(self.random.choice(self.free_tables()))
        return self

    def events(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.log if isinstance(event, kind)]


def chance(random: Random, table: Table) -> Result:
    """Some result of the seats at a table; who sat down just now may have been left out."""
    seats = [s for s, taken in table.seats.items() if not taken.fresh or random.random() < 0.5]
    seats = seats if len(seats) > 1 else list(table.seats)
    winner = random.choice(seats)
    return Result({s: 0 if s == winner else random.randint(1, 13) for s in seats}, winner)


def chips(table: Table) -> int:
    return sum(place.stack for place in tables.places(table))
