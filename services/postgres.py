"""The schema of PostgreSQL, in numbered steps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import NamedTuple

import psycopg
from psycopg.sql import SQL, Composed

from services.database import Connection, Database, connect_options, one_line
from services.errors import StoreError, Unavailable

MIGRATION_WAIT_MS = 60_000
"""How long a migration waits for another process's migration, or for a lock."""
OLDEST_SERVER = 17
"""The first PostgreSQL that knows `transaction_timeout`, with which every other connection is opened."""

_MIGRATION_LOCK = 0x62326D69  # "b2mi"
_MAKING_LOCK = 0x62326D6B  # "b2mk"
_MIGRATION_FILE = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql")


class Migration(NamedTuple):
    """One step of the schema, applied once, in a transaction of its own."""

    number: int
    name: str
    statements: Composed


def migrations() -> list[Migration]:
    """Every step in order: `services/migrations/NNNN_name.sql`."""
    found = []
    for path in (files("services") / "migrations").iterdir():
        if match := _MIGRATION_FILE.fullmatch(path.name):
            found.append(
                Migration(int(match[1]), match[2], Composed([SQL(path.read_text(encoding="utf-8"))]))
            )
    found.sort(key=lambda migration: migration.number)
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise StoreError("migrations must be numbered 1, 2, 3, … without holes or twins")
    return found


def migrate(url: str, *, check: bool = False) -> list[str]:
    """Bring the schema up to date and return the names of the steps applied; with `check`, of those missing.

    Any number of processes may call it at once. A schema that is newer than this release is refused.
    """
    if check:
        with _connection(url) as conn:
            return [migration.name for migration in _missing(conn)]
    with _locked(url, _MIGRATION_LOCK) as conn:
        conn.execute(
            "CREATE TABLE IF NOT EXISTS migrations (number int PRIMARY KEY, name text NOT NULL,"
            " applied_at timestamptz NOT NULL DEFAULT clock_timestamp())"
        )
        return [_apply(conn, migration) for migration in _missing(conn)]


@contextmanager
def alone(url: str) -> Iterator[None]:
    """Be the only process that makes what follows from the schema, such as the projections, for a block.

    Another one is waited for. Whoever is within may call `migrate`, whose lock is another.
    """
    with _locked(url, _MAKING_LOCK):
        yield


@contextmanager
def _locked(url: str, lock: int) -> Iterator[Connection]:
    with _connection(url) as conn:
        try:
            conn.execute("SELECT pg_advisory_lock(%s)", (lock,))
        except psycopg.errors.LockNotAvailable as error:
            seconds = MIGRATION_WAIT_MS / 1000
            raise Unavailable(
                f"another process has been bringing this database up to date for {seconds:g} s: wait for it"
            ) from error
        yield conn


@contextmanager
def _connection(url: str) -> Iterator[Connection]:
    """A connection that waits long for locks; Unavailable if it can't be made, or is lost.

    StoreError if the server is too old for us.
    """
    options = {"options": f"-c lock_timeout={MIGRATION_WAIT_MS} -c timezone=UTC"}
    try:
        with psycopg.connect(url, **(connect_options("big2-migrate") | options)) as conn:
            if (found := conn.info.server_version // 10_000) < OLDEST_SERVER:
                raise StoreError(f"PostgreSQL {OLDEST_SERVER} or later is needed: this is PostgreSQL {found}")
            yield conn
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise Unavailable(f"the database did not answer: {one_line(error)}") from error


def unapplied(database: Database) -> list[str]:
    """The names of the steps that the schema lacks, over the pool: nothing is applied.

    A newer schema lacks none: while a cluster is brought up to date, processes of the release before go on.
    """
    with database.connection() as conn:
        applied = _applied(conn)
    return [migration.name for migration in migrations() if migration.number not in applied]


def _missing(conn: Connection) -> list[Migration]:
    known, applied = migrations(), _applied(conn)
    if unknown := applied - {migration.number for migration in known}:
        raise StoreError(
            f"the database's schema is of a newer release: this one doesn't know step {max(unknown)}"
        )
    return [migration for migration in known if migration.number not in applied]


def _applied(conn: Connection) -> set[int]:
    """The numbers of the steps that the schema has."""
    if conn.execute("SELECT to_regclass('migrations')").fetchone() == (None,):
        return set()
    return {number for (number,) in conn.execute("SELECT number FROM migrations")}


def _apply(conn: Connection, migration: Migration) -> str:
    with conn.transaction():
        conn.execute(migration.statements)
        conn.execute(
            "INSERT INTO migrations (number, name) VALUES (%s, %s)", (migration.number, migration.name)
        )
    return migration.name
