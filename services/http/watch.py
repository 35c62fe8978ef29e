"""Whose connection has changed: what the feeds are told of it (R11.3).

Not from the log, so without a position: a reader who comes back reads the table instead. Every web process compares all
states once a second, so a feed is told of at most one change a second of each player, and a change missed is told by
the next look.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import msgspec

from domain.connection import Connection
from services.application.connections import Connections, Seated
from services.database import Connection as Conn

LOOK_SECONDS = 1.0
"""How often the states are compared."""
EVENT = "connection"

Player = tuple[UUID, UUID]
"""A table and a player at it."""


class Told(NamedTuple):
    """A change as the feeds tell it; `players` are those who sit at the table."""

    seated: Seated
    players: Sequence[UUID]
    frame: bytes

    def topics(self) -> list[tuple[str, UUID]]:
        """The topics that it belongs to."""
        tournament = self.seated.tournament_id
        return [
            ("table", self.seated.table_id),
            *([("tournament", tournament)] if tournament else []),
            *(("player", player) for player in self.players),
        ]

    @property
    def player(self) -> Player:
        return self.seated.table_id, self.seated.player_id


class Watch:
    """Remembers each player's state. Its first look finds nothing changed."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._known: dict[Player, Connection] | None = None
        self._next = 0.0

    def look(self, conn: Conn) -> list[Told]:
        """The changes since the last look; none if that was less than a second ago."""
        if time.monotonic() < self._next:
            return []
        self._next = time.monotonic() + LOOK_SECONDS
        now, everybody = self._connections.everybody(conn)
        known, self._known = self._known, {(s.table_id, s.player_id): s.state for s in everybody}
        if known is None:
            return []
        changed = [s for s in everybody if s.state is not known.get((s.table_id, s.player_id), _NONE)]
        return _told(conn, changed, now) if changed else []


def _told(conn: Conn, changed: list[Seated], now: datetime) -> list[Told]:
    tables = list({s.table_id for s in changed})
    players: dict[UUID, list[UUID]] = {table_id: [] for table_id in tables}
    for table_id, player_id in conn.execute(_PLAYERS, (tables,)):
        players[table_id].append(player_id)
    return [Told(s, players[s.table_id], _frame(s, now)) for s in changed]


def _frame(seated: Seated, now: datetime) -> bytes:
    """An event without an id: the reader's last one stays what it was."""
    told = {"type": EVENT, "at": now, **seated._asdict()}
    told["connection"] = told.pop("state")
    return b"event: %s\ndata: %s\n\n" % (EVENT.encode(), msgspec.json.encode(told))


_NONE = Connection.NOT_CONNECTED
_PLAYERS = "SELECT table_id, player_id FROM projections.table_seats WHERE table_id = ANY(%s)"
