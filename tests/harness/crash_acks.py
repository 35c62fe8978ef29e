"""Clients who write down what they were told: each answer, and each request that got none.

The log is the one that `tests.harness.invariants` reads. Beside it stands what the answers came to: how many hands
a table has, what is in a wallet. That is compared with the raw events, whatever their commands are.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec
import urllib3
from urllib3.exceptions import HTTPError

from domain.ids import CredentialId, request_command
from services.http.strictjson import digest
from tests.harness.invariants import Answer
from workers.client import Client

NAMED: Final = MappingProxyType(
    {
        "players": "player_id",
        "tokens": "token_id",
        "tournaments": "tournament_id",
        "entries": "entry_id",
        "tables": "table_id",
        "results": "hand_id",
        "plays": "hand_id",
        "passes": "hand_id",
        "deposits": "journal_id",
        "withdrawals": "journal_id",
    }
)
"""What an answer names as made or changed, by the last word of the path."""
TWICE = frozenset({"tournaments", "tables", "results", "tokens"})
"""Commands that are not idempotent by nature: done again they would make another one of the same."""
TWICE_REFUSED = frozenset({"players", "entries", "deposits", "withdrawals"})
"""Commands that have no second effect, for a name, a seat or a reference is taken; done again they are refused."""


class Acks:
    """The log of all clients, and when a command or a read was last served."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._guard = threading.Lock()
        self._acknowledged: dict[UUID, str] = {}
        self._served: dict[str, float] = {}
        self.unanswered = 0
        self.refused: Counter[str] = Counter()

    def write(self, answer: Answer, sent: float) -> None:
        """Note an answer to what was sent at that time, once and for all."""
        with self._guard:
            self._file.write(msgspec.json.encode(answer) + b"\n")
            self._file.flush()
            self.unanswered += answer.status is None
            if answer.acknowledged:
                self._acknowledged.setdefault(answer.command, answer.path.rpartition("/")[2])
                self._served["command"] = max(sent, self._served.get("command", 0.0))

    def served(self, what: str, since: float) -> None:
        """Note that what was asked for at that time was served."""
        with self._guard:
            self._served[what] = max(since, self._served.get(what, 0.0))

    def served_after(self, what: str, moment: float) -> bool:
        """Whether something that was asked for only then has been served."""
        return self._served.get(what, 0.0) > moment

    @property
    def acknowledged(self) -> Counter[str]:
        """The commands that were acknowledged, by the last word of the path."""
        with self._guard:
            return Counter(self._acknowledged.values())

    def close(self) -> None:
        self._file.close()


class Witness(Client):
    """A client that writes down what it is told."""

    def __init__(self, url: str, token: str, acks: Acks, *, pool: urllib3.PoolManager | None = None) -> None:
        super().__init__(url, token, pool=pool)
        self._acks = acks
        self._credential = CredentialId(UUID(token.split("_")[1]))

    def with_token(self, token: str) -> Witness:
        return Witness(self._url, token, self._acks, pool=self._pool)

    def token_of(self, player: str) -> Witness:
        """The player as a client. A token is shown once: where that answer was lost he gets another."""
        while "token" not in (made := self.post(f"/v1/players/{player}/tokens")):
            pass
        return self.with_token(made["token"])

    def _once(self, method: str, path: str, body: object, headers: dict[str, str]) -> tuple[int, Any]:
        if method == "GET":
            return super()._once(method, path, body, headers)
        sent = time.monotonic()
        command = request_command(self._credential, method, path, headers["Idempotency-Key"])
        asked = Answer(command, method, path, digest({} if body is None else body), None)
        try:
            status, told = super()._once(method, path, body, headers)
        except HTTPError:
            self._acks.write(asked, sent)
            raise
        answered = msgspec.structs.replace(asked, status=status)
        if answered.acknowledged:
            name = NAMED.get(path.rpartition("/")[2])
            ids = (told[name],) if name else ()
            answered = msgspec.structs.replace(answered, ids=ids, position=told.get("as_of"))
        self._acks.write(answered, sent)
        return status, told


class Count(NamedTuple):
    """So many of everything that can be counted: what a client was told, or what is in the log."""

    tournaments: Counter[str]
    """By name."""
    hands: Counter[str]
    """Recorded ones, by table."""
    money: Counter[str]
    """In wallets, by player; in minor units."""

    @classmethod
    def of(cls, raw: Iterable[tuple[str, str, dict[str, Any]]]) -> Count:
        """What raw events come to (`tests.proof.money.raw_events`)."""
        count = nothing()
        for _, topic, event in raw:
            match topic.rpartition(".")[0]:
                case "tournament.published":
                    count.tournaments[event["structure"]["name"]] += 1
                case "hand.recorded":
                    count.hands[event["table_id"]] += 1
                case "wallet.credited":
                    count.money[event["player_id"]] += event["amount"]
                case "wallet.debited":
                    count.money[event["player_id"]] -= event["amount"]
        return count

    def add(self, other: Count) -> None:
        for mine, others in zip(self, other, strict=True):
            mine.update(others)

    def compared(self, stored: Count) -> tuple[list[str], list[str]]:
        """Of what was told: what is stored more than once, and what is lost."""
        told = [
            (f"{kind} of {name}: {there[name]} instead of {wanted}", there[name] - wanted)
            for kind, counted, there in zip(self._fields, self, stored, strict=True)
            for name, wanted in counted.items()
        ]
        return [what for what, more in told if more > 0], [what for what, more in told if more < 0]


def nothing() -> Count:
    return Count(Counter(), Counter(), Counter())
