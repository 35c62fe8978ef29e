"""R3 as a table: the book of every card set that a rule set knows, each with its strength.

There are 52 singles, 78 pairs, 52 triples and some 20,000 sets of five. The book writes each down once, by
its mask, so that to classify is to look up and to list plays is to join ready-made parts. Rule sets that
agree on R3 share one.

Strength is a number that grows with the rulebook's order among sets of the same number of cards (R3.2); those
of different numbers are never compared by it. In five cards the category decides first, then what R3.3–R3.6
say.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache
from itertools import combinations, permutations, product
from typing import Final

from big2.cards import RANKS, SUITS, WHOLE_PACK
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
    """One playable combination: its kind, its cards as a mask, their number, its strength among as many.

    `above` is a mask: a higher set of as many cards has none that is not in it. Of a single, three or four, whatever
    set of as many is within it is higher.
    """

    kind: Kind
    mask: int
    size: int
    strength: int
    above: int = WHOLE_PACK
    beats_other_sizes: bool = False


CardSets = tuple[CardSet, ...]
Masks = tuple[int, ...]
Sizes = tuple[int, ...]
"""Numbers of cards."""

SetsOfTwoRanks = tuple[CardSets, ...]
MasksOfTwoRanks = tuple[Masks, ...]
StraightPart = tuple[int, MasksOfTwoRanks]
"""Where in a holding a straight's one or two neighbouring ranks stand, and the cards to take from what is there."""

StraightParts = tuple[StraightPart, StraightPart, StraightPart]

_CATEGORY: Final = {kind: place << 20 for place, kind in enumerate(Kind)}
"""Room for any strength within a category: the greatest is a flush by suit, below 2**15."""

_BOOKS_KEPT: Final = 16
HOLDING_BYTES: Final = 7
"""A holding as bytes, lowest ranks first: two ranks in each; the last has the twos alone."""


@dataclass(frozen=True, slots=True)
class Book:
    """Every card set of a rule set, and the parts from which plays are listed.

    A holding is 52 bits, seven bytes of two ranks each, and a list of plays is joined from seven parts: the tables
    below are indexed by the place of a byte and its value, `table[place][value]`.
    """

    by_mask: dict[int, CardSet]
    played_of_size: tuple[tuple[SetsOfTwoRanks, ...], ...]
    """By the number of cards, 1–4, what may be played of two ranks; at 0 all of it together; without fives."""

    pairs: tuple[MasksOfTwoRanks, ...]
    triples: tuple[MasksOfTwoRanks, ...]
    fours: tuple[MasksOfTwoRanks, ...]
    straights_among: dict[int, tuple[StraightParts, ...]]
    """By the diamonds of the ranks held: the straights that they hold, each in three parts; absent where none."""

    flushes: dict[int, CardSet]
    """By mask, the flushes that are no straight flush."""

    quads_beat_any: bool


def book_of(rules: RuleSet) -> Book:
    """The book of a rule set's card sets; written on first use and kept."""
    return _kept_book(
        suits=rules.suits,
        straights=rules.straights,
        straight_tie=rules.straight_tie,
        flush=rules.flush,
        straight_flush=rules.straight_flush,
        triples=rules.triples,
        quads_kicker=rules.quads_kicker,
        quads_beat_any=rules.quads_beat_any,
    )


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
    return _indexed(by_mask, straights, quads_beat_any)


_kept_book: Final = lru_cache(maxsize=_BOOKS_KEPT)(_book)


def _write(by_mask: dict[int, CardSet], card_sets: Iterable[CardSet]) -> None:
    """A straight flush is written before the flushes, and stays what it is."""
    for card_set in card_sets:
        by_mask.setdefault(card_set.mask, card_set)


def _set(kind: Kind, mask: int, strength: int, above: int = WHOLE_PACK) -> CardSet:
    return CardSet(kind, mask, mask.bit_count(), _CATEGORY[kind] + strength, above)


def _from_rank(rank: int) -> int:
    """The cards of a rank and of all higher ones."""
    return WHOLE_PACK >> 4 * rank << 4 * rank


def _of_rank(rank: int, suits: Iterable[int]) -> int:
    return sum(1 << rank * 4 + suit for suit in suits)


def _then_suit(first: int, suit: int) -> int:
    """What decides first, and then the suit."""
    return first * 4 + suit


def _groups(size: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Each choice of `size` cards of one rank, as the rank and the suits."""
    return product(range(len(RANKS)), combinations(range(4), size))


def _singles(height: tuple[int, ...]) -> Iterator[CardSet]:
    """R3.3: rank, then suit."""
    for rank, (suit,) in _groups(1):
        higher = _of_rank(rank, (other for other in range(4) if height[other] > height[suit]))
        above = _from_rank(rank + 1) | higher
        yield _set(Kind.SINGLE, _of_rank(rank, (suit,)), _then_suit(rank, height[suit]), above)


def _pairs(height: tuple[int, ...]) -> Iterator[CardSet]:
    """R3.3: rank, then the higher suit of the two."""
    for rank, suits in _groups(2):
        strength = _then_suit(rank, max(height[suit] for suit in suits))
        yield _set(Kind.PAIR, _of_rank(rank, suits), strength, _from_rank(rank))


def _triples() -> Iterator[CardSet]:
    """R3.3: rank alone."""
    for rank, suits in _groups(3):
        yield _set(Kind.THREE_OF_A_KIND, _of_rank(rank, suits), rank, _from_rank(rank + 1))


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
        above = WHOLE_PACK if kicker else _from_rank(rank + 1)
        for other in others:
            plain = _set(Kind.FOUR_OF_A_KIND, four | other, rank, above)
            yield replace(plain, beats_other_sizes=beat_any)


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
    return suit * 16 + place if suit_first else _then_suit(place, suit)


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
            return _then_suit(max(ranks), suit)
        case _:
            return _then_suit(rank_bits, suit)


def _indexed(by_mask: dict[int, CardSet], straights: tuple[str, ...], quads_beat_any: bool) -> Book:
    return Book(
        by_mask,
        tuple(_known(by_mask, sizes) for sizes in ((1, 2, 3, 4), (1,), (2,), (3,), (4,))),
        _kept_parts((2,)),
        _kept_parts((3,)),
        _kept_parts((4,)),
        _straights_among([tuple(RANKS.index(rank) for rank in text) for text in straights]),
        {mask: card_set for mask, card_set in by_mask.items() if card_set.kind is Kind.FLUSH},
        quads_beat_any,
    )


def _straights_among(straights: list[tuple[int, ...]]) -> dict[int, tuple[StraightParts, ...]]:
    parts = {straight: _straight_parts(straight) for straight in straights}
    among = {}
    for held in range(1 << len(RANKS)):
        found = tuple(parts[each] for each in straights if all(held >> rank & 1 for rank in each))
        if found:
            among[_diamonds(rank for rank in range(len(RANKS)) if held >> rank & 1)] = found
    return among


def _straight_parts(ranks: tuple[int, ...]) -> StraightParts:
    """Five ranks as two neighbours, two neighbours and one."""
    fives = (five for five in permutations(ranks) if (five[1], five[3]) == (five[0] + 1, five[2] + 1))
    a, b, c, d, alone = next(fives)
    return (
        (4 * a, _kept_choices((a, b))),
        (4 * c, _kept_choices((c, d))),
        (4 * alone, _kept_choices((alone,))),
    )


def _one_of_each(ranks: tuple[int, ...]) -> MasksOfTwoRanks:
    """By the byte of a holding from the first rank on: each choice of one card from each rank."""
    return tuple(
        tuple(
            map(
                sum,
                product(
                    *(_kept_masks(rank, value >> 4 * place & 15, (1,)) for place, rank in enumerate(ranks))
                ),
            )
        )
        for value in range(256)
    )


_kept_choices: Final = cache(_one_of_each)


def _diamonds(ranks: Iterable[int]) -> int:
    return sum(1 << 4 * rank for rank in ranks)


def _known(by_mask: dict[int, CardSet], sizes: Sizes) -> tuple[SetsOfTwoRanks, ...]:
    return tuple(
        tuple(tuple(by_mask[mask] for mask in masks if mask in by_mask) for masks in of_two_ranks)
        for of_two_ranks in _kept_parts(sizes)
    )


def _parts(sizes: Sizes) -> tuple[MasksOfTwoRanks, ...]:
    """For each byte of a holding and each value of it, the masks of so many cards of one rank."""
    return tuple(
        tuple(
            _kept_masks(2 * place, value & 15, sizes) + _kept_masks(2 * place + 1, value >> 4, sizes)
            for value in range(256)
        )
        for place in range(HOLDING_BYTES)
    )


_kept_parts: Final = cache(_parts)


def _of_pattern(rank: int, pattern: int, sizes: Sizes) -> Masks:
    """The masks of so many cards of a rank, of which the suits of `pattern` are held."""
    held = [suit for suit in range(4) if pattern >> suit & 1]
    return tuple(_of_rank(rank, suits) for size in sizes for suits in combinations(held, size))


_kept_masks: Final = cache(_of_pattern)
