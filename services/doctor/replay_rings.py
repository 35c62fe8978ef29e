"""I6 of a ring table: who comes and goes, what is dealt, and how each hand ends, decided again one by one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import reduce
from uuid import UUID

from domain import hand as hands
from domain import ring as decide_on
from domain import ring_hands, ring_seats
from domain.events import Event
from domain.ids import HandId
from domain.ring import Ring, evolve
from domain.ring_events import (
    CloseAsked,
    LeaveAsked,
    RingClosed,
    RingHandBegun,
    RingHandEnded,
    RingOpened,
    RingPaused,
    RingResumed,
    SatDown,
    SatIn,
    SatOut,
    SeatKept,
    StoodUp,
    ToppedUp,
)
from domain.ring_seats import Wish
from services.doctor.judging import FAULTS, Append, Decided, appends, judged, refused
from services.doctor.replay_hands import deal_again, rules_of
from services.doctor.replay_tables import upto
from services.doctor.violation import Violation, at
from services.envelope import Recorded

Read = Callable[[UUID], list[Recorded]]
"""A hand's events; none if there is no such hand."""


def ring_events(events: Sequence[Recorded], read: Read, told: Collection[UUID]) -> Iterator[Violation]:
    """Everything in a ring table's stream, and the deal of each of its hands; of those in `told` something is told."""
    ring: Ring | None = None
    for append in appends(events):
        yield from (found := list(_judged(append, ring, read, told)))
        if found:
            return
        try:
            ring = reduce(evolve, (r.event for r in append.events), ring)
        except FAULTS as fault:
            yield at("I6", append.first, refused(fault))
            return


def _judged(append: Append, ring: Ring | None, read: Read, told: Collection[UUID]) -> Iterator[Violation]:
    of_hand = next((r for r in append.events if isinstance(r.event, RingHandBegun | RingHandEnded)), None)
    if of_hand is None:
        yield from judged(append, lambda: {append.first.stream: _decided(append, ring)})
        return
    assert isinstance(of_hand.event, RingHandBegun | RingHandEnded)
    hand_id = of_hand.event.hand_id
    hand = read(hand_id)
    if not hand:
        yield at("I6", of_hand, f"hand {hand_id} is not in the log")
    elif hand_id in told:
        return
    elif isinstance(of_hand.event, RingHandBegun):
        dealt = [r for r in hand if r.command == of_hand.command]
        whole = Append((*append.events, *dealt))
        yield from judged(whole, lambda: _dealt(append, _open(ring), hand_id, hand))
    else:
        yield from judged(append, lambda: {of_hand.stream: _ended(of_hand, _open(ring), hand)})


def _open(ring: Ring | None) -> Ring:
    assert ring is not None, "the table is opened before its first hand"
    return ring


def _dealt(append: Append, ring: Ring, hand_id: HandId, hand: Sequence[Recorded]) -> Decided:
    """Who stands up, then the deal; the deal alone may end the hand (R12's dragon)."""
    following = ring_hands.look(ring, append.first.at)
    assert following.deals, "a hand was due"
    after = following.ring
    terms = ring_hands.next_deal(after, rules_of(hand))
    dealt = deal_again(
        after,
        terms,
        hand,
        master=after.master,
        structure_hash=after.terms_hash,
        timing=after.terms.timing,
    )
    begun = ring_hands.begin(after, terms)
    ended = ring_hands.ended(hands.folded(dealt), reduce(evolve, begun, after), append.first.at)
    return {append.first.stream: [*following.events, *begun, *ended], hand_id: dealt}


def _ended(r: Recorded, ring: Ring, hand: Sequence[Recorded]) -> list[Event]:
    return ring_hands.ended(upto(hand, r), ring, r.at)


def _decided(append: Append, ring: Ring | None) -> list[Event]:
    first, events = append.first.event, [r.event for r in append.events]
    if ring is None:
        assert isinstance(first, RingOpened)
        opened = decide_on.open_ring(first.table_id, first.terms, first.master)
        return opened[: len(events)]  # before there were roots, without one
    match first:
        case RingPaused():
            return decide_on.pause(ring)
        case RingResumed():
            return decide_on.resume(ring)
        case SeatKept() if ring.seats[first.seat].leaving:
            return ring_seats.stand_up(ring, first.seat)
        case SatDown() | ToppedUp() | SatOut() | SatIn() | SeatKept():
            return ring_seats.take_seat(ring, first.seat, _wish(events, ring))
        case LeaveAsked():
            return ring_seats.stand_up(ring, first.seat)
        case CloseAsked():
            return ring_seats.close(ring)
        case StoodUp() | RingClosed():
            return _stood_up(append, ring)
    return []


def _stood_up(append: Append, ring: Ring) -> list[Event]:
    """At once, by whoever asked; or between hands, as asked for before: then by the table's own job."""
    if append.first.actor.startswith("job/"):
        return ring_hands.look(ring, append.first.at).events
    if append.has(RingClosed):
        return ring_seats.close(ring)
    assert isinstance(append.first.event, StoodUp)
    return ring_seats.stand_up(ring, append.first.event.seat)


def _wish(events: Sequence[Event], ring: Ring) -> Wish:
    """What was wished for that came to these events."""
    wish = Wish()
    for event in events:
        match event:
            case SatDown():
                wish = Wish(event.player_id, event.buy_in)
            case ToppedUp():
                wish = Wish(event.player_id, ring.seats[event.seat].buy_in + event.amount)
            case SatOut() | SatIn():
                wish = Wish(event.player_id, wish.buy_in, isinstance(event, SatOut))
            case SeatKept():
                wish = Wish(event.player_id)
    return wish
