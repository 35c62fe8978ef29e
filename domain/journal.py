"""The books, double entry: a journal is all that one event does to one book, and its lines sum to 0.

Two books that never mix: money, per currency in its minor units, and chips, per tournament. An account is a lower-case
name, made here and nowhere else. A line's amount is what the account gains, below 0 what it loses.

    money   outside                what players pay in and are paid out: the cash desk, the bank
            wallet/PLAYER          what a player may dispose of; never below 0
            escrow/TOURNAMENT      buy-ins of entries, until the pool is formed; then 0
            pool/TOURNAMENT        the prize pool; 0 once its prizes are paid
            stack/TABLE/PLAYER     what a player has at a ring table
            fees, rake, house      what the house gets for entries, for hands; what it adds to pools
    chips   issued, void           where they come from, and where they end
            player/PLAYER          a player's at the tournament
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, Literal

import msgspec

from domain.ids import HandId, JournalId, PlayerId, TableId, TournamentId

OUTSIDE = "outside"
FEES = "fees"
HOUSE = "house"
RAKE = "rake"
ISSUED = "issued"
VOID = "void"
ACCOUNTS: Final = (
    OUTSIDE, "wallet/PLAYER", "escrow/TOURNAMENT", "pool/TOURNAMENT", "stack/TABLE/PLAYER", FEES, RAKE, HOUSE,
    ISSUED, VOID, "player/PLAYER",
)  # fmt: skip
"""How accounts are called; a word in capitals stands for an id."""
_ID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
ACCOUNT_PATTERN: Final = "|".join(re.sub("[A-Z]+", _ID, account) for account in ACCOUNTS)
"""The same as a regular expression."""


Kind = Literal[
    "deposit", "withdrawal", "entry", "refund", "prize", "buy_in", "cash_out",
    "pool", "dissolution", "ante", "transfer", "cover", "issued", "no_show", "ruling", "penalty",
]  # fmt: skip
"""What a journal is; those of the first line are a wallet's."""


class Book(StrEnum):
    MONEY = "money"
    CHIPS = "chips"


class Line(msgspec.Struct, frozen=True):
    """What one account gains, in minor units or chips; `player_id` is whom it concerns, if only one."""

    account: str
    amount: int
    player_id: PlayerId | None = None


class Journal(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that belong together: all are written, or none. `currency` is null in the book of chips.

    The ids say what it is for; of what kind it is, `kind` says in one word.
    """

    journal_id: JournalId
    book: Book
    currency: str | None
    kind: Kind
    lines: tuple[Line, ...]
    tournament_id: TournamentId | None = None
    table_id: TableId | None = None
    hand_id: HandId | None = None


def balanced(journal: Journal) -> Journal:
    """The journal, as whoever makes one hands it on: one that is out of balance is a bug."""
    money = journal.book is Book.MONEY
    assert money == (journal.currency is not None), "money has a currency, chips have none"
    assert all(line.amount for line in journal.lines), "a line moves something"
    assert sum(line.amount for line in journal.lines) == 0, f"a {journal.kind} is out of balance"
    return journal


def gained(accounts: Mapping[str, int], player: PlayerId | None = None) -> tuple[Line, ...]:
    """A line for each account that gains something."""
    return tuple(Line(account, amount, player) for account, amount in accounts.items() if amount)


def balances(journals: Iterable[Journal]) -> dict[str, int]:
    """What each account has after these journals."""
    found: dict[str, int] = {}
    for journal in journals:
        for line in journal.lines:
            found[line.account] = found.get(line.account, 0) + line.amount
    return found


def is_account(name: str) -> bool:
    """Whether an account could be called so, ids in lower case.

    >>> is_account("rake"), is_account("rake/1"), is_account("pool/748658cb-8825-5b6a-bf56-c22ef177bcd5")
    (True, False, True)
    """
    return re.fullmatch(ACCOUNT_PATTERN, name) is not None


def wallet(player: PlayerId) -> str:
    return f"wallet/{player}"


def escrow(tournament: TournamentId) -> str:
    return f"escrow/{tournament}"


def pool(tournament: TournamentId) -> str:
    return f"pool/{tournament}"


def stack(table: TableId, player: PlayerId) -> str:
    return f"stack/{table}/{player}"


def chips_of(player: PlayerId) -> str:
    return f"player/{player}"
