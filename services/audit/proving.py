"""Proving what happened: every stream's chain over the whole log, what follows within a recorded hand, and a hand's
deal from its revealed seed.

A tail that was cut off, and a chain that was made anew from some event on, take a checkpoint kept elsewhere to be seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

import msgspec

from big2.cards import mask_of, parse_stored_cards
from big2.table import Direction, deal_order
from domain.coming_deals import implied_root
from domain.deal import commitment, dealt, shuffled_deck
from domain.hand import HAND, Hand
from domain.hand_events import HandRecorded
from domain.results import settlement_of
from domain.topics import TOPICS
from services.envelope import GENESIS, Row, Stream, link, prev_of
from services.errors import BrokenChain, WrongSettlement
from services.store import Store

BATCH = 2000
_RECORDED = next(topic for topic, event in TOPICS.items() if event is HandRecorded)

Progress = Callable[[int, int], None]


class LogProof(msgspec.Struct, frozen=True):
    """What a proven log holds."""

    events: int
    streams: int
    by_topic: dict[str, int]


def verify_log(store: Store, progress: Progress = lambda _done, _all: None) -> LogProof:
    """Check the chain of every stream over the whole log, then the settlement of every hand that was recorded.

    Raises BrokenChain at the first wrong event, and WrongSettlement at the first hand that is not settled by R8.
    """
    heads: dict[UUID, tuple[int, str]] = {}
    topics: Counter[str] = Counter()
    recorded: list[UUID] = []
    position, head = 0, store.head()
    while position < head and (rows := store.stored_log(position, BATCH)):
        for row in rows:
            heads[row.stream] = (row.version, _follows(row, *heads.get(row.stream, (0, GENESIS))))
            topics[row.topic] += 1
            if row.topic == _RECORDED:
                recorded.append(row.stream)
        position = rows[-1].position
        progress(position, head)
    for first in range(0, len(recorded), BATCH):
        _check_results(store, recorded[first : first + BATCH])
    return LogProof(sum(topics.values()), len(heads), dict(topics))


def _check_results(store: Store, hands: list[UUID]) -> None:
    found: list[Stream[Hand]] = store.load_many([(HAND, hand) for hand in hands])
    for stream in found:
        hand = stream.state
        assert hand is not None
        assert hand.recorded is not None
        if hand.settlement != settlement_of(hand.recorded):
            raise WrongSettlement(f"hand {stream.id}: its settlement does not follow from what was recorded")


def _follows(row: Row, version: int, head: str) -> str:
    if row.version != version + 1 or prev_of(row) != head:
        raise BrokenChain(f"stream {row.stream}: version {row.version} does not follow version {version}")
    return link(row.stream, row.version, row.topic, row.state)


def deal_problem(history: Mapping[str, Any]) -> str | None:
    """What is wrong with the deal of a final hand's history (`b2deal/1`); None if nothing is, or nothing was dealt.

    A hand at a ring table has no tournament: its table stands in the tournament's place.
    """
    if history.get("recorded"):
        return None
    dealt_for = history.get("tournament_id") or history["table_id"]
    shuffle, names = history["shuffle"], (dealt_for, history["hand_id"])
    if "seed" not in shuffle:
        return "the seed is not revealed yet"
    seed = bytes.fromhex(shuffle["seed"])
    if commitment(seed, *names) != shuffle["commitment"]:
        return "the revealed seed is not the one that was committed to"
    seats = [taken["seat"] for taken in history["seats"]]
    order = deal_order(history["dealer"], seats, Direction(history["direction"]))
    nonces = {int(sent["seat"]): str(sent["nonce"]) for sent in shuffle.get("nonces", ())}
    if shuffle.get("server_only", not nonces) == bool(nonces) or not nonces.keys() <= set(seats):
        return "the entropy that is told fits no such hand"
    entropy = [nonce.encode() for _, nonce in sorted(nonces.items())]
    holdings, _ = dealt(shuffled_deck(seed, *names, entropy), order)
    given = {int(seat): mask_of(parse_stored_cards(cards)) for seat, cards in history["deal"].items()}
    if given != {seat: mask_of(cards) for seat, cards in holdings.items()}:
        return "the seed deals other cards"
    return inclusion_problem(history, shuffle["inclusion"]["root"]) if "inclusion" in shuffle else None


def inclusion_problem(history: Mapping[str, Any], root: str) -> str | None:
    """What is wrong with the place of a hand's commitment under `root`, which was told before its table was drawn.

    The `root` of a history is only what its own path leads to: compare it with the event that told it.
    """
    proof = history["shuffle"].get("inclusion")
    if proof is None:
        return "no path leads from its commitment to a root"
    commitment = history["shuffle"]["commitment"]
    if implied_root(history["number"], commitment, proof["first_hand"], proof["path"]) != root:
        return "its commitment does not stand under the root"
    return None
