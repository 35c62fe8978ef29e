"""What must hold of the log itself, event for event: I1, I5, I8, I10 and I11 of the harness.

Violation   what is broken: the invariant's name, and where
Log         follows the log, and what clients were told
"""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import UUID

from services.commands import Outcome
from services.envelope import GENESIS, Command, Recorded, Row, link, prev_of
from tests.harness.sim_store import SimRows, Transaction

ONCE = "I1 each command takes effect once, in one transaction"
CHAIN = "I5 each event carries the link of its predecessor"
ACKNOWLEDGED = "I8 what was acknowledged is in the log"
REFUSED = "I10 what was refused left no event"
HOLES = "I11 versions and positions have no holes"


class Violation(AssertionError):  # noqa: N818 - what it is, not what went wrong with the simulator
    """An invariant does not hold."""

    def __init__(self, name: str, detail: object) -> None:
        super().__init__(f"{name}: {detail}")
        self.name = name


def must(holds: object, name: str, *detail: object) -> None:
    """Raises Violation unless it holds."""
    if not holds:
        raise Violation(name, " ".join(map(str, detail)))


class Told(NamedTuple):
    """What an answer said: the command's events in its main stream, and the stream right after them."""

    versions: tuple[tuple[UUID, int], ...]
    version: int
    position: int


class Log:
    """Follows the log transaction for transaction."""

    def __init__(self, rows: SimRows) -> None:
        self._rows = rows
        self._seen = 0
        self._heads: dict[UUID, tuple[int, str]] = {}
        self.commands: dict[UUID, Transaction] = {}
        self._told: dict[UUID, Told] = {}

    def news(self) -> list[Transaction]:
        """The transactions since the last time."""
        found = self._rows.transactions[self._seen :]
        self._seen += len(found)
        return found

    def follow(self, transaction: Transaction, rows: list[Row], recorded: list[Recorded]) -> None:
        """One transaction of the log."""
        before = self.commands.setdefault(transaction.command, transaction)
        must(before is transaction, ONCE, recorded[0].actor, "again:", recorded[0].topic)
        for r, row in zip(recorded, rows, strict=True):
            must(r.command == transaction.command, ONCE, "two commands in one transaction")
            version, head = self._heads.get(r.stream, (0, GENESIS))
            must(r.version == version + 1, HOLES, r.topic, r.version, "after", version)
            must(prev_of(row) == head, CHAIN, r.topic, r.version)
            self._heads[r.stream] = r.version, link(*row[:4])

    def acknowledge(self, command: Command, outcome: Outcome[Any]) -> None:
        """A client is told that his command is done, perhaps once more."""
        stored = self._rows.find(command.id)
        must(stored is not None or not outcome.events, ACKNOWLEDGED, command.actor)
        told = Told(tuple((r.stream, r.version) for r in outcome.events), outcome.version, outcome.position)
        for r in outcome.events:
            must(r.command == command.id, ONCE, command.actor, "was told of another command's events")
            must(r.digest == command.digest, ONCE, command.actor, "took another body under the same key")
        if outcome.events:
            first = self._told.setdefault(command.id, told)
            must(first == told, ONCE, command.actor, "was told", first, "and then", told)

    def refuse(self, command: Command, attempt: int) -> None:
        """A client is told that his command was refused: this attempt must have stored nothing."""
        mine = [t for t in self._rows.transactions[-20:] if t.attempt == attempt]
        must(not mine, REFUSED, command.actor)

    def heads(self) -> dict[UUID, tuple[int, str]]:
        """Each stream's version, and the link of its last event."""
        return self._heads

    def close(self) -> None:
        """At the end, whatever was acknowledged is still there."""
        for command, told in self._told.items():
            must(command in self.commands, ACKNOWLEDGED, command)
            for stream, version in told.versions:
                must(self._heads.get(stream, (0, ""))[0] >= version, ACKNOWLEDGED, stream, version)
