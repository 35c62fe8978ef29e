"""What a ring table deals, and when: facts in, events out. Workers only carry the answer.

Between hands, in this order: the close that was asked for, who stands up, the next deal. A hand that ends sits out
whoever cannot pay the next one, and whoever was away for some hands.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import reduce
from typing import Final

import msgspec

from big2 import table as play
from big2.ring import may_be_dealt_in
from big2.rulesets import RuleSet
from domain.coming_deals import first_under_root
from domain.events import Event
from domain.hand import Hand, State
from domain.ids import hand_id
from domain.ring import Ring, commit_deals, evolve
from domain.ring_events import Resting, RingHandBegun, RingHandEnded, SatOut
from domain.ring_seats import closing, leaving
from domain.table import Deal
from domain.table_events import Place
from domain.waits import over

ABSENT_HANDS: Final = 2
"""So many hands on end that the clock alone plays for him, and a player is sat out."""
LEVEL: Final = 1
"""A ring table's unit never rises."""


class Next(msgspec.Struct, frozen=True):
    """What the table does now: `events` to record, then perhaps a deal; `ring` is the table after the events."""

    events: list[Event]
    deals: bool
    ring: Ring


def look(ring: Ring, now: datetime) -> Next:
    """What follows at a table between hands; nothing while a hand runs, or once it is closed."""
    if ring.closed or ring.hand_id is not None:
        return Next([], False, ring)
    events = closing(ring) if ring.closing else leaving(ring)
    after = reduce(evolve, events, ring)
    return Next(events, _deals(after, now), after)


def _deals(ring: Ring, now: datetime) -> bool:
    due = ring.deal_at is None or over(ring.deal_at, ring.terms.timing.between_hands_seconds, now)
    return due and not ring.paused and not ring.closed and len(ring.playing) >= 2


def next_deal(ring: Ring, rules: RuleSet) -> Deal:
    """The next hand's terms: R5.4 (the lowest card leads), R9.1, R9.2; the stacks are after the ante (R8.3)."""
    dealt_in = ring.playing
    number = ring.hands_begun + 1
    first = play.first_ring_dealer(dealt_in)
    return Deal(
        hand_id=hand_id(ring.table_id, number),
        number=number,
        dealer=first if ring.dealer is None else play.next_dealer(ring.dealer, dealt_in),
        direction=play.next_direction(rules, ring.direction),
        leader=None,
        level=LEVEL,
        unit=ring.terms.unit,
        seats=tuple(
            Place(seat, ring.seats[seat].player_id, ring.seats[seat].stack - ring.terms.ante)
            for seat in dealt_in
        ),
    )


def is_rooted(ring: Ring, number: int) -> bool:
    """Whether a root over the table's hand `number` stands already."""
    return first_under_root(number) == ring.first_rooted


def begin(ring: Ring, deal: Deal) -> list[Event]:
    """The hand begins: each player dealt in pays the ante to the house (R10.1). With the last one under a root stands
    the next root."""
    begun = RingHandBegun(
        hand_id=deal.hand_id,
        number=deal.number,
        dealer=deal.dealer,
        direction=deal.direction,
        unit=deal.unit,
        ante=ring.terms.ante,
        currency=ring.terms.currency,
        players={place.seat: place.player_id for place in deal.seats},
        stacks={place.seat: place.stack for place in deal.seats},
    )
    following = deal.number + 1
    if first_under_root(following) != following:
        return [begun]
    return [begun, commit_deals(ring.table_id, ring.master, following)]


def ended(hand: Hand, ring: Ring, now: datetime) -> list[Event]:
    """What the table records of a hand that is over, and who sits out after it; nothing while it runs."""
    if hand.state is State.RUNNING or ring.hand_id != hand.hand_id:
        return []
    over = RingHandEnded(
        hand_id=hand.hand_id,
        number=hand.number,
        winner=hand.settlement.winner if hand.settlement else None,
        net=hand.settlement.net if hand.settlement else {s.seat: 0 for s in hand.terms.seats},
        acted=tuple(sorted(hand.acted)),
        absent=tuple(sorted(hand.clocked - hand.acted)),
        deal_at=now + timedelta(seconds=ring.terms.timing.between_hands_seconds),
    )
    return [over, *_sat_out(evolve(ring, over))]


def _sat_out(ring: Ring) -> list[Event]:
    """Nobody who is about to stand up sits out."""
    resting: dict[int, Resting] = {}
    for number, seat in ring.seats.items():
        if not may_be_dealt_in(ring.step, seat.stack):
            resting[number] = "short"
        elif seat.absent_hands >= ABSENT_HANDS:
            resting[number] = "absent"
    return [
        SatOut(seat=number, player_id=ring.seats[number].player_id, reason=reason)
        for number, reason in resting.items()
        if not ring.seats[number].sitting_out and not ring.seats[number].leaving
    ]
