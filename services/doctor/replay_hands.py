"""I6 of a hand: its deal follows from its seed and its table, each action and the settlement by the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import reduce
from uuid import UUID

from big2.actions import PassReason
from big2.cards import parse_stored_cards
from big2.rulesets import RuleSet
from domain import dealing, rulings
from domain import hand as hands
from domain.coming_deals import Inclusion
from domain.connection import Connection
from domain.dealing import Dealing, Fixed
from domain.dispute_events import (
    ActionsVoided,
    Appealed,
    Flagged,
    Frozen,
    Released,
    Ruled,
    TimeGiven,
)
from domain.events import Event
from domain.hand import Hand, evolve, rule_set_of
from domain.hand_events import (
    CardsPlayed,
    ClockStarted,
    ClockStopped,
    Committed,
    Confirmed,
    ConnectedDealt,
    Dealt,
    EntropyDealt,
    EntropyGiven,
    EntropyOpened,
    Finalised,
    HandRecorded,
    Passed,
    ProvenCommitted,
    ProvenRingCommitted,
    RingCommitted,
    Timing,
    Voided,
)
from domain.ids import PlayerId
from domain.results import settlement_of
from domain.table import Deal
from services.doctor.judging import FAULTS, Append, Decided, appends, judged, refused
from services.doctor.violation import Violation, at
from services.envelope import Recorded


def actions(events: Sequence[Recorded]) -> Iterator[Violation]:
    """Everything in a hand's stream but its deal, which its table judges."""
    hand: Hand | None = None
    for append in appends(events):
        before = hand
        yield from (found := list(judged(append, lambda: _decided(append, before))))  # noqa: B023 - called at once
        if found:
            return
        try:
            hand = reduce(evolve, (r.event for r in append.events), hand)
        except FAULTS as fault:
            yield at("I6", append.first, refused(fault))
            return


def _decided(append: Append, hand: Hand | None) -> Decided:
    events = [r.event for r in append.events]
    stream = append.first.stream
    if hand is None:
        return {stream: _settled_at_once(events)}
    return {stream: [*_again(append, events, hand)]}


def _settled_at_once(events: Sequence[Event]) -> Sequence[Event]:
    """Of a recorded hand the settlement follows from its result; of a dealt one nothing by itself."""
    first = events[0]
    if not isinstance(first, HandRecorded):
        return events
    final = [] if first.timing.protest_seconds else [Confirmed()]
    return [first, settlement_of(first), *final]


def _again(append: Append, events: Sequence[Event], hand: Hand) -> list[Event]:
    first, now = events[0], append.first.at
    match first:
        case CardsPlayed(by="clock") | Passed(reason=PassReason.CLOCK):
            return hands.act_for_absent(hand, first.turn or 0, now)
        case CardsPlayed():
            cards = parse_stored_cards(first.cards)
            return hands.play(hand, _player(hand, first.seat), first.turn, cards, now)
        case Passed():
            return hands.pass_turn(hand, _player(hand, first.seat), first.turn or 0, now)
        case EntropyGiven():
            return dealing.give_entropy(hand, _player(hand, first.seat), first.nonce, now)
        case EntropyDealt():
            return dealing.deal_opened(hand, _told_connections(hand, first), now)
        case Voided():
            return hands.void(hand, first.reason)
        case Finalised() | Confirmed():
            return hands.finalise(hand)
        case Flagged() | Frozen() | Released() | Appealed():
            return _disputed_again(events, hand, first, now)
        case Ruled() | ActionsVoided() | TimeGiven():
            rulings.may_rule(hand, first.by, sits_there=False)
            return rulings.rule(hand, first.by, rulings.asked(first), now)
        case ClockStopped() | ClockStarted():
            return _clock(append, events, hand)
    return []


def _disputed_again(
    events: Sequence[Event], hand: Hand, first: Flagged | Frozen | Released | Appealed, now: datetime
) -> list[Event]:
    """Who sat at the table by then is not asked again, nor which pause stood: the hand does not say."""
    match first:
        case Flagged():
            return rulings.flag(hand, first.by, first.reason, first.evidence)
        case Appealed():
            return rulings.appeal(hand, first.by, first.reason)
        case Frozen():
            rulings.may_freeze(hand, first.by, sits_there=False)
            return rulings.freeze(hand, first.by, first.scope, first.reason, now)
        case Released():
            rulings.may_freeze(hand, first.by, sits_there=False)
            runs = any(isinstance(event, ClockStarted) for event in events)
            return rulings.release(hand, first.by, first.scope, first.reason, now, clock_runs=runs)


def _clock(append: Append, events: Sequence[Event], hand: Hand) -> list[Event]:
    """When a pause began and how far the database's clock stepped is as told; what follows from it is decided again."""
    decided: list[Event] = []
    for event in events:
        if isinstance(event, ClockStopped) and hand.stopped_ms is not None:
            following = hands.give_whole_turn(hand, append.first.at)
        elif isinstance(event, ClockStopped):
            most = hands.longest_wait_ms(hand)
            possible = hand.deadline is not None and 0 <= event.remaining_ms <= most
            following = hands.stop_clock(hand, append.first.at) and [event] if possible else []
        elif isinstance(event, ClockStarted) and hand.stopped_ms is None and hand.deadline is not None:
            following = hands.shift_clock(hand, hand.deadline, event.deadline - hand.deadline)
        else:
            following = hands.start_clock(hand, append.first.at)
        decided += following
        hand = reduce(evolve, following, hand)
    return decided


def _player(hand: Hand, seat: int) -> PlayerId:
    return next(s.player_id for s in hand.terms.seats if s.seat == seat)


def rules_of(hand: Sequence[Recorded]) -> RuleSet:
    """The rule set that a hand was dealt or recorded under, which it stores."""
    terms = next(r.event for r in hand if isinstance(r.event, Dealt | EntropyOpened | HandRecorded))
    assert isinstance(terms, Dealt | EntropyOpened | HandRecorded)
    return rule_set_of(terms)


def deal_again(
    table: Dealing,
    terms: Deal,
    hand: Sequence[Recorded],
    *,
    master: bytes | None,
    structure_hash: str,
    timing: Timing,
    entropy_seconds: int = 0,
) -> list[Event]:
    """The deal of a hand under these terms, at the moment and with the connections that it tells; or what stands before
    the deal, where players could send entropy. Without the master its seed and its root are taken as the hand has them.
    """
    dealt = next(r for r in hand if isinstance(r.event, Dealt | EntropyOpened))
    told = dealt.event.connections if isinstance(dealt.event, ConnectedDealt) else {}
    seats = {place.seat: place.player_id for place in terms.seats}
    again = dealing.deal_from(
        _fixed(table, terms, hand[0].event, master),
        table,
        terms,
        rules_of(hand),
        structure_hash=structure_hash,
        timing=timing,
        connections={seats[seat]: state for seat, state in told.items()},
        now=dealt.at,
        entropy_seconds=entropy_seconds,
    )
    return [_older(event) for event in again] if type(dealt.event) is Dealt else again


def _fixed(table: Dealing, terms: Deal, committed: Event, master: bytes | None) -> Fixed:
    if master is not None:
        rooted = isinstance(committed, ProvenCommitted | ProvenRingCommitted)
        return dealing.fixed_by(master, table, terms, rooted=rooted)
    if isinstance(committed, ProvenCommitted | ProvenRingCommitted):
        return Fixed(committed.seed, Inclusion(committed.first_hand, committed.path))
    assert isinstance(committed, Committed | RingCommitted)
    return Fixed(committed.seed, None)


def _told_connections(hand: Hand, dealt: EntropyDealt) -> dict[UUID, Connection]:
    return {s.player_id: dealt.connections[s.seat] for s in hand.terms.seats}


def _older(event: Event) -> Event:
    """As deals were stored before they told of connections."""
    if not isinstance(event, ConnectedDealt):
        return event
    return Dealt(**{name: getattr(event, name) for name in Dealt.__struct_fields__})
