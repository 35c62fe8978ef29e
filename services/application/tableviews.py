"""A table, from its own stream."""

from __future__ import annotations

from domain.ids import TableId
from domain.table import TABLE
from services import people
from services.application import resources as shapes
from services.application.context import Services
from services.application.errors import existing
from services.application.lists import unit_and_level


def table_view(services: Services, table_id: TableId) -> shapes.Table:
    """The table as everybody may see it."""
    stream = services.store.load(TABLE, table_id)
    table = existing(stream, "table")
    database = services.store.database
    called = people.names(database, [taken.player_id for taken in table.seats.values()])
    unit, level = (table.unit, table.level) if table.hands_begun else unit_and_level(database, table_id)
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
                stack=taken.stack,
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
        as_of=stream.position,
    )
