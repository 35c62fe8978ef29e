"""The deal `b2deal/1`: committed before it is used, and re-derivable by anybody from the revealed seed.

`lp(x)` is a 4-byte big-endian length followed by the bytes (text as UTF-8); `be32` a 4-byte big-endian integer.

    seed    = HMAC-SHA256(master, "b2deal/1/seed\\0" ‖ lp(hand_id))
    commit  = SHA256("b2deal/1/commit\\0" ‖ lp(seed) ‖ lp(tournament_id) ‖ lp(hand_id))
    key     = HMAC-SHA256(seed, "b2deal/1/key\\0" ‖ lp(tournament_id) ‖ lp(hand_id) ‖ be32(k) ‖ lp(e1) … lp(ek))
    block_i = HMAC-SHA256(key, "b2deal/1/stream\\0" ‖ be32(i)), cut into 16-bit big-endian words
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from typing import TypeVar

from big2.cards import Card

SEED_BYTES = 32
CARDS_EACH = 13  # R2.1
_WORD_VALUES = 1 << 16
_T = TypeVar("_T")


def hand_seed(master: bytes, hand_id: str) -> bytes:
    """The 32-byte seed of one hand; `master` is the tournament's, never revealed."""
    return _hmac(master, b"b2deal/1/seed\0" + lp(hand_id))


def commitment(seed: bytes, tournament_id: str, hand_id: str) -> str:
    """What is published before the deal, as hexadecimal."""
    return hashlib.sha256(b"b2deal/1/commit\0" + lp(seed) + lp(tournament_id) + lp(hand_id)).hexdigest()


def shuffled_deck(seed: bytes, tournament_id: str, hand_id: str, entropy: Sequence[bytes] = ()) -> list[Card]:
    """The 52 cards after the shuffle; `entropy` holds the players' nonces in seat order."""
    head = b"b2deal/1/key\0" + lp(tournament_id) + lp(hand_id) + be32(len(entropy))
    draws = Draws(_hmac(seed, head + b"".join(map(lp, entropy))), b"b2deal/1/stream\0")
    return draws.shuffled([Card(card) for card in range(52)])


def dealt(deck: Sequence[Card], order: Sequence[int]) -> tuple[dict[int, list[Card]], list[Card]]:
    """The 13 cards of each seat, dealt one at a time in `order` of seats, and the stub that is left."""
    used = CARDS_EACH * len(order)
    return {seat: list(deck[i : used : len(order)]) for i, seat in enumerate(order)}, list(deck[used:])


class Draws:
    """An endless stream of unbiased draws from a 32-byte key.

    16-bit words on purpose: rejection then happens often enough to be tested.
    """

    def __init__(self, key: bytes, label: bytes) -> None:
        self._key = key
        self._label = label
        self._block = 0
        self._words = b""

    def below(self, n: int) -> int:
        """An integer in 0 … n-1, each equally likely; n is at most 65,536."""
        if not 1 <= n <= _WORD_VALUES:
            raise ValueError(f"a draw is from 1 to {_WORD_VALUES} values, not {n}")
        limit = _WORD_VALUES // n * n
        while (word := self._word()) >= limit:
            pass
        return word % n

    def shuffled(self, items: Sequence[_T]) -> list[_T]:
        """`items` in a random order (Fisher–Yates from the end)."""
        result = list(items)
        for i in range(len(result) - 1, 0, -1):
            j = self.below(i + 1)
            result[i], result[j] = result[j], result[i]
        return result

    def _word(self) -> int:
        if not self._words:
            self._words = _hmac(self._key, self._label + be32(self._block))
            self._block += 1
        word, self._words = self._words[:2], self._words[2:]
        return int.from_bytes(word, "big")


def lp(value: str | bytes) -> bytes:
    """`value` with its length before it."""
    raw = value.encode() if isinstance(value, str) else value
    return be32(len(raw)) + raw


def be32(number: int) -> bytes:
    return number.to_bytes(4, "big")


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")
