"""With real cards nothing is due at any time: what happens to a tournament between results brings its own look."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from domain.director import Facts, look_between
from domain.events import Event
from domain.table import TABLE, Table
from domain.tournament import Tournament
from services.application.director import last_end
from services.application.errors import existing
from services.commands import on
from services.envelope import Change, Stream
from services.store import Store


def with_look(
    store: Store, tournament: Stream[Tournament], events: Sequence[Event], now: datetime
) -> list[Change]:
    """The tournament's events, and what follows from them at its tables, none of which may have moved on.

    Where the cards are dealt here, and in a league, a job looks, or nobody does: there it is the events alone.
    """
    t = existing(tournament, "tournament")
    if not t.structure.recorded or t.structure.for_points:
        return [on(tournament, *events)]
    tables: list[Stream[Table]] = store.load_many([(TABLE, t.table_id(number)) for number in t.open_tables])
    facts = [Facts(table.state, last_end(table)) for table in tables if table.state is not None]
    steps = look_between(t, events, facts, now)
    at_tables = [on(table, *steps.tables.get(existing(table, "table").table_id, ())) for table in tables]
    known = {table.id for table in tables}
    opened = [Change(table, 0, made) for table, made in steps.tables.items() if table not in known]
    return [on(tournament, *events, *steps.tournament), *at_tables, *opened]
