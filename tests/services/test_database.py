"""Statements that a connection has prepared, with values and rows as PostgreSQL itself has them."""

from __future__ import annotations

from uuid import UUID, uuid4

import psycopg
import pytest

from services.database import Database, Statement, array, integer

DOUBLE = Statement(b"double", b"SELECT 2 * $1::bigint")


@pytest.fixture
def database(database_url):
    database = Database(database_url, size=1)
    yield database
    database.close()


def double(conn, number: int) -> int:
    return int.from_bytes(conn.run(DOUBLE, [integer(number)]).get_value(0, 0), signed=True)


def prepared(conn) -> list[str]:
    return [name for (name,) in conn.execute("SELECT name FROM pg_prepared_statements ORDER BY name")]


@pytest.mark.parametrize("number", [0, 1, -1, 255, 256, 2**61, -(2**61)])
def test_an_integer_is_what_it_was(database, number):
    with database.connection() as conn:
        assert double(conn, number) == 2 * number


@pytest.mark.parametrize(
    ("kind", "items", "written"),
    [
        ("text", [b"hand.dealt.1", b"", "ü".encode()], '{hand.dealt.1,"",ü}'),
        ("int8", [integer(1), integer(-2)], "{1,-2}"),
        ("bytea", [b"\x00\xff"], r'{"\\x00ff"}'),
        ("uuid", [UUID(int=1).bytes], "{00000000-0000-0000-0000-000000000001}"),
        ("uuid", [], "{}"),
    ],
)
def test_an_array_is_what_it_was(database, kind, items, written):
    asked = Statement(b"written", b"SELECT $1::%b[]::text" % kind.encode())
    assert database.run(asked, [array(kind, items)]).get_value(0, 0).decode() == written


def test_a_statement_is_prepared_once_for_a_connection(database):
    with database.connection() as conn:
        assert [double(conn, 1), double(conn, 2), double(conn, 3)] == [2, 4, 6]
        assert prepared(conn) == ["double"]


def test_what_somebody_else_has_dropped_is_prepared_again(database):
    with database.connection() as conn:
        assert double(conn, 1) == 2
        conn.execute("DEALLOCATE ALL")
        assert double(conn, 2) == 4
        assert prepared(conn) == ["double"]


def test_one_that_was_dropped_says_nothing_of_another_that_was_prepared_since(database):
    other = Statement(b"other", b"SELECT 3 * $1::bigint")
    with database.connection() as conn:
        assert double(conn, 1) == 2
        conn.execute("DEALLOCATE ALL")
        for _ in range(2):
            conn.run(other, [integer(1)])
            assert double(conn, 1) == 2
        assert prepared(conn) == ["double", "other"]


def test_within_a_transaction_nothing_is_prepared(database):
    with database.connection() as conn, conn.transaction():
        assert double(conn, 3) == 6
        assert prepared(conn) == []


def test_an_error_is_the_one_that_psycopg_has_for_it(database):
    with database.connection() as conn:
        with pytest.raises(psycopg.errors.NumericValueOutOfRange):
            double(conn, 2**62 + 2**61)
        assert double(conn, 4) == 8
        with pytest.raises(psycopg.errors.UndefinedFunction):
            conn.run(Statement(b"wrong", b"SELECT no_such_function($1::uuid)"), [uuid4().bytes])
        assert double(conn, 5) == 10
