"""How the books look: tables on a terminal, narrow where it is narrow, plain text in a pipe; CSV and JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import click
import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from domain.amounts import amount_text, change, figure
from domain.statement import GROUPS
from services.application.journals import JournalTold
from services.application.ledger import BookByGroups
from services.application.statements import Item, Statement, Whom
from services.spreadsheet import csv_text

WIDE: Final = 90
"""Columns from which on a line of a statement stands in one row."""
PIPED: Final = 1000
"""Columns where nobody looks at a terminal: nothing is wrapped."""
_PLAIN = str.maketrans({"¢": "c", "×": "x", "…": "."})


def print_trial_balance(books: Sequence[BookByGroups], as_of: int, form: str | None) -> None:
    """Each book by groups of accounts, and its verdict."""
    if form == "json":
        told = [{**_plain(book), "difference": book.difference} for book in books]
        click.echo(json.dumps({"as_of": as_of, "books": told}, indent=2, ensure_ascii=False))
    elif form == "csv":
        names = ("book", "currency", "tournament_id", "title", "group", "accounts", "debit", "credit")
        rows = (
            (book.book, book.currency, book.tournament_id, book.title, *msgspec.structs.astuple(group))
            for book in books
            for group in book.groups
        )
        click.echo(csv_text(names, rows, line_end="\n"), nl=False)
    else:
        _print_pages([*map(_trial, books), f"as of log position {as_of}"])


def _trial(book: BookByGroups) -> list[Text | Table]:
    of = f"{book.currency}" if book.currency else f"{book.title} (tournament {book.tournament_id})"
    table = _table("group", "accounts", "debit", "credit")
    for group in book.groups:
        sides = (figure(side, book.currency) if side else "" for side in (group.debit, group.credit))
        table.add_row(Text(GROUPS[group.kind]), str(group.accounts), *sides)
    debit, credit = (sum(side) for side in zip(*((g.debit, g.credit) for g in book.groups), strict=True))
    accounts = sum(group.accounts for group in book.groups)
    table.add_section()
    table.add_row("total", str(accounts), figure(debit, book.currency), figure(credit, book.currency))
    return [Text(f"{book.book}, {of}", "bold"), table, _verdict(book)]


def _verdict(book: BookByGroups) -> Text:
    if book.difference == 0:
        return Text("balanced: what the accounts owe (debit) is what they have (credit)", "green")
    by = amount_text(book.difference, book.currency)
    return Text(
        f"NOT BALANCED: credit less debit is {by}. `big2 rebuild --compare` holds the books against the log.",
        "bold red",
    )


def print_statements(whom: Whom, statements: Sequence[Statement], form: str | None) -> None:
    """A player's statements, one for each currency."""
    if form == "json":
        told = {"player_id": str(whom.player_id), "name": whom.name, "statements": _plain(list(statements))}
        click.echo(json.dumps(told, indent=2, ensure_ascii=False))
    elif form == "csv":
        names = ("currency", *Item.__struct_fields__)
        rows = ((s.currency, *msgspec.structs.astuple(item)) for s in statements for item in s.items)
        click.echo(csv_text(names, rows, line_end="\n"), nl=False)
    else:
        nothing = [f"{whom.name} ({whom.player_id}): no money has ever moved"]
        _print_pages([_statement(s) for s in statements] or nothing)


def _statement(s: Statement) -> list[Text | Table]:
    head = Text(f"Statement of {s.name} in {s.currency}", "bold")
    about = Text(f"player {s.player_id}, {_period(s)}, as of log position {s.as_of}", "dim")
    return [head, about, _wide(s) if _columns() >= WIDE else _narrow(s), _agreement(s)]


def _period(s: Statement) -> str:
    since = f"from {s.since:%Y-%m-%d}" if s.since else "from the beginning"
    return f"{since} to {s.until - timedelta(days=1):%Y-%m-%d}" if s.until else since


def _wide(s: Statement) -> Table:
    table = _table("when (UTC)", "what", "amount", "wallet", "tables", texts=2)
    table.add_row("", "opening balance", "", *_figures(s.currency, s.opening_wallet, s.opening_stacks))
    for item in s.items:
        after = _figures(s.currency, item.wallet, item.stacks)
        table.add_row(_when(item.at), Text(item.text), change(_amount(item), s.currency), *after)
    table.add_section()
    table.add_row("", "closing balance", "", *_figures(s.currency, s.closing_wallet, s.closing_stacks))
    return table


def _narrow(s: Statement) -> Table:
    """The same where a terminal is too narrow for five columns: they stand below each other."""
    table = _table("what", "amount")
    _narrow_row(table, s, "opening balance", (), (s.opening_wallet, s.opening_stacks))
    for item in s.items:
        words = f"{_when(item.at)}\n{item.text}"
        _narrow_row(table, s, words, (_amount(item),), (item.wallet, item.stacks))
    _narrow_row(table, s, "closing balance", (), (s.closing_wallet, s.closing_stacks))
    return table


def _narrow_row(table: Table, s: Statement, words: str, moved: Sequence[int], after: tuple[int, int]) -> None:
    wallet, tables = _figures(s.currency, *after)
    figures = [*(change(amount, s.currency) for amount in moved), f"wallet {wallet}", f"tables {tables}"]
    table.add_row(Text(words), "\n".join(figures))


def _amount(item: Item) -> int:
    """What the wallet gained; where it gained nothing, what his stacks did."""
    return item.wallet_change or item.stacks_change


def _agreement(s: Statement) -> Text:
    if s.agrees:
        return Text("the closing wallet is what the wallet's own events come to", "green")
    return Text(
        f"WRONG: the wallet's own events come to {amount_text(s.wallet_stream, s.currency)}."
        " `big2 rebuild` makes the books again from the log.",
        "bold red",
    )


def print_journal(journal: JournalTold, form: str | None) -> None:
    """One journal, and where it comes from."""
    if form == "json":
        told = {**_plain(journal), "sum": journal.sum}
        click.echo(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        _print_pages([_journal(journal)])


def _journal(journal: JournalTold) -> list[Text | Table]:
    table = _table("account", "amount", "what", texts=(0, 2))
    for line in journal.lines:
        table.add_row(Text(line.called), change(line.amount, journal.currency), Text(line.text))
    table.add_section()
    table.add_row("sum", figure(journal.sum, journal.currency), "")
    return [Text(f"Journal {journal.journal_id}", "bold"), _origin(journal), table]


def _origin(journal: JournalTold) -> Table:
    """When and why it was made, a fact a row."""
    facts = Table(box=None, show_header=False, pad_edge=False)
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    of = {"tournament": journal.tournament_id, "table": journal.table_id, "hand": journal.hand_id}
    for name, value in (
        ("book", f"{journal.book}, {journal.currency or journal.tournament}"),
        ("kind", journal.kind.replace("_", " ")),
        ("when", journal.at.strftime("%Y-%m-%d %H:%M:%S UTC")),
        ("by", ", ".join(filter(None, (journal.actor, journal.role, journal.player)))),
        ("command", journal.command_id),
        ("event", f"{journal.topic}, position {journal.position}"),
        ("stream", f"{journal.stream}, version {journal.version}"),
        *((name, found) for name, found in of.items() if found),
    ):
        facts.add_row(name, Text(str(value)))
    return facts


# below: the look


def _table(*columns: str, texts: int | tuple[int, ...] = 1) -> Table:
    """A table whose first `texts` columns (or these, by number) are words and wrap; the others are figures."""
    words = range(texts) if isinstance(texts, int) else texts
    table = Table(box=None, pad_edge=False, header_style="dim")
    for number, name in enumerate(columns):
        if number in words:
            table.add_column(name, overflow="fold")
        else:
            table.add_column(name, justify="right", no_wrap=True)
    return table


def _figures(currency: str, *amounts: int) -> list[str]:
    return [figure(amount, currency) for amount in amounts]


def _when(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M")


def _columns() -> int:
    return Console().width if sys.stdout.isatty() else PIPED


def _print_pages(pages: Iterable[str | Sequence[Text | Table]]) -> None:
    """Print pages with an empty line between them."""
    console = Console(width=_columns(), highlight=False)
    with console.capture() as capture:
        for number, page in enumerate(pages):
            console.print(*["\n"] * bool(number), end="")
            for part in [Text(page)] if isinstance(page, str) else page:
                console.print(part)
    for line in capture.get().splitlines():
        click.echo(_sayable(line.rstrip()))


def _sayable(line: str) -> str:
    """The line as the output's encoding can have it."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        line.encode(encoding)
    except UnicodeEncodeError:
        return line.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    return line


def _plain(value: object) -> Any:  # noqa: ANN401 - JSON
    return msgspec.to_builtins(value)
