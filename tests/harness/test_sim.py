"""Tournaments from a seed, with everything going wrong that can: what holds, holds all the same, and all of it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from functools import cache

import pytest

from domain.dispute_events import ActionsVoided, TimeGiven
from tests.harness.sim import PLOTS, Report, Sim

SEEDS = 200
BLOCK = 10
DIRECTED = 40
FEW = range(3)

report = cache(lambda seed: Sim(seed).run())


def reports(seeds) -> list[Report]:
    return [report(seed) for seed in seeds]


@pytest.mark.parametrize("first", range(0, SEEDS, BLOCK))
def test_whatever_goes_wrong_no_invariant_breaks_and_everything_finishes(first):
    for told in reports(range(first, first + BLOCK)):
        again = f"python -m tests.harness.sim --trace {told.seed}"
        assert told.violation is None, f"seed {told.seed}, step {told.steps}: {told.detail}\nagain: {again}"


@pytest.mark.parametrize("first", range(0, DIRECTED, BLOCK))
def test_nor_does_it_where_a_director_rules_on_hands_that_run(first):
    ruled: Counter[type] = Counter()
    for seed in range(first, first + BLOCK):
        sim = Sim(seed, directed=True)
        told = sim.run()
        again = f"python -m tests.harness.sim --directed --trace {seed}"
        assert told.violation is None, f"seed {seed}, step {told.steps}: {told.detail}\nagain: {again}"
        ruled.update(type(each) for hand in sim.world.hands.values() for each in hand.dispute.interim)
    assert min(ruled[ActionsVoided], ruled[TimeGiven]) >= BLOCK, ruled


def test_the_same_seed_has_the_same_digest_in_any_process():
    code = f"from tests.harness.sim import Sim; print(*(Sim(seed).run().digest for seed in {FEW}))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
        timeout=500,
    )
    assert run.stdout.split() == [told.digest for told in reports(FEW)]


def test_another_seed_has_another_digest():
    assert len({told.digest for told in reports(FEW)}) == len(FEW)


def test_within_the_first_seeds_every_plot_is_played_and_every_fault_happens():
    some = reports(range(6 * BLOCK))
    assert {told.plot for told in some} == {kind.__name__ for kind, _ in PLOTS}
    faults = sum((told.faults for told in some), Counter())
    assert min(faults.values()) >= 5, faults
    assert any(not told.faults for told in some), "some seeds have none, to tell what is a fault's doing"
