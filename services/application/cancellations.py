"""A tournament's cancellation with all that it rests on: its roster, and in the money its tables' stacks."""

from __future__ import annotations

from domain import cancellation
from domain import roster as entries
from domain.ids import roster_id
from domain.roster import ROSTER, Roster
from domain.table import TABLE, Table
from domain.tournament import Tournament
from services.application.director import last_end
from services.application.errors import existing
from services.commands import on
from services.envelope import Change, Stream
from services.store import Store


def cancelled(store: Store, stream: Stream[Tournament], reason: str) -> list[Change]:
    """What the streams record of a cancellation; those of open tables nothing, but they may not have moved on.

    Raises Conflicting where the tournament is over.
    """
    t = existing(stream, "tournament")
    roster: Stream[Roster] = store.load(ROSTER, roster_id(t.tournament_id))
    entered = roster.state or Roster()
    tables = _in_the_money(store, t)
    stacks = [table.state for table in tables if table.state is not None]
    events = cancellation.cancel(t, stacks, reason, len(entered.entries))
    closed = entries.close(entered, t.tournament_id)
    return [on(stream, *events), on(roster, *closed), *map(on, tables)]


def _in_the_money(store: Store, t: Tournament) -> list[Stream[Table]]:
    """The open tables, in the order in which their last hands ended, where their stacks decide something."""
    if not cancellation.in_the_money(t):
        return []
    tables: list[Stream[Table]] = store.load_many([(TABLE, t.table_id(n)) for n in t.open_tables])
    return sorted(tables, key=last_end)
