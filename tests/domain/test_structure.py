"""A structure: defaults of each format, and every contradiction at once."""

import hashlib
import json
from datetime import timedelta

import msgspec
import pytest

from domain.errors import Refused
from domain.structure import DEFAULT_UNIT_LEVELS, BuyIn, Structure, misfits, structure, structure_hash
from tests.big2.play import rules
from tests.domain.given import ACTIONPOKER, NOW, terms


def contradictions(format_="freezeout", **others):
    with pytest.raises(Refused) as caught:
        structure({"name": "Friday", "format": format_, **others}, NOW)
    assert caught.value.code == "validation"
    assert all(caught.value.errors.values())
    return sorted(caught.value.errors)


def test_a_freezeout_has_the_documented_defaults():
    s = terms("freezeout")
    assert s == Structure(
        name="Friday",
        format="freezeout",
        rules="actionpoker",
        seats_per_table=4,
        capacity=10_000,
        min_entrants=2,
        starts_at=None,
        unit=1,
        stack_points=50,
        unit_levels=DEFAULT_UNIT_LEVELS,
        hands_per_level=3,
        minutes_per_level=None,
        turn_seconds=30,
        between_hands_seconds=3,
        protest_seconds=0,
        no_show_hands=2,
        prizes_bp="standard",
    )


def test_a_league_is_recorded_and_has_neither_stacks_nor_levels():
    s = terms("league", recorded=True, unit=5, seats_per_table=2)
    assert (s.stack_points, s.unit_levels, s.unit_at(1), s.capacity) == (0, (1,), 5, 10_000)
    assert s.for_points
    assert not terms().for_points


def test_a_league_of_dealt_events_is_refused_and_so_are_stacks_and_levels():
    assert contradictions("league") == ["/recorded"]
    assert contradictions("league", recorded=True, stack_points=50) == ["/stack_points"]
    assert terms("league", recorded=True, stack_points=0).stack == 0
    assert contradictions("freezeout", stack_points=0) == ["/stack_points"]
    levels = contradictions("league", recorded=True, unit_levels=[1, 2], minutes_per_level=5)
    assert levels == ["/minutes_per_level", "/unit_levels"]


def test_a_freezeout_and_a_sit_and_go_may_be_recorded():
    assert terms("freezeout", recorded=True).recorded
    assert terms("sit_and_go", recorded=True).recorded
    assert not terms().recorded


def test_a_sit_and_go_is_for_four_and_starts_when_full():
    assert (terms("sit_and_go").capacity, terms("sit_and_go").min_entrants) == (4, 4)
    assert (terms("sit_and_go", capacity=16).capacity, terms("sit_and_go", capacity=16).min_entrants) == (
        16,
        16,
    )


def test_lists_as_json_has_them_become_values():
    s = terms(unit_levels=[1, 2, 3], prizes_bp=[7000, 3000])
    assert (s.unit_levels, s.prizes_bp) == ((1, 2, 3), (7000, 3000))
    assert hash(s) == hash(terms(unit_levels=(1, 2, 3), prizes_bp=(7000, 3000)))


def test_the_stack_is_in_chips():
    assert terms(unit=25, stack_points=30).stack == 750


def test_the_unit_rises_by_the_ladder_and_the_last_level_stays():
    s = terms(unit=5)
    assert [s.unit_at(level) for level in range(1, 13)] == [
        5 * factor for factor in (1, 2, 4, 8, 12, 20, 32, 40, 60, 80, 80, 80)
    ]


@pytest.mark.parametrize("capacity", [2, 3, 4, 8, 16])
def test_a_sit_and_go_takes_these_numbers_of_entrants(capacity):
    assert terms("sit_and_go", capacity=capacity).capacity == capacity


@pytest.mark.parametrize("capacity", [5, 6, 15, 17, 10_000])
def test_a_sit_and_go_takes_no_others(capacity):
    assert contradictions("sit_and_go", capacity=capacity) == ["/capacity"]


def test_a_sit_and_go_starts_with_nobody_missing():
    assert contradictions("sit_and_go", capacity=8, min_entrants=7) == ["/min_entrants"]


def test_two_seat_tables_are_for_a_sit_and_go_of_two():
    assert terms("sit_and_go", capacity=2, seats_per_table=2).seats_per_table == 2
    assert contradictions("sit_and_go", capacity=4, seats_per_table=2) == ["/seats_per_table"]
    assert contradictions("freezeout", seats_per_table=2) == ["/seats_per_table"]
    assert contradictions("freezeout", seats_per_table=2, capacity=2) == ["/seats_per_table"]


def test_nobody_waits_for_more_entrants_than_may_come():
    assert contradictions(capacity=8, min_entrants=9) == ["/min_entrants"]
    assert terms(capacity=8, min_entrants=8).min_entrants == 8


def test_the_start_lies_ahead():
    assert contradictions(starts_at=NOW) == ["/starts_at"]
    assert terms(starts_at=NOW + timedelta(microseconds=1)).starts_at is not None


@pytest.mark.parametrize("prizes", [(), (9999,), (6000, 3000), (6000, 5000)])
def test_prizes_share_out_the_whole(prizes):
    assert contradictions(prizes_bp=prizes) == ["/prizes_bp"]


def test_there_are_no_more_prizes_than_entrants():
    assert contradictions(capacity=2, prizes_bp=(5000, 3000, 2000)) == ["/prizes_bp"]
    assert terms(capacity=3, prizes_bp=(5000, 3000, 2000)).capacity == 3


@pytest.mark.parametrize("levels", [(1, 1), (2, 1), (1, 3, 2)])
def test_the_unit_only_rises(levels):
    assert contradictions(unit_levels=levels) == ["/unit_levels"]


def test_no_sum_of_chips_passes_what_json_holds():
    assert contradictions(unit=2**40) == ["/unit"]
    assert contradictions(unit=2**30, stack_points=2**22, capacity=2) == ["/unit"]


def test_no_payment_passes_what_json_holds():
    largest = (2**53 - 1) // (80 * 13 * 3)
    assert misfits(terms(unit=largest, stack_points=1, capacity=2), ACTIONPOKER) == {}
    assert list(misfits(terms(unit=largest + 1, stack_points=1, capacity=2), ACTIONPOKER)) == ["/unit"]
    doubling = rules("actionpoker", twos="double_each", point_tiers=[[13, 1000]])
    assert list(misfits(terms(unit=largest, stack_points=1, capacity=2), doubling)) == ["/unit"]


def test_without_table_stakes_nobody_plays_for_chips():
    assert list(misfits(terms(), rules("actionpoker", stake_cap="none"))) == ["/rules"]


def test_every_contradiction_is_told_at_once():
    found = contradictions(
        seats_per_table=2,
        capacity=8,
        min_entrants=9,
        starts_at=NOW,
        prizes_bp=(1,),
        unit_levels=(2, 1),
        unit=2**53,
    )
    assert found == ["/min_entrants", "/prizes_bp", "/seats_per_table", "/starts_at", "/unit", "/unit_levels"]
    assert contradictions("sit_and_go", capacity=5, min_entrants=9) == ["/capacity", "/min_entrants"]


def test_two_contradictions_at_one_place_are_both_told():
    with pytest.raises(Refused) as caught:
        terms(capacity=2, prizes_bp=(5000, 3000, 1000))
    told = caught.value.errors["/prizes_bp"]
    assert "sum to 10000" in told
    assert "more places than the 2 entrants" in told


def test_the_hash_is_of_the_terms_and_nothing_else():
    assert structure_hash(terms()) == structure_hash(terms(capacity=10_000))
    hashes = {
        structure_hash(terms(**one))
        for one in ({}, {"unit": 2}, {"prizes_bp": (10_000,)}, {"stack_points": 1})
    }
    assert len(hashes) == 4


def test_the_hash_is_of_canonical_json():
    s = terms(name="鋤大弟", starts_at=NOW + timedelta(days=1), unit_levels=(1, 2))
    told = msgspec.to_builtins(s)
    canonical = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert structure_hash(s) == hashlib.sha256(canonical.encode()).hexdigest()


def test_a_league_may_be_played_under_rules_without_table_stakes():
    uncapped = rules("actionpoker", stake_cap="none")
    assert misfits(terms("league", recorded=True), uncapped) == {}
    assert list(misfits(terms(), uncapped)) == ["/rules"]


def test_a_whole_season_s_payments_fit_into_every_reader_s_numbers():
    most = 3 * 13  # a covering payment (R8.4)
    fits = 2**53 // (most * 100_000)
    assert misfits(terms("league", recorded=True, unit=fits), ACTIONPOKER) == {}
    assert list(misfits(terms("league", recorded=True, unit=fits + 1), ACTIONPOKER)) == ["/unit"]
    assert list(misfits(terms("league", recorded=True, unit=2**52), ACTIONPOKER)) == ["/unit"]


# money


def test_a_buy_in_and_a_guarantee_are_of_one_currency():
    s = terms(buy_in={"amount": 1000, "fee": 100, "currency": "EUR"}, guarantee=5000)
    assert s.buy_in == BuyIn(amount=1000, fee=100, currency="EUR")
    assert (s.buy_in.price, s.overlay(4), s.overlay(5), s.overlay(6)) == (1100, 1000, 0, 0)
    assert hash(s) == hash(terms(buy_in=s.buy_in, guarantee=5000))


def test_a_guarantee_needs_a_buy_in():
    assert contradictions(guarantee=1) == ["/guarantee"]
    assert terms(buy_in=None, guarantee=0).guarantee == 0


def test_all_entries_together_stay_below_2_to_the_53():
    large = {"amount": 2**52, "fee": 0, "currency": "EUR"}
    assert contradictions(capacity=2, buy_in=large) == ["/buy_in/amount"]
    assert terms(capacity=2, buy_in={**large, "amount": 2**52 - 1}).buy_in is not None
    assert contradictions(capacity=2, buy_in={**large, "amount": 1, "fee": 2**52}) == ["/buy_in/amount"]


@pytest.mark.parametrize(
    ("format_", "others"),
    [
        ("sit_and_go", {"late_entry_levels": 1}),
        ("league", {"late_entry_levels": 1, "recorded": True}),
        ("freezeout", {"late_entry_levels": 1, "recorded": True}),
        ("freezeout", {"late_entry_levels": 11}),
        ("freezeout", {"late_entry_levels": 3, "unit_levels": [1, 2]}),
    ],
)
def test_late_entry_is_a_dealt_freezeout_s_and_lasts_no_longer_than_its_levels(format_, others):
    assert contradictions(format_, **others) == ["/late_entry_levels"]
    assert terms("freezeout", late_entry_levels=10).late_entry_levels == 10


def test_with_late_entry_the_sums_must_hold_ten_entries_for_each_place():
    some = {"capacity": 4, "unit": 2**44, "stack_points": 40}
    assert terms(**some).most_entries == 4
    assert contradictions(**some, late_entry_levels=1) == ["/unit"]
