"""The schema of PostgreSQL, in numbered steps."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import NamedTuple

import psycopg
from psycopg.sql import SQL, Composed

from services.database import Connection, Database, connect_options, one_line
from services.errors import StoreError, Unavailable

MIGRATION_WAIT_MS = 60_000
"""How long a migration waits for another process's migration, or for a lock."""

_MIGRATION_LOCK = 0x62326D69  # "b2mi"
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
    options = connect_options("big2-migrate") | {
        "options": f"-c lock_timeout={MIGRATION_WAIT_MS} -c timezone=UTC"
    }
    try:
        with psycopg.connect(url, **options) as conn:
            if check:
                return [migration.name for migration in _missing(conn)]
            conn.execute("SELECT pg_advisory_lock(%s)", (_MIGRATION_LOCK,))
            conn.execute(
                "CREATE TABLE IF NOT EXISTS migrations (number int PRIMARY KEY, name text NOT NULL,"
                " applied_at timestamptz NOT NULL DEFAULT clock_timestamp())"
            )
            return [_apply(conn, migration) for migration in _missing(conn)]
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise Unavailable(f"the database did not answer: {one_line(error)}") from error


def unapplied(database: Database) -> list[str]:
    """The names of the steps that the schema lacks, over the pool: nothing is applied."""
    with database.connection() as conn:
        return [migration.name for migration in _missing(conn)]


def _missing(conn: Connection) -> list[Migration]:
    known = migrations()
    if conn.execute("SELECT to_regclass('migrations')").fetchone() == (None,):
        return known
    applied = {number for (number,) in conn.execute("SELECT number FROM migrations")}
    if unknown := applied - {migration.number for migration in known}:
        raise StoreError(
            f"the database's schema is of a newer release: this one doesn't know step {max(unknown)}"
        )
    return [migration for migration in known if migration.number not in applied]


def _apply(conn: Connection, migration: Migration) -> str:
    with conn.transaction():
        conn.execute(migration.statements)
        conn.execute(
            "INSERT INTO migrations (number, name) VALUES (%s, %s)", (migration.number, migration.name)
        )
    return migration.name
