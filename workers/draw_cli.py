"""`big2 verify-draw`: whether tables, moves, lots, places and prizes follow from the revealed seed and the log."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import click

from workers.doctor_cli import UNEXAMINED, WRONG, or_unexamined

if TYPE_CHECKING:
    from services.doctor.drawn import Verified
    from services.doctor.violation import Violation


@click.command("verify-draw")
@click.argument("tournaments", nargs=-1, type=click.UUID, metavar="[TOURNAMENT]...")
@click.option("--json", "as_json", is_flag=True, help="JSON Lines: one for each tournament.")
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Data directory (BIG2_DATA, ./data)."
)
def verify_draw(tournaments: tuple[UUID, ...], *, as_json: bool, data: Path | None) -> None:
    """Derive again what tournaments drew: tables, seats, moves, lots, places and prizes.

    Of tournaments that are over, all of them if none is named: everything that follows from the seed, which is
    revealed at the end, and from the hands' results is decided anew from the log alone. Of the first place that
    differs it is told what stands there and what should. That the results of the hands follow from their plays is for
    `big2 doctor`.

    Exit status 0 when all agrees, 1 when something differs, 2 when it could not be examined, or is not over.

    \b
    Examples:
      big2 verify-draw
      big2 verify-draw 748658cb-8825-5b6a-bf56-c22ef177bcd5 --json
    """
    import msgspec

    from services.bootstrap import store_in
    from services.doctor import drawn
    from services.doctor.reading import Log

    wrong = seen = 0
    with or_unexamined(), closing(store_in(data)) as store:
        log = Log(store)
        for t in tournaments or drawn.finished_tournaments(log):
            try:
                verified = drawn.verify(log, t)
            except drawn.NotOverError as error:
                click.echo(f"Error: {error}", err=True)
                sys.exit(UNEXAMINED)
            seen, wrong = seen + 1, wrong + (verified.wrong is not None)
            click.echo(msgspec.json.encode(verified).decode() if as_json else told(verified))
    if not as_json:
        click.echo(f"{seen - wrong} of {seen} tournaments agree")
    sys.exit(WRONG if wrong else 0)


def told(verified: Verified) -> str:
    """A tournament's drawings as a table, and the first wrong place."""
    rows = [
        (str(d.position), f"{d.at:%Y-%m-%d %H:%M:%S}", d.occasion or "-", d.verdict, d.what)
        for d in verified.drawings
    ]
    head = ("position", "when (UTC)", "occasion", "verdict", "what")
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(4)]
    lines = ["  ".join([*map(str.ljust, row, widths), row[4]]) for row in (head, *rows)]
    title = f"{verified.name} ({verified.tournament_id}), {verified.state}, seed {verified.seed}"
    return "\n".join([title, *lines, *(_wrong(verified.wrong) if verified.wrong else []), ""])


def _wrong(violation: Violation) -> list[str]:
    lines = [f"the first wrong place: {violation.where}: {violation.what}"]
    if found := violation.difference:
        lines.append(f"  {found.pointer}: {found.stands} stands there, and should be {found.should}")
    return lines
