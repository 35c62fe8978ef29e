"""How a table follows its tournament's pauses, also late: a running turn keeps the time that it had left."""

from __future__ import annotations

from datetime import datetime
from functools import reduce

from domain import hand as hands
from domain.events import Event
from domain.hand import Hand
from domain.table import Table
from domain.table_events import TablePaused, TableResumed
from domain.tournament import State, Tournament


def behind(tournament: Tournament, table: Table) -> bool:
    """Whether the table has a pause, or the end of one, still to follow."""
    paused = tournament.state is State.PAUSED
    return not table.closed and (table.paused != paused or table.pauses < len(tournament.pauses))


def follow(
    tournament: Tournament, table: Table, hand: Hand | None, now: datetime, *, set_since: bool = False
) -> tuple[list[Event], list[Event]]:
    """What the table and its running hand record so that the table is no longer behind.

    A pause that was over before anybody had followed it is followed all the same: its time is given back. Where the
    turn's clock was `set_since` the first pause to be followed, for a jump or a new turn, the turn has its whole time:
    its deadline and that pause's beginning may be of two clocks.
    """
    at_table: list[Event] = []
    in_hand: list[Event] = []
    if missed := tournament.pauses[table.pauses :]:
        at_table.append(TablePaused(number=len(tournament.pauses)))
        in_hand += hands.stop_clock(hand, missed[0], whole=set_since) if hand else []
    if tournament.state is not State.PAUSED and (missed or table.paused):
        at_table.append(TableResumed())
        stopped = reduce(hands.evolve, in_hand, hand) if hand else None
        in_hand += hands.start_clock(stopped, now) if stopped else []
    return at_table, in_hand
