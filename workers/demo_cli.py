"""`big2 demo`: a whole tournament, or an evening at ring tables, on a service of its own, played and verified."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from workers.showing import Show

MOST_AT_RING = 64
"""With two tables of four, more would hardly ever sit."""


@click.command()
@click.option(
    "--ring", is_flag=True, help="An evening at two ring tables, for money, instead of a tournament."
)
@click.option("--entrants", type=click.IntRange(2, 1000), help="Players.  [default: 64; with --ring 8]")
@click.option(
    "--hands", type=click.IntRange(1, 1000), help="With --ring: hands at each table.  [default: 12]"
)
@click.option("--rules", "preset", help="A tournament's preset.  [default: actionpoker]")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["freezeout", "sit_and_go"]),
    help="A tournament's format.  [default: freezeout]",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of the bots; deals stay unpredictable."
)
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Keep everything here.")
def demo(
    *,
    ring: bool,
    entrants: int | None,
    hands: int | None,
    preset: str | None,
    kind: str | None,
    seed: int,
    data: Path | None,
) -> None:
    """Play a whole tournament on a service of its own, and verify it; or an evening at ring tables, for money.

    Exit status 1 if anything is not as it must be.

    \b
    Examples:
      big2 demo
      big2 demo --entrants 16 --format sit_and_go --rules high-low
      big2 demo --ring --entrants 6 --hands 10
    """
    if problem := _misused(ring, entrants, hands, preset or kind):
        raise click.UsageError(problem)
    logging.getLogger().setLevel(logging.WARNING)
    signal.signal(
        signal.SIGTERM, signal.default_int_handler
    )  # as Ctrl-C: what was started and made is put away
    if ring:
        verified = _evening(entrants or 8, hands or 12, seed, data)
    else:
        verified = _tournament(entrants or 64, preset or "actionpoker", kind or "freezeout", seed, data)
    sys.exit(0 if verified else 1)


def _misused(ring: bool, entrants: int | None, hands: int | None, tournament: str | None) -> str | None:
    if ring and tournament:
        return "--rules and --format are a tournament's: --ring plays actionpoker"
    if ring and (entrants or 0) > MOST_AT_RING:
        return f"--ring has two tables: --entrants is {MOST_AT_RING} at most"
    if hands and not ring:
        return "--hands is for --ring: a tournament is played to its end"
    return None


def _tournament(entrants: int, preset: str, kind: str, seed: int, data: Path | None) -> bool:
    from workers.demo import Wanted, run
    from workers.showing import summary_lines

    with _shown() as show:
        summary = run(Wanted(entrants, preset, kind, seed), show, data)
    _say(summary_lines(summary))
    return summary.verified


def _evening(players: int, hands: int, seed: int, data: Path | None) -> bool:
    from workers.evening import run
    from workers.floor import Wanted
    from workers.showing import stays_lines, takings_lines
    from workers.statements import print_statements, print_trial_balance

    with _shown() as show:
        evening = run(Wanted(players, hands, seed), show, data)
    _say(["", "One player's evening, line by line (big2 ledger statement):", ""])
    print_statements(evening.whom, [evening.statement], None)
    _say(["", "Everybody's evening, in USD; the results together are what the house took:", ""])
    _say(stays_lines(evening.takings))
    _say(["", "The house's books after it (big2 ledger trial-balance):", ""])
    print_trial_balance(evening.books, evening.statement.as_of, None)
    _say(["", *takings_lines(evening.takings)])
    return evening.takings.verified


@contextmanager
def _shown() -> Iterator[Show]:
    from workers.client import Refused
    from workers.showing import Show
    from workers.stage import DemoFailed

    try:
        with Show() as show:
            yield show
    except (DemoFailed, Refused) as failed:
        raise click.ClickException(str(failed)) from failed


def _say(lines: list[str]) -> None:
    for line in lines:
        click.echo(line)
