"""What an event needs to be told with: the tournament of a table, the table and players of a hand."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from uuid import UUID

from domain.hand_events import Committed, Dealt, EntropyOpened, HandRecorded, RingCommitted
from domain.ids import PlayerId
from domain.table_events import Opened
from services.database import Cursor
from services.envelope import Recorded
from services.projections.growing import Columns, Growing, Newest

if TYPE_CHECKING:
    from services.projections.leaderboard import Record
    from services.projections.standings import Standing

_V = TypeVar("_V")
REMEMBERED = 10_000
"""How many tables and hands a projector remembers; older ones are read from its own tables."""


class HandContext(NamedTuple):
    """A hand of a tournament, or at a ring table one that is played for money of `currency`."""

    table_id: UUID
    tournament_id: UUID | None
    seats: dict[int, PlayerId]
    currency: str | None = None


class Context:
    """Remembers newest first; what it has forgotten it reads from the projections `tables` and `hands`.

    It also has what a batch has yet to write (`services.projections.growing`).
    """

    def __init__(self) -> None:
        self._tables: OrderedDict[UUID, UUID] = OrderedDict()
        self._hands: OrderedDict[UUID, HandContext] = OrderedDict()
        self.standings: Newest[tuple[UUID, UUID], Standing] = Newest()
        """By tournament and player."""
        self.records: Newest[UUID, Record] = Newest()
        """By player."""
        self.balances: Newest[tuple[str, str], int] = Newest()
        """By scope and account."""
        self.turns: dict[str, Columns | None] = {}
        """By subject: its row in the agenda, or None where that is to go."""
        self.standings_rows = Growing("standings", 16, replacing=3)
        self.leaderboard = Growing("leaderboard", 9)
        self.ledger_lines = Growing("ledger_lines", 17)
        self.feed = Growing("feed", 7)

    def write(self, cur: Cursor, *, few: bool) -> None:
        """Write what is left to write; more than a few rows not in a pipeline."""
        for table in (self.standings_rows, self.leaderboard, self.ledger_lines, self.feed):
            table.write(cur, few=few)
        for newest in (self.standings, self.records, self.balances):
            newest.written()

    def note(self, r: Recorded) -> None:
        """Learn from the events that say what belongs where."""
        match r.event:
            case Opened():
                self._keep(self._tables, r.stream, r.event.tournament_id)
            case Committed():
                self._keep(self._hands, r.stream, HandContext(r.event.table_id, r.event.tournament_id, {}))
            case RingCommitted():
                self._keep(self._hands, r.stream, HandContext(r.event.table_id, None, {}, r.event.currency))
            case HandRecorded():
                seats = {s.seat: s.player_id for s in r.event.seats}
                self._keep(self._hands, r.stream, HandContext(r.event.table_id, r.event.tournament_id, seats))
            case Dealt() | EntropyOpened() if r.stream in self._hands:
                seats = {s.seat: s.player_id for s in r.event.seats}
                self._keep(self._hands, r.stream, self._hands[r.stream]._replace(seats=seats))

    def tournament_of(self, cursor: Cursor, table_id: UUID) -> UUID:
        if table_id not in self._tables:
            cursor.execute("SELECT tournament_id FROM tables WHERE table_id = %s", (table_id,))
            row = cursor.fetchone()
            assert row is not None, f"table {table_id} was never opened"
            self._keep(self._tables, table_id, row[0])
        return self._tables[table_id]

    def hand(self, cursor: Cursor, hand_id: UUID) -> HandContext:
        if hand_id not in self._hands:
            cursor.execute(
                "SELECT table_id, tournament_id, currency FROM hands WHERE hand_id = %s", (hand_id,)
            )
            row = cursor.fetchone()
            assert row is not None, f"hand {hand_id} was never committed"
            table_id, tournament_id, currency = row
            cursor.execute("SELECT seat, player_id FROM hand_players WHERE hand_id = %s", (hand_id,))
            seats = {seat: PlayerId(player) for seat, player in cursor.fetchall()}
            self._keep(self._hands, hand_id, HandContext(table_id, tournament_id, seats, currency))
        return self._hands[hand_id]

    @staticmethod
    def _keep(memory: OrderedDict[UUID, _V], key: UUID, value: _V) -> None:
        memory[key] = value
        if len(memory) > REMEMBERED:
            memory.popitem(last=False)
