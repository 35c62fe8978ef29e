"""The bundle of a ring table that is closed holds, and names the table."""

from __future__ import annotations

import json

import pytest

from services.audit import bundling, checkpoints, keys
from tests.services.audit.bundles import opened
from tests.services.audit.cheating import complaints, signed_by_the_house, told, without
from tests.services.doctor.world import a_ring
from tests.services.projections.house import staff
from tests.services.projections.ring_house import RingHouse


@pytest.fixture(scope="module")
def members(database_url, tmp_path_factory):
    house, data = RingHouse(database_url), tmp_path_factory.mktemp("data")
    keys.first(house.store.database, None, data)
    table = a_ring(house)
    house.project()
    checkpoints.publish(house.store, None, data)
    yield opened(bundling.of_table(house, table, staff()))
    house.close()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "bundle.zip"


def test_it_is_found_right_by_both(members, file):
    key = json.loads(members["manifest.json"])["keys"][0]["verifier"]
    assert complaints(members, key, file) == ([], [])


def test_a_root_that_the_ring_never_told_is_missed(members, file):
    dropped = lambda found: without(found, lambda e: "deals_committed" in e["topic"])  # noqa: E731
    _, more = complaints(*signed_by_the_house(members, dropped), file)
    assert any("was never told" in each for each in more), more


def test_a_deadline_that_does_not_follow_is_found(members, file):
    def later(found):
        told(found, "hand.played")["next_turn"]["deadline"] = "2030-01-01T00:00:00.000000Z"

    _, more = complaints(*signed_by_the_house(members, later), file)
    assert any(each.startswith("replay hand ") for each in more), more
