"""`big2 audit`: checkpoints of the log, proofs from them, bundles for whoever does not trust the service."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from uuid import UUID

import click

from workers.story_cli import echo_escaped, story

if TYPE_CHECKING:
    from big2.rulesets import RuleSet
    from services.audit.anchors import Finding
    from services.audit.checkpoints import Signed
    from services.bootstrap import Services

DATA = click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Data directory (BIG2_DATA, ./data)."
)
FILE = click.Path(path_type=Path, dir_okay=False)
THERE = click.Path(path_type=Path, exists=True, dir_okay=False)
POSITIVE = click.IntRange(min=1)


@click.group()
def audit() -> None:
    """Prove what happened: signed heads of the log, proofs, bundles. docs/audit.md is an auditor's walk-through.

    The service's database must be running; the service may be.

    \b
    Examples:
      big2 audit checkpoint                         sign the log's head now, and print it
      big2 audit bundle --tournament ID -o t.zip    then: big2 verify t.zip
      big2 audit story t.zip --player ID            what happened to him, in lines
      big2 audit anchor --file /mnt/other/heads     keep the newest head elsewhere
    """


audit.add_command(story)


@audit.command()
@DATA
def checkpoint(data: Path | None) -> None:
    """Sign the log's head, unless it is signed already, and print the newest checkpoint, a C2SP signed note.

    The service does so every minute while there are new events, and at each tournament's end.

    \b
    Example:
      big2 audit checkpoint
    """
    with _services(data) as its:
        click.echo(_newest(its).note, nl=False)


@audit.command()
@click.option("--file", type=FILE, help="Append it to this file, one JSON object a line.")
@click.option("--url", help="POST it there, as text/plain.")
@click.option("--allow-private", is_flag=True, help="The address may be one of a private network.")
@click.option("--check", type=THERE, help="Compare the log with what was anchored in this file.")
@DATA
def anchor(
    *, file: Path | None, url: str | None, allow_private: bool, check: Path | None, data: Path | None
) -> None:
    """Keep the newest checkpoint where the service has no say; or compare the log with what was kept.

    Only an anchor tells that the log's end was cut off, or that it was written anew. Exit status 1 if it was,
    2 if there is nothing to compare with.

    \b
    Examples:
      big2 audit anchor --file /mnt/other/heads.jsonl      every hour, by cron
      big2 audit anchor --url https://example.org/heads
      big2 audit anchor --check /mnt/other/heads.jsonl
    """
    from services.audit import anchors, keys

    if not (file or url or check):
        raise click.UsageError("one of --file, --url and --check is needed")
    with _services(data) as its:
        if file or url:
            signed = _newest(its)
            if file:
                anchors.append(file, signed)
            if url:
                anchors.post(url, signed, private=allow_private)
            click.echo(f"anchored: {signed.size} events up to position {signed.position}")
        if check:
            findings = list(anchors.check(its.store, keys.verifiers(its.store.database), check))
            sys.exit(_compared(check, findings))


@audit.command()
@click.option("--position", type=POSITIVE, help="The event at this log position.")
@click.option("--hand", type=click.UUID, help="A hand's newest event, or that of --version.")
@click.option("--stream", type=click.UUID, help="Any stream's, in the same way.")
@click.option("--version", type=POSITIVE)
@click.option("--size", type=POSITIVE, help="In the checkpoint of this size; by default in the newest.")
@click.option("--from", "old", type=POSITIVE, help="That the checkpoint begins with so many events.")
@click.option("--json", "as_json", is_flag=True, help="As the API has it; by default a C2SP tlog-proof.")
@DATA
def prove(
    *,
    position: int | None,
    hand: UUID | None,
    stream: UUID | None,
    version: int | None,
    size: int | None,
    old: int | None,
    as_json: bool,
    data: Path | None,
) -> None:
    """Prove that an event stands in a checkpoint's log, or that this log begins with an earlier one.

    Nothing is proved of a hand that still runs.

    \b
    Examples:
      big2 audit prove --hand ID
      big2 audit prove --position 4711 --json
      big2 audit prove --from 1000                   the newest log begins with those 1,000 events
    """
    import msgspec

    from services.audit import proofs

    asked = [given for given in (position, hand, stream, old) if given is not None]
    if len(asked) != 1:
        raise click.UsageError("one of --position, --hand, --stream and --from is needed, and not more")
    if version and not (hand or stream):
        raise click.UsageError("--version goes with --hand or --stream")
    with _services(data) as its:
        if old:
            proof = proofs.consistency(its.store, old, size)
        elif position:
            proof = proofs.at_position(its.store, position, size)
        else:
            proof = proofs.in_stream(its.store, hand or stream or UUID(int=0), version, size)
    if as_json or proof.tlog_proof is None:
        click.echo(msgspec.json.encode(proof).decode())
    else:
        click.echo(proof.tlog_proof, nl=False)


@audit.command("keys")
@DATA
def list_keys(data: Path | None) -> None:
    """Print the keys that checkpoints are, or were, signed with, the newest last, as C2SP verifier keys.

    Exit status 1 if the key to sign with is missing, or if a key was announced by no other.

    \b
    Example:
      big2 audit keys
    """
    from services.audit import keys

    with _services(data) as its:
        known = keys.published(its.store.database)
        for key in known:
            click.echo(f"{key.verifier}  since {key.added_at:%Y-%m-%dT%H:%M:%SZ}")
        wrong = keys.announced(known)
        for what in wrong:
            click.echo(what, err=True)
        keys.current(its.store.database, its.settings.audit_key, its.settings.data)
    sys.exit(1 if wrong else 0)


@audit.command()
@click.option("--lost", is_flag=True, help="The key is lost: nothing announces the new one.")
@click.option("--out", type=FILE, help="Where the new key goes if the old one came from the environment.")
@DATA
def rotate(*, lost: bool, out: Path | None, data: Path | None) -> None:
    """Begin a new key for checkpoints, announced under the old one's signature; old verifier keys stay published.

    A key in the data directory is replaced at once. One that comes from BIG2_AUDIT_KEY or BIG2_AUDIT_KEY_FILE is
    written to --out: set the variable to it, and start the service again.

    \b
    Examples:
      big2 audit rotate
      BIG2_AUDIT_KEY_FILE=/run/secrets/audit big2 audit rotate --out /run/secrets/audit.next
    """
    from services.audit import keys

    with _services(data) as its:
        given, folder = its.settings.audit_key, its.settings.data
        if given and not out:
            raise click.UsageError("the key comes from the environment: --out says where the new one goes")
        old = None if lost else keys.current(its.store.database, given, folder)
        new = keys.rotate(its.store.database, old, out or folder / keys.KEY_FILE)
    click.echo(f"checkpoints are signed by {new.verifier} from now on")


@audit.command()
@click.option("--hand", type=click.UUID, help="Of this hand.")
@click.option("--table", type=click.UUID, help="Of this table's hands.")
@click.option("--tournament", type=click.UUID, help="Of this tournament.")
@click.option("-o", "--out", type=FILE, required=True, help="The zip, which must not be there yet.")
@DATA
def bundle(
    *, hand: UUID | None, table: UUID | None, tournament: UUID | None, out: Path, data: Path | None
) -> None:
    """Write a bundle: hands that are over, with all it takes to check them offline, without trusting the service.

    It is the same to the byte whenever it is made. Everybody's cards are in it, nobody's name.

    \b
    Examples:
      big2 audit bundle --tournament ID -o friday.zip
      python3 -I verify.py friday.zip --key VERIFIER   verify.py is in it; big2 verify does the same and more
    """
    from domain.ids import HandId, TableId, TournamentId
    from services.audit import bundling

    if sum(given is not None for given in (hand, table, tournament)) != 1:
        raise click.UsageError("one of --hand, --table and --tournament is needed, and not more")
    with _services(data) as its:
        _newest(its)
        if hand:
            made = bundling.of_hand(its, HandId(hand), bundling.OWNER)
        elif table:
            made = bundling.of_table(its, TableId(table), bundling.OWNER)
        else:
            made = bundling.of_tournament(its, TournamentId(tournament or UUID(int=0)), bundling.OWNER)
    try:
        with out.open("xb") as file:
            file.write(made)
    except OSError as error:
        raise click.ClickException(f"{out}: {error.strerror}") from error
    click.echo(f"{out}: {len(made)} bytes")


def is_bundle(file: str) -> bool:
    """Whether a file is a bundle, by its name."""
    return file.endswith(".zip")


def judge_bundles(files: tuple[str, ...], presets: Mapping[str, RuleSet], key: str | None) -> NoReturn:
    """Print a line for each check; exit status 0 if none is wrong, 1 if one is, 2 if a file can't be read."""
    from services.audit.judging import verdicts

    if not all(map(is_bundle, files)):
        raise click.UsageError("bundles and histories are judged apart")
    if key is not None and not key.split():
        raise click.UsageError("--key is blank")
    trusted = key and key.split()[0]  # a date may follow it
    status = 0
    for file in files:
        try:
            for found in verdicts(file, presets, trusted):
                echo_escaped(str(found))
                status = 1 if found.holds is False else status
        except BrokenPipeError:  # nobody reads any more, which click knows how to end
            raise
        except OSError as error:
            click.echo(f"Error: {file}: {error.strerror}", err=True)
            sys.exit(2)
    sys.exit(status)


def _compared(file: Path, findings: Sequence[Finding]) -> int:
    """Print what anchors say; the exit status. To have compared nothing is never a success."""
    for found in findings:
        click.echo(f"line {found.line}: {found.wrong or f'holds, {found.size} events'}")
    if not findings:
        click.echo(f"Error: {file}: there is no checkpoint in it", err=True)
        return 2
    return 1 if any(found.wrong for found in findings) else 0


def _newest(its: Services) -> Signed:
    """The newest checkpoint, made now if there are newer events."""
    from services.audit import checkpoints

    found = checkpoints.publish(its.store, its.settings.audit_key, its.settings.data)
    found = found or checkpoints.newest(its.store.database)
    if found is None:
        raise click.ClickException("the log is empty: there is nothing to sign")
    return found


@contextmanager
def _services(data: Path | None) -> Iterator[Services]:
    """What can be expected to go wrong is told in one line, with exit status 1."""
    from domain.errors import Rejected
    from services.bootstrap import SettingsError, build, settings
    from services.errors import StoreError, Unavailable

    try:
        with closing(build(settings(data=data))) as its:
            yield its
    except Unavailable as error:
        raise click.ClickException(
            f"{error}; is the service running on this data directory (--data)?"
        ) from error
    except (Rejected, StoreError, SettingsError) as error:
        raise click.ClickException(str(error)) from error
