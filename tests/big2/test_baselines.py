"""What the bench compares the engine with finds the same plays; else its ratios would say nothing."""

import random

import pytest

from big2.card_sets import classify, legal_plays
from big2.cards import PACK, mask_of
from tests.bench.baselines import mask_hand, mask_plays, plain_hand, plain_plays
from tests.bench.rules import GOALS, full_hand, rates
from tests.big2.play import rules


@pytest.mark.parametrize("seed", range(12))
def test_the_baselines_and_the_engine_list_the_same_plays(seed):
    rng = random.Random(seed)
    holding = rng.sample(PACK, 13)
    over = rng.choice(list(plain_plays(rng.sample(PACK, 13))))
    for to_beat in (None, over):
        listed = sorted(mask_of(cards) for cards in plain_plays(holding, to_beat))
        assert sorted(mask_plays(mask_of(holding), mask_of(to_beat or ()))) == listed
        higher = legal_plays(rules(), mask_of(holding), to_beat and classify(rules(), to_beat))
        assert sorted(play.mask for play in higher) == listed


def test_each_plays_a_hand_to_its_end():
    rng = random.Random(1)
    pack = rng.sample(PACK, 52)
    deal = [pack[first : first + 13] for first in range(0, 52, 13)]
    masks = [mask_of(cards) for cards in deal]
    assert plain_hand(rng, [*deal]) > 13
    assert mask_hand(rng, [*masks]) > 13
    assert full_hand(rules(), rng, masks) > 13


def test_a_round_of_the_bench_times_what_its_goals_compare(monkeypatch):
    monkeypatch.setattr("tests.bench.rules.DEALS", 1)
    timed = rates(rules(), 1)
    assert {(goal.task, goal.baseline) for goal in GOALS} <= set(timed)
    assert all(rate > 0 for rate in timed.values())
