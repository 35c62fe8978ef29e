"""Prizes: a table of basis points, shared places, the largest remainder. Nothing is lost to rounding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import groupby
from typing import Literal

from domain.deal import Draws
from domain.ids import PlayerId
from domain.structure import WHOLE, Structure

STANDARD = (  # from so many entrants on, basis points by place
    (64, (2800, 1800, 1300, 1000, 800, 700, 600, 500, 500)),
    (32, (3200, 2100, 1500, 1100, 900, 700, 500)),
    (16, (4000, 2500, 2000, 1500)),
    (8, (5000, 3000, 2000)),
    (4, (6500, 3500)),
    (0, (10000,)),
)


def prize_table(
    prizes_bp: tuple[int, ...] | Literal["standard"], entries: int, players: int | None = None
) -> tuple[int, ...]:
    """Basis points by place for so many entries of so many players (null: of as many).

    What is promised to places that nobody took goes to the first; without players there is no place.
    """
    table = _standard(entries) if prizes_bp == "standard" else prizes_bp
    taken = table[: entries if players is None else players]
    if not taken:
        return ()
    return (taken[0] + WHOLE - sum(taken), *taken[1:])


def rewarded(players: int, disqualified: Collection[PlayerId]) -> int:
    """Of how many players the prizes are: whoever is disqualified wins none, as long as there is somebody else."""
    return max(min(players, 1), players - len(disqualified))


def _standard(entries: int) -> tuple[int, ...]:
    return next(table for least, table in STANDARD if entries >= least)


def promised(terms: Structure, entries: int, players: int | None = None) -> list[int]:
    """What each place of so many entries gets: of the prize pool, or basis points where there is no buy-in."""
    pool = terms.pool_of(entries)
    return allotted(WHOLE if pool is None else pool, prize_table(terms.prizes_bp, entries, players))


def allotted(pool: int, weights: Sequence[int]) -> list[int]:
    """`pool` divided by `weights`: largest remainder, of equal remainders the earlier one. Sums to `pool`.

    >>> allotted(100, (6500, 3500))
    [65, 35]
    """
    total = sum(weights)
    parts = [pool * weight // total for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda i: (-(pool * weights[i] % total), i))
    for i in by_remainder[: pool - sum(parts)]:
        parts[i] += 1
    return parts


def shared(by_place: Sequence[int], places: Sequence[int]) -> list[int]:
    """Each entrant's share of the amounts `by_place`; `places` in standing order, equal places pool theirs.

    >>> shared([65, 35], [1, 2, 2, 4])
    [65, 18, 17, 0]
    """
    by_rank = [*by_place, *[0] * (len(places) - len(by_place))]
    shared_by = Counter(places)
    result = []
    for rank, place in enumerate(places):
        tied = shared_by[place]
        each, rest = divmod(sum(by_rank[place - 1 : place - 1 + tied]), tied)
        result.append(each + (rank - (place - 1) < rest))
    return result


def by_lot(places: Sequence[int], amounts: Sequence[int], lot: Callable[[int], Draws]) -> list[int]:
    """The amounts of each shared place in a drawn order, for those who share it are equals; `lot` draws for a place."""
    ranked = zip(places, amounts, strict=True)
    result: list[int] = []
    for place, group in groupby(ranked, key=lambda pair: pair[0]):
        shares = [amount for _, amount in group]
        result += lot(place).shuffled(shares) if len(set(shares)) > 1 else shares
    return result
