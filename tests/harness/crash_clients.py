"""What clients do while everything is killed: they enrol, pay in and out, enter, play, record, sit down and stand up.

Each is a thread with a seed of its own. It goes on until it is told that it is late, then finishes what it has begun.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from random import Random
from types import MappingProxyType
from typing import Any, Final
from uuid import uuid4

from tests.harness.crash_acks import Acks, Witness, nothing
from tests.workers.test_ring_evening import Guest
from workers.bots import GONE
from workers.client import Client, Refused
from workers.strategy import choose

CURRENCY = "USD"
HANDS_OF_A_TABLE = 40
"""After so many results a league's table is closed, and the next one opened."""
BUY_IN: Final = MappingProxyType({"amount": 1000, "fee": 100, "currency": CURRENCY})
QUICK: Final = MappingProxyType({"stack_points": 8, "hands_per_level": 2, "between_hands_seconds": 0})


class House:
    """Where the clients are: the service, its admin, what is expected of it; `strict` where nothing may be refused."""

    def __init__(self, url: str, token: str, acks: Acks, *, strict: bool) -> None:
        self.url = url
        self.acks = acks
        self.admin = Witness(url, token, acks)
        self.strict = strict
        self.late = threading.Event()

    def enrolled(self) -> str:
        player: str = self.admin.post("/v1/players", {"name": f"Guest {uuid4().hex[:20]}"})["player_id"]
        return player

    def booked(self, what: str, player: str, amount: int) -> None:
        """A deposit or a withdrawal."""
        money = {"amount": amount, "currency": CURRENCY, "reference": uuid4().hex}
        self.admin.post(f"/v1/wallets/{player}/{what}", money)

    @contextmanager
    def refusing(self, *codes: str) -> Iterator[None]:
        """A block in which these refusals are in order: others are at it at the same time."""
        try:
            yield
        except Refused as no:
            if no.code not in codes and self.strict:
                raise
            self.acks.refused[no.code] += 1


class Visitor(threading.Thread, ABC):
    """One client; `wrong` is what made it stop before its time."""

    def __init__(self, house: House, seed: str) -> None:
        super().__init__(daemon=True, name=seed)
        self.house = house
        self.admin = house.admin
        self.random = Random(seed)
        self.told = nothing()
        self.wrong: Exception | None = None

    def run(self) -> None:
        try:
            self.arrive()
            while not self.house.late.is_set():
                with self.house.refusing():
                    self.visit()
            with self.house.refusing():
                self.leave()
        except Exception as error:  # noqa: BLE001 - the report tells
            self.wrong = error

    def arrive(self) -> None:
        """Before the first visit."""

    @abstractmethod
    def visit(self) -> None:
        """Some commands; called again and again."""

    def leave(self) -> None:
        """After the last visit."""


class Scribe(Visitor):
    """Records the hands of a league, each the next one: sent twice without a key it would be two."""

    def arrive(self) -> None:
        self.players = [self.house.enrolled() for _ in range(4)]
        name = f"League {uuid4().hex[:12]}"
        terms = {"name": name, "format": "league", "recorded": True}
        self.league = self.admin.post("/v1/tournaments", terms)["tournament_id"]
        self.told.tournaments[name] += 1
        for player in self.players:
            self.admin.post(f"/v1/tournaments/{self.league}/entries", {"player_id": player})
        self.admin.post(f"/v1/tournaments/{self.league}/start")
        self.table = self.opened()

    def opened(self) -> str:
        seats = [{"seat": seat, "player_id": player} for seat, player in enumerate(self.players, 1)]
        made = self.admin.post("/v1/tables", {"tournament_id": self.league, "seats": seats})
        table: str = made["table_id"]
        return table

    def visit(self) -> None:
        winner = self.random.randint(1, 4)
        left = {str(seat): self.random.randint(1, 13) * (seat != winner) for seat in range(1, 5)}
        self.admin.post(f"/v1/tables/{self.table}/results", {"cards_left": left, "winner": winner})
        self.told.hands[self.table] += 1
        if self.told.hands[self.table] == HANDS_OF_A_TABLE:
            self.admin.post(f"/v1/tables/{self.table}/close")
            self.table = self.opened()

    def leave(self) -> None:
        self.admin.post(f"/v1/tournaments/{self.league}/finish")


class Cashier(Visitor):
    """Enrols players, books their money in and out, and makes tokens for them."""

    def arrive(self) -> None:
        self.players = [self.house.enrolled()]

    def visit(self) -> None:
        player = self.random.choice(self.players)
        match self.random.choices(("player", "deposit", "withdrawal", "token"), (1, 4, 3, 1))[0]:
            case "player":
                self.players.append(self.house.enrolled())
            case "deposit":
                self.book("deposits", player, self.random.randint(1, 5000))
            case "withdrawal" if balance := self.told.money[player]:
                self.book("withdrawals", player, self.random.randint(1, balance))
            case "token":
                self.house.admin.token_of(player)

    def book(self, what: str, player: str, amount: int) -> None:
        self.house.booked(what, player, amount)
        self.told.money[player] += amount if what == "deposits" else -amount


class Host(Visitor):
    """Gives sit-and-gos for money and plays all their seats, until each has its winner."""

    terms: Mapping[str, Any] = MappingProxyType({**QUICK, "turn_seconds": 4, "prizes_bp": [7000, 3000]})

    def visit(self) -> None:
        seats = self.random.randint(2, 4)
        name = f"Sit and go {uuid4().hex[:12]}"
        terms = {"name": name, "format": "sit_and_go", "capacity": seats, "buy_in": dict(BUY_IN)}
        t = self.admin.post("/v1/tournaments", terms | dict(self.terms))["tournament_id"]
        self.told.tournaments[name] += 1
        clients = {}
        for _ in range(seats):
            player = self.house.enrolled()
            self.house.booked("deposits", player, BUY_IN["amount"] + BUY_IN["fee"])
            clients[player] = self.client_of(player)
            self.admin.post(f"/v1/tournaments/{t}/entries", {"player_id": player})
        while self.admin.get(f"/v1/tournaments/{t}")["state"] not in ("finished", "cancelled"):
            self.play(t, clients)

    def client_of(self, player: str, /) -> Witness | None:
        return self.house.admin.token_of(player)

    def play(self, t: str, clients: Mapping[str, Witness | None], /) -> None:
        """Act for whoever's turn it is at the table."""
        tables = self.admin.get(f"/v1/tournaments/{t}/tables")["items"]
        hand_id = next((table["hand_id"] for table in tables if table["hand_id"]), None)
        hand = self.admin.get(f"/v1/hands/{hand_id}") if hand_id else None
        if not hand or not hand["turn"]:
            time.sleep(0.05)
            return
        seat = next(seat for seat in hand["seats"] if seat["seat"] == hand["turn"]["seat"])
        client = clients[seat["player_id"]]
        assert client is not None
        with self.house.refusing(*GONE, "leader-cannot-pass"):
            act(client, hand_id, seat["cards_left"], self.random)


class Idler(Host):
    """Gives sit-and-gos whose players never act: the clock and the workers play them."""

    terms = MappingProxyType({**QUICK, "turn_seconds": 0, "prizes_bp": [10_000]})

    def client_of(self, _player: str) -> None:
        return None

    def play(self, _t: str, _clients: Mapping[str, Witness | None]) -> None:
        time.sleep(0.2)


class RingGuest(Visitor):
    """Pays in, sits down at a ring table, plays and stands up again."""

    def __init__(self, house: House, seed: str) -> None:
        super().__init__(house, seed)
        self.guest = Guest(house.url, house.admin, [ring_table(house)], self.random.randrange(10**9))
        self.guest.client = house.admin.token_of(self.guest.id)

    def visit(self) -> None:
        self.guest.visit(self.random.choice(self.guest.tables))


def ring_table(house: House) -> str:
    """The ring table of the house, opened for whoever comes first."""
    admin = house.admin
    for table in admin.pages("/v1/tables"):
        return str(table["table_id"])
    terms = {"between_hands_seconds": 0, "turn_seconds": 4, "stake": {"schedule": "actionpoker", "unit": 25}}
    return str(admin.post("/v1/tables", terms)["table_id"])


def act(client: Client, hand_id: str, own: int, random: Random) -> None:
    """Take the turn as a house player would."""
    legal = client.get(f"/v1/hands/{hand_id}/legal-plays")
    turn = {"turn": legal["turn"]}
    if cards := choose(legal, own, 13, random):
        client.post(f"/v1/hands/{hand_id}/plays", turn | {"cards": cards})
    else:
        client.post(f"/v1/hands/{hand_id}/passes", turn)


CLIENTS: Final[Mapping[str, Callable[[House, str], Visitor]]] = MappingProxyType(
    {"scribe": Scribe, "cashier": Cashier, "host": Host, "idler": Idler, "guest": RingGuest}
)
