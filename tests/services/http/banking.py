"""Money for the tests: players with wallets, and tournaments with a buy-in."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from tests.services.http.driving import Api
from tests.services.http.playing import name, until
from tests.services.http.recording import Club


def deposit(operator: Api, player: str, amount: int, currency: str = "EUR", **more: Any) -> dict[str, Any]:
    """Money paid in, with a reference that nobody has used."""
    body = {"amount": amount, "currency": currency, "reference": str(uuid4())}
    return operator.made(f"/v1/wallets/{player}/deposits", body, **more)


def rich(operator: Api, amount: int, currency: str = "EUR") -> str:
    """A player who has so much."""
    player = operator.made("/v1/players", {"name": name()})["player_id"]
    if amount:
        deposit(operator, player, amount, currency)
    return player


class Casino(Club):
    """A recorded tournament with a buy-in, whose players have exactly what they pay unless told otherwise."""

    def __init__(
        self,
        operator: Api,
        entrants: int = 4,
        *,
        start: bool = True,
        amount: int = 1000,
        fee: int = 100,
        has: int = 1100,
        **terms: Any,
    ) -> None:
        self.has = has
        terms = {"format": "freezeout", "buy_in": {"amount": amount, "fee": fee, "currency": "EUR"}} | terms
        super().__init__(operator, entrants, start=start, **terms)

    def enter(self) -> str:
        player = rich(self.operator, self.has)
        self.operator.made(f"{self.path}/entries", {"player_id": player})
        return player

    def balance(self, account: str) -> int:
        """What an account of the money book has, in euros' cents."""
        items = self.operator.read(f"/v1/ledger/accounts?account={account}&currency=EUR")["items"]
        return items[0]["balance"] if items else 0

    def purse(self, player: str) -> tuple[int, int]:
        """What a player has, and what is held of his."""
        balances = self.operator.read(f"/v1/wallets/{player}")["items"]
        return next(((b["balance"], b["held"]) for b in balances if b["currency"] == "EUR"), (0, 0))

    @property
    def escrow(self) -> int:
        return self.balance(f"escrow/{self.id}")

    @property
    def pool(self) -> int:
        return self.balance(f"pool/{self.id}")

    def paid(self) -> None:
        """Wait until nothing is owed."""
        until(lambda: not self.escrow and not self.pool)
