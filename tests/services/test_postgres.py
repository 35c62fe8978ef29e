"""The schema: made once, however many try, and never by an older release."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from services import postgres
from services.database import Database
from services.errors import StoreError, Unavailable
from services.postgres import alone, migrate, migrations, unapplied
from services.store import Store

ALL = [migration.name for migration in migrations()]


def test_the_steps_are_made_once(empty_url):
    assert migrate(empty_url, check=True) == ALL
    assert migrate(empty_url) == ALL
    assert migrate(empty_url) == migrate(empty_url, check=True) == []


def test_the_events_table_is_what_the_library_would_make_and_an_index_on_the_command(empty_url):
    migrate(empty_url)
    store = Store(empty_url, {})
    theirs = [s.as_string() for s in store._log.recorder.sql_create_statements]
    store.close()
    with psycopg.connect(empty_url, autocommit=True) as conn:
        ours = shape(conn)
        conn.execute("DROP INDEX big2_events_command_idx")
        assert shape(conn) != ours
        ours = shape(conn)
        conn.execute("DROP TABLE big2_events")
        for statement in theirs:
            if statement.startswith(("CREATE TABLE", "CREATE UNIQUE INDEX")):
                conn.execute(statement)
        assert shape(conn) == ours


def shape(conn):
    """The events table: its columns, its constraints, its indexes, its settings."""
    queries = (
        "SELECT column_name, data_type, is_nullable, column_default FROM information_schema.columns"
        " WHERE table_name = 'big2_events' ORDER BY ordinal_position",
        "SELECT indexdef FROM pg_indexes WHERE tablename = 'big2_events' ORDER BY 1",
        "SELECT reloptions FROM pg_class WHERE relname = 'big2_events'",
    )
    return [conn.execute(query).fetchall() for query in queries]


def test_many_processes_may_migrate_at_once(empty_url):
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda _: migrate(empty_url), range(8)))
    assert sorted(map(len, done)) == [0] * 7 + [len(ALL)]


def test_a_step_that_fails_leaves_nothing_and_can_be_made_later(empty_url):
    with psycopg.connect(empty_url, autocommit=True) as conn:
        conn.execute("CREATE TABLE people ()")
        with pytest.raises(psycopg.errors.DuplicateTable):
            migrate(empty_url)
        assert migrate(empty_url, check=True)[0] == "people"
        conn.execute("DROP TABLE people")
    assert migrate(empty_url)[0] == "people"


def test_a_newer_schema_is_refused(empty_url):
    migrate(empty_url)
    with psycopg.connect(empty_url, autocommit=True) as conn:
        conn.execute("INSERT INTO migrations VALUES (999, 'later')")
    with pytest.raises(StoreError, match="newer release"):
        migrate(empty_url)


@pytest.mark.parametrize("check", [False, True])
def test_a_server_that_is_too_old_is_refused_before_anything_is_made(empty_url, monkeypatch, check):
    with monkeypatch.context() as patch:
        patch.setattr(postgres, "OLDEST_SERVER", 99)
        with pytest.raises(StoreError, match=r"PostgreSQL 99 or later is needed: this is PostgreSQL \d\d$"):
            migrate(empty_url, check=check)
    assert migrate(empty_url, check=True) == ALL


def test_what_runs_already_stays_ready_while_a_newer_release_brings_the_schema_up_to_date(empty_url):
    database = Database(empty_url)
    assert unapplied(database) == ALL
    migrate(empty_url)
    with psycopg.connect(empty_url, autocommit=True) as conn:
        conn.execute("INSERT INTO migrations VALUES (999, 'later')")
    assert unapplied(database) == []
    database.close()


def test_a_database_that_is_not_there_is_unavailable(tmp_path):
    with pytest.raises(Unavailable):
        migrate(f"postgresql://big2@/big2?host={tmp_path}")


def test_the_library_s_insert_function_which_takes_no_lock_is_not_made(empty_url):
    migrate(empty_url)
    with psycopg.connect(empty_url) as conn:
        functions = conn.execute(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1"
        )
        assert functions.fetchall() == [("append_events",), ("command_of",), ("refuse_change",)]


def test_two_that_make_what_follows_from_the_schema_take_turns(empty_url):
    inside, both = [], []

    def make(_):
        with alone(empty_url):
            inside.append(1)
            both.append(len(inside))
            migrate(empty_url)
            inside.pop()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(make, range(4)))
    assert both == [1] * 4


def test_whoever_waits_for_too_long_is_told_what_for(empty_url, monkeypatch):
    monkeypatch.setattr("services.postgres.MIGRATION_WAIT_MS", 50)
    with (
        alone(empty_url),
        pytest.raises(Unavailable, match="another process has been bringing"),
        alone(empty_url),
    ):
        pass
