"""Ring tables for the tests: given who sat down with what, what is decided next."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import reduce
from typing import Any
from uuid import UUID

import msgspec

from big2.cards import cards_in
from big2.hand import options
from domain import dealing, ring_hands
from domain import hand as hands
from domain.events import Event
from domain.hand import Hand
from domain.hand_events import Timing
from domain.ids import TableId
from domain.ring import RING, Ring, open_ring
from domain.ring_events import RingTerms, SatDown
from tests.big2.play import PRESETS
from tests.domain.given import MASTER, NOW, PLAYERS, later

RING_TABLE = TableId(UUID(int=200))
TERMS = RingTerms(
    rules="actionpoker",
    schedule="actionpoker@1",
    currency="USD",
    unit=100,
    buy_in=5000,
    ante=30,
    seats_per_table=4,
    timing=Timing(30, 3, 0),
)


def opened(*, master: bytes = MASTER, **others: Any) -> list[Event]:
    return open_ring(RING_TABLE, msgspec.structs.replace(TERMS, **others), master)


def seated(*stacks: int, **others: Any) -> Ring:
    """A table at which the players in alphabetical order have sat down with these stacks, from seat 1 on."""
    return folded([*opened(**others), *(_down(seat, stack) for seat, stack in enumerate(stacks, 1))])


def _down(seat: int, stack: int) -> SatDown:
    return SatDown(seat=seat, player_id=PLAYERS[seat - 1], buy_in=stack)


def folded(events: Sequence[Event], ring: Ring | None = None) -> Ring:
    found = reduce(RING.evolve, events, ring)
    assert found is not None
    return found


def dealt(ring: Ring, now: datetime = NOW) -> tuple[Ring, Hand]:
    """The table's next hand, and the table with it."""
    rules = PRESETS[ring.rules]
    deal = ring_hands.next_deal(ring, rules)
    events = dealing.deal(
        ring,
        deal,
        rules,
        master=ring.master,
        rooted=ring_hands.is_rooted(ring, deal.number),
        structure_hash=ring.terms_hash,
        timing=ring.terms.timing,
        connections={},
        now=now,
    )
    return folded(ring_hands.begin(ring, deal), ring), hands.folded(events)


def played(hand: Hand, present: Sequence[int] = (1, 2, 3, 4)) -> Hand:
    """The hand played to its end by the highest plays; for seats that are not `present` the clock acts."""
    while hand.state is hands.State.RUNNING:
        hand = reduce(hands.evolve, _acted(hand, present), hand)
    return hand


def _acted(hand: Hand, present: Sequence[int]) -> list[Event]:
    turn = hand.game.turn_number
    if hand.game.turn not in present:
        return hands.act_for_absent(hand, turn, later(1_000_000))
    player = next(s.player_id for s in hand.terms.seats if s.seat == hand.game.turn)
    plays = options(hand.game)
    if not plays:
        return hands.pass_turn(hand, player, turn, NOW)
    return hands.play(hand, player, turn, cards_in(plays[-1][0].mask), NOW)


def after(ring: Ring, present: Sequence[int] = (1, 2, 3, 4), now: datetime = NOW) -> Ring:
    """The table after its next hand."""
    ring, hand = dealt(ring)
    return folded(ring_hands.ended(played(hand, present), ring, now), ring)
