"""What is told to people, as values: blocks of rows, each piece of text with its tone. Looks are another's matter."""

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from big2.cards import card_glyph, cards_in, low_to_high
from big2.quoted import shown
from big2.rulesets import RuleSet

__all__ = ["Block", "Cell", "Piece", "Row", "Tone", "card_cell", "cell", "cells", "shown", "value_text"]


class Tone(StrEnum):
    """What a piece of text is, so that a terminal can colour it."""

    PLAIN = "plain"
    STRONG = "strong"
    QUIET = "quiet"
    WRONG = "wrong"
    DIAMONDS = "diamonds"
    CLUBS = "clubs"
    HEARTS = "hearts"
    SPADES = "spades"


_SUIT_TONES: Final = (Tone.DIAMONDS, Tone.CLUBS, Tone.HEARTS, Tone.SPADES)


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text in one tone."""

    text: str
    tone: Tone = Tone.PLAIN


Cell = tuple[Piece, ...]
Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A title, and rows whose cells stand below each other; the columns named in `numbers` go to the right.

    Blocks of one `layout` have their columns at the same places.
    """

    title: Cell
    rows: tuple[Row, ...] = ()
    numbers: frozenset[int] = frozenset()
    layout: str = ""


def value_text(value: object) -> str:
    """A JSON value as a short text."""
    return shown(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def cell(text: str, tone: Tone = Tone.PLAIN) -> Cell:
    """One piece of text."""
    return (Piece(text, tone),)


def cells(*texts: str, tone: Tone = Tone.PLAIN) -> Row:
    """A cell for each text."""
    return tuple(cell(text, tone) for text in texts)


def card_cell(mask: int, rules: RuleSet) -> Cell:
    """Some cards low to high, in the tones of their suits."""
    pieces: list[Piece] = []
    for card in low_to_high(cards_in(mask), rules.suits):
        pieces += [Piece(" ")] if pieces else []
        pieces.append(Piece(card_glyph(card), _SUIT_TONES[card % 4]))
    return tuple(pieces)
