"""What the engine is measured against: (a) a plain generator, and (b) a bare loop on bitmasks.

Both know ActionPoker's card sets and nothing else of the rules: no duties, no automatic passes, no settlement, no
errors. They are written to be read in a minute, from the rulebook and nothing of `big2`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, product
from random import Random

SIZES = (1, 2, 3, 5)
STRAIGHTS = [tuple(range(low, low + 5)) for low in range(8)] + [(0, 1, 2, 3, 12), (0, 1, 2, 11, 12)]
STRAIGHT, FLUSH, FULL_HOUSE, FOUR_OF_A_KIND, STRAIGHT_FLUSH = range(5)

Strength = tuple[int, ...]


# (a) every combination of a holding's cards, each looked at


def strength_of(cards: Sequence[int]) -> Strength | None:
    """What cards are worth among as many, or None; cards are 0–51, `card // 4` the rank."""
    ranks = sorted(card // 4 for card in cards)
    if len(cards) < 5:
        return (ranks[0], max(cards)) if ranks[0] == ranks[-1] else None
    one_suit = len({card % 4 for card in cards}) == 1
    if tuple(ranks) in STRAIGHTS:
        category = STRAIGHT_FLUSH if one_suit else STRAIGHT
        return category, STRAIGHTS.index(tuple(ranks)), max(cards) % 4
    if one_suit:
        return FLUSH, *ranks[::-1], cards[0] % 4
    (rank, most), (_, second) = Counter(ranks).most_common(2)
    if most == 4:
        return FOUR_OF_A_KIND, rank
    return (FULL_HOUSE, rank) if (most, second) == (3, 2) else None


def plain_plays(
    holding: Sequence[int], to_beat: Sequence[int] | None = None, *, fitting: bool = False
) -> Iterator[tuple[int, ...]]:
    """Each card set of a holding that may be played: of all its combinations, those that are one and are higher.

    With `fitting` only combinations of as many cards as the set to beat are looked at.
    """
    over = None if to_beat is None else strength_of(to_beat)
    sizes = (len(to_beat),) if fitting and to_beat is not None else SIZES
    for cards in chain.from_iterable(combinations(holding, size) for size in sizes):
        strength = strength_of(cards)
        if strength is not None and (over is None or (len(cards) == len(to_beat or ()) and strength > over)):
            yield cards


def plain_hand(rng: Random, holdings: list[list[int]], *, fitting: bool = False) -> int:
    """Play a hand at random with (a); the number of turns."""
    seat = next(seat for seat, holding in enumerate(holdings) if 0 in holding)
    to_beat, passes, turns = None, 0, 0
    while True:
        turns += 1
        plays = list(plain_plays(holdings[seat], to_beat, fitting=fitting))
        choice = int(rng.random() * (len(plays) + (to_beat is not None)))
        if choice < len(plays):
            to_beat, passes = plays[choice], 0
            holdings[seat] = [card for card in holdings[seat] if card not in to_beat]
            if not holdings[seat]:
                return turns
        else:
            passes += 1
            if passes == len(holdings) - 1:
                to_beat, passes = None, 0
        seat = (seat + 1) % len(holdings)


# (b) holdings as masks, the cards of one rank together, and each card set's strength from a table


def _strengths() -> dict[int, tuple[int, int]]:
    """By mask: the number of cards, and a number that grows with the strength among as many."""
    found = {}
    ranks = [[4 * rank + suit for suit in range(4)] for rank in range(13)]
    sets = [cards for rank in ranks for size in (1, 2, 3) for cards in combinations(rank, size)]
    sets += [cards for straight in STRAIGHTS for cards in product(*(ranks[rank] for rank in straight))]
    sets += [cards for suit in range(4) for cards in combinations(range(suit, 52, 4), 5)]
    sets += [
        three + two
        for one, other in product(ranks, ranks)
        if one != other
        for three in combinations(one, 3)
        for two in combinations(other, 2)
    ]
    sets += [(*rank, kicker) for rank in ranks for kicker in range(52) if kicker not in rank]
    for cards in sets:
        strength = strength_of(cards)
        assert strength is not None
        padded = (*strength, 0, 0, 0, 0, 0)[:7]
        number = 0
        for part in padded:
            number = number << 6 | part
        found[sum(1 << card for card in cards)] = (len(cards), number)
    return found


STRENGTHS = _strengths()


def _choices(pattern: int, size: int) -> list[int]:
    suits = [suit for suit in range(4) if pattern >> suit & 1]
    return [sum(1 << suit for suit in chosen) for chosen in combinations(suits, size)]


OF_PATTERN = [[_choices(pattern, size) for size in range(5)] for pattern in range(16)]
"""By the suits held of a rank and by size: the choices of so many of its cards, as masks."""


def mask_plays(holding: int, to_beat: int) -> list[int]:
    """The card sets of a holding that may be played over `to_beat`, 0 for a leader, as masks."""
    size, over = STRENGTHS[to_beat] if to_beat else (0, -1)
    plays = []
    patterns = [holding >> 4 * rank & 15 for rank in range(13)]
    for each in (1, 2, 3):
        if size in (0, each):
            for rank, pattern in enumerate(patterns):
                if pattern:
                    plays += [mask << 4 * rank for mask in OF_PATTERN[pattern][each]]
    if size in (0, 5):
        plays += _fives(holding, patterns)
    return [mask for mask in plays if STRENGTHS[mask][1] > over] if to_beat else plays


def _fives(holding: int, patterns: list[int]) -> list[int]:
    plays = []
    for straight in STRAIGHTS:
        if all(patterns[rank] for rank in straight):
            cards = [[mask << 4 * rank for mask in OF_PATTERN[patterns[rank]][1]] for rank in straight]
            plays += map(sum, product(*cards))
    for suit in range(4):
        held = [1 << card for card in range(suit, 52, 4) if holding >> card & 1]
        plays += [mask for mask in map(sum, combinations(held, 5)) if STRENGTHS[mask][1] >> 36 == FLUSH]
    for rank, pattern in enumerate(patterns):
        for three in OF_PATTERN[pattern][3]:
            for other, pairs in enumerate(patterns):
                if other != rank:
                    plays += [three << 4 * rank | pair << 4 * other for pair in OF_PATTERN[pairs][2]]
        if pattern == 15:
            kickers = holding & ~(15 << 4 * rank)
            plays += [15 << 4 * rank | 1 << card for card in range(52) if kickers >> card & 1]
    return plays


def mask_hand(rng: Random, holdings: list[int]) -> int:
    """Play a hand at random with (b); the number of turns."""
    seat = next(seat for seat, holding in enumerate(holdings) if holding & 1)
    to_beat, passes, turns = 0, 0, 0
    while True:
        turns += 1
        plays = mask_plays(holdings[seat], to_beat)
        choice = int(rng.random() * (len(plays) + bool(to_beat)))
        if choice < len(plays):
            to_beat, passes = plays[choice], 0
            holdings[seat] ^= to_beat
            if not holdings[seat]:
                return turns
        else:
            passes += 1
            if passes == len(holdings) - 1:
                to_beat, passes = 0, 0
        seat = (seat + 1) % len(holdings)
