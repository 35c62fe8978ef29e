"""R1: cards and how they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from big2.cards import (
    PACK,
    RANKS,
    WHOLE_PACK,
    card_text,
    cards_in,
    cards_text,
    height,
    highest_card,
    low_to_high,
    lowest_card,
    mask_of,
    mask_text,
    parse_card,
    parse_cards,
    parse_stored_card,
    parse_stored_cards,
)
from big2.errors import NotationError
from tests.big2.play import mask

SUIT_ORDERS = ("DCHS", "CDHS", "CSHD")


def test_r1_1_the_pack_runs_from_3d_to_2s():
    assert cards_text(PACK).startswith("3D 3C 3H 3S 4D")
    assert cards_text(PACK).endswith("AS 2D 2C 2H 2S")
    assert mask_of(PACK) == WHOLE_PACK


def test_r1_1_rank_outweighs_suit():
    assert parse_card("4D") > parse_card("3S")
    assert parse_card("2D") > parse_card("AS") > parse_card("AH") > parse_card("AC") > parse_card("AD")


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("3D", "3D"), ("3d", "3D"), ("3♦", "3D"), ("tc", "TC"), ("10C", "TC"), ("10c", "TC"),
        ("10♣", "TC"), ("qH", "QH"), ("Q♥", "QH"), ("a♠", "AS"), ("2s", "2S"),
    ],
)  # fmt: skip
def test_r1_2_people_may_type_10_lower_case_and_glyphs(typed, stored):
    assert card_text(parse_card(typed)) == stored


@pytest.mark.parametrize(
    "text", ["D3", "♦3", "10", "1H", "0C", "3?", "3DD", "", " 3D", "3 D", "١D", "ßS", "XX", "3♤"]
)
def test_r1_2_f9_suit_first_and_whatever_is_no_card_is_refused(text):
    with pytest.raises(NotationError, match="is not a card"):
        parse_card(text)


@pytest.mark.parametrize("text", ["3d", "10C", "3♦", "tC", "D3", "", "3D "])
def test_r1_2_only_two_characters_are_stored(text):
    with pytest.raises(NotationError):
        parse_stored_card(text)


def test_r1_2_a_long_text_is_not_echoed_in_full():
    with pytest.raises(NotationError) as refused:
        parse_card("x" * 10_000)
    assert len(refused.value.reason) < 100


@pytest.mark.parametrize("text", ["3D  4D", " 3D", "3D ", "3D,4D", "3D\t4D", "", "3D 3D"])
def test_r1_2_a_stored_list_has_one_space_between_and_no_card_twice(text):
    with pytest.raises(NotationError):
        parse_stored_cards(text)


def test_r1_2_a_typed_list_keeps_order_and_repeats():
    assert [card_text(card) for card in parse_cards(" 7s  10d 7S ")] == ["7S", "TD", "7S"]


def test_r1_2_a_list_is_written_low_to_high_by_the_rule_sets_suits():
    seven_and_three = parse_cards("7S 7D 3H 7C")
    assert cards_text(seven_and_three) == "3H 7D 7C 7S"
    assert cards_text(seven_and_three, "CSHD") == "3H 7C 7S 7D"
    assert mask_text(mask("7S 3H"), "DCHS") == "3H 7S"


@pytest.mark.parametrize(
    ("suits", "lowest", "highest"), [("DCHS", "3D", "2S"), ("CDHS", "3C", "2S"), ("CSHD", "3C", "2D")]
)
def test_r12_suits_say_which_card_is_lowest_and_which_is_highest(suits, lowest, highest):
    assert card_text(lowest_card(WHOLE_PACK, suits)) == lowest
    assert card_text(highest_card(suits)) == highest


@given(st.sets(st.sampled_from(PACK)), st.sampled_from(SUIT_ORDERS))
def test_a_list_written_and_read_is_the_same_cards(held, suits):
    written = cards_text(held, suits)
    assert set(parse_cards(written)) == held
    assert cards_in(mask_of(held)) == sorted(held)
    assert len(low_to_high(held, suits)) == len(held)
    if held:
        assert set(parse_stored_cards(written)) == held
        assert low_to_high(held, suits)[0] == lowest_card(mask_of(held), suits)


@pytest.mark.parametrize("suits", SUIT_ORDERS)
def test_r1_1_each_card_has_a_height_of_its_own_from_0_to_51(suits):
    pack = [parse_card(rank + suit) for rank in RANKS for suit in suits]
    assert [height(card, suits) for card in pack] == list(range(52))
