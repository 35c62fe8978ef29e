"""`big2 doctor`: what must hold of a database, and what is wrong where it does not."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from services.doctor.invariants import INVARIANTS

if TYPE_CHECKING:
    from services.doctor.examination import Examination
    from services.doctor.violation import Violation

WRONG = 1
"""Exit status when something is wrong."""
UNEXAMINED = 2
"""Exit status when the database could not be examined."""
STEPS = 200
"""How often a progress bar moves at most."""


def chosen(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Invariants by name, with commas between, in the order of the list; all of them by default."""
    named = {name.strip().upper() for name in value.split(",")} if value else set(INVARIANTS)
    if unknown := named - set(INVARIANTS):
        told = f"{', '.join(sorted(unknown))}: choose from {', '.join(INVARIANTS)}"
        raise click.BadParameter(told, context, parameter)
    return tuple(name for name in INVARIANTS if name in named)


def invariants_told() -> str:
    """The list of invariants, as a help text has it."""
    return "\b\n" + "\n".join(f"{name:4} {what}" for name, what in INVARIANTS.items())


@click.command(epilog=invariants_told())
@click.option("--only", callback=chosen, metavar="I1,I2", help="Some of the invariants below.")
@click.option("--settled", is_flag=True, help="All play is over: whatever is not settled and paid is wrong.")
@click.option("--idle", is_flag=True, help="The service runs: a turn 10 s beyond its deadline is wrong.")
@click.option("--json", "as_json", is_flag=True, help="JSON Lines: one for each violation, then the summary.")
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Data directory (BIG2_DATA, ./data)."
)
def doctor(*, only: tuple[str, ...], settled: bool, idle: bool, as_json: bool, data: Path | None) -> None:
    """Examine a database: its log event by event, its books, its projections; and say what is wrong, where.

    The service's database must be running; the service may be, for what is appended meanwhile is left out. Nothing is
    changed (I4 makes the projections anew beside the live ones). I7 is judged with --settled or --idle only. No card,
    seed or token is ever printed.

    Exit status 0 when nothing is wrong, 1 when something is, 2 when the database could not be examined.

    \b
    Examples:
      big2 doctor
      big2 doctor --only I2,I3 --json
      big2 doctor --settled             after the last hand of an evening
      DATABASE_URL=postgresql://… big2 doctor --idle
    """
    from services.bootstrap import store_in
    from services.doctor.examination import Examination, Questions

    with or_unexamined(), closing(store_in(data)) as store, Bars() as bars:
        examination = Examination(store, Questions(only, settled=settled, idle=idle), bars)
        found = print_violations(examination.violations(), as_json=as_json)
        print_summary(examination, only, found, as_json=as_json)
    sys.exit(WRONG if found else 0)


@contextmanager
def or_unexamined() -> Iterator[None]:
    """What keeps a database from being examined is told in one line, with exit status 2."""
    from psycopg.errors import UndefinedFunction, UndefinedTable

    from services.bootstrap import SettingsError
    from services.errors import StoreError, Unavailable

    try:
        yield
    except Unavailable as error:
        why = f"{error}; is the service running on this data directory (--data)?"
    except (UndefinedFunction, UndefinedTable):
        why = "this database has no log of this release: `big2 migrate` makes it"
    except (SettingsError, StoreError) as error:
        why = str(error)
    else:
        return
    click.echo(f"Error: {why}", err=True)
    sys.exit(UNEXAMINED)


def print_violations(violations: Iterable[Violation], *, as_json: bool) -> int:
    """Print each as it is found; how many there are."""
    import msgspec

    found = 0
    for violation in violations:
        found += 1
        if as_json:
            click.echo(msgspec.json.encode(violation).decode())
        else:
            click.echo(f"{violation.invariant}  {violation.where}: {violation.what}")
    return found


def print_summary(examination: Examination, invariants: Iterable[str], found: int, *, as_json: bool) -> None:
    """What was examined, and how many violations were found."""
    import msgspec

    log, unused = examination.log, examination.unused_positions
    if as_json:
        summary = {
            "position": log.head,
            "events": examination.events,
            "streams": examination.streams,
            "unused_positions": unused,
            "invariants": tuple(invariants),
            "violations": found,
        }
        click.echo(msgspec.json.encode(summary).decode())
        return
    told = f"{found} violations" if found else "nothing is wrong"
    click.echo(
        f"{told} in {examination.events} events of {examination.streams} streams up to position {log.head}"
        f" ({unused} positions unused); asked were {', '.join(invariants)}"
    )


class Bars:
    """Progress on standard error, a bar for each part of the examination."""

    def __init__(self) -> None:
        self._what, self._done = "", 0
        self._bar: Any = None

    def __enter__(self) -> Bars:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def __call__(self, what: str, done: int, everything: int) -> None:
        """So much of it is done."""
        if what != self._what:
            self._end()
            self._what, self._done = what, 0
            steps = max(everything // STEPS, 1)
            bar = click.progressbar(
                length=everything, label=f"{what:12}", file=sys.stderr, update_min_steps=steps
            )
            self._bar = bar.__enter__()
        self._bar.update(done - self._done)
        self._done = done

    def _end(self) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None
