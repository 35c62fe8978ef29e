"""A player's statement, in words (`domain.statement`).

Which lines there are, the projection `ledger` says; what they are for, the streams say. A statement's closing balance
is held against the wallet's own stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from domain.currencies import CURRENCIES
from domain.errors import Refused
from domain.ids import PlayerId, wallet_id
from domain.journal import wallet
from domain.statement import statement_lines
from domain.wallet import Credited, Debited
from services import people
from services.application.errors import NotFound
from services.application.journals import booked_where
from services.application.ledger import projected
from services.application.lists import fetch
from services.application.resources import UNNAMED
from services.application.statement_facts import FactsReader
from services.database import Database
from services.envelope import Recorded
from services.store import Store

CHUNK: Final = 200
"""Journals for which facts are read at once."""

_OWN = """
SELECT position, at, account, amount FROM projections.ledger_lines
WHERE player_id = %(player)s AND currency = %(currency)s AND position <= %(as_of)s
  AND (account = %(wallet)s OR account LIKE %(stacks)s) ORDER BY position, line
"""
_CURRENCIES = """
SELECT DISTINCT currency FROM projections.ledger_accounts
WHERE player_id = %(player)s AND book = 'money' ORDER BY currency
"""
_NAMED = "SELECT player_id, name FROM people WHERE name = %(name)s"
_ALIKE = "SELECT name FROM people WHERE skeleton = %(bones)s"
_PLAYER = """
SELECT player_id, name FROM projections.players LEFT JOIN people USING (player_id) WHERE player_id = %(id)s
"""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a statement: what the wallet and the stacks at ring tables gained, and what they had after it."""

    at: datetime
    position: int
    journal_id: UUID
    kind: str
    text: str
    wallet_change: int
    stacks_change: int
    wallet: int
    stacks: int
    tournament_id: UUID | None
    table_id: UUID | None
    hand_id: UUID | None


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """What a player had in one currency, what happened and what he had then, in minor units.

    `wallet_stream` is what the wallet's own events come to at the end: anything but `closing_wallet` is a fault.
    """

    player_id: UUID
    name: str
    currency: str
    since: datetime | None
    until: datetime | None
    opening_wallet: int
    opening_stacks: int
    items: tuple[Item, ...]
    closing_wallet: int
    closing_stacks: int
    wallet_stream: int
    as_of: int

    @property
    def agrees(self) -> bool:
        return self.closing_wallet == self.wallet_stream


class Period(NamedTuple):
    """From a time on, up to a time; null is without an end."""

    since: datetime | None = None
    until: datetime | None = None


class Whom(NamedTuple):
    """A player whose books are read."""

    player_id: PlayerId
    name: str


def player_called(db: Database, text: str) -> Whom:
    """The player of this id or exact name; NotFound names whoever has a name that looks like it."""
    name = text.encode("utf-8", "backslashreplace").decode()  # a command line may hold what no name does
    found = _by_id(db, name) or fetch(db, _NAMED, {"name": name})
    if found:
        return Whom(PlayerId(found[0]["player_id"]), found[0]["name"] or UNNAMED)
    alike = fetch(db, _ALIKE, {"bones": people.skeleton(name)})
    hint = f"did you mean {alike[0]['name']!r}?" if alike else "GET /v1/players lists them all."
    raise NotFound("player", f"No player has the id or the exact name {name!r}: {hint}")


def _by_id(db: Database, text: str) -> list[dict[str, Any]]:
    try:
        return fetch(db, _PLAYER, {"id": UUID(text)})
    except ValueError:
        return []


def statements(store: Store, whom: Whom, currency: str | None, period: Period) -> list[Statement]:
    """A player's statements as of one position, in one currency or in all that he has or had money in.

    The period does not end before it begins. Refused: there is no such currency.
    """
    as_of, known = projected(store.database), _currencies(store.database, whom.player_id)
    if currency is not None and currency not in CURRENCIES and currency not in known:
        raise Refused("validation", f"{currency!r} is no currency of ISO 4217, such as USD or EUR.")
    return [_statement(store, whom, code, period, as_of) for code in ([currency] if currency else known)]


def _statement(store: Store, whom: Whom, currency: str, period: Period, as_of: int) -> Statement:
    player = whom.player_id
    rows = _own(store.database, player, currency, as_of)
    before, shown = _parted(rows, period)
    opening = _balance(before, wallet(player))
    events = store.events(wallet_id(player, currency))
    items = tuple(_items(store, player, opening, [row["position"] for row in shown], events))
    closing = (items[-1].wallet, items[-1].stacks) if items else opening
    end = as_of if period.until is None else max((row["position"] for row in [*before, *shown]), default=0)
    return Statement(
        player_id=player,
        name=whom.name,
        currency=currency,
        since=period.since,
        until=period.until,
        opening_wallet=opening[0],
        opening_stacks=opening[1],
        items=items,
        closing_wallet=closing[0],
        closing_stacks=closing[1],
        wallet_stream=sum(_gain(r) for r in events if r.position <= end),
        as_of=as_of,
    )


def _currencies(db: Database, player: PlayerId) -> list[str]:
    """The currencies in which a player has or had money."""
    return [row["currency"] for row in fetch(db, _CURRENCIES, {"player": player})]


def _own(db: Database, player: PlayerId, currency: str, as_of: int) -> list[dict[str, Any]]:
    """The lines of his wallet and of his stacks, in the order of the log."""
    values = {"player": player, "currency": currency, "as_of": as_of}
    return fetch(db, _OWN, {**values, "wallet": wallet(player), "stacks": f"stack/%/{player}"})


def _parted(rows: Sequence[dict[str, Any]], period: Period) -> tuple[list[Any], list[Any]]:
    """The lines before a period, and those in it: a stretch of the log, so that every balance follows from the last."""
    first = next(
        (n for n, row in enumerate(rows) if not period.since or row["at"] >= period.since), len(rows)
    )
    end = next((n for n, row in enumerate(rows) if period.until and row["at"] >= period.until), len(rows))
    return list(rows[:first]), list(rows[first:end])


def _balance(rows: Sequence[dict[str, Any]], own: str) -> tuple[int, int]:
    """What these lines come to: in the wallet, and at ring tables."""
    whole = sum(row["amount"] for row in rows)
    inside = sum(row["amount"] for row in rows if row["account"] == own)
    return inside, whole - inside


def _gain(r: Recorded) -> int:
    assert isinstance(r.event, Credited | Debited)
    return r.event.amount if isinstance(r.event, Credited) else -r.event.amount


def _items(
    store: Store,
    player: PlayerId,
    opening: tuple[int, int],
    positions: Sequence[int],
    events: Sequence[Recorded],
) -> Iterator[Item]:
    by_position = {r.position: r for r in events}
    distinct = sorted(set(positions))
    reader = FactsReader(store)
    in_wallet, at_tables = opening
    for first in range(0, len(distinct), CHUNK):
        booked = booked_where(
            store.database, "position = ANY(%(key)s)", distinct[first : first + CHUNK], by_position
        )
        for each, facts in zip(booked, reader.read(booked), strict=True):
            for line in statement_lines(each.journal, player, facts):
                in_wallet, at_tables = in_wallet + line.wallet, at_tables + line.stacks
                yield Item(
                    at=each.at,
                    position=each.position,
                    journal_id=each.journal.journal_id,
                    kind=each.journal.kind,
                    text=line.text,
                    wallet_change=line.wallet,
                    stacks_change=line.stacks,
                    wallet=in_wallet,
                    stacks=at_tables,
                    tournament_id=each.journal.tournament_id,
                    table_id=each.journal.table_id,
                    hand_id=each.journal.hand_id,
                )
