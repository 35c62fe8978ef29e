"""`big2 erase`: a player's name, forgotten for good."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from uuid import UUID

import click

from workers.doctor_cli import or_unexamined


@click.command()
@click.argument("player", type=click.UUID)
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Data directory (BIG2_DATA, ./data)."
)
def erase(player: UUID, *, data: Path | None) -> None:
    """Erase a player's name for good; he reads `(erased)` from then on, and the name is free again.

    Names stand beside the log, whose events know ids only: no event is changed, and every chain and proof holds. A
    backup that was made before has the name still.

    Exit status 0 when it is erased, also if it was before; 1 when there is no such player, 2 without a database.

    \b
    Example:
      big2 erase 7d0f7a9e-6a3e-5c0e-9a62-3f9c3c0b7a11
    """
    from domain.player import PLAYER
    from services import people
    from services.bootstrap import store_in

    with or_unexamined(), closing(store_in(data)) as store:
        found = store.load(PLAYER, player).state
        if found:
            people.erase(store.database, player)
    if found is None:
        click.echo(f"Error: there is no player {player}", err=True)
        sys.exit(1)
    click.echo(f"the name of {player} is erased")
