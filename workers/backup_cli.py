"""`big2 backup` and `big2 restore`: everything that cannot be made again, in one file, and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from services.backup import Manifest

FILE = click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
DATA = click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Data directory (BIG2_DATA, ./data)."
)


@click.command()
@FILE
@DATA
def backup(file: Path, data: Path | None) -> None:
    """Write a backup into FILE, which must not be there yet. The service may run, and is not held up.

    FILE holds every card and every seed: it is readable for its owner alone. Encrypt it before it leaves the machine.

    \b
    Examples:
      big2 backup /backups/big2-$(date +%F).zip
      DATABASE_URL_FILE=/run/secrets/db big2 backup /backups/big2.zip
    """
    from services import backup as backups
    from services.bootstrap import settings
    from workers.own_database import database_of

    with _in_one_line():
        found = settings(data=data)
        with database_of(found) as url:
            _tell(file, backups.backup(url, file))


@click.command()
@FILE
@DATA
def restore(file: Path, data: Path | None) -> None:
    """Make an empty database what it was when FILE was written, bring it up to this release, and prove it.

    What was done after that moment is not in it: docs/operations.md says what that means. Into a data directory that
    has no database yet, or an empty database of yours (DATABASE_URL); never over another.

    \b
    Example:
      big2 restore /backups/big2-2026-11-30.zip --data ./restored
    """
    from services import backup as backups
    from services.audit import verify_log
    from services.bootstrap import settings, store_in
    from services.postgres import migrate
    from services.projections import Projector
    from workers.own_database import database_of

    with _in_one_line():
        found = settings(data=data)
        backups.read(file)  # before anything is made
        with database_of(found, new=True) as url:
            _tell(file, backups.restore(url, file))
            migrate(url)
            with closing(store_in(data)) as store:
                projector = Projector(store)
                projector.create()
                projector.catch_up()
                proof = verify_log(store)
    click.echo(
        f"restored: {proof.events} events of {proof.streams} streams, every chain whole; projections made"
    )


def _tell(file: Path, manifest: Manifest) -> None:
    head = manifest.head
    click.echo(
        f"{file}: {head.events} events up to position {head.position} at {manifest.made_at:%Y-%m-%dT%H:%M:%SZ},"
        f" digest {head.digest}"
    )


@contextmanager
def _in_one_line() -> Iterator[None]:
    """What can be expected to go wrong is told in one line, with exit status 1."""
    from services.bootstrap import SettingsError
    from services.embedded import EmbeddedError
    from services.errors import StoreError
    from workers.supervisor import AlreadyRunning

    try:
        yield
    except (StoreError, SettingsError, EmbeddedError, AlreadyRunning) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{error.filename or 'the file'}: {error.strerror}") from error
