"""Heartbeats of house players (R11.3): one after another, so that a crowd of them slows nothing but its own pulse."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from workers.client import Client, Refused

BEAT_SECONDS = 2.0
"""How long after a round of heartbeats the next one begins."""
GONE = {"forbidden", "table-closed"}
"""Refusals that only say that the player sits there no more."""


class Heartbeats:
    """Beats for whoever was last seen at a table; `client` gives a player's own, or None for somebody else's player."""

    def __init__(self, client: Callable[[str], Client | None]) -> None:
        self._client = client
        self._tables: dict[str, str] = {}
        self._rtt_ms: int | None = None

    def seat(self, table_id: str, seats: Iterable[Mapping[str, Any]]) -> None:
        """These seats were seen at a table."""
        self._tables |= {seat["player_id"]: table_id for seat in seats}

    def run(self, done: threading.Event, told: Callable[..., None]) -> None:
        """Beat until it is done; `told` runs each beat, and says what went wrong."""
        while not done.wait(BEAT_SECONDS):
            for player_id, table_id in list(self._tables.items()):
                told(self._beat, player_id, table_id)

    def _beat(self, player_id: str, table_id: str) -> None:
        client = self._client(player_id)
        if client is None:
            self._tables.pop(player_id, None)
            return
        table = f"/v1/tables/{table_id}"
        try:
            if self._rtt_ms is None:  # the first one tells how long any other request took
                self._rtt_ms = _took_ms(lambda: client.get(table))
            body = {"rtt_ms": self._rtt_ms}
            self._rtt_ms = _took_ms(lambda: client.post(f"{table}/heartbeat", body))
        except Refused as refusal:
            if refusal.code not in GONE:
                raise
            self._tables.pop(player_id, None)


def _took_ms(request: Callable[[], object]) -> int:
    began = time.monotonic()
    request()
    return int((time.monotonic() - began) * 1000)
