"""R12: the presets that are named for where they are played, as their sources have them."""

from itertools import pairwise

import pytest

from big2.automatic import automatic_pass
from big2.card_sets import Kind, beats, classify
from big2.hand import duty, options
from big2.settlement import Outcome, settle_outcome
from big2.state import apply
from big2.table import Direction, lowest_card_leads
from tests.big2.play import PRESETS, ROOMS, ROOT, after, cards, dealt, taken

HONG_KONG, TAIWAN, PUSOY_DOS = (PRESETS[name] for name in ("hong-kong", "taiwan", "pusoy-dos"))
HOUSES = {name: rule_set for name, rule_set in PRESETS.items() if name not in ROOMS}


def kind(text, rule_set):
    card_set = classify(rule_set, cards(text))
    return card_set and card_set.kind


def higher(play, over, rule_set):
    return beats(classify(rule_set, cards(play)), classify(rule_set, cards(over)))


def net(rule_set, left, **members):
    ended = Outcome(tuple(left), 1, Direction.CLOCKWISE, 1, left, dict.fromkeys(left, 0), **members)
    return settle_outcome(rule_set, ended, 1, dict.fromkeys(left)).net


def test_the_presets_are_the_rooms_and_the_places():
    assert set(PRESETS) == {*ROOMS, "hong-kong", "taiwan", "pusoy-dos"}


@pytest.mark.parametrize(
    ("rule_set", "ascending"),
    [(HONG_KONG, "3D 3C 3H 3S"), (TAIWAN, "3C 3D 3H 3S"), (PUSOY_DOS, "3C 3S 3H 3D")],
)
def test_suits_stand_as_they_do_there(rule_set, ascending):
    for lower, upper in pairwise(ascending.split()):
        assert higher(upper, lower, rule_set)


@pytest.mark.parametrize(
    ("rule_set", "ascending"),
    [
        (HONG_KONG, ["3C 4C 5C 6C 7D", "TC JC QC KC AD", "2D 3C 4C 5C 6C", "AC 2D 3C 4C 5C"]),
        (TAIWAN, ["AC 2D 3C 4C 5C", "3C 4C 5C 6C 7D", "TC JC QC KC AD", "2D 3C 4C 5C 6C"]),
        (PUSOY_DOS, ["3C 4C 5C 6C 7D", "TC JC QC KC AD", "JC QC KC AC 2D"]),
    ],
)
def test_straights_stand_as_they_do_there(rule_set, ascending):
    for lower, upper in pairwise(ascending):
        assert higher(upper, lower, rule_set)


def test_a_two_in_a_straight_is_high_at_its_end_in_pusoy_dos_alone_and_low_at_its_beginning_elsewhere():
    assert kind("AC 2D 3C 4C 5C", PUSOY_DOS) is None
    assert kind("JC QC KC AC 2D", HONG_KONG) is None
    assert kind("JC QC KC AC 2D", TAIWAN) is None


@pytest.mark.parametrize("rule_set", [HONG_KONG, PUSOY_DOS])
def test_flushes_go_by_their_suit_first(rule_set):
    highest = rule_set.suits[-1]
    five = " ".join(rank + highest for rank in "34568")
    assert higher(five, " ".join(rank + rule_set.suits[-2] for rank in "2AKQT"), rule_set)


def test_taiwan_has_neither_flushes_nor_three_of_a_kind_by_itself():
    assert kind("3D 4D 5D 6D 8D", TAIWAN) is None
    assert kind("3D 4D 5D 6D 7D", TAIWAN) is Kind.STRAIGHT_FLUSH
    assert kind("3D 3C 3H", TAIWAN) is None
    assert kind("3D 3C 3H 4D 4C", TAIWAN) is Kind.FULL_HOUSE


def test_in_taiwan_four_of_a_kind_beats_even_the_highest_card_and_nobody_passes_for_fear_of_it():
    assert higher("3D 3C 3H 3S 4D", "2S", TAIWAN)
    holdings = {1: "2S 9D", 2: "4D 4C 4H 4S 5D 6C", 3: "TD JD"}
    hand = dealt(TAIWAN, holdings, leader=1)
    hand = apply(hand, taken(hand, "2S")[0])
    assert automatic_pass(hand) is None
    assert Kind.FOUR_OF_A_KIND in {play.kind for play, _ in options(hand)}


@pytest.mark.parametrize(("rule_set", "opening"), [(HONG_KONG, "3D"), (TAIWAN, "3C"), (PUSOY_DOS, "3C")])
def test_the_lowest_card_leads_and_is_in_the_first_play(rule_set, opening):
    hand = dealt(rule_set, {1: "3H 9D", 2: f"{opening} 9C"})
    assert (hand.turn, hand.must_include) == (2, cards(opening)[0])


def test_it_leads_every_hand_but_in_pusoy_dos():
    assert [lowest_card_leads(each, first_hand=False) for each in (HONG_KONG, TAIWAN, PUSOY_DOS)] == [
        True, True, False,
    ]  # fmt: skip


def test_in_pusoy_dos_alone_a_pass_locks_the_trick():
    holdings = {1: "4D 9D TD", 2: "5D JD QD", 3: "6D KD AD"}
    for rule_set in (HONG_KONG, TAIWAN, PUSOY_DOS):
        hand = after(dealt(rule_set, holdings, leader=1), "4D", "pass")
        second = hand.seats[0] + (2 if hand.next_seat[1] == 3 else 1)
        assert bool(hand.locked >> second & 1) == (rule_set is PUSOY_DOS)


def test_in_hong_kong_cards_left_count_twice_from_8_three_times_from_10_four_times_at_13():
    assert net(HONG_KONG, {1: 0, 2: 7, 3: 8, 4: 9}) == {1: 7 + 16 + 18, 2: -7, 3: -16, 4: -18}
    assert net(HONG_KONG, {1: 0, 2: 10, 3: 12, 4: 13}) == {1: 30 + 36 + 52, 2: -30, 3: -36, 4: -52}


def test_in_hong_kong_who_let_the_last_card_through_pays_for_all():
    assert net(HONG_KONG, {1: 0, 2: 7, 3: 8, 4: 1}, liable=4) == {1: 24, 2: 0, 3: 0, 4: -24}


@pytest.mark.parametrize("rule_set", [TAIWAN, PUSOY_DOS])
def test_elsewhere_each_card_left_pays_the_winner_one_point_and_there_is_no_duty(rule_set):
    assert net(rule_set, {1: 0, 2: 7, 3: 8, 4: 13}) == {1: 28, 2: -7, 3: -8, 4: -13}
    assert duty(dealt(rule_set, {1: "6D 6S 7D JS", 2: "9D", 3: "8D 8C TC", 4: "8H"}, leader=1)) is None


@pytest.mark.parametrize("name", HOUSES)
def test_every_preset_names_its_sources_and_where_each_switch_comes_from(name):
    written = (ROOT / "config/rules" / f"{name}.toml").read_text(encoding="utf-8")
    assert "# Sources, each with what it gives:" in written
    assert written.count("http") >= 6
    assert all("#" in line for line in written.splitlines() if "=" in line)
