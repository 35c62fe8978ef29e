"""The evening that these tests share, on a database of its own; a house of one's own for what changes things."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest

from tests.services.projections.evening import Evening
from tests.services.projections.house import House


@pytest.fixture(scope="package")
def evening(postgres_url: str, _migrated: str) -> Iterator[Evening]:
    name = f"t{uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as conn:
        conn.execute(f"CREATE DATABASE {name} TEMPLATE {_migrated}")
    house = House(postgres_url.replace("/big2?", f"/{name}?"))
    yield Evening(house)
    house.close()
    with psycopg.connect(postgres_url, autocommit=True) as conn:
        conn.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def house(database_url: str) -> Iterator[House]:
    """A house of the test module's own."""
    house = House(database_url)
    yield house
    house.close()
