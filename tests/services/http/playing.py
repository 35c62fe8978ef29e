"""Tournaments for the tests: made, filled, and played over HTTP, by the lowest legal play or a pass."""

from __future__ import annotations

import itertools
import time
from typing import Any

from flask import Flask

from tests.services.http.driving import Api

SECONDS = 60
"""When a test gives up; nothing passes because of it."""
_NUMBERS = itertools.count(1)


def until(what, seconds: float = SECONDS) -> Any:
    """The first result of `what()` that is true."""
    give_up = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < give_up, "it did not happen in time"
        time.sleep(0.005)
    return found


def name() -> str:
    """A name that nobody has."""
    return f"Player {next(_NUMBERS):05}"


class Game:
    """A tournament and its players, each with his own token."""

    def __init__(self, app: Flask, operator: Api, entrants: int = 4, **terms: object) -> None:
        self.operator = operator
        self.anybody = Api(app)
        self.players: dict[str, Api] = {}
        terms = {
            "name": "Friday",
            "format": "sit_and_go",
            "capacity": 4,
            "between_hands_seconds": 0,
            "turn_seconds": 600,
        } | terms
        self.id = operator.made("/v1/tournaments", terms)["tournament_id"]
        self.path = f"/v1/tournaments/{self.id}"
        for _ in range(entrants):
            self.enter(app)

    def enter(self, app: Flask) -> str:
        player = self.operator.made("/v1/players", {"name": name()})["player_id"]
        self.players[player] = Api(app, self.operator.made(f"/v1/players/{player}/tokens")["token"])
        self.operator.made(f"{self.path}/entries", {"player_id": player})
        return player

    def state(self) -> str:
        return self.anybody.read(self.path)["state"]

    def hand_id(self) -> str:
        """A hand that runs."""
        return until(self._running)

    def hand(self, hand_id: str, reader: Api | None = None) -> dict:
        return (reader or self.anybody).read(f"/v1/hands/{hand_id}")

    def on_turn(self, hand: dict) -> Api:
        return self.players[self.player_at(hand, hand["turn"]["seat"])]

    @staticmethod
    def player_at(hand: dict, seat: int) -> str:
        return next(s["player_id"] for s in hand["seats"] if s["seat"] == seat)

    def legal(self, hand: dict) -> dict:
        return self.on_turn(hand).read(f"/v1/hands/{hand['hand_id']}/legal-plays")

    def act(self, hand_id: str, *, highest: bool = False) -> dict:
        """Take the running turn; the answer."""
        hand = self.hand(hand_id)
        legal = self.legal(hand)
        path = f"/v1/hands/{hand_id}"
        if not legal["items"]:
            return self.on_turn(hand).made(f"{path}/passes", {"turn": legal["turn"]})
        cards = legal["items"][-1 if highest else 0]["cards"]
        return self.on_turn(hand).made(f"{path}/plays", {"turn": legal["turn"], "cards": cards})

    def play_hand(self, hand_id: str) -> dict:
        """Play a hand to its end; how it then reads."""
        while self.hand(hand_id)["turn"]:
            self.act(hand_id, highest=True)
        return self.hand(hand_id)

    def play(self) -> None:
        """Play the tournament to its end."""
        while hand_id := until(lambda: self._running() or (self.state() == "finished" and "over")):
            if hand_id == "over":
                return
            self.play_hand(hand_id)

    def _running(self) -> str | None:
        tables = self.anybody.read(f"{self.path}/tables")["items"]
        return next((t["hand_id"] for t in tables if t["hand_id"]), None)
