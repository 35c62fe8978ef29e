"""R3.1, R3.4–R3.6: five cards against a slow reference: a sample of what `make prove` looks at whole."""

import random
from dataclasses import replace
from math import comb

import pytest

from big2.book import book_of
from big2.cards import PACK, cards_in
from tests.proof.five_cards import ALL, differences, rule_sets

RULE_SETS = rule_sets()


def sampled(rule_set, count):
    """Any five cards, and as many that are a set."""
    rng = random.Random(5)
    known = [mask for mask, card_set in book_of(rule_set).by_mask.items() if card_set.size == 5]
    fives = {tuple(sorted(rng.sample(PACK, 5))) for _ in range(count)}
    return fives | {tuple(cards_in(mask)) for mask in rng.sample(known, count)}


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_sample_of_five_cards_is_classified_and_ordered_as_the_reference_does(name):
    kinds, found = differences(RULE_SETS[name], sampled(RULE_SETS[name], 2_000))
    assert found == []
    assert sum(kinds.values()) > 1_900


def test_every_list_of_straights_in_use_is_looked_at():
    assert len({rule_set.straights for rule_set in RULE_SETS.values()}) >= 5
    assert comb(52, 5) == ALL == 2_598_960


def test_a_book_that_errs_is_found_out():
    rule_set = RULE_SETS["actionpoker"]
    book, fives = book_of(rule_set), sampled(rule_set, 200)
    mask = next(mask for mask, each in book.by_mask.items() if each.kind == "flush")
    right = book.by_mask[mask]
    fives |= {tuple(cards_in(mask))}
    try:
        book.by_mask[mask] = replace(right, strength=0)
        assert any("order" in line for line in differences(rule_set, fives)[1])
        book.by_mask[mask] = replace(right, kind="straight")
        assert any("the reference says flush" in line for line in differences(rule_set, fives)[1])
    finally:
        book.by_mask[mask] = right
