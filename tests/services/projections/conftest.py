"""The evening that these tests share, on a database of its own; a house of one's own for what changes things."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.databases import copy_of
from tests.services.projections.evening import Evening
from tests.services.projections.house import House


@pytest.fixture(scope="package")
def evening(postgres_url: str, _migrated: str) -> Iterator[Evening]:
    with copy_of(postgres_url, _migrated) as made, closing(House(made.url)) as house:
        yield Evening(house)


@pytest.fixture
def house(database_url: str) -> Iterator[House]:
    """A house of the test module's own."""
    house = House(database_url)
    yield house
    house.close()
