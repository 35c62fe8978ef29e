"""R3: what cards make together, which set is higher, and all that a holding offers."""

from collections.abc import Iterable
from itertools import combinations
from typing import Final

from big2.book import Book, CardSet, Kind, book_of
from big2.cards import PACK, Card, cards_in, mask_of
from big2.rulesets import RuleSet
from big2.switches import OpeningPlay

__all__ = ["CardSet", "Kind", "beats", "card_set_of", "classify", "legal_plays"]

_DIAMONDS: Final = mask_of(card for card in PACK if card % 4 == 0)
_SUITS: Final = tuple(_DIAMONDS << suit for suit in range(4))
_FIVE: Final = 5


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
    book = book_of(rules)
    plays = _all(book, holding) if to_beat is None else _higher(rules, holding, to_beat)
    if must_include is None:
        return plays
    opening = 1 << must_include
    if rules.opening_play is OpeningPlay.IT_ALONE:
        return [play for play in plays if play.mask == opening]
    return [play for play in plays if play.mask & opening]


def _all(book: Book, holding: int) -> list[CardSet]:
    plays: list[CardSet] = []
    indices = _ranks_held(holding)
    for index in indices:
        plays += book.played_of_rank[index]
    return plays + _fives(book, holding, indices)


def _higher(rules: RuleSet, holding: int, to_beat: CardSet) -> list[CardSet]:
    book = book_of(rules)
    indices = _ranks_held(holding)
    plays = _of_size(book, holding, indices, to_beat.size)
    if rules.quads_beat_any:
        plays += [play for play in _quads(book, holding, indices) if play.size != to_beat.size]
    return [play for play in plays if beats(play, to_beat)]


def _of_size(book: Book, holding: int, indices: list[int], size: int) -> list[CardSet]:
    if size == _FIVE:
        return _fives(book, holding, indices)
    played = book.played_of_size[size]
    return [play for index in indices for play in played[index]]


def _ranks_held(holding: int) -> list[int]:
    """Where the book has each rank held: by the rank and which suits of it."""
    indices = []
    rank = 0
    while holding:
        if holding & 15:
            indices.append(rank + (holding & 15))
        holding >>= 4
        rank += 16
    return indices


def _fives(book: Book, holding: int, indices: list[int]) -> list[CardSet]:
    plays = _straights(book, holding)
    plays += _flushes(book, holding)
    threes = [index for index in indices if book.triples[index]]
    if threes:
        plays += _full_houses(book, indices, threes)
        plays += [play for play in _quads(book, holding, threes) if play.size == _FIVE]
    return plays


def _straights(book: Book, holding: int) -> list[CardSet]:
    """R3.5: a straight, or straight flush, for each choice of one card from each of its five ranks."""
    ranks = (holding | holding >> 1 | holding >> 2 | holding >> 3) & _DIAMONDS
    plays: list[CardSet] = []
    for straight in book.straights_among.get(ranks, ()):
        one, two, three, four, five = [book.cards[rank << 4 | holding >> 4 * rank & 15] for rank in straight]
        plays += [
            book.by_mask[a | b | c | d | e]
            for a in one
            for b in two
            for c in three
            for d in four
            for e in five
        ]
    return plays


def _flushes(book: Book, holding: int) -> list[CardSet]:
    """R3.4: five of one suit that are no straight flush; none where a rule set has no flushes."""
    plays: list[CardSet] = []
    for suit in _SUITS:
        held = holding & suit
        if held.bit_count() >= _FIVE:
            fives = [book.by_mask.get(mask) for mask in _fives_of(held)]
            plays += [play for play in fives if play is not None and play.kind is Kind.FLUSH]
    return plays


def _fives_of(held: int) -> list[int]:
    if held.bit_count() == _FIVE:
        return [held]
    return [sum(five) for five in combinations([1 << card for card in cards_in(held)], _FIVE)]


def _full_houses(book: Book, indices: list[int], threes: list[int]) -> list[CardSet]:
    """R3.3: each three with each pair of another rank."""
    return [
        book.by_mask[three | pair]
        for index in threes
        for three in book.triples[index]
        for other in indices
        if other != index
        for pair in book.pairs[other]
    ]


def _quads(book: Book, holding: int, indices: list[int]) -> list[CardSet]:
    """R3.1: each four of a kind, with each other card as its kicker where the rule set has one."""
    return [
        quads
        for index in indices
        for four in book.fours[index]
        for kicker in (0, *(1 << card for card in cards_in(holding ^ four)))
        if (quads := book.by_mask.get(four | kicker)) is not None
    ]
