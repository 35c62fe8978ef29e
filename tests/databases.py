"""Databases of a test's own, made as copies and gone with their block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple
from uuid import uuid4

import psycopg


class Database(NamedTuple):
    """A database of the test server by its name, and its address."""

    name: str
    url: str


@contextmanager
def copy_of(postgres_url: str, template: str = "template1") -> Iterator[Database]:
    """A copy of a database to which nobody is connected."""
    name = f"t{uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as conn:
        conn.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    try:
        yield Database(name, postgres_url.replace("/big2?", f"/{name}?"))
    finally:
        with psycopg.connect(postgres_url, autocommit=True) as conn:
            conn.execute(f"DROP DATABASE {name} WITH (FORCE)")
