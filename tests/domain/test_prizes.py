"""Prizes: nothing is lost to rounding, whatever the table and whoever ties."""

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.prizes import STANDARD, allotted, prize_table, promised, shared
from domain.structure import Structure
from tests.domain.given import steady


@pytest.mark.parametrize(
    ("entrants", "table"),
    [
        (2, (10_000,)),
        (3, (10_000,)),
        (4, (6500, 3500)),
        (7, (6500, 3500)),
        (8, (5000, 3000, 2000)),
        (16, (4000, 2500, 2000, 1500)),
        (31, (4000, 2500, 2000, 1500)),
        (32, (3200, 2100, 1500, 1100, 900, 700, 500)),
        (64, (2800, 1800, 1300, 1000, 800, 700, 600, 500, 500)),
        (10_000, (2800, 1800, 1300, 1000, 800, 700, 600, 500, 500)),
    ],
)
def test_the_standard_table_goes_by_entrants(entrants, table):
    assert prize_table("standard", entrants) == table


def test_each_standard_table_falls_from_place_to_place_and_is_the_whole():
    for least, table in STANDARD:
        assert sum(table) == 10_000
        assert list(table) == sorted(table, reverse=True)
        assert len(table) <= max(least, 1)


def test_where_nobody_is_entered_there_is_no_place_to_promise_anything_to():
    assert prize_table("standard", 0) == prize_table((5000, 3000, 2000), 0) == ()
    assert prize_table("standard", 3, 0) == ()
    assert promised(Structure(name="Guaranteed", format="league", guarantee=1000), 0) == []


def test_a_promise_to_places_that_nobody_took_goes_to_the_first():
    assert prize_table((5000, 3000, 2000), 3) == (5000, 3000, 2000)
    assert prize_table((5000, 3000, 2000), 2) == (7000, 3000)
    assert prize_table((5000, 3000, 2000), 9) == (5000, 3000, 2000)


@pytest.mark.parametrize(
    ("pool", "weights", "amounts"),
    [
        (100, (6500, 3500), [65, 35]),
        (101, (6500, 3500), [66, 35]),  # 65.65 and 35.35
        (5, (6500, 3500), [3, 2]),  # 3.25 and 1.75
        (10, (3333, 3333, 3334), [3, 3, 4]),  # 3.333, 3.333 and 3.334
        (2, (1, 1, 1), [1, 1, 0]),  # equal remainders: the better place
        (0, (5000, 5000), [0, 0]),
        (1, (1, 9999), [0, 1]),
        (7, (5000, 3000, 2000), [4, 2, 1]),  # 3.5, 2.1 and 1.4: the one unit to the largest remainder
    ],
)
def test_the_largest_remainder_gets_the_odd_unit(pool, weights, amounts):
    assert allotted(pool, weights) == amounts


@pytest.mark.parametrize(
    ("by_place", "places", "amounts"),
    [
        ([65, 35], [1, 2, 3, 4], [65, 35, 0, 0]),
        ([65, 35], [1, 2, 2, 4], [65, 18, 17, 0]),
        ([50, 30, 20], [1, 2, 2, 4], [50, 25, 25, 0]),
        ([50, 30, 20], [1, 2, 2, 2], [50, 17, 17, 16]),
        ([50, 30, 20], [1, 2, 3, 3, 3], [50, 30, 7, 7, 6]),
        ([100], [1, 2, 2], [100, 0, 0]),
        ([], [1, 2], [0, 0]),
    ],
)
def test_shared_places_pool_their_prizes(by_place, places, amounts):
    assert shared(by_place, places) == amounts


@st.composite
def tables(draw):
    weights = draw(st.lists(st.integers(1, 5000), min_size=1, max_size=12))
    total = sum(weights)
    return (weights[0] + 10_000 - total, *weights[1:]) if total < 10_000 else (10_000,)


@st.composite
def places(draw):
    """Places of up to 30 entrants with ties, such as 1-2-2-4."""
    result = [1]
    for tie in draw(st.lists(st.integers(1, 4), max_size=8)):
        result += [len(result) + 1] * tie
    return result


@steady
@for_all(st.integers(0, 2**53), tables(), places())
def test_prizes_sum_to_the_pool_to_the_unit(pool, table, standing):
    weights = prize_table(table, len(standing))
    by_place = allotted(pool, weights)
    assert sum(by_place) == pool
    assert all(0 <= part - pool * bp // 10_000 <= 1 for part, bp in zip(by_place, weights, strict=True))
    amounts = shared(by_place, standing)
    assert sum(amounts) == pool
    assert len(amounts) == len(standing)
    assert all(amount >= 0 for amount in amounts)
    for place in standing:
        same = [amount for amount, p in zip(amounts, standing, strict=True) if p == place]
        assert max(same) - min(same) <= 1
