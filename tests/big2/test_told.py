"""Pieces of text with their tones."""

import pytest

from big2.told import Piece, Tone, card_cell, cells, shown, value_text
from tests.big2.play import PRESETS, mask, rules


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Ann", "Ann"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb", "a\\nb"),
        ("\u202enaC", "\\u202enaC"),
        ("\ud800", "\\ud800"),
        ("鋤大弟", "鋤大弟"),
        ("A" * 40, "A" * 40),
        ("A" * 41, "A" * 39 + "…"),
    ],
)
def test_a_text_does_nothing_but_show(text, told):
    assert shown(text) == told
    assert shown(text).isprintable()


@pytest.mark.parametrize(
    ("value", "told"),
    [("x", "x"), (7, "7"), (None, "null"), (["é", 1.5], '["é", 1.5]'), ({"a": "\x07"}, '{"a": "\\u0007"}')],
)
def test_a_value_is_shown_as_json_has_it(value, told):
    assert value_text(value) == told


def test_r1_2_cards_stand_low_to_high_each_in_the_tone_of_its_suit():
    assert card_cell(mask("2S TH 3C 3D"), PRESETS["actionpoker"]) == (
        Piece("3♦", Tone.DIAMONDS), Piece(" "), Piece("3♣", Tone.CLUBS), Piece(" "),
        Piece("T♥", Tone.HEARTS), Piece(" "), Piece("2♠", Tone.SPADES),
    )  # fmt: skip


def test_r12_the_rule_set_orders_the_suits():
    spoken = [piece.text for piece in card_cell(mask("3C 3D"), rules(suits="CDHS"))]
    assert spoken == ["3♣", " ", "3♦"]


def test_no_cards_are_no_pieces():
    assert card_cell(0, PRESETS["actionpoker"]) == ()


def test_cells_share_a_tone():
    assert cells("a", "b", tone=Tone.QUIET) == ((Piece("a", Tone.QUIET),), (Piece("b", Tone.QUIET),))
