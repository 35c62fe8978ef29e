"""Connections: each player's heartbeats at his table, what they say of him, and how that has changed (R11.1, R11.3).

No event, and nothing that waits: a heartbeat is one row that is written again,
and a state is worked out by whoever looks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from domain.connection import Connection, Heartbeat, Limits, connection
from services.database import Database

States = Mapping[UUID, Connection]
"""By player; who is not in it is not connected."""


class Connections:
    """The heartbeats of all players, and the limits by which they are judged."""

    def __init__(self, database: Database, limits: Limits) -> None:
        self.database = database
        self.limits = limits

    def at(self, table_id: UUID) -> States:
        """Each player's state at a table, now."""
        return self.at_tables([table_id])[table_id]

    def at_tables(self, table_ids: Sequence[UUID]) -> Mapping[UUID, States]:
        """Each player's state at each of these tables, now."""
        found: dict[UUID, dict[UUID, Connection]] = {table_id: {} for table_id in table_ids}
        with self.database.connection() as conn:
            rows = conn.execute(_HEARTBEATS, (list(table_ids),)).fetchall()
        for table_id, player_id, rtt_ms, at, now in rows:
            found[table_id][player_id] = self._judged(rtt_ms, at, now)
        return found

    def _judged(self, rtt_ms: int, at: datetime, now: datetime) -> Connection:
        return connection(Heartbeat(rtt_ms, at), now, self.limits)


_HEARTBEATS = """
SELECT table_id, player_id, rtt_ms, at, clock_timestamp() FROM heartbeats WHERE table_id = ANY(%s)
"""
