"""A table, from its own stream."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

import msgspec
from msgspec import UNSET

from domain.connection import Connection
from domain.ids import TableId
from domain.table import TABLE
from domain.table import Table as TableState
from domain.tournament import TOURNAMENT
from services import people
from services.application import resources as shapes
from services.application.connections import States
from services.application.context import Services
from services.application.errors import existing
from services.application.lists import Page, tables, unit_and_level
from services.application.ring_lists import ring_tables
from services.application.ring_views import ring_view
from services.commands import Outcome
from services.database import Database
from services.store import Store


def table_view(services: Services, table_id: TableId) -> shapes.Table:
    """The table as everybody may see it."""
    stream = services.store.load(TABLE, table_id)
    if stream.state is None:
        return connected(ring_view(services, table_id), services.connections.at(table_id))
    table = stream.state
    held = _is_held(services.store, table)
    seen = shown(
        table, _called(services, table), _unit_and_level(services.store, table), stream.position, held=held
    )
    return connected(seen, services.connections.at(table_id))


def connected(table: shapes.Table, states: States) -> shapes.Table:
    """The table with its players' connections as they are now (R11.3)."""
    change = msgspec.structs.replace
    now = {s.player_id: states.get(s.player_id, Connection.NOT_CONNECTED).value for s in table.seats}
    return change(table, seats=[change(s, connection=now[s.player_id]) for s in table.seats])


def connected_tables(
    services: Services, db: Database, tournament_id: UUID, after: int | None, limit: int
) -> Page[shapes.Table]:
    """Every table that the tournament ever opened, by number, with its players' connections."""
    page = tables(db, tournament_id, after, limit)
    states = services.connections.at_tables([table.table_id for table in page.items])
    return page._replace(items=[connected(table, states[table.table_id]) for table in page.items])


def connected_rings(
    services: Services, db: Database, after: int | None, limit: int, *, closed: bool
) -> Page[shapes.Table]:
    """The ring tables, with their players' connections."""
    page = ring_tables(db, after, limit, closed=closed)
    states = services.connections.at_tables([table.table_id for table in page.items])
    return page._replace(items=[connected(table, states[table.table_id]) for table in page.items])


def league_table(services: Services, outcome: Outcome[TableState]) -> shapes.Table:
    """A table of a league right after a command; nothing there ever holds one."""
    table = outcome.state
    assert table is not None
    unit_and_level = _unit_and_level(services.store, table)
    return shown(table, _called(services, table), unit_and_level, outcome.position, held=False)


def _unit_and_level(store: Store, table: TableState) -> tuple[int, int]:
    """Those of the last hand; before the first, those of the opening. A league has one unit, and no levels."""
    if table.hands_begun:
        return table.unit, table.level
    if table.points:
        return existing(store.load(TOURNAMENT, table.tournament_id), "tournament").unit, 1
    return unit_and_level(store.database, table.table_id)


def _is_held(store: Store, table: TableState) -> bool:
    """Only a table with real cards is ever held, by its tournament."""
    if not table.recorded or table.points or table.closed:
        return False
    return table.number in existing(store.load(TOURNAMENT, table.tournament_id), "tournament").held


def _called(services: Services, table: TableState) -> Mapping[UUID, str]:
    return people.names(services.store.database, [taken.player_id for taken in table.seats.values()])


def shown(
    table: TableState,
    called: Mapping[UUID, str],
    unit_and_level: tuple[int, int],
    position: int,
    *,
    held: bool,
) -> shapes.Table:
    """A table in this state, whose newest event stands at `position`."""
    unit, level = unit_and_level
    return shapes.Table(
        table_id=table.table_id,
        tournament_id=table.tournament_id,
        number=table.number,
        state="closed" if table.closed else "open",
        seats=[
            shapes.TableSeat(
                seat=seat,
                player_id=taken.player_id,
                name=called.get(taken.player_id, shapes.UNNAMED),
                stack=None if table.points else taken.stack,
                sit_out=taken.sit_out or UNSET,
            )
            for seat, taken in table.seats.items()
        ],
        hand_id=table.hand_id,
        last_hand_id=table.last_hand_id,
        hands_played=table.hands_ended,
        dealer=table.dealer,
        direction=table.direction.value if table.direction else None,
        level=level,
        unit=unit,
        held=held,
        frozen=bool(table.frozen),
        as_of=position,
    )
