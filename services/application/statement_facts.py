"""What the words of the books are made of: names, tournaments, tables, hands, and what a wallet's event says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from big2.rulesets import ruleset_on_record
from big2.switches import Liability
from domain.hand import HAND, Hand
from domain.ids import CommandId, HandId, PlayerId, TableId
from domain.journal import Journal
from domain.ring_events import ToppedUp
from domain.statement import Facts, HandPlayed, Won
from domain.wallet import Credited, Debited
from services import people
from services.application.errors import existing
from services.application.lists import fetch
from services.application.resources import UNNAMED
from services.envelope import Recorded
from services.store import Store

_TOURNAMENTS = """
SELECT tournament_id, structure->>'name' AS name, prizes FROM projections.tournaments WHERE tournament_id = ANY(%(ids)s)
"""
_TABLES = "SELECT table_id, number FROM projections.tables WHERE table_id = ANY(%(ids)s)"


class BookedJournal(NamedTuple):
    """A journal as the books have it; `cause` is the event that made it, where its words need that."""

    position: int
    at: datetime
    journal: Journal
    cause: Recorded | None


class FactsReader:
    """Reads the facts of many journals at once; it remembers who topped up at which ring table."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._top_ups: dict[TableId, frozenset[CommandId]] = {}

    def read(self, booked: Sequence[BookedJournal]) -> list[Facts]:
        """The facts of each journal, in this order."""
        journals = [each.journal for each in booked]
        tournaments = self._tournaments(j.tournament_id for j in journals)
        tables = self._tables(j.table_id for j in journals)
        hands = self._hands(j.hand_id for j in journals)
        called = self._people(journals, hands)
        return [
            self._of(each, tournaments.get(each.journal.tournament_id), tables, hands, called)
            for each in booked
        ]

    def _of(
        self,
        booked: BookedJournal,
        tournament: Mapping[str, Any] | None,
        tables: Mapping[UUID, int | None],
        hands: Mapping[UUID, HandPlayed],
        called: Mapping[PlayerId, str],
    ) -> Facts:
        journal, event = booked.journal, booked.cause.event if booked.cause else None
        reference, note = (
            (event.reference, event.note) if isinstance(event, Credited | Debited) else (None, None)
        )
        hand = hands.get(journal.hand_id) if journal.hand_id else None
        concerned = {line.player_id for line in journal.lines} | set(hand.seats.values() if hand else ())
        return Facts(
            people={player: called[player] for player in concerned if player},
            tournament=tournament["name"] if tournament else None,
            table=tables.get(journal.table_id) if journal.table_id else None,
            hand=hand,
            reference=reference,
            note=note,
            prizes=_prizes(tournament),
            topped_up=journal.kind == "buy_in" and self._topped_up(booked),
            cancelled=booked.cause is not None and booked.cause.actor.startswith("job/pay-"),
        )

    def _tournaments(self, ids: Iterable[UUID | None]) -> dict[UUID | None, dict[str, Any]]:
        rows = fetch(self._store.database, _TOURNAMENTS, {"ids": _distinct(ids)})
        return {row["tournament_id"]: row for row in rows}

    def _tables(self, ids: Iterable[UUID | None]) -> dict[UUID, int | None]:
        rows = fetch(self._store.database, _TABLES, {"ids": _distinct(ids)})
        return {row["table_id"]: row["number"] for row in rows}

    def _hands(self, ids: Iterable[HandId | None]) -> dict[UUID, HandPlayed]:
        streams = self._store.load_many([(HAND, hand) for hand in _distinct(ids)])
        return {stream.id: _played(existing(stream, "hand")) for stream in streams}

    def _people(self, journals: Iterable[Journal], hands: Mapping[UUID, HandPlayed]) -> dict[PlayerId, str]:
        ids = {line.player_id for journal in journals for line in journal.lines if line.player_id}
        ids |= {player for hand in hands.values() for player in hand.seats.values()}
        known = people.names(self._store.database, ids)
        return {player: known.get(player, UNNAMED) for player in ids}

    def _topped_up(self, booked: BookedJournal) -> bool:
        """Whether a buy-in was added to a seat that its player had already."""
        table = booked.journal.table_id
        assert table is not None
        assert booked.cause is not None
        if table not in self._top_ups:
            commands = (r.command for r in self._store.events(table) if isinstance(r.event, ToppedUp))
            self._top_ups[table] = frozenset(commands)
        return booked.cause.command in self._top_ups[table]


def _distinct(ids: Iterable[Any]) -> list[Any]:
    return sorted({each for each in ids if each is not None})


def _prizes(tournament: Mapping[str, Any] | None) -> dict[PlayerId, Won]:
    prizes = tournament["prizes"] if tournament else ()
    return {PlayerId(UUID(prize["player_id"])): Won(prize["place"], prize["tied"]) for prize in prizes}


def _played(hand: Hand) -> HandPlayed:
    terms = hand.terms
    return HandPlayed(
        number=hand.number,
        unit=terms.unit,
        seats={seat.seat: seat.player_id for seat in terms.seats},
        settled=hand.settlement,
        bears_all=ruleset_on_record(terms.ruleset).liability is not Liability.NET_LOSSES,
    )
