"""The `big2` command. Each subcommand imports what it needs, so that `big2 verify` starts quickly."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import UUID

import click

from workers.answering import answer_files
from workers.audit_cli import audit, is_bundle, judge_bundles
from workers.backup_cli import backup, restore
from workers.demo_cli import demo
from workers.doctor_cli import doctor
from workers.draw_cli import verify_draw
from workers.erase_cli import erase
from workers.files import token_from
from workers.generate_cli import generate
from workers.hands_cli import show
from workers.import_cli import import_
from workers.ledger_cli import ledger
from workers.output import PrintingGroup
from workers.rules_cli import rules
from workers.terms_cli import terms

EPILOG = """\b
Examples:
  big2 demo                          a whole tournament, played and verified; --ring: an evening for money
  big2 serve --port 8000             run the service, data in ./data
  big2 verify hands.jsonl            judge hand histories by the rules
  big2 token --role operator         make a token"""


@click.group(cls=PrintingGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="big2-tournament")
def main() -> None:
    """Big 2 tournaments: run them, play them, prove them."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")


main.add_command(rules)
main.add_command(demo)
main.add_command(show)
main.add_command(import_)
main.add_command(ledger)
main.add_command(backup)
main.add_command(restore)
main.add_command(doctor)
main.add_command(verify_draw)
main.add_command(generate)
main.add_command(erase)
main.add_command(terms)
main.add_command(audit)


@contextmanager
def _in_one_line(where: str = "is the service running on this data directory (--data)?") -> Iterator[None]:
    """What can be expected to go wrong is told in one line, with exit status 1; a traceback is for bugs.

    `where` asks what may be the matter with a database that is away.
    """
    from domain.errors import Refused as DomainRefused
    from domain.errors import Rejected
    from services.bootstrap import SettingsError
    from services.errors import StoreError, Unavailable
    from workers.client import Refused
    from workers.own_service import NotServedError

    try:
        yield
    except Unavailable as error:
        raise click.ClickException(f"{error}; {where}") from error
    except (Rejected, SettingsError, StoreError, Refused, NotServedError) as error:
        wrong = error.errors if isinstance(error, DomainRefused) else {}
        details = "".join(f" {pointer} {what}." for pointer, what in wrong.items())
        raise click.ClickException(f"{error}{details}") from error


RESTART_SECONDS = 10.0
"""A service that was killed is back by then."""

DATA = click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Data directory (BIG2_DATA, ./data)."
)


@main.command()
@click.option("--host", help="Address to listen on (BIG2_HOST, 127.0.0.1).")
@click.option("--port", type=click.IntRange(1, 65535), help="Port to listen on (PORT, 8000).")
@DATA
def serve(host: str | None, port: int | None, data: Path | None) -> None:
    """Run everything: web, workers, clock, projector, and PostgreSQL and Valkey where no URL is set.

    \b
    Examples:
      big2 serve
      big2 serve --host 0.0.0.0 --port 80 --data /srv/big2
      DATABASE_URL=postgresql://… REDIS_URL=redis://… big2 serve
    """
    from workers.serving import serve as run

    with _in_one_line():
        run(host=host, port=port, data=data)


@main.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--key", help="The key that a bundle is signed with, as the house has published it.")
def verify(files: tuple[str, ...], key: str | None) -> None:
    """Judge hand histories (big2-hand/1): one JSON line for each hand. `-` is standard input.

    A bundle (FILE.zip) is judged as a whole: a line for each check, such as its signature, chains and deals.

    Exit status 0 when every verdict is `valid`, 1 when any is not or there is no hand, 2 when a file can't be read.

    \b
    Examples:
      big2 verify hand.json
      big2 verify bundle.zip --key big2-tournament/…
      curl -s …/v1/hands/ID/history | big2 verify -
    """
    from big2.history import verify_lines
    from services.bootstrap import presets

    known = presets()
    if any(is_bundle(file) for file in files):
        # `big2 audit keys` prints after a key since when it is good
        judge_bundles(files, known, key)
    answer_files(files, lambda text: verify_lines(text, known), lambda line: line["verdict"] == "valid")


@main.command()
@click.option("--role", type=click.Choice(["auditor", "operator", "director", "admin"]), required=True)
@click.option("--tournament", type=click.UUID, help="Limit the token to one tournament, by its id.")
@DATA
def token(role: str, tournament: UUID | None, data: Path | None) -> None:
    """Make a token and print it, once. The service's database must be running.

    \b
    Example:
      big2 token --role operator
    """
    from workers.serving import make_token

    with _in_one_line():
        click.echo(make_token(role, tournament, data))


@main.command()
@click.option("--compare", "only_compare", is_flag=True, help="Leave the live projections, only compare.")
@DATA
def rebuild(only_compare: bool, data: Path | None) -> None:
    """Make every projection again from the log. The service may go on running meanwhile.

    \b
    Examples:
      big2 rebuild --compare      exit status 1 if a row differs
      big2 rebuild                put the new ones in the place of the live ones
    """
    from services.bootstrap import store_in
    from services.projections import rebuild as projections

    with _in_one_line(), closing(store_in(data)) as store:
        with click.progressbar(length=store.head(), label="rebuilding", file=sys.stderr) as bar:
            progress: Callable[[int, int], None] = lambda done, _all: bar.update(done - bar.pos)  # noqa: E731
            if not only_compare:
                return projections.replace(store, progress)
            differences = projections.compare(store, progress)
        for d in differences:
            click.echo(f"{d.table}: {d.only_live} rows only live, {d.only_rebuilt} rows only rebuilt")
        click.echo("differs" if differences else f"equal at position {store.head()}")
    sys.exit(1 if differences else 0)


@main.command()
@click.option("--url", required=True, help="Where the service is.")
@click.option("--token", "secret", help="An operator's token; others on this machine can read it.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A file with it; BIG2_TOKEN in the environment by default.",
)
@click.option("--tournament", type=click.UUID, help="The tournament's id.")
@click.option("--table", type=click.UUID, help="The ring table's id, instead of a tournament's.")
@click.option("--hands", type=click.IntRange(1), help="Leave the ring table after so many hands.")
@click.option("--prefix", default="", help="Play only for those whose names begin so; for all by default.")
@click.option("--seed", type=int, default=0, help="Seed of the bots' whims.")
@click.option(
    "--patience", type=click.FloatRange(0), help="Seconds to wait for a service that is away; 60 by default."
)
def bots(
    *,
    url: str,
    secret: str | None,
    token_file: Path | None,
    tournament: UUID | None,
    table: UUID | None,
    hands: int | None,
    prefix: str,
    seed: int,
    patience: float | None,
) -> None:
    """Play for a tournament's entrants until it is over, or at a ring table until it closes: over HTTP, like anybody.

    \b
    Examples:
      big2 bots --url http://127.0.0.1:8000 --token-file data/admin-token --tournament ID
      big2 bots --url http://127.0.0.1:8000 --token-file data/admin-token --table ID --prefix House --hands 20
    """
    from workers.bots import Bots
    from workers.own_service import service_at
    from workers.venues import RingTable, Tournament, Venue

    if (tournament is None) == (table is None):
        raise click.UsageError("one of --tournament and --table is needed, and not both")
    if hands and table is None:
        raise click.UsageError("--hands is for a ring table (--table): a tournament is played to its end")
    found = token_from(secret, token_file)
    with _in_one_line(), service_at(url, found, RESTART_SECONDS, patience) as client:
        venue: Venue = RingTable(client, str(table), hands) if table else Tournament(client, str(tournament))
        players = Bots(client, venue, prefix=prefix, seed=seed)
        click.echo(f"playing at {venue.query.replace('=', ' ')} until it is over")
        players.run()
        click.echo(f"it is over; {players.plays} turns taken")


@main.command()
@click.option("--check", is_flag=True, help="Change nothing; exit status 1 if something is to be done.")
@DATA
def migrate(*, check: bool, data: Path | None) -> None:
    """Bring the database's tables up to this release; harmless when they are, and when several do it at once.

    \b
    Examples:
      big2 migrate --check        before an upgrade: what it would do
      big2 migrate
    """
    from workers.serving import migrate_all, missing

    with _in_one_line():
        if not check:
            return migrate_all(data)
        found = missing(data)
        click.echo(f"missing: {', '.join(found)}" if found else "up to date")
    sys.exit(1 if found else 0)


@main.command("run")
@click.argument("process", type=click.Choice(["web", "worker", "clock", "projector"]))
def run_one(process: str) -> None:
    """Run one process of the service, as the Procfile does."""
    from workers.serving import run_process

    with _in_one_line("is the database there (DATABASE_URL)?"):
        run_process(process)


if __name__ == "__main__":
    main()
