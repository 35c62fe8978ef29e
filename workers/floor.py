"""The floor of an evening at ring tables: who sits down where, and what players do beside playing."""

from __future__ import annotations

from itertools import count, cycle
from random import Random
from typing import Any

import msgspec

from workers.client import Client, Refused
from workers.showing import Show

CURRENCY = "USD"
FIRST_DEPOSIT = 6000
RESTS = 5
"""How many looks at the tables a player sits out."""
WHIMS = ("top_up", "sit_out", "stand_up", *["stay"] * 6)
"""What a player may do after a hand; each comes up once before any comes again."""
DEFAULT_MINUTES = 30


class Wanted(msgspec.Struct, frozen=True):
    """What the evening plays: `hands` at each of its tables, at least."""

    players: int
    hands: int
    seed: int
    minutes: float = DEFAULT_MINUTES


class Floor:
    """The floor of the evening: players sit down, top up, sit out, stand up and come back, until the tables close."""

    def __init__(self, admin: Client, tables: list[str], wanted: Wanted) -> None:
        self._admin = admin
        self._tables = tables
        self._wanted = wanted
        self._random = Random(wanted.seed)  # noqa: S311 - players' whims, no secret
        self._whims = cycle(self._random.sample(WHIMS, len(WHIMS)))
        self._players: dict[str, Client] = {}
        self._seen = dict.fromkeys(tables, 0)
        self._rests: dict[str, int] = {}
        self._receipts = count(1)
        self.names: dict[str, str] = {}

    def enrol(self, show: Show) -> None:
        """Everybody comes in, with money."""
        for number in range(1, self._wanted.players + 1):
            name = f"House {number:03} {self._tables[0][:4]}"  # a kept folder can have another evening
            player = str(self._admin.post("/v1/players", {"name": name})["player_id"])
            token = self._admin.post(f"/v1/players/{player}/tokens")["token"]
            self.names[player], self._players[player] = name, self._admin.with_token(token)
            self._pay_in(player, FIRST_DEPOSIT)
            show.paying_in(number, self._wanted.players)

    def look(self) -> list[dict[str, Any]]:
        """Look at every table once, and let happen what is due there; the tables that are open, or still listed so:
        until then a wallet may not show what came back to it."""
        listed = {table["table_id"] for table in self._admin.pages("/v1/tables")}
        tables = [self._admin.get(f"/v1/tables/{table}") for table in self._tables]
        going_on = [table for table in tables if self._goes_on(table)]
        for table in going_on:
            self._at(table)
        seated = {seat["player_id"] for table in tables for seat in table["seats"]}
        for player in self._random.sample(list(self._players), len(self._players)):
            if player not in seated:
                self._sit_down(player, going_on)
        return [table for table in tables if table["state"] == "open" or table["table_id"] in listed]

    def go_home(self) -> None:
        """Everybody is paid out what he has."""
        for player in self.names:
            for wallet in self._admin.get(f"/v1/wallets/{player}")["items"]:
                if wallet["balance"]:
                    self._admin.post(f"/v1/wallets/{player}/withdrawals", self._cash(wallet["balance"]))

    def _goes_on(self, table: dict[str, Any]) -> bool:
        """Whether another hand is to be dealt there; if not it closes after the running one."""
        if table["state"] == "closed" or table["ring"]["closing"]:
            return False
        last = table["hands_played"] + (table["hand_id"] is not None) >= self._wanted.hands
        if last:
            self._admin.post(f"/v1/tables/{table['table_id']}/close")
        return not last

    def _at(self, table: dict[str, Any]) -> None:
        """After each hand everybody has a whim; who has sat out long enough, or could not pay, comes back."""
        staying = [seat for seat in table["seats"] if not seat["leaving"]]
        after_a_hand = table["hands_played"] > self._seen[table["table_id"]]
        self._seen[table["table_id"]] = table["hands_played"]
        for seat in staying:
            if seat["sitting_out"]:
                self._rest(table, seat)
            elif after_a_hand:
                self._follow(next(self._whims), table, seat)

    def _follow(self, whim: str, table: dict[str, Any], seat: dict[str, Any]) -> None:
        player, number = seat["player_id"], seat["seat"]
        match whim:
            case "top_up":
                more = table["ring"]["stake"]["buy_in"] // 2
                self._take_seat(player, table, number, {"buy_in": seat["buy_in"] + more})
            case "sit_out":
                self._rests[player] = RESTS
                self._take_seat(player, table, number, {"sitting_out": True})
            case "stand_up":
                self._players[player].delete(f"/v1/tables/{table['table_id']}/seats/{number}")

    def _rest(self, table: dict[str, Any], seat: dict[str, Any]) -> None:
        player, least = seat["player_id"], table["ring"]["stake"]["buy_in"]
        self._rests[player] = self._rests.get(player, 0) - 1
        if self._rests[player] > 0:
            return
        more = least if seat["stack"] < 2 * least else 0  # a hand that he still plays may cost him a buy-in
        back = {"buy_in": seat["buy_in"] + more, "sitting_out": False}
        self._take_seat(player, table, seat["seat"], back)

    def _sit_down(self, player: str, tables: list[dict[str, Any]]) -> None:
        """Where one waits for another, else where the fewest are."""
        free = [table for table in tables if len(table["seats"]) < table["ring"]["seats"]]
        if not free:
            return
        table = min(free, key=lambda t: (_sitting_in(t) != 1, _sitting_in(t)))
        taken = {seat["seat"] for seat in table["seats"]}
        number = next(n for n in range(1, table["ring"]["seats"] + 1) if n not in taken)
        buy_in = self._random.randint(1, 2) * table["ring"]["stake"]["buy_in"]
        table.update(self._take_seat(player, table, number, {"buy_in": buy_in}))

    def _take_seat(
        self, player: str, table: dict[str, Any], seat: int, wish: dict[str, Any]
    ) -> dict[str, Any]:
        """As he wishes, and the table after it; if his wallet has too little, he pays in first."""
        put, path = self._players[player].put, f"/v1/tables/{table['table_id']}/seats/{seat}"
        try:
            after: dict[str, Any] = put(path, wish)
        except Refused as no:
            if no.code != "insufficient-funds":
                raise
            self._pay_in(player, no.problem["missing"] + FIRST_DEPOSIT)
            after = put(path, wish)
        return after

    def _pay_in(self, player: str, amount: int) -> None:
        self._admin.post(f"/v1/wallets/{player}/deposits", self._cash(amount))

    def _cash(self, amount: int) -> dict[str, Any]:
        """Money over the counter, with a receipt."""
        return {"amount": amount, "currency": CURRENCY, "reference": f"receipt {next(self._receipts)}"}


def _sitting_in(table: dict[str, Any]) -> int:
    return sum(not seat["sitting_out"] and not seat["leaving"] for seat in table["seats"])
