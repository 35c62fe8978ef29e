"""Leagues and other recorded tournaments for the tests, driven over HTTP."""

from __future__ import annotations

from typing import Any

from tests.services.http.driving import Api
from tests.services.http.playing import name, until


class Club:
    """A recorded tournament; of a league the tables are opened by hand."""

    def __init__(self, operator: Api, entrants: int = 4, *, start: bool = True, **terms: Any) -> None:
        self.operator = operator
        terms = {"name": "Club", "format": "league", "recorded": True} | terms
        self.id = operator.made("/v1/tournaments", terms)["tournament_id"]
        self.path = f"/v1/tournaments/{self.id}"
        self.players = [self.enter() for _ in range(entrants)]
        if start and terms["format"] != "sit_and_go":
            operator.made(f"{self.path}/start")

    def enter(self) -> str:
        player = self.operator.made("/v1/players", {"name": name()})["player_id"]
        self.operator.made(f"{self.path}/entries", {"player_id": player})
        return player

    def seats(self, *players: str) -> list[dict[str, Any]]:
        return [{"seat": seat, "player_id": player} for seat, player in enumerate(players, 1)]

    def open(self, *players: str, **more: Any) -> str:
        """A table with these players, at the seats from 1 on."""
        body = {"tournament_id": self.id, "seats": self.seats(*(players or self.players))}
        return self.operator.made("/v1/tables", body, **more)["table_id"]

    def record(self, table: str, *cards_left: int, **more: Any) -> dict[str, Any]:
        """The hand that was recorded with these cards left, by seat from 1 on."""
        return self.operator.made(f"/v1/tables/{table}/results", told(*cards_left, **more))

    def refused(self, table: str, *cards_left: int, by: Api | None = None, **more: Any) -> Any:
        """The answer to a result that is not taken."""
        answer = (by or self.operator).post(f"/v1/tables/{table}/results", told(*cards_left, **more))
        assert answer.status_code >= 400, answer.text
        return answer

    def tables(self) -> list[dict[str, Any]]:
        """The tables, open and closed; of formats that draw them, once they are drawn."""
        return until(lambda: self.operator.read(f"{self.path}/tables")["items"])

    def standings(self, **query: Any) -> list[dict[str, Any]]:
        asked = "&".join(f"{key}={value}" for key, value in query.items())
        return self.operator.read(f"{self.path}/standings?{asked}")["items"]

    def state(self) -> dict[str, Any]:
        return self.operator.read(self.path)


def told(*cards_left: int, **more: Any) -> dict[str, Any]:
    """A result's body: the cards left by seat from 1 on, and its winner."""
    by_seat = {str(seat): left for seat, left in enumerate(cards_left, 1)}
    winner = next((seat for seat, left in enumerate(cards_left, 1) if not left), 1)
    return {"cards_left": by_seat, "winner": winner} | more


def errors(answer: Any) -> dict[str, str]:
    """A problem's errors, by pointer."""
    assert answer.status_code == 422, answer.text
    return {each["pointer"]: each["detail"] for each in answer.json["errors"]}


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json["type"].removeprefix("/problems/")
