"""R1: cards, how they are written, and sets of them as 52-bit masks.

A card is a number 0..51, lowest first in the rulebook's order: 3♦ 3♣ 3♥ 3♠ 4♦ … 2♠. So `card // 4` is its
rank and `card % 4` its suit. Bit `card` of a mask says that the card is there; the four bits of one rank
stand together.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Final, NewType

from big2.errors import NotationError

Card = NewType("Card", int)

RANKS: Final = "3456789TJQKA2"
"""R1.1: the ranks, low to high."""

SUITS: Final = "DCHS"
"""R1.1: the suits, low to high: ♦ ♣ ♥ ♠. A rule set may order them otherwise (R12)."""

GLYPHS: Final = "♦♣♥♠"
PACK: Final = tuple(Card(number) for number in range(52))
WHOLE_PACK: Final = (1 << 52) - 1
TWO: Final = RANKS.index("2")
TWOS: Final = 0b1111 << 4 * TWO

_TEXTS: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
_STORED: Final = {text: Card(number) for number, text in enumerate(_TEXTS)}


def _spellings(rank: str, suit: str, glyph: str) -> Iterator[str]:
    """R1.2: whatever people may type for one card."""
    ranks = {rank, rank.lower()} | ({"10"} if rank == "T" else set())
    return (r + s for r, s in product(ranks, (suit, suit.lower(), glyph)))


_TYPED: Final = {
    spelling: _STORED[rank + suit]
    for rank in RANKS
    for suit, glyph in zip(SUITS, GLYPHS, strict=True)
    for spelling in _spellings(rank, suit, glyph)
}


def parse_card(text: str) -> Card:
    """Read a card as people type it: rank first, in either case, `10` for T, letters or glyphs (R1.2).

    >>> [card_text(parse_card(text)) for text in ("3d", "10C", "a♠", "TH")]
    ['3D', 'TC', 'AS', 'TH']
    """
    try:
        return _TYPED[text]
    except KeyError:
        raise NotationError(_no_card(text)) from None


def parse_stored_card(text: str) -> Card:
    """Read a card as it is stored and exported: two characters, nothing else (R1.2)."""
    try:
        return _STORED[text]
    except KeyError:
        raise NotationError(_no_card(text)) from None


def _no_card(text: str) -> str:
    shown = text if len(text) <= 8 else text[:8] + "…"
    return f"{shown!a} is not a card: write rank then suit, such as 3D, TC or 2S"


def parse_cards(text: str) -> tuple[Card, ...]:
    """Read cards as people type them, with blanks between; order and repeats are kept."""
    return tuple(parse_card(word) for word in text.split())


def parse_stored_cards(text: str) -> tuple[Card, ...]:
    """Read a stored list: two-character cards, one space between, none twice (R1.2)."""
    cards = tuple(parse_stored_card(word) for word in text.split(" "))
    if len(set(cards)) != len(cards):
        raise NotationError("a card stands twice in the list")
    return cards


def card_text(card: Card) -> str:
    """The stored form of a card.

    >>> card_text(Card(0)), card_text(Card(51))
    ('3D', '2S')
    """
    return _TEXTS[card]


def card_glyph(card: Card) -> str:
    """A card on a page for people: the rank as in its stored form, the suit as its sign.

    >>> card_glyph(Card(0)), card_glyph(Card(29))
    ('3♦', 'T♣')
    """
    return RANKS[card // 4] + GLYPHS[card % 4]


def cards_text(cards: Iterable[Card], suits: str = SUITS) -> str:
    """A list of cards as it is stored: low to high by rank, then by the rule set's suits (R1.2).

    >>> cards_text(parse_cards("7S 3H 7D"))
    '3H 7D 7S'
    """
    return " ".join(_TEXTS[card] for card in low_to_high(cards, suits))


def mask_text(mask: int, suits: str = SUITS) -> str:
    """The cards of a mask as they are stored (R1.2)."""
    return cards_text(cards_in(mask), suits)


def low_to_high(cards: Iterable[Card], suits: str = SUITS) -> list[Card]:
    """The cards in order: rank outweighs suit (R1.1)."""
    return sorted(cards, key=lambda card: height(card, suits))


def height(card: Card, suits: str = SUITS) -> int:
    """Where a card stands in the pack from the lowest, 0, to the highest, 51; the rule set orders the suits.

    >>> height(parse_card("3D")), height(parse_card("3D"), suits="CDHS")
    (0, 1)
    """
    return card if suits == SUITS else card // 4 * 4 + suits.index(SUITS[card % 4])


def mask_of(cards: Iterable[Card]) -> int:
    """The mask of some cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def cards_in(mask: int) -> list[Card]:
    """The cards of a mask, by number."""
    cards = []
    while mask:
        lowest = mask & -mask
        cards.append(PACK[lowest.bit_length() - 1])
        mask ^= lowest
    return cards


def lowest_card(mask: int, suits: str = SUITS) -> Card:
    """The lowest card of a mask that is not empty, by rank and then by the rule set's suits."""
    rank = ((mask & -mask).bit_length() - 1) // 4
    held = (Card(4 * rank + SUITS.index(suit)) for suit in suits)
    return next(card for card in held if mask >> card & 1)


def highest_card(suits: str = SUITS) -> Card:
    """The rule set's highest card: the two of its highest suit, 2♠ in R1.1."""
    return _STORED["2" + suits[-1]]
