"""Journals as the books have them; and one of them in words, with the event that caused it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from domain.credential import CREDENTIAL, Credential
from domain.ids import CredentialId, JournalId
from domain.journal import Book, Journal, Line
from domain.statement import account_text, line_text
from services import people
from services.application.errors import NotFound
from services.application.lists import fetch
from services.application.resources import UNNAMED
from services.application.statement_facts import BookedJournal, FactsReader
from services.database import Database
from services.envelope import Recorded
from services.store import Store

_JOURNALS = """
SELECT position, at, journal_id, kind, book, currency, tournament_id, table_id, hand_id, account, player_id, amount
FROM projections.ledger_lines WHERE {which} ORDER BY position, line
"""


class TextLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a journal: the account as the books and as people call it, what it gains, and why."""

    account: str
    called: str
    amount: int
    text: str


class JournalTold(msgspec.Struct, frozen=True, kw_only=True):
    """A journal, who made it by which command, and the event that caused it.

    `tournament` is the name of one; `role` is that of the credential, and `player` the name of its player.
    """

    journal_id: UUID
    book: str
    currency: str | None
    tournament: str | None
    kind: str
    at: datetime
    command_id: UUID
    actor: str
    role: str | None
    player: str | None
    topic: str
    stream: UUID
    version: int
    position: int
    tournament_id: UUID | None
    table_id: UUID | None
    hand_id: UUID | None
    lines: tuple[TextLine, ...]

    @property
    def sum(self) -> int:
        return sum(line.amount for line in self.lines)


def booked_where(db: Database, which: str, key: object, recorded: dict[int, Recorded]) -> list[BookedJournal]:
    """The journals of these lines, each whole, in the order of the log."""
    found: dict[UUID, list[dict[str, Any]]] = {}
    for row in fetch(db, _JOURNALS.replace("{which}", which), {"key": key}):
        found.setdefault(row["journal_id"], []).append(row)
    return [_journal(rows, recorded) for rows in found.values()]


def journal_told(store: Store, journal_id: UUID) -> JournalTold:
    """One journal with its words, and the event that caused it; NotFound if there is none."""
    found = booked_where(store.database, "journal_id = %(key)s", journal_id, {})
    if not found:
        there_are = "GET /v1/ledger/entries shows those that there are."
        raise NotFound("journal", f"No journal has the id {journal_id}: {there_are}")
    [cause] = store.log(found[0].position - 1, 1)
    booked = found[0]._replace(cause=cause)
    [facts] = FactsReader(store).read([booked])
    journal, credential = booked.journal, _credential(store, cause.actor)
    return JournalTold(
        journal_id=journal.journal_id,
        book=journal.book.value,
        currency=journal.currency,
        tournament=facts.tournament,
        kind=journal.kind,
        at=booked.at,
        command_id=cause.command,
        actor=cause.actor,
        role=credential.role.value if credential else None,
        player=_name(store, credential),
        topic=cause.topic,
        stream=cause.stream,
        version=cause.version,
        position=cause.position,
        tournament_id=journal.tournament_id,
        table_id=journal.table_id,
        hand_id=journal.hand_id,
        lines=tuple(
            TextLine(
                account=line.account,
                called=account_text(line.account, facts),
                amount=line.amount,
                text=line_text(journal, number, facts),
            )
            for number, line in enumerate(journal.lines)
        ),
    )


def _journal(rows: Sequence[dict[str, Any]], recorded: dict[int, Recorded]) -> BookedJournal:
    first = rows[0]
    journal = Journal(
        journal_id=JournalId(first["journal_id"]),
        book=Book(first["book"]),
        currency=first["currency"],
        kind=first["kind"],
        lines=tuple(Line(row["account"], row["amount"], row["player_id"]) for row in rows),
        tournament_id=first["tournament_id"],
        table_id=first["table_id"],
        hand_id=first["hand_id"],
    )
    return BookedJournal(first["position"], first["at"], journal, recorded.get(first["position"]))


def _credential(store: Store, actor: str) -> Credential | None:
    """The credential behind a command; a job has none."""
    kind, _, key = actor.partition("/")
    return store.load(CREDENTIAL, CredentialId(UUID(key))).state if kind == "credential" else None


def _name(store: Store, credential: Credential | None) -> str | None:
    if credential is None or credential.player_id is None:
        return None
    player = credential.player_id
    return people.names(store.database, [player]).get(player, UNNAMED)
