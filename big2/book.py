"""R3 as a table: the book of every card set that a rule set knows, each with its strength.

There are 52 singles, 78 pairs, 52 triples and some 20,000 sets of five. The book writes each down once, by
its mask, so that to classify is to look up and to list plays is to join ready-made parts. Rule sets that
agree on R3 share one.

Strength is a number that grows with the rulebook's order among sets of the same number of cards (R3.2); those
of different numbers are never compared by it. In five cards the category decides first, then what R3.3–R3.6
say.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import chain, combinations, product
from typing import Final

from big2.cards import RANKS, SUITS
from big2.rulesets import RuleSet
from big2.switches import FlushOrder, StraightFlushOrder, StraightTie


class Kind(StrEnum):
    """R3.1: the kinds of card sets; those of five cards from the lowest category to the highest."""

    SINGLE = "single"
    PAIR = "pair"
    THREE_OF_A_KIND = "three_of_a_kind"
    STRAIGHT = "straight"
    FLUSH = "flush"
    FULL_HOUSE = "full_house"
    FOUR_OF_A_KIND = "four_of_a_kind"
    STRAIGHT_FLUSH = "straight_flush"


@dataclass(frozen=True, slots=True)
class CardSet:
    """One playable combination: its kind, its cards as a mask, their number, its strength among as many."""

    kind: Kind
    mask: int
    size: int
    strength: int
    beats_other_sizes: bool = False


CardSets = tuple[CardSet, ...]
Masks = tuple[int, ...]
Straight = tuple[int, ...]
"""The five ranks of a straight."""

_CATEGORY: Final = {kind: place << 20 for place, kind in enumerate(Kind)}
"""Room for any strength within a category: the greatest is a flush by suit, below 2**15."""

_SUIT_PATTERNS: Final = range(16)
"""Which of a rank's four cards are there: bit 0 for ♦ to bit 3 for ♠."""

_BOOKS_KEPT: Final = 16


@dataclass(frozen=True, slots=True)
class Book:
    """Every card set of a rule set, and the parts from which plays are listed.

    The tuples are indexed by `rank * 16 + pattern`, where `pattern` says which suits of that rank are held.
    """

    by_mask: dict[int, CardSet]
    straights_among: dict[int, tuple[Straight, ...]]
    """By the diamonds of the ranks held: the straights that they hold, each as its ranks; absent where none."""

    cards: tuple[Masks, ...]
    pairs: tuple[Masks, ...]
    triples: tuple[Masks, ...]
    fours: tuple[Masks, ...]
    played_of_size: tuple[tuple[CardSets, ...], ...]
    """By the number of cards, 1–4, what may be played of a rank; without fives."""

    played_of_rank: tuple[CardSets, ...]
    """The same for all numbers of cards together."""


def book_of(rules: RuleSet) -> Book:
    """The book of a rule set's card sets; written on first use and kept."""
    return _book(
        suits=rules.suits,
        straights=rules.straights,
        straight_tie=rules.straight_tie,
        flush=rules.flush,
        straight_flush=rules.straight_flush,
        triples=rules.triples,
        quads_kicker=rules.quads_kicker,
        quads_beat_any=rules.quads_beat_any,
    )


@lru_cache(maxsize=_BOOKS_KEPT)
def _book(
    *,
    suits: str,
    straights: tuple[str, ...],
    straight_tie: StraightTie,
    flush: FlushOrder,
    straight_flush: StraightFlushOrder,
    triples: bool,
    quads_kicker: bool,
    quads_beat_any: bool,
) -> Book:
    height = tuple(suits.index(suit) for suit in SUITS)
    by_mask: dict[int, CardSet] = {}
    _write(by_mask, _singles(height))
    _write(by_mask, _pairs(height))
    if triples:
        _write(by_mask, _triples())
    _write(by_mask, _straights(straights, straight_tie, straight_flush, height))
    _write(by_mask, _flushes(flush, height))
    _write(by_mask, _full_houses())
    _write(by_mask, _quads(quads_kicker, quads_beat_any))
    return _indexed(by_mask, straights)


def _write(by_mask: dict[int, CardSet], card_sets: Iterable[CardSet]) -> None:
    """A straight flush is written before the flushes, and stays what it is."""
    for card_set in card_sets:
        by_mask.setdefault(card_set.mask, card_set)


def _set(kind: Kind, mask: int, strength: int) -> CardSet:
    return CardSet(kind, mask, mask.bit_count(), _CATEGORY[kind] + strength)


def _of_rank(rank: int, suits: Iterable[int]) -> int:
    return sum(1 << rank * 4 + suit for suit in suits)


def _groups(size: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Each choice of `size` cards of one rank, as the rank and the suits."""
    return product(range(len(RANKS)), combinations(range(4), size))


def _singles(height: tuple[int, ...]) -> Iterator[CardSet]:
    """R3.3: rank, then suit."""
    for rank, (suit,) in _groups(1):
        yield _set(Kind.SINGLE, _of_rank(rank, (suit,)), rank * 4 + height[suit])


def _pairs(height: tuple[int, ...]) -> Iterator[CardSet]:
    """R3.3: rank, then the higher suit of the two."""
    for rank, suits in _groups(2):
        yield _set(Kind.PAIR, _of_rank(rank, suits), rank * 4 + max(height[suit] for suit in suits))


def _triples() -> Iterator[CardSet]:
    """R3.3: rank alone."""
    for rank, suits in _groups(3):
        yield _set(Kind.THREE_OF_A_KIND, _of_rank(rank, suits), rank)


def _full_houses() -> Iterator[CardSet]:
    """R3.3: the rank of the three alone."""
    for (rank, three), (other, two) in product(_groups(3), _groups(2)):
        if rank != other:
            yield _set(Kind.FULL_HOUSE, _of_rank(rank, three) | _of_rank(other, two), rank)


def _quads(kicker: bool, beat_any: bool) -> Iterator[CardSet]:
    """R3.3: the rank of the four alone. R12: with a kicker or without, over other numbers of cards or not."""
    for rank, suits in _groups(4):
        four = _of_rank(rank, suits)
        others = [0] if not kicker else [1 << card for card in range(52) if not four >> card & 1]
        for other in others:
            plain = _set(Kind.FOUR_OF_A_KIND, four | other, rank)
            yield CardSet(plain.kind, plain.mask, plain.size, plain.strength, beat_any)


def _straights(
    straights: tuple[str, ...], tie: StraightTie, flush_order: StraightFlushOrder, height: tuple[int, ...]
) -> Iterator[CardSet]:
    """R3.5, R3.6: straights in the list's order, then by suit; those of one suit are straight flushes."""
    for place, text in enumerate(straights):
        ranks = [RANKS.index(rank) for rank in text]
        deciding = 4 if tie is StraightTie.LAST_IN_SEQUENCE else ranks.index(max(ranks))
        for suits in product(range(4), repeat=5):
            mask = sum(1 << rank * 4 + suit for rank, suit in zip(ranks, suits, strict=True))
            suit = height[suits[deciding]]
            if suits.count(suits[0]) == 5:
                suit_first = flush_order is StraightFlushOrder.SUIT_THEN_SEQUENCE
                yield _set(Kind.STRAIGHT_FLUSH, mask, _ordered(place, suit, suit_first))
            else:
                yield _set(Kind.STRAIGHT, mask, _ordered(place, suit, tie is StraightTie.SUIT_FIRST))


def _ordered(place: int, suit: int, suit_first: bool) -> int:
    return suit * 16 + place if suit_first else place * 4 + suit


def _flushes(order: FlushOrder, height: tuple[int, ...]) -> Iterator[CardSet]:
    """R3.4: the five ranks from the highest, as the bits of a number, and the suit."""
    if order is FlushOrder.NOT_ALLOWED:
        return
    for ranks, suit in product(combinations(range(len(RANKS)), 5), range(4)):
        mask = sum(1 << rank * 4 + suit for rank in ranks)
        yield _set(Kind.FLUSH, mask, _flush_strength(order, ranks, height[suit]))


def _flush_strength(order: FlushOrder, ranks: tuple[int, ...], suit: int) -> int:
    rank_bits = sum(1 << rank for rank in ranks)
    match order:
        case FlushOrder.SUIT_THEN_RANKS:
            return suit << len(RANKS) | rank_bits
        case FlushOrder.TOP_CARD:
            return max(ranks) * 4 + suit
        case _:
            return rank_bits * 4 + suit


def _indexed(by_mask: dict[int, CardSet], straights: tuple[str, ...]) -> Book:
    parts = [_parts(size) for size in range(5)]
    of_size = tuple(_known(by_mask, part) for part in parts)
    of_rank = tuple(tuple(chain.from_iterable(each)) for each in zip(*of_size, strict=True))
    among = _straights_among([tuple(RANKS.index(rank) for rank in text) for text in straights])
    return Book(by_mask, among, parts[1], parts[2], parts[3], parts[4], of_size, of_rank)


def _straights_among(straights: list[Straight]) -> dict[int, tuple[Straight, ...]]:
    among = {}
    for held in range(1 << len(RANKS)):
        found = tuple(straight for straight in straights if all(held >> rank & 1 for rank in straight))
        if found:
            among[_diamonds(rank for rank in range(len(RANKS)) if held >> rank & 1)] = found
    return among


def _diamonds(ranks: Iterable[int]) -> int:
    return sum(1 << 4 * rank for rank in ranks)


def _parts(size: int) -> tuple[Masks, ...]:
    """For each rank and pattern of suits, the masks of `size` cards within it."""
    return tuple(
        tuple(_of_rank(rank, suits) for suits in combinations(_suits_in(pattern), size))
        for rank, pattern in product(range(len(RANKS)), _SUIT_PATTERNS)
    )


def _suits_in(pattern: int) -> list[int]:
    return [suit for suit in range(4) if pattern >> suit & 1]


def _known(by_mask: dict[int, CardSet], parts: tuple[Masks, ...]) -> tuple[CardSets, ...]:
    return tuple(tuple(by_mask[mask] for mask in part if mask in by_mask) for part in parts)
