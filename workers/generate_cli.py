"""`big2 generate`: random tournaments in an empty database, to try dashboards and checks on."""

from __future__ import annotations

import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workers.doctor_cli import UNEXAMINED, or_unexamined

if TYPE_CHECKING:
    from workers.generating import Generated

MOST_TOURNAMENTS = 10_000


@click.command()
@click.option("--seed", default=1, help="Of everything random but the seeds of the draws and deals.")
@click.option("--tournaments", default=1, type=click.IntRange(1, MOST_TOURNAMENTS), help="How many.")
@click.option("--entrants", type=click.IntRange(2, 1_000), help="In each; at random, if left out.")
@click.option(
    "--format", "format_", type=click.Choice(["sit_and_go", "freezeout", "league"]), help="Of each."
)
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Data directory (BIG2_DATA, ./data)."
)
def generate(
    *, seed: int, tournaments: int, entrants: int | None, format_: str | None, data: Path | None
) -> None:
    """Write whole random tournaments into an empty database.

    Structure, entries, withdrawals, late entries, absent players, moves, ties, prizes, payments: all by the service's
    own decisions, hand by hand, so that every check holds of it. The same --seed gives the same course but for the
    cards and draws, whose seeds are secrets of the service. A database that holds anything is refused.

    \b
    Examples:
      big2 generate --data ./dashboards --tournaments 20
      big2 generate --data ./big --format freezeout --entrants 200
    """
    from services.bootstrap import build, settings, store_in, with_urls
    from services.postgres import migrate
    from services.projections import Projector
    from workers.generating import Generator
    from workers.own_database import database_of

    began = time.monotonic()
    found = settings(data=data)
    with or_unexamined(), database_of(found, new=True) as url:
        migrate(url)
        with closing(store_in(data)) as store:
            if store.head():
                click.echo("Error: this database holds events already: choose another --data", err=True)
                sys.exit(UNEXAMINED)
        with closing(build(with_urls(found))) as services:
            # commits do not wait for the disk: whoever generates can do so again
            services.store.database.settings["synchronous_commit"] = "off"
            projector = Projector(services.store)
            projector.create()
            generator = Generator(services, seed)
            for _ in range(tournaments):
                click.echo(_told(generator.tournament(format_, entrants)))
            projector.catch_up()
            events = services.store.head()
    click.echo(f"{events} events in {time.monotonic() - began:.1f} s")


def _told(made: Generated) -> str:
    return f"{made.tournament_id}  {made.format:10}  {made.entrants:4} entrants  {made.hands:5} hands"
