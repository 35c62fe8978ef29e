"""Connections: what each player's last heartbeat at his table says of him, and how that has changed (R11.1, R11.3).

A heartbeat is no event: it is one row, written again each time, and a state is worked out by whoever looks. Changes are
noted by the heartbeat that makes them, with the silence before it; silence that goes on is noted by whoever looks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from domain.connection import Change, Connection, Heartbeat, Limits, changes, connection, lapses
from domain.ids import PlayerId, TableId
from services.database import Connection as Conn
from services.database import Database

States = Mapping[UUID, Connection]
"""By player; who is not in it is not connected."""
KEPT_SECONDS = 3600
"""How old a heartbeat gets at least before it is put away."""
MOST_PUT_AWAY = 1000
"""Heartbeats that are put away at once."""
CHANGES_KEPT_DAYS = 90
"""How long a change can be read, by default. A hand may be protested for 30 days at most."""
MOST_FORGOTTEN = 10_000
"""Changes that are forgotten at once."""


class Seated(NamedTuple):
    """A player who sits at an open table and has sent a heartbeat there."""

    tournament_id: UUID | None
    table_id: UUID
    seat: int
    player_id: UUID
    state: Connection


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
        for table_id, player_id, heartbeat, now in self._heartbeats(table_ids):
            found[table_id][player_id] = connection(heartbeat, now, self.limits)
        return found

    def everybody(self, conn: Conn) -> tuple[datetime, list[Seated]]:
        """The time, and all who sit at an open table and have sent a heartbeat there."""
        rows = conn.execute(_EVERYBODY).fetchall()
        now: datetime = rows[0][0]
        found = [
            Seated(tournament, table, seat, player, connection(Heartbeat(rtt_ms, at), now, self.limits))
            for _, tournament, table, seat, player, rtt_ms, at in rows
            if at is not None
        ]
        return now, found

    def note(
        self, table_id: TableId, player_id: PlayerId, before: Heartbeat | None, after: Heartbeat
    ) -> None:
        """Note what became of a player from one heartbeat to the next, if anything."""
        if found := changes(before, after, self.limits):
            with self.database.connection() as conn:
                conn.execute(_NOTE_HEARTBEAT, _columns(table_id, player_id, found))

    def note_lapses(self, table_id: TableId) -> None:
        """Note who at a table has fallen silent by now, and when."""
        found = [
            (player_id, lapses(heartbeat, now, self.limits))
            for _, player_id, heartbeat, now in self._heartbeats([table_id])
        ]
        silent = [_columns(table_id, player_id, fallen) for player_id, fallen in found if fallen]
        if silent:
            with self.database.connection() as conn:
                for columns in silent:
                    conn.execute(_NOTE_LAPSE, columns)

    def put_away(self) -> int:
        """Delete old heartbeats, which say no more than none, once the silence after them is noted; how many."""
        kept = max(KEPT_SECONDS, self.limits.lost_seconds + 1)
        with self.database.transaction() as cursor:
            rows = cursor.execute(_OLD, (kept, MOST_PUT_AWAY)).fetchall()
            for table_id, player_id, rtt_ms, at, now in rows:
                fallen = lapses(Heartbeat(rtt_ms, at), now, self.limits)
                cursor.execute(_NOTE_LAPSE, _columns(table_id, player_id, fallen))
                cursor.execute(_DELETE, (table_id, player_id))
        return len(rows)

    def forget(self, days: int = CHANGES_KEPT_DAYS) -> int:
        """Delete changes that have been kept for so long, the oldest first; how many."""
        with self.database.connection() as conn:
            return conn.execute(_FORGET, (days, MOST_FORGOTTEN)).rowcount

    def _heartbeats(self, table_ids: Sequence[UUID]) -> list[tuple[UUID, UUID, Heartbeat, datetime]]:
        with self.database.connection() as conn:
            rows = conn.execute(_AT_TABLES, (list(table_ids),)).fetchall()
        return [(table_id, player_id, Heartbeat(ms, at), now) for table_id, player_id, ms, at, now in rows]


def _columns(table_id: UUID, player_id: UUID, found: Iterable[Change]) -> dict[str, object]:
    """Changes as a statement takes them: the last one of each second."""
    last = {change.at.replace(microsecond=0): change for change in found}
    return {
        "table": table_id,
        "player": player_id,
        "at": [change.at for change in last.values()],
        "state": [change.state.value for change in last.values()],
    }


_AT_TABLES = """
SELECT table_id, player_id, rtt_ms, at, clock_timestamp() FROM heartbeats WHERE table_id = ANY(%s)
"""
_EVERYBODY = """
SELECT clock_timestamp(), s.* FROM (SELECT 1) AS one LEFT JOIN
(
    SELECT t.tournament_id, h.table_id, s.seat, h.player_id, h.rtt_ms, h.at
    FROM heartbeats h
    JOIN projections.table_seats s ON s.table_id = h.table_id AND s.player_id = h.player_id
    JOIN projections.tables t ON t.table_id = h.table_id
) AS s ON true
"""
_OLD = """
SELECT table_id, player_id, rtt_ms, at, clock_timestamp() FROM heartbeats
WHERE at < clock_timestamp() - make_interval(secs => %s) LIMIT %s FOR UPDATE SKIP LOCKED
"""
_DELETE = "DELETE FROM heartbeats WHERE table_id = %s AND player_id = %s"
_FORGET = """
DELETE FROM connection_changes WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM connection_changes WHERE at < clock_timestamp() - make_interval(days => %s) ORDER BY at LIMIT %s
))
"""
_NOTE = """
INSERT INTO connection_changes (table_id, player_id, at, state)
SELECT %(table)s, %(player)s, c.at, c.state FROM unnest(%(at)s::timestamptz[], %(state)s::text[]) AS c (at, state)
ON CONFLICT (table_id, player_id, date_trunc('second', at AT TIME ZONE 'UTC'))
"""
_NOTE_HEARTBEAT = f"{_NOTE} DO UPDATE SET at = EXCLUDED.at, state = EXCLUDED.state"
_NOTE_LAPSE = f"{_NOTE} DO NOTHING"
"""What is there already was noted by a heartbeat, which knows better, or by another look."""
