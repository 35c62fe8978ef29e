"""An evening at ring tables in real processes: players pay in, sit down, play, leave and pay out, whatever is killed.

Then the book is made again from the raw events by `tests.proof.money`, which knows nothing of the service.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from random import Random
from typing import Any
from uuid import uuid4

import pytest

from big2.history import verify
from services.audit import deal_problem, verify_log
from services.bootstrap import presets, store_in
from services.projections.rebuild import compare
from tests.workers.outside import balances_from_outside, loaded_outside
from tests.workers.test_service import Service
from workers.client import Client, Refused
from workers.strategy import choose

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="children end with their parent on Linux only"
)

KILLED = ("worker", "web", "projector", "clock", "postgres")
GUESTS = 6
TABLES = (("actionpoker", 25), ("dealer-puck", 100))


class Guest(threading.Thread):
    """A player who goes from table to table, until he is told that it is late."""

    def __init__(self, url: str, admin: Client, tables: list[str], seed: int) -> None:
        super().__init__(daemon=True)
        self.random = Random(seed)
        self.admin, self.tables = admin, tables
        self.late = threading.Event()
        self.wrong: Exception | None = None
        self.id = admin.post("/v1/players", {"name": f"Guest {uuid4().hex[:20]}"})["player_id"]
        self.client = Client(url, admin.post(f"/v1/players/{self.id}/tokens")["token"])

    def run(self) -> None:
        try:
            while not self.late.is_set():
                self.visit(self.random.choice(self.tables))
        except Exception as error:  # noqa: BLE001 - the test tells
            self.wrong = error

    def visit(self, table: str) -> None:
        """Pay in, sit down, play some hands, stand up."""
        self.admin.post(f"/v1/wallets/{self.id}/deposits", self.money(self.random.randint(5000, 20_000)))
        seat = self.sit(table)
        if seat is None:
            return time.sleep(0.1)
        enough = time.monotonic() + self.random.uniform(1, 5)
        while time.monotonic() < enough:
            self.play(table, seat)
        self.client.delete(f"/v1/tables/{table}/seats/{seat}")
        while any(s["player_id"] == self.id for s in self.read(table)["seats"]):
            self.play(table, seat)
        return None

    def sit(self, table: str) -> int | None:
        seat, least = self.random.randint(1, 4), self.read(table)["ring"]["stake"]["buy_in"]
        try:
            self.client.put(
                f"/v1/tables/{table}/seats/{seat}", {"buy_in": self.random.randint(least, least + 3000)}
            )
        except Refused as no:
            must_be_one_of(no, "seat-taken", "insufficient-funds")
            return None
        return seat

    def play(self, table: str, seat: int) -> None:
        """Act if it is his turn; top up and sit in again if he was sat out."""
        shown = self.read(table)
        mine = next((s for s in shown["seats"] if s["seat"] == seat), None)
        if mine and mine["sitting_out"] and not mine["leaving"]:
            self.come_back(table, seat, mine)
        hand = self.client.get(f"/v1/hands/{shown['hand_id']}") if shown["hand_id"] else None
        if not hand or not hand["turn"] or hand["turn"]["seat"] != seat or "you" not in hand:
            return time.sleep(0.02)
        legal = self.client.get(f"/v1/hands/{hand['hand_id']}/legal-plays")
        cards = choose(legal, len(hand["you"]["cards"]), 13, self.random)
        path, turn = f"/v1/hands/{hand['hand_id']}", {"turn": hand["turn"]["number"]}
        try:
            if cards:
                self.client.post(f"{path}/plays", turn | {"cards": cards})
            else:
                self.client.post(f"{path}/passes", turn)
        except Refused as no:
            must_be_one_of(no, "stale-turn", "hand-closed", "leader-cannot-pass")
        return None

    def come_back(self, table: str, seat: int, mine: dict[str, Any]) -> None:
        wish = {"buy_in": mine["buy_in"] + 1000, "sitting_out": False}
        try:
            self.client.put(f"/v1/tables/{table}/seats/{seat}", wish)
        except Refused as no:
            must_be_one_of(no, "insufficient-funds", "standing-up", "validation")

    def read(self, table: str) -> dict[str, Any]:
        shown: dict[str, Any] = self.client.get(f"/v1/tables/{table}")
        return shown

    def money(self, amount: int) -> dict[str, Any]:
        return {"amount": amount, "currency": "USD", "reference": uuid4().hex}

    def purse(self) -> int:
        items = self.admin.get(f"/v1/wallets/{self.id}")["items"]
        return next((item["balance"] for item in items if item["currency"] == "USD"), 0)


def must_be_one_of(no: Refused, *codes: str) -> None:
    """What a player may be told who does not know what others do at the same time."""
    if no.code not in codes:
        raise no


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as service:
        yield service


def some_hands(service: Service, tables: list[str], guests: list[Guest]) -> None:
    """Wait until three more hands have been played, or a guest has stumbled."""
    before = hands(service.admin, tables)

    def played() -> bool:
        for guest in guests:
            assert guest.wrong is None, guest.wrong
        return hands(service.admin, tables) >= before + 3

    service.run.until(played)


def hands(admin: Client, tables: list[str]) -> int:
    return sum(admin.get(f"/v1/tables/{table}")["hands_played"] for table in tables)


def test_an_evening_for_money_with_kills_and_the_book_made_again_from_the_raw_events(service):
    admin = service.admin
    terms = {"between_hands_seconds": 0, "turn_seconds": 2}
    tables = [
        admin.post(
            "/v1/tables", {"rules": rules, "stake": {"schedule": "actionpoker", "unit": unit}} | terms
        )["table_id"]
        for rules, unit in TABLES
    ]
    guests = [Guest(service.url, admin, tables, seed) for seed in range(GUESTS)]
    for guest in guests:
        guest.start()
    for name in KILLED:
        some_hands(service, tables, guests)
        times = service.run.said.count(f"big2: {name} started")
        os.kill(service.run.pid(name), signal.SIGKILL)
        service.run.until(
            lambda name=name, times=times: service.run.said.count(f"big2: {name} started") > times
        )
    some_hands(service, tables, guests)
    for guest in guests:
        guest.late.set()
    for guest in guests:
        guest.join(90)
        assert not guest.is_alive(), "a guest is still there"
        assert guest.wrong is None, guest.wrong
    check(service, admin, tables, guests)


def test_the_books_from_outside_know_nothing_of_the_service():
    assert loaded_outside() & {"tests", "big2", "domain", "services", "workers", "config"} == {"tests"}


def check(service: Service, admin: Client, tables: list[str], guests: list[Guest]) -> None:
    for table in tables:
        admin.post(f"/v1/tables/{table}/close")
    service.run.until(lambda: {admin.get(f"/v1/tables/{table}")["state"] for table in tables} == {"closed"})
    for guest in guests:
        if rest := guest.purse():
            admin.post(f"/v1/wallets/{guest.id}/withdrawals", guest.money(rest))
    accounts = {a["account"]: a["balance"] for a in admin.pages("/v1/ledger/accounts?currency=USD")}
    assert accounts == balances_from_outside(service, "USD")
    assert (
        accounts["rake"] == -accounts["outside"] > 0
    )  # everybody has gone home: what is left is the house's
    assert {account for account, balance in accounts.items() if balance} == {"rake", "outside"}
    [trial] = admin.get("/v1/ledger/trial-balance?currency=USD")["items"]
    assert trial["balanced"]
    last = [admin.get(f"/v1/tables/{table}")["last_hand_id"] for table in tables]
    for hand_id in last:
        history = admin.get(f"/v1/hands/{hand_id}/history")
        assert verify(history, presets())["verdict"] == "valid"
        assert deal_problem(history) is None
    store = store_in(service.inside)
    assert verify_log(store).by_topic["ring.hand_ended.1"] >= 3 * len(KILLED)
    assert compare(store) == []
    store.close()
