"""`big2 ledger`: the books for people who have never seen the code, as tables, CSV or JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import click

if TYPE_CHECKING:
    from services.application.statements import Period
    from services.store import Store

WRONG = 1
"""Exit status when the books do not agree."""
DATA = click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Data directory (BIG2_DATA, ./data)."
)
AS_CSV = click.option("--csv", "form", flag_value="csv", help="Comma-separated, amounts in minor units.")
AS_JSON = click.option("--json", "form", flag_value="json", help="JSON, amounts in minor units.")
DAY = click.DateTime(["%Y-%m-%d"])


@click.group(epilog="See docs/ledger.md for the accounts and for what moves money.")
def ledger() -> None:
    """The books: trial balance, statements, journals. The service's database must be running."""


@ledger.command("trial-balance")
@click.option("--book", type=click.Choice(["money", "chips"]), help="One of the two books; both by default.")
@click.option("--as-of", type=click.IntRange(0), metavar="N", help="As of a position of the log.")
@AS_CSV
@AS_JSON
@DATA
def trial_balance(book: str | None, as_of: int | None, form: str | None, data: Path | None) -> None:
    """Prove the books: for each currency and tournament, what its accounts owe (debit) and have (credit).

    Exit status 0 when every book is balanced, 1 when one is not.

    \b
    Examples:
      big2 ledger trial-balance
      big2 ledger trial-balance --book money --as-of 1200
      big2 ledger trial-balance --csv > books.csv
    """
    from services.application.ledger import by_groups, projected
    from workers import statements

    with _books(data) as store:
        newest = projected(store.database)
        if as_of is not None and as_of > newest:
            raise click.BadParameter(f"the books are written up to {newest}", param_hint="--as-of")
        position = newest if as_of is None else as_of
        found = by_groups(store.database, book, position)
    statements.print_trial_balance(found, position, form)
    sys.exit(0 if all(each.difference == 0 for each in found) else WRONG)


@ledger.command()
@click.argument("player", metavar="PLAYER")
@click.option("--currency", metavar="CODE", help="One currency, such as USD; all that he has by default.")
@click.option("--from", "since", type=DAY, metavar="DATE", help="From this day on (UTC), such as 2027-01-31.")
@click.option("--to", "until", type=DAY, metavar="DATE", help="Up to the end of this day (UTC).")
@AS_CSV
@AS_JSON
@DATA
def statement(
    player: str,
    currency: str | None,
    since: datetime | None,
    until: datetime | None,
    form: str | None,
    data: Path | None,
) -> None:
    """Explain a player's money line by line: wallet, entries, prizes, ring tables, hand by hand.

    PLAYER is an id or the exact name. `wallet` is what he may dispose of, `tables` what is in his stacks at ring
    tables; an entry leaves the wallet at once. Exit status 1 when the end is not what the wallet's own events come to.

    \b
    Examples:
      big2 ledger statement "Mei Ling"
      big2 ledger statement "Mei Ling" --currency USD --from 2027-01-01 --to 2027-01-31
      big2 ledger statement 0b5e3c1c-6d0e-5f0a-9f43-3f6c0a1d7e55 --csv > mei-ling.csv
    """
    from services.application import statements as books
    from workers import statements

    period = _period(since, until)
    with _books(data) as store:
        whom = books.player_called(store.database, player)
        found = books.statements(store, whom, currency and currency.upper(), period)
    statements.print_statements(whom, found, form)
    sys.exit(0 if all(each.agrees for each in found) else WRONG)


@ledger.command()
@click.argument("journal_id", type=click.UUID, metavar="ID")
@AS_JSON
@DATA
def journal(journal_id: UUID, form: str | None, data: Path | None) -> None:
    """Show one journal: what moved between which accounts, why, when, and who asked for it.

    ID is the `journal_id` of a statement's line (--json, --csv) or of `GET /v1/ledger/entries`.

    \b
    Example:
      big2 ledger journal 5f0c7a52-2a0b-5c3d-8a43-0d6f2a9be411
    """
    from services.application.journals import journal_told
    from workers import statements

    with _books(data) as store:
        found = journal_told(store, journal_id)
    statements.print_journal(found, form)
    sys.exit(0 if found.sum == 0 else WRONG)


def _period(since: datetime | None, until: datetime | None) -> Period:
    """Whole days, the last one included."""
    from services.application import statements as books

    if since and until and until < since:
        raise click.BadParameter("ends before --from", param_hint="--to")
    try:
        end = until and until.replace(tzinfo=UTC) + timedelta(days=1)
    except OverflowError:
        raise click.BadParameter("is the last day that there is: leave it out", param_hint="--to") from None
    return books.Period(since and since.replace(tzinfo=UTC), end)


@contextmanager
def _books(data: Path | None) -> Iterator[Store]:
    """The store of the running service; whatever keeps the books closed, or leaves lines out, is told in one line."""
    from psycopg.errors import UndefinedTable

    from domain.errors import Rejected
    from services.application.ledger import await_books
    from services.bootstrap import SettingsError, store_in
    from services.errors import StoreError, Unavailable

    try:
        with closing(store_in(data)) as store:
            if lacking := await_books(store):
                far = "1 position" if lacking == 1 else f"{lacking} positions"
                click.echo(f"the books are {far} behind the log: is the projector running?", err=True)
            yield store
    except Unavailable as error:
        remedy = "is the service running on this data directory (--data)?"
        raise click.ClickException(f"{error}; {remedy}") from error
    except UndefinedTable as error:
        raise click.ClickException(
            "this database has no books yet: `big2 serve` makes them when it starts"
        ) from error
    except (Rejected, SettingsError, StoreError) as error:
        raise click.ClickException(str(error)) from error
