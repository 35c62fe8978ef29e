"""`big2 import`: what was played elsewhere becomes recorded play."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workers.files import UnreadableError, read_bytes, read_or_status_two, token_from

if TYPE_CHECKING:
    from big2.rulesets import RuleSet
    from domain.scoresheet import Sheet
    from workers.client import Client
    from workers.season import SheetLeague

LARGEST_SHEET = 4 * 1024 * 1024
"""Bytes; a club's year is 24,000."""
BLANK = b" \t\r\n\xef\xbb\xbf"
"""Bytes of a file that says nothing: white space and a byte-order mark."""


@click.group("import")
def import_() -> None:
    """Bring in what was played elsewhere: recorded hands, real cards."""


@import_.command()
@click.argument("file", metavar="FILE")
@click.option("--name", help="The league's name; the file's name by default.")
@click.option(
    "--rules",
    "base",
    default="actionpoker",
    show_default=True,
    help="The preset below the sheet's own rules.",
)
@click.option("--url", help="Where the service is; by default the one on the data directory.")
@click.option("--token", "secret", help="An operator's token, for --url; others on this machine can read it.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A file with it; BIG2_TOKEN in the environment by default.",
)
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Data directory (BIG2_DATA, ./data)."
)
@click.option(
    "--finish/--no-finish", default=True, show_default=True, help="Whether the season is over with the sheet."
)
@click.option("--dry-run", is_flag=True, help="Read and count, store nothing; needs no service.")
@click.option("--tsv", "as_tsv", is_flag=True, help="Print the table as tab-separated values.")
def scores(
    file: str,
    *,
    name: str | None,
    base: str,
    url: str | None,
    secret: str | None,
    token_file: Path | None,
    data: Path | None,
    finish: bool,
    dry_run: bool,
    as_tsv: bool,
) -> None:
    """Read a club's score sheet into a league of recorded hands. `-` is standard input.

    Without --url it works with the service on the data directory, and starts one for as long as it needs it where none
    runs. What was cut off goes on when it is repeated; what is repeated makes nothing twice.

    Exit status 1 when the sheet has a problem, and then nothing is stored; 2 when it can't be read.

    \b
    Examples:
      big2 import scores club-2013.txt --dry-run
      big2 import scores club-2013.txt --name "Club 2013"
      big2 import scores club-2013.txt --url http://127.0.0.1:8000 --token-file data/admin-token
    """
    from big2.quoted import meant
    from domain.scoresheet import FRY_CARDS
    from services.bootstrap import presets
    from workers import season

    known = presets()
    if base not in known:
        raise click.BadParameter(
            f"is no preset: {', '.join(known)}{meant(base, known)}", param_hint="--rules"
        )
    where = _where(url, secret, token_file, data)
    sheet = _read(file, season.house_rules(base, FRY_CARDS, known))
    title = _stem(file) if name is None else name
    leagues = season.leagues_of(sheet.hands, title, base, known)
    _check(sheet, [each.name for each in leagues] or [title])
    stored = [] if dry_run else _store(leagues, where, finish=finish)
    rows = season.season_totals(leagues)
    click.echo(season.tsv(rows) if as_tsv else season.aligned(rows), nl=False)
    for line in (season.summary(leagues), *stored):
        click.echo(line, err=as_tsv)


Where = Callable[[], "AbstractContextManager[Client]"]


def _where(url: str | None, secret: str | None, token_file: Path | None, data: Path | None) -> Where:
    """How to come to the service; the options must fit together."""
    from workers import own_service

    if url is None:
        if secret or token_file:
            raise click.UsageError("a token goes with --url; without, the data directory has one")
        return lambda: own_service.service_on(data)
    if data is not None:
        raise click.UsageError("either --url or --data: where the service is, or where its data are")
    token = token_from(secret, token_file)
    return lambda: own_service.service_at(url, token)


def _store(leagues: Sequence[SheetLeague], where: Where, *, finish: bool) -> list[str]:
    """Bring the leagues in, one after the other, and say where they are."""
    from services.bootstrap import SettingsError
    from workers.client import Refused
    from workers.importing import ImportFailedError, import_leagues
    from workers.own_service import NotServedError

    hands = sum(len(league.hands) for league in leagues)
    warnings: list[str] = []
    try:
        with where() as client, click.progressbar(length=hands, label="importing", file=sys.stderr) as bar:
            ids = import_leagues(
                client, leagues, finish=finish, done=lambda: bar.update(1), warn=warnings.append
            )
    except (ImportFailedError, NotServedError, Refused, SettingsError) as error:
        raise click.ClickException(str(error)) from error
    finally:
        for warning in warnings:
            click.echo(f"warning: {warning}", err=True)
    state = "finished" if finish else "running"
    split = [f"F changes: a league for each, {len(leagues)} in all"] if len(leagues) > 1 else []
    return [*split, *(f"league {id_}: {each.name}, {state}" for id_, each in zip(ids, leagues, strict=True))]


def _read(file: str, rules: RuleSet) -> Sheet:
    from domain.scoresheet import read_sheet
    from workers.season import NAMING

    with read_or_status_two():
        raw = read_bytes(file, LARGEST_SHEET)
        _check_text(file, raw)
    return read_sheet(raw, NAMING, rules, datetime.now(UTC).date())


def _check_text(file: str, raw: bytes) -> None:
    """What is no text at all is told in one line; raises UnreadableError."""
    unreadable = f"{file}: can't be read as a score sheet"
    if not raw.strip(BLANK):
        raise UnreadableError(f"{unreadable}: it is empty")
    for number, line in enumerate(raw.splitlines(), 1):
        if not _is_text(line):
            raise UnreadableError(f"{unreadable}: line {number} is not UTF-8 text; save the sheet as UTF-8")


def _is_text(line: bytes) -> bool:
    try:
        return "\0" not in line.decode()
    except UnicodeDecodeError:
        return False


def _check(sheet: Sheet, names: Sequence[str]) -> None:
    """Go on only if nothing is wrong with the sheet, nor with the leagues' names; all of it is told at once."""
    from big2.told import shown
    from domain.sheet_checks import counted
    from workers.season import wrong_name

    for warning in sheet.warnings:
        click.echo(f"warning: {warning}", err=True)
    wrong = [f"--name: {shown(name, 60)}: {reason}" for name in names if (reason := wrong_name(name))]
    problems = [*wrong, *map(str, sheet.problems)]
    for problem in problems:
        click.echo(problem, err=True)
    if problems:
        rest = f"; the sheet was read up to line {sheet.read_to}" if sheet.read_to else ""
        raise click.ClickException(f"{counted(len(problems), 'problem')}, nothing was imported{rest}")


def _stem(file: str) -> str:
    """A name that can be sent, whatever the file's is."""
    return "Score sheet" if file == "-" else Path(file).stem.encode("utf-8", "replace").decode()
