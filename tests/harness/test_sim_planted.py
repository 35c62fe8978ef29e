"""Who watches the watchman: each planted bug is caught within 100 seeds, by an invariant that is about it."""

from __future__ import annotations

import pytest

from tests.harness.planted import DIRECTED, PLANTS, planted
from tests.harness.sim import Sim

WITHIN = 100


@pytest.mark.parametrize("name", PLANTS)
def test_the_simulator_catches(name):
    plant = PLANTS[name]
    with planted(plant):
        reports = (Sim(seed).run() for seed in range(WITHIN))
        caught = next((told for told in reports if told.violation), None)
    assert caught is not None, f"not within {WITHIN} seeds"
    assert caught.violation in plant.caught_by, f"seed {caught.seed}: {caught.detail}"


@pytest.mark.parametrize("name", DIRECTED)
def test_with_a_director_it_catches(name):
    with planted(DIRECTED[name]):
        reports = (Sim(seed, directed=True).run() for seed in range(WITHIN))
        caught = next((told for told in reports if told.violation), None)
    assert caught is not None, f"not within {WITHIN} seeds"
    assert caught.violation in DIRECTED[name].caught_by, f"seed {caught.seed}: {caught.detail}"


def test_at_least_twelve_bugs_are_planted():
    assert len(PLANTS) >= 12


def test_nothing_of_a_plant_is_left_behind():
    before = Sim(0).run()
    with planted(PLANTS["the loser is paid"]):
        assert Sim(0).run().digest != before.digest
    assert Sim(0).run() == before
