"""Ring tables for the tests: opened, taken with money from wallets, and played over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID, uuid4

from flask import Flask

from domain.player import PLAYER, bar
from services.application.context import Services
from services.commands import Decision, execute, on
from services.envelope import Command
from tests.services.http.driving import Api
from tests.services.http.playing import name, until

TERMS = {
    "stake": {"schedule": "actionpoker@1", "unit": 100},
    "currency": "USD",
    "between_hands_seconds": 0,
    "turn_seconds": 600,
}


def regulars(app: Flask, operator: Api, *names: str, money: int = 10**9) -> dict[str, Api]:
    """Players of these names with much money, by id, each with his own token."""
    found = {}
    for each in names:
        player = operator.made("/v1/players", {"name": each})["player_id"]
        found[player] = Api(app, operator.made(f"/v1/players/{player}/tokens")["token"])
        body = {"amount": money, "currency": "USD", "reference": uuid4().hex}
        operator.made(f"/v1/wallets/{player}/deposits", body)
    return found


def barred(services: Services, player: str) -> None:
    """Bar a player, for which there is no route yet."""
    decide = lambda stream, _: Decision([on(stream, *bar(stream.state, "cheats"))])  # noqa: E731
    execute(services.store, Command(uuid4(), "tests", ""), (PLAYER, UUID(player)), decide)


class RingGame:
    """A ring table and the players whom it knows, each with his own token and some money."""

    def __init__(self, app: Flask, operator: Api, **terms: object) -> None:
        self.app = app
        self.operator = operator
        self.anybody = Api(app)
        self.players: dict[str, Api] = {}
        self.opened = operator.made("/v1/tables", TERMS | terms)
        self.id = self.opened["table_id"]
        self.path = f"/v1/tables/{self.id}"

    def player(self, money: int = 100_000) -> str:
        """A new player, with so much in his wallet."""
        player = self.operator.made("/v1/players", {"name": name()})["player_id"]
        self.players[player] = Api(self.app, self.operator.made(f"/v1/players/{player}/tokens")["token"])
        if money:
            self.pay_in(player, money)
        return player

    def pay_in(self, player: str, money: int) -> None:
        body = {"amount": money, "currency": "USD", "reference": uuid4().hex}
        self.operator.made(f"/v1/wallets/{player}/deposits", body)

    def sit(self, seat: int, player: str | None = None, buy_in: int = 5000) -> str:
        """Sit somebody down; who."""
        player = player or self.player()
        answer = self.put(seat, {"player_id": player, "buy_in": buy_in})
        assert answer.status_code == 200, answer.text
        return player

    def sit_together(self, buy_ins: Mapping[str, int]) -> None:
        """Sit players down with these buy-ins, from seat 1 on, all before the next deal."""
        self.operator.made(f"{self.path}/pause")
        for seat, (player, buy_in) in enumerate(buy_ins.items(), 1):
            self.sit(seat, player, buy_in)
        self.operator.made(f"{self.path}/resume")

    def put(self, seat: int, body: dict, by: str | None = None, **more):
        return (self.players[by] if by else self.operator).request(
            "PUT", f"{self.path}/seats/{seat}", body, **more
        )

    def at(self, seat: int) -> str | None:
        """Who sits there."""
        return next((s["player_id"] for s in self.table()["seats"] if s["seat"] == seat), None)

    def wish(self, seat: int, body: dict, **more):
        """What the operator puts for whoever sits there."""
        return self.put(seat, {"player_id": self.at(seat)} | body, **more)

    def leave(self, seat: int, by: str | None = None, player: str | None = None, **more):
        """He stands up himself; or the operator stands up `player`, by default whoever sits there."""
        path = f"{self.path}/seats/{seat}"
        if by:
            return self.players[by].delete(path, **more)
        named = player or self.at(seat)
        return self.operator.delete(f"{path}?player_id={named}" if named else path, **more)

    def purse(self, player: str) -> int:
        """What is in his wallet."""
        wallet = self.players[player].read(f"/v1/wallets/{player}")
        return next(item["balance"] for item in wallet["items"] if item["currency"] == "USD")

    def balance(self, account: str) -> int:
        """What an account of the money book has, in cents."""
        items = self.operator.read(f"/v1/ledger/accounts?account={account}&currency=USD")["items"]
        return items[0]["balance"] if items else 0

    def stack_of(self, player: str) -> int:
        """What the book says that he has at the table."""
        return self.balance(f"stack/{self.id}/{player}")

    def table(self) -> dict:
        return self.anybody.read(self.path)

    def stacks(self) -> dict[int, int]:
        return {s["seat"]: s["stack"] for s in self.table()["seats"]}

    def hand_id(self) -> str:
        """The hand that runs, once one does."""
        return until(lambda: self.table()["hand_id"])

    def hand(self, hand_id: str, reader: Api | None = None) -> dict:
        return (reader or self.anybody).read(f"/v1/hands/{hand_id}")

    def act(self, hand_id: str) -> dict:
        """Take the running turn with the highest legal play, or pass; the answer."""
        hand = self.hand(hand_id)
        seat = hand["turn"]["seat"]
        player = self.players[next(s["player_id"] for s in hand["seats"] if s["seat"] == seat)]
        legal = player.read(f"/v1/hands/{hand_id}/legal-plays")
        path = f"/v1/hands/{hand_id}"
        if not legal["items"]:
            return player.made(f"{path}/passes", {"turn": legal["turn"]})
        return player.made(f"{path}/plays", {"turn": legal["turn"], "cards": legal["items"][-1]["cards"]})

    def play_hand(self, hand_id: str) -> dict:
        """Play a hand to its end; how it then reads."""
        while self.hand(hand_id)["turn"]:
            self.act(hand_id)
        return self.hand(hand_id)
