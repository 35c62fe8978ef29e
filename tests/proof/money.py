"""The money book from the raw events alone: nothing of the service's code, so that it may be wrong by itself.

    python -m tests.proof.money postgresql://…

reads the log in its order and prints each account's balance and the trial balance, as JSON. What wallets and ring
tables tell is told twice, by the wallet and by the table: the book sums to zero only if both tell the same. What an
entry is worth is the structure's word, and what a pool holds the tournament's.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import psycopg

OUTSIDE = ("deposit", "withdrawal")
AT_A_TABLE = ("buy_in", "cash_out")


class Books:
    """Balances by currency and account; `lowest` is the least that an account ever had."""

    def __init__(self) -> None:
        self.balances: dict[str, Counter[str]] = {}
        self.lowest: Counter[str] = Counter()
        self._currency: dict[str, str] = {}
        self._buy_in: dict[str, dict[str, int]] = {}
        self._hands: dict[str, tuple[str, dict[int, str]]] = {}

    def add(self, stream: str, topic: str, event: dict[str, Any]) -> None:
        """Take an event into account."""
        kind, _, _ = topic.rpartition(".")
        match kind:
            case "wallet.credited" | "wallet.debited":
                self._wallet(event, 1 if kind == "wallet.credited" else -1)
            case "tournament.published":
                self._buy_in[stream] = event["structure"].get("buy_in") or {}
            case "tournament.pool_formed":
                self._pool(stream, event, 1)
            case "tournament.pool_dissolved":
                self._pool(stream, event, -1)
            case "ring.opened":
                self._currency[stream] = event["terms"]["currency"]
            case "ring.sat_down":
                self._move(stream, event["player_id"], event["buy_in"])
            case "ring.topped_up":
                self._move(stream, event["player_id"], event["amount"])
            case "ring.stood_up":
                self._move(stream, event["player_id"], -event["stack"])
            case "ring.hand_begun":
                for player in event["players"].values():
                    self._move(stream, player, -event["ante"])
                    self._gain(self._currency[stream], "rake", event["ante"])
            case "hand.committed" | "hand.dealt" | "hand.settled":
                self._ring_hand(stream, kind, event)

    def _ring_hand(self, stream: str, kind: str, event: dict[str, Any]) -> None:
        match kind:
            case "hand.committed" if "tournament_id" not in event:
                self._hands[stream] = event["table_id"], {}
            case "hand.dealt" if stream in self._hands:
                self._hands[stream][1].update({seat["seat"]: seat["player_id"] for seat in event["seats"]})
            case "hand.settled" if stream in self._hands:
                table, players = self._hands[stream]
                for transfer in event["transfers"]:
                    self._move(table, players[transfer["payer"]], -transfer["paid"])
                    self._move(table, players[transfer["receiver"]], transfer["paid"])

    def _wallet(self, event: dict[str, Any], sign: int) -> None:
        amount, currency, kind = sign * event["amount"], event["currency"], event["journal"]["kind"]
        self._gain(currency, f"wallet/{event['player_id']}", amount)
        if kind in OUTSIDE:
            self._gain(currency, "outside", -amount)
        elif kind not in AT_A_TABLE:
            self._tournament(event["journal"]["tournament_id"], kind, currency, -amount)

    def _tournament(self, t: str, kind: str, currency: str, amount: int) -> None:
        """A prize out of the pool, or entries, of which some at once may be given back."""
        if kind == "prize":
            return self._gain(currency, f"pool/{t}", amount)
        one, fee = self._buy_in[t]["amount"], self._buy_in[t]["fee"]
        entries, rest = divmod(amount, one + fee)
        assert rest == 0, f"{kind} of {amount} at {t}: no entry costs that"
        self._gain(currency, f"escrow/{t}", entries * one)
        return self._gain(currency, "fees", entries * fee)

    def _pool(self, t: str, event: dict[str, Any], sign: int) -> None:
        currency, buy_ins, overlay = event["currency"], sign * event["buy_ins"], sign * event["overlay"]
        self._gain(currency, f"escrow/{t}", -buy_ins)
        self._gain(currency, "house", -overlay)
        self._gain(currency, f"pool/{t}", buy_ins + overlay)

    def _move(self, table: str, player: str, amount: int) -> None:
        self._gain(self._currency[table], f"stack/{table}/{player}", amount)

    def _gain(self, currency: str, account: str, amount: int) -> None:
        book = self.balances.setdefault(currency, Counter())
        book[account] += amount
        self.lowest[account] = min(self.lowest[account], book[account])


def books_of(events: Iterable[tuple[str, str, dict[str, Any]]]) -> Books:
    """The books after these events: stream, topic, event."""
    books = Books()
    for stream, topic, event in events:
        books.add(stream, topic, event)
    return books


def raw_events(url: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The log as it is stored, in its order."""
    query = "SELECT originator_id, topic, state FROM big2_events ORDER BY notification_id"
    with psycopg.connect(url) as conn, conn.cursor("log") as cursor:
        for stream, topic, state in cursor.execute(query):
            yield str(stream), topic, json.loads(bytes(state))["event"]


def main() -> int:
    """Print the books of a database; 1 if one does not sum to zero or a player ever had less than nothing."""
    books = books_of(raw_events(sys.argv[1]))
    balanced = {currency: sum(book.values()) == 0 for currency, book in books.balances.items()}
    below = {name: least for name, least in books.lowest.items() if least < 0 and "/" in name}
    json.dump({"balances": books.balances, "balanced": balanced, "below_zero": below}, sys.stdout, indent=1)
    return int(not all(balanced.values()) or bool(below))


if __name__ == "__main__":
    sys.exit(main())
