"""Whether decks of `b2deal/1` fall as chance has it, over as many as are asked for.

    python -m tests.proof.decks [DECKS]        # a million, in some minutes of one core

Each statistic is a χ², or a count, with the mean that chance gives it; beyond five standard deviations it is no chance.
The seeds are fixed, so each run says the same. `tests/domain/test_deal.py` looks at 5,000 others at each run.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import comb
from typing import NamedTuple

from domain.deal import shuffled_deck

SEED = bytes(range(32))
MANY = 1_000_000
FARTHEST = 5.0
TAIL = 7
"""So many spades and more among 13 cards count as one class."""


class Found(NamedTuple):
    """A statistic, the mean and the standard deviation that chance gives it."""

    name: str
    value: float
    mean: float
    deviation: float

    @property
    def away(self) -> float:
        """By how many standard deviations it lies away from its mean."""
        return (self.value - self.mean) / self.deviation


def decks(many: int) -> Iterator[Sequence[int]]:
    """So many decks, each of a hand of its own."""
    return (shuffled_deck(SEED, "proof", f"hand/{number}") for number in range(many))


def statistics(shuffled: Iterable[Sequence[int]]) -> list[Found]:
    """All statistics of some decks, which are read once."""
    places = [[0] * 52 for _ in range(52)]
    pairs = [[0] * 52 for _ in range(52)]
    spades, leaders, seen, many = Counter[int](), Counter[int](), set[bytes](), 0
    for deck in shuffled:
        many += 1
        seen.add(bytes(deck))
        for place, card in enumerate(deck):
            places[place][card] += 1
        for left, right in pairwise(deck):
            pairs[left][right] += 1
        spades[min(sum(card % 4 == 3 for card in deck[:52:4]), TAIL)] += 1
        leaders[deck.index(0) % 4] += 1
    of_spades = [comb(13, n) * comb(39, 13 - n) / comb(52, 13) for n in range(14)]
    classes = [*of_spades[:TAIL], sum(of_spades[TAIL:])]
    in_order = sum(pairs[card][card + 1] for card in range(51))
    expected = many * 51 / 52
    return [
        Found("decks that came before", many - len(seen), 0, 1),
        _chi_square("place of each card", [n for row in places for n in row], [many / 52] * 2704, 51 * 51),
        _chi_square(
            "neighbours",
            [pairs[a][b] for a in range(52) for b in range(52) if a != b],
            [many / 52] * 2652,
            51 * 51,
        ),
        Found("neighbours still in order", in_order, expected, expected**0.5),
        _chi_square(
            "spades of a seat", [spades[n] for n in range(TAIL + 1)], [many * p for p in classes], TAIL
        ),
        _chi_square("seat of the lowest card", [leaders[n] for n in range(4)], [many / 4] * 4, 3),
    ]


def _chi_square(name: str, observed: Sequence[int], expected: Sequence[float], freedom: int) -> Found:
    value = sum((seen - mean) ** 2 / mean for seen, mean in zip(observed, expected, strict=True))
    return Found(name, value, freedom, (2 * freedom) ** 0.5)


def main(arguments: Sequence[str]) -> int:
    """Print each statistic; 1 if one is beyond chance."""
    many, began = int(arguments[0]) if arguments else MANY, time.monotonic()
    found = statistics(decks(many))
    for each in found:
        by_chance = f"by chance {each.mean:12.1f} ± {each.deviation:8.1f}"
        print(f"{each.name:26} {each.value:14.1f}   {by_chance}   {each.away:+.2f}")
    print(f"{many} decks in {time.monotonic() - began:.0f} s")
    return int(any(abs(each.away) > FARTHEST for each in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
