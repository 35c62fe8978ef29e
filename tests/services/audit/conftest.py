"""A house with a tournament that was played to its end, and a key; its log signed."""

from __future__ import annotations

import pytest

from services.audit import checkpoints, keys
from tests.services.projections.house import House


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The data directory, with the key in it."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def house(database_url, data):
    """Twelve players, one of whom is left; then two hands that still run, at the tables of another tournament."""
    house = House(database_url)
    keys.first(house.store.database, None, data)
    house.over = house.started(12, stack_points=20, hands_per_level=1)
    house.play_on(house.over)
    checkpoints.publish(house.store, None, data)
    house.going = house.started(8)
    house.play_on(house.going, lambda: len(house.running(house.going)) == 2)
    for hand in house.running(house.going):
        house.act(hand)
        house.act(hand)
    house.project()
    checkpoints.publish(house.store, None, data)
    yield house
    house.close()
