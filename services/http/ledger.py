"""The ledger: accounts, entries and the trial balance, as of any position of the log."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from flask import Response

from services.application import ledger
from services.application import resources as shapes
from services.application.ledger import BooksQuery
from services.http import queries
from services.http.access import Who
from services.http.answers import listed, read
from services.http.calls import Call
from services.http.paging import at_position, paged_as_of
from services.http.routing import Routes, get, listing

blueprint = Routes("ledger", "The books of money and of chips, double entry")


@listing(blueprint, "/ledger/accounts", shapes.Account, query=queries.AccountsAsked(), who=Who.LEDGER)
def list_accounts(call: Call) -> Response:
    """List the accounts with their balances; a player's token sees its own"""
    return paged_as_of(call, partial(ledger.accounts, call.database, _query(call)))


@listing(blueprint, "/ledger/entries", shapes.LedgerEntry, query=queries.EntriesAsked(), who=Who.LEDGER)
def list_ledger_entries(call: Call) -> Response:
    """List the lines of all journals, oldest first; a player's token sees those that concern its player"""
    as_of, *after = at_position(call, int, int)
    page, newest = ledger.entries(call.database, _query(call), as_of, after, call.query["limit"])
    return listed(page, newest, call.query)


@listing(blueprint, "/ledger/trial-balance", shapes.TrialBalance, query=queries.TrialAsked(), who=Who.BOOKS)
def get_trial_balance(call: Call) -> Response:
    """Prove the books: of each currency and each tournament the sums of its accounts, which cancel out"""
    return paged_as_of(call, partial(ledger.trial_balance, call.database, _query(call)))


@get(
    blueprint,
    "/wallets/<uuid:player_id>",
    shapes.Wallets,
    who=Who.LEDGER,
    query=queries.AsOfAsked(),
    problems=("forbidden",),
    projected=True,
)
def get_wallet(call: Call, player_id: UUID) -> Response:
    """Read what a player has in each currency, and what is held of his in open entries and at ring tables"""
    return read(ledger.wallets(call.database, call.actor, player_id, *at_position(call)))


def _query(call: Call) -> BooksQuery:
    wanted: dict[str, Any] = {name: value for name, value in call.query.items() if value is not None}
    return BooksQuery(call.actor, wanted)
