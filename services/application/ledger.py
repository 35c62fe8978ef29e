"""The books as they are read: accounts, lines and the trial balance, now or as of any position of the log; wallets."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import msgspec

from domain.errors import NotAllowed
from domain.statement import GROUPS
from services.application import resources as shapes
from services.application.credentials import Actor
from services.application.errors import NotFound
from services.application.lists import Page, fetch, made
from services.database import Database
from services.store import Store

BEHIND_SECONDS = 5.0
"""How long a reader waits for books that are behind the log."""
LOOK_SECONDS = 0.05
T = TypeVar("T")

_ACCOUNTS = """
SELECT a.book, a.currency, a.tournament_id, a.account, a.player_id, l.balance, l.position AS as_of
FROM projections.ledger_accounts a CROSS JOIN LATERAL (
    SELECT balance, position FROM projections.ledger_lines l
    WHERE l.scope = a.scope AND l.account = a.account AND l.position <= %(as_of)s
    ORDER BY l.position DESC, l.line DESC LIMIT 1
) AS l
"""
_LISTED = f"""
SELECT * FROM ({_ACCOUNTS}) AS a WHERE true{{filters}}
ORDER BY book DESC, currency, tournament_id, account OFFSET %(first)s LIMIT %(limit)s
"""  # noqa: S608 - our own names
_TRIAL = f"""
SELECT book, currency, CASE WHEN currency IS NULL THEN tournament_id END AS tournament_id, count(*) AS accounts,
       COALESCE(-sum(balance) FILTER (WHERE balance < 0), 0) AS debit,
       COALESCE(sum(balance) FILTER (WHERE balance > 0), 0) AS credit, sum(balance) AS balance,
       sum(balance) = 0 AS balanced
FROM ({_ACCOUNTS}) AS a WHERE true{{filters}} GROUP BY 1, 2, 3
ORDER BY book DESC, currency, tournament_id OFFSET %(first)s LIMIT %(limit)s
"""  # noqa: S608
_LINES = """
SELECT position, line, at, event, journal_id, kind, reference, book, currency, tournament_id, table_id, hand_id,
       account, player_id, amount,
       CASE WHEN %(everything)s OR account LIKE '%%' || %(own)s::uuid
                 OR book = 'chips' AND tournament_id = %(limited_to)s::uuid
                 OR account LIKE '%%/' || %(limited_to)s::uuid
            THEN balance END AS balance
FROM projections.ledger_lines
WHERE position <= %(as_of)s AND (position, line) > (%(position)s, %(line)s){filters}
ORDER BY position, line LIMIT %(limit)s
"""
_GROUPS = f"""
SELECT book, currency, CASE WHEN currency IS NULL THEN tournament_id END AS tournament_id,
       split_part(account, '/', 1) AS kind, count(*) AS accounts,
       COALESCE(-sum(balance) FILTER (WHERE balance < 0), 0) AS debit,
       COALESCE(sum(balance) FILTER (WHERE balance > 0), 0) AS credit
FROM ({_ACCOUNTS}) AS a WHERE true{{filters}} GROUP BY 1, 2, 3, 4 ORDER BY book DESC, currency, tournament_id
"""  # noqa: S608
_TITLES = """
SELECT tournament_id, structure->>'name' AS name FROM projections.tournaments WHERE tournament_id = ANY(%(ids)s)
"""
_NEWEST = (
    "SELECT COALESCE(max(position), 0) AS newest FROM projections.ledger_lines WHERE position <= %(as_of)s"
)
# Of the escrow accounts that are not empty, what is in them of this player's: open entries, or refunds to come.
_WALLETS = """
WITH wallets AS (
    SELECT currency, account, balance FROM ({accounts}) AS a WHERE book = 'money' AND player_id = %(player)s
), escrows AS (
    SELECT currency, account, sum(amount) AS held FROM projections.ledger_lines
    WHERE player_id = %(player)s AND account LIKE 'escrow/%%' AND position <= %(as_of)s GROUP BY 1, 2
), held AS (
    SELECT currency, held FROM escrows JOIN ({accounts}) AS a USING (currency, account) WHERE a.balance <> 0
    UNION ALL SELECT currency, balance FROM wallets WHERE account LIKE 'stack/%%'
)
SELECT currency, w.balance, COALESCE((SELECT sum(held) FROM held h WHERE h.currency = w.currency), 0) AS held
FROM wallets w WHERE account LIKE 'wallet/%%' ORDER BY currency
"""
_FILTERS = {
    "book": "book = %(book)s",
    "currency": "currency = %(currency)s",
    "account": "account = %(account)s",
    "player": "player_id = %(player)s",
    "tournament": "tournament_id = %(tournament)s",
    "table": "table_id = %(table)s",
    "hand": "hand_id = %(hand)s",
    "journal": "journal_id = %(journal)s",
    "kind": "kind = %(kind)s",
    "from": "at >= %(from)s",
    "to": "at < %(to)s",
}


class Group(msgspec.Struct, frozen=True):
    """The accounts of one kind in a book: how many, what those below 0 owe, what those above 0 have."""

    kind: str
    accounts: int
    debit: int
    credit: int


class BookByGroups(msgspec.Struct, frozen=True, kw_only=True):
    """A book by groups of accounts: the money of a currency, or the chips of a tournament, whose name is `title`."""

    book: str
    currency: str | None
    tournament_id: UUID | None
    title: str
    groups: tuple[Group, ...]

    @property
    def difference(self) -> int:
        """By how much credit is more than debit: 0, or the books are wrong."""
        return sum(group.credit - group.debit for group in self.groups)


class BooksQuery(NamedTuple):
    """Which part of the books is asked for, and who asks; `wanted` has the filters by name."""

    reader: Actor
    wanted: dict[str, Any]

    @property
    def own(self) -> UUID | None:
        """Whose books alone the reader sees; None for all."""
        return self.reader.player_id

    def filters(self) -> tuple[str, dict[str, Any]]:
        """The conditions of a query, and their values: whatever is asked for, and what the reader may see."""
        found = {name: value for name, value in self.wanted.items() if name in _FILTERS}
        conditions = [_FILTERS[name] for name in found]
        if self.own is not None:
            conditions.append("player_id = %(own)s")
        if self.reader.tournament_id is not None:
            conditions.append("tournament_id = %(limited_to)s")
        values = {**found, "own": self.own, "limited_to": self.reader.tournament_id}
        return "".join(f" AND {condition}" for condition in conditions), values


def must_see_all(reader: Actor) -> None:
    """Raises NotAllowed if the token is limited to one tournament: then it reads no whole book, and no wallet."""
    if reader.tournament_id is not None:
        raise NotAllowed("forbidden", "This token is limited to one tournament.")


def accounts(
    db: Database, asked: BooksQuery, as_of: int, first: int, limit: int
) -> tuple[Page[shapes.Account], int]:
    """Accounts and their balances, from the one behind so many on; a player's are his own."""
    return _of_balances(db, shapes.Account, _LISTED, asked, (as_of, first, limit))


def trial_balance(
    db: Database, asked: BooksQuery, as_of: int, first: int, limit: int
) -> tuple[Page[shapes.TrialBalance], int]:
    """Each book by currency or tournament: what its accounts have and owe, which is the same."""
    must_see_all(asked.reader)
    return _of_balances(db, shapes.TrialBalance, _TRIAL, asked, (as_of, first, limit))


def by_groups(db: Database, book: str | None, as_of: int) -> list[BookByGroups]:
    """The trial balance by groups of accounts, those of `book` or of both, as of a position."""
    condition = " AND book = %(book)s" if book else ""
    rows = fetch(db, _GROUPS.replace("{filters}", condition), {"book": book, "as_of": as_of})
    titles = {
        row["tournament_id"]: row["name"]
        for row in fetch(db, _TITLES, {"ids": [row["tournament_id"] for row in rows]})
    }
    books = groupby(rows, key=itemgetter("book", "currency", "tournament_id"))
    return [
        BookByGroups(
            book=kind,
            currency=currency,
            tournament_id=tournament,
            title=currency or titles[tournament],
            groups=tuple(sorted((made(Group, row) for row in of_it), key=_group_order)),
        )
        for (kind, currency, tournament), of_it in books
    ]


def _group_order(group: Group) -> int:
    return list(GROUPS).index(group.kind)


def _of_balances(
    db: Database, kind: type[T], query: str, asked: BooksQuery, where: tuple[int, int, int]
) -> tuple[Page[T], int]:
    as_of, first, limit = where
    conditions, values = asked.filters()
    keys = {**values, "as_of": as_of, "first": first, "limit": limit + 1}
    rows = fetch(db, query.replace("{filters}", conditions), keys)
    following = (as_of, first + limit) if len(rows) > limit else None
    return Page(kind, [made(kind, row) for row in rows[:limit]], following), newest(db, as_of)


def entries(
    db: Database, asked: BooksQuery, as_of: int, after: Sequence[int], limit: int
) -> tuple[Page[shapes.LedgerEntry], int]:
    """Lines in the order in which they were written, behind a position and a line; a player's are about himself."""
    conditions, values = asked.filters()
    keys = {**values, "as_of": as_of, "position": after[0], "line": after[1], "limit": limit + 1}
    everything = asked.own is None and asked.reader.tournament_id is None
    rows = fetch(db, _LINES.replace("{filters}", conditions), {**keys, "everything": everything})
    shown = rows[:limit]
    following = (as_of, shown[-1]["position"], shown[-1]["line"]) if len(rows) > limit else None
    return Page(shapes.LedgerEntry, [made(shapes.LedgerEntry, row) for row in shown], following), newest(
        db, as_of
    )


def projected(db: Database) -> int:
    """The position of the log up to which the books are written."""
    found: int = fetch(db, "SELECT position FROM projections.tracking", {})[0]["position"]
    return found


def await_books(store: Store) -> int:
    """Wait until the books hold all that the log holds now, at most `BEHIND_SECONDS`; how many positions they lack."""
    head, until = store.head(), time.monotonic() + BEHIND_SECONDS
    while (lacking := head - projected(store.database)) > 0 and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)
    return max(lacking, 0)


def newest(db: Database, as_of: int) -> int:
    """The position of the newest line at or below one."""
    found: int = fetch(db, _NEWEST, {"as_of": as_of})[0]["newest"]
    return found


def wallets(db: Database, reader: Actor, player: UUID, as_of: int) -> shapes.Wallets:
    """What a player may dispose of, and what is held of his: open entries, stacks at ring tables."""
    if reader.player_id not in (None, player):
        raise NotAllowed("forbidden", "A player reads his own wallet only.")
    must_see_all(reader)
    if not fetch(db, "SELECT 1 FROM projections.players WHERE player_id = %(id)s", {"id": player}):
        raise NotFound("player")
    query = _WALLETS.replace("{accounts}", _ACCOUNTS)
    rows = fetch(db, query, {"player": player, "as_of": as_of})
    items = [made(shapes.Wallet, row) for row in rows]
    return shapes.Wallets(player_id=player, items=items, as_of=newest(db, as_of))
