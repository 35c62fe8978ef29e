"""Where house players play: a tournament until it is over, or a ring table until it closes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from workers.client import Client


class Venue(Protocol):
    """What house players must know of where they play; all but `ended_by` asks the service, and raises its Refused."""

    query: str
    """The feed's query."""

    def names(self) -> Iterable[str]:
        """The names of those who are there."""

    def hands(self) -> Iterator[str]:
        """The ids of the hands that run."""

    def over(self) -> bool:
        """Whether nothing more is played for."""

    def ended_by(self, kind: str, event: Mapping[str, Any]) -> bool:
        """Whether this event of the feed says so."""


class Tournament:
    """A tournament, until it is finished or cancelled."""

    def __init__(self, client: Client, tournament_id: str) -> None:
        self.query = f"tournament={tournament_id}"
        self._client = client
        self._path = f"/v1/tournaments/{tournament_id}"

    def names(self) -> Iterable[str]:
        return (entry["name"] for entry in self._client.pages(f"{self._path}/entries"))

    def hands(self) -> Iterator[str]:
        for table in self._client.pages(f"{self._path}/tables"):
            if table["hand_id"]:
                yield table["hand_id"]

    def over(self) -> bool:
        return self._client.get(self._path)["state"] in ("finished", "cancelled")

    def ended_by(self, kind: str, event: Mapping[str, Any]) -> bool:  # noqa: ARG002 - the kind says it all
        return kind in ("tournament.finished", "tournament.cancelled")


class RingTable:
    """A ring table, until it is closed or has played `hands` more than when this was made."""

    def __init__(self, client: Client, table_id: str, hands: int | None = None) -> None:
        self.query = f"table={table_id}"
        self._client = client
        self._path = f"/v1/tables/{table_id}"
        self._last = None if hands is None else self._table()["hands_played"] + hands

    def names(self) -> Iterable[str]:
        return (seat["name"] for seat in self._table()["seats"])

    def hands(self) -> Iterator[str]:
        if running := self._table()["hand_id"]:
            yield running

    def over(self) -> bool:
        table = self._table()
        return table["state"] == "closed" or self._enough(table["hands_played"])

    def ended_by(self, kind: str, event: Mapping[str, Any]) -> bool:
        return kind == "ring.closed" or (kind == "ring.hand_ended" and self._enough(event["number"]))

    def _enough(self, played: int) -> bool:
        return self._last is not None and played >= self._last

    def _table(self) -> dict[str, Any]:
        table: dict[str, Any] = self._client.get(self._path)
        return table
