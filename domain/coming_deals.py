"""Against grinding: the commitments of a table's coming hands stand under one root before anybody knows who sits there.

The ids of those hands are known beforehand (`domain.ids.hand_id`), and so are their seeds to whoever has the master. A
root is the RFC 6962 Merkle tree's (`domain.merkle`) over 64 hands of a table in order, numbers 1–64, 65–128 and so on.
The entry of a hand is

    "b2deal/1/leaf\\0" ‖ be32(number of the hand at its table) ‖ commitment (32 bytes)

and the hand's own first event tells the path from there to the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from domain.deal import be32, commitment, hand_seed
from domain.ids import TableId, hand_id
from domain.merkle import inclusion_path, leaf_hash, root_by_inclusion, tree_root

HANDS_A_ROOT = 64
TABLES_KEPT = 1024
"""Of so many tables the leaves are kept between two deals: to make them takes as long as some deals."""


class Inclusion(msgspec.Struct, frozen=True):
    """The path from a hand's commitment to the root over the hands from `first_hand` on, in hexadecimal."""

    first_hand: int
    path: tuple[str, ...]


def first_under_root(number: int) -> int:
    """The first of the 64 hands among which the table's hand `number` is."""
    return number - (number - 1) % HANDS_A_ROOT


def root_from(master: bytes, dealt_for: str, table: TableId, first_hand: int) -> str:
    """The root over a table's 64 hands from `first_hand` on, in hexadecimal.

    `dealt_for` is the id that the commitments are made with: the tournament's, or the ring table's own.
    """
    return tree_root(_leaves(master, dealt_for, table, first_hand)).hex()


def inclusion(master: bytes, dealt_for: str, table: TableId, number: int) -> Inclusion:
    """How the commitment of the table's hand `number` stands under its root."""
    first = first_under_root(number)
    path = inclusion_path(_leaves(master, dealt_for, table, first), number - first)
    return Inclusion(first, tuple(each.hex() for each in path))


def implied_root(number: int, committed: str, first_hand: int, path: Sequence[str]) -> str | None:
    """The root that a hand's commitment and path lead to; None where they can lead to none."""
    if first_hand != first_under_root(number):
        return None
    try:
        leaf = _leaf(number, bytes.fromhex(committed))
        hashes = [bytes.fromhex(each) for each in path]
        return root_by_inclusion(leaf, number - first_hand, HANDS_A_ROOT, hashes).hex()
    except ValueError:
        return None


@lru_cache(maxsize=TABLES_KEPT)
def _leaves(master: bytes, dealt_for: str, table: TableId, first_hand: int) -> tuple[bytes, ...]:
    numbers = range(first_hand, first_hand + HANDS_A_ROOT)
    hands = ((number, str(hand_id(table, number))) for number in numbers)
    return tuple(
        _leaf(number, bytes.fromhex(commitment(hand_seed(master, hand), dealt_for, hand)))
        for number, hand in hands
    )


def _leaf(number: int, committed: bytes) -> bytes:
    return leaf_hash(b"b2deal/1/leaf\0" + be32(number) + committed)
