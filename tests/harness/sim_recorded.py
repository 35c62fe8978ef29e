"""What a seed plays with real cards: a freezeout and a league, whose operator records each hand's result."""

from __future__ import annotations

from typing import Any

from domain.ids import TableId
from domain.results import Result
from domain.structure import Structure
from domain.table import Table
from domain.tournament import Tournament
from services.application import leagues, results
from services.application.leagues import Wanted
from services.application.results import Told
from tests.harness.sim_clients import STAFF
from tests.harness.sim_plots import RULES, STEEP, Entered

ROOMS = RULES[:4]
"""The card rooms, whose rules count no twos."""


class Recorded(Entered):
    """What both have: hands that somebody tells of, twice at times, and at times wrongly."""

    def common_terms(self) -> dict[str, Any]:
        real = {"recorded": True, "entropy_seconds": 0}
        return super().common_terms() | {"rules": self.m.random.choice(ROOMS)} | real

    def record(self, table: Table) -> None:
        """The result of the table's next hand, as its director has written it down."""
        random, number = self.m.random, table.hands_begun + 1
        if self.m.hit("a result came for another hand"):
            number += random.choice((-1, 1))
        winner = random.choice(list(table.seats))
        left = {seat: 0 if seat == winner else random.randint(1, 13) for seat in table.seats}
        told = Told(number, Result(left, winner))
        self.ask(
            f"result-{table.table_id}",
            lambda its, c: results.record(its, c, STAFF, table.table_id, told),
        )

    def tables_of(self, tournament: Tournament) -> list[Table]:
        found = [self.world.tables.get(self.table_id(tournament, n)) for n in tournament.open_tables]
        return [table for table in found if table is not None]

    def table_id(self, tournament: Tournament, number: int) -> TableId:
        return tournament.table_id(number)


class RecordedFreezeout(Recorded):
    """Its tables are drawn, held, broken and closed by the director, with the results that call for it."""

    people = 8

    def choose_terms(self) -> dict[str, Any]:
        random = self.m.random
        return self.common_terms() | {
            "format": "freezeout",
            "seats_per_table": random.choice((3, 4)),
            "stack_points": random.randint(6, 20),
            "unit_levels": STEEP,
            "hands_per_level": random.choice((1, 2)),
        }

    def play_on(self, tournament: Tournament) -> None:
        for table in self.tables_of(tournament):
            if table.number not in tournament.held and self.m.random.random() < 0.7:
                self.record(table)


class League(Recorded):
    """Its operator opens and closes the tables, takes entries all the while, and ends the season."""

    people = 7

    def choose_terms(self) -> dict[str, Any]:
        self.season = self.m.random.randint(3, 12)
        return self.common_terms() | {"format": "league"}

    def _fill(self, structure: Structure) -> None:
        everybody = self.players
        self.players = everybody[:5]
        super()._fill(structure)
        self.players = everybody

    def table_id(self, tournament: Tournament, number: int) -> TableId:
        return tournament.tables[number]

    def play_on(self, tournament: Tournament) -> None:
        if self.chance(0.2):
            self.enter(self.m.random.choice(self.players))
        if self.chance(0.05):
            self.withdraw(self.m.random.choice(list(self.roster.entries)))
        tables = self.tables_of(tournament)
        played = sum(self.world.tables[table].hands_ended for table in tournament.tables.values())
        if played >= self.season or (self.m.calm and played):
            return self.ask("finish", lambda its, c: leagues.finish(its, c, self.t, dict))
        if len(tables) < 2:
            self._open(tournament)
        for table in tables:
            self.record(table)
            if self.chance(0.15):
                self.ask(
                    f"close-{table.table_id}",
                    lambda its, c, table=table: leagues.close_a_table(its, c, STAFF, table.table_id, dict),
                )
        return None

    def _open(self, tournament: Tournament) -> None:
        free = [p for p in self.roster.entries if p not in tournament.sitting]
        self.m.random.shuffle(free)
        if len(free) >= 2:
            seats = list(enumerate(free[:4], 1))
            wanted = Wanted(self.t, seats)
            self.ask("open", lambda its, c: leagues.open_a_table(its, c, STAFF, wanted))
