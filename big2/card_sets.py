"""R3: what cards make together, which set is higher, and all that a holding offers."""

from collections.abc import Iterable
from itertools import chain, combinations
from operator import getitem
from typing import Final, TypeVar

from big2.book import HOLDING_BYTES, Book, CardSet, Kind, book_of
from big2.cards import PACK, Card, cards_in, mask_of
from big2.rulesets import RuleSet
from big2.switches import OpeningPlay

__all__ = ["CardSet", "Kind", "beats", "card_set_of", "classify", "legal_plays", "plays_in"]

_DIAMONDS: Final = mask_of(card for card in PACK if card % 4 == 0)
_SUITS: Final = tuple(_DIAMONDS << suit for suit in range(4))
_FIVE: Final = 5
_ORDERED_WITHIN: Final = (2, _FIVE)
"""Numbers of cards in which not all that lies within `CardSet.above` is higher."""


def classify(rules: RuleSet, cards: Iterable[Card]) -> CardSet | None:
    """R3.1: the card set that these cards make, or None; a card named twice makes none.

    The answer comes from the cards alone, never from a label that came with them.
    """
    named = list(cards)
    mask = mask_of(named)
    return card_set_of(rules, mask) if mask.bit_count() == len(named) else None


def card_set_of(rules: RuleSet, mask: int) -> CardSet | None:
    """R3.1: the card set that the cards of a mask make, or None."""
    return book_of(rules).by_mask.get(mask)


def beats(play: CardSet, over: CardSet) -> bool:
    """R3.2: whether a set is higher than another of as many cards. Both come from one rule set."""
    if play.size == over.size:
        return play.strength > over.strength
    return play.beats_other_sizes


def legal_plays(
    rules: RuleSet, holding: int, to_beat: CardSet | None = None, must_include: Card | None = None
) -> list[CardSet]:
    """R4.1 and R5.2: each card set of a holding that may be played, in no stated order.

    `to_beat` is None for a leader; `must_include` is the opening card while it binds, and where the rule set
    says `it_alone` nothing may go with it.
    """
    plays = plays_in(book_of(rules), holding, to_beat)
    if must_include is None:
        return plays
    opening = 1 << must_include
    if rules.opening_play is OpeningPlay.IT_ALONE:
        return [play for play in plays if play.mask == opening]
    return [play for play in plays if play.mask & opening]


def plays_in(book: Book, holding: int, to_beat: CardSet | None = None) -> list[CardSet]:
    """R4.1: each card set of a holding that leads, or that follows `to_beat`."""
    if to_beat is None:
        plays = _joined(book.played_of_size[0], holding)
        _add_fives(plays, book, holding)
        return plays
    if to_beat.size == _FIVE:
        plays = []
        _add_fives(plays, book, holding)
    else:
        able = holding & to_beat.above
        plays = _joined(book.played_of_size[to_beat.size], able) if able else []
    if to_beat.size in _ORDERED_WITHIN:
        plays = [play for play in plays if play.strength > to_beat.strength]
    if book.quads_beat_any:
        plays += [play for play in _quads(book, holding) if play.size != to_beat.size]
    return plays


Part = TypeVar("Part", CardSet, int)


def _joined(tables: tuple[tuple[tuple[Part, ...], ...], ...], holding: int) -> list[Part]:
    """What the book has for each two ranks of a holding, as one list."""
    return list(chain.from_iterable(map(getitem, tables, holding.to_bytes(HOLDING_BYTES, "little"))))


def _add_fives(plays: list[CardSet], book: Book, holding: int) -> None:
    if holding.bit_count() < _FIVE:
        return
    _add_straights(plays, book, holding)
    _add_flushes(plays, book, holding)
    threes = _joined(book.triples, holding)
    if threes:
        _add_full_houses(plays, book, holding, threes)
        plays += [play for play in _quads(book, holding) if play.size == _FIVE]


def _add_straights(plays: list[CardSet], book: Book, holding: int) -> None:
    """R3.5: a straight, or straight flush, for each choice of one card from each of its five ranks."""
    neighbours = holding | holding >> 1
    among = book.straights_among.get((neighbours | neighbours >> 2) & _DIAMONDS)
    if among is not None:
        plays += [
            book.by_mask[low | middle | high]
            for (a, lows), (b, middles), (c, highs) in among
            for low in lows[holding >> a & 255]
            for middle in middles[holding >> b & 255]
            for high in highs[holding >> c & 255]
        ]


def _add_flushes(plays: list[CardSet], book: Book, holding: int) -> None:
    """R3.4: five of one suit that are no straight flush; none where a rule set has no flushes."""
    for suit in _SUITS:
        held = holding & suit
        if held.bit_count() >= _FIVE:
            plays += [book.flushes[five] for five in _fives_of(held) if five in book.flushes]


def _fives_of(held: int) -> Iterable[int]:
    if held.bit_count() == _FIVE:
        return (held,)
    return map(sum, combinations(_cards_apart(held), _FIVE))


def _cards_apart(mask: int) -> list[int]:
    """The cards of a mask, each as a mask of its own."""
    return [1 << card for card in cards_in(mask)]


def _add_full_houses(plays: list[CardSet], book: Book, holding: int, threes: list[int]) -> None:
    """R3.3: each three with each pair of another rank."""
    pairs = _joined(book.pairs, holding)
    plays += [book.by_mask[three | pair] for three in threes for pair in pairs if not three & pair]


def _quads(book: Book, holding: int) -> list[CardSet]:
    """R3.1: each four of a kind, with each other card as its kicker where the rule set has one."""
    if not holding & holding >> 1 & holding >> 2 & holding >> 3 & _DIAMONDS:
        return []
    return [
        quads
        for four in _joined(book.fours, holding)
        for kicker in (0, *_cards_apart(holding ^ four))
        if (quads := book.by_mask.get(four | kicker)) is not None
    ]
