"""The books in words: what they do not have is not found, and whoever asks is told where to look."""

from __future__ import annotations

from uuid import UUID

import pytest

from services.application.errors import NotFound
from services.application.journals import journal_told
from services.application.statements import player_called
from tests.services.projections.house import House

NOWHERE = UUID(int=7)


@pytest.fixture(scope="module")
def house(database_url):
    house = House(database_url)
    yield house
    house.close()


def test_a_journal_that_nobody_booked_is_not_found(house):
    with pytest.raises(NotFound, match=f"No journal has the id {NOWHERE}: GET /v1/ledger/entries"):
        journal_told(house.store, NOWHERE)


@pytest.mark.parametrize("called", ["Nobody", str(NOWHERE)])
def test_a_player_of_no_such_name_or_id_is_not_found(house, called):
    with pytest.raises(NotFound, match=f"'{called}': GET /v1/players lists them all"):
        player_called(house.store.database, called)
