"""The money book as the service shows it, held against the one that `tests.proof.money` makes of the raw events."""

from __future__ import annotations

from tests.proof.money import books_of, raw_events
from tests.services.http.driving import Api, Beside
from tests.services.http.playing import until


def prove_books(operator: Api, beside: Beside, database_url: str) -> None:
    """Every account, currency by currency; nobody ever had less than nothing, and each book sums to zero."""
    until(beside.rests)
    books = books_of(raw_events(database_url))
    assert not {name: least for name, least in books.lowest.items() if least < 0 and "/" in name}
    shown = {item["currency"]: item for item in trial(operator)}
    assert shown.keys() == books.balances.keys() != set()
    for currency, book in books.balances.items():
        assert sum(book.values()) == 0
        assert accounts(operator, currency) == {name: balance for name, balance in book.items() if balance}
        credit = sum(balance for balance in book.values() if balance > 0)
        of = shown[currency]
        assert (of["debit"], of["credit"], of["balanced"]) == (credit, credit, True)


def trial(operator: Api) -> list[dict]:
    return operator.read("/v1/ledger/trial-balance?book=money")["items"]


def accounts(operator: Api, currency: str) -> dict[str, int]:
    """What each account of a currency has, if it has anything."""
    path = f"/v1/ledger/accounts?book=money&currency={currency}&limit=200"
    found, cursor = {}, ""
    while cursor is not None:
        page = operator.read(f"{path}&cursor={cursor}" if cursor else path)
        found |= {item["account"]: item["balance"] for item in page["items"] if item["balance"]}
        cursor = page["next"]
    return found
