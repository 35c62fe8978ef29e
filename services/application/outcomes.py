"""What other streams record of what happens to a hand: its end at its table, a freeze, what its ruling brings about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import reduce
from typing import TypeAlias

import msgspec

from domain import hand as hands
from domain import penalties, ring_hands, rulings, tournament_rulings
from domain import tournament as tournaments
from domain.ending import place_again
from domain.events import Event
from domain.hand import Hand, State
from domain.ids import roster_id
from domain.ring import RING
from domain.roster import ROSTER, Roster
from domain.table import TABLE
from domain.table_events import TableFrozen, TableReleased
from domain.tournament import TOURNAMENT, Tournament
from services.application.between_results import with_look
from services.application.cancellations import cancelled
from services.application.errors import existing
from services.commands import Decision, on
from services.envelope import Change, Stream
from services.store import Store

Brings: TypeAlias = Callable[[Stream[Tournament], Sequence[Event]], list[Change]]
"""What streams record of events that a ruling brings to its tournament."""


def with_what_follows(store: Store, stream: Stream[Hand], events: list[Event], now: datetime) -> Decision:
    """A dispute's events, or those that make a hand final, with what other streams record of them."""
    return _with(store, stream, events, lambda t, made: with_look(store, t, made, now), now)


def without_look(store: Store, stream: Stream[Hand], events: list[Event], now: datetime) -> Decision:
    """The same, but for what the director makes of it: it may hold draws, which nobody sees before they are made."""
    return _with(store, stream, events, lambda t, made: [on(t, *made)], now)


def _with(store: Store, stream: Stream[Hand], events: list[Event], brings: Brings, now: datetime) -> Decision:
    before = existing(stream, "hand")
    after = reduce(hands.evolve, events, before)
    at_hand = [on(stream, *events), *_at_table(store, before, after, now)]
    written = [change for change in at_hand if change.events]
    if before.state is not State.FINAL and after.tournament_id is not None and ordered(after):
        tournament = store.load(TOURNAMENT, after.tournament_id)
        written += brings(tournament, in_its_tournament(after, existing(tournament, "tournament")))
    known = {change.stream_id for change in written}
    brought = _brought_about(store, before, after, brings)
    return Decision([*written, *(change for change in brought if change.stream_id not in known)])


def _brought_about(store: Store, before: Hand, after: Hand, brings: Brings) -> list[Change]:
    """What a ruling does to the tournament, as soon as its hand is final; and what that rests on."""
    ruled = tournament_rulings.taking_effect(before, after)
    if ruled is None or after.tournament_id is None:
        return []
    stream: Stream[Tournament] = store.load(TOURNAMENT, after.tournament_id)
    roster: Stream[Roster] = store.load(ROSTER, roster_id(after.tournament_id))
    entered = roster.state or Roster()
    following = tournament_rulings.follows(existing(stream, "tournament"), entered, after, ruled)
    if following is None:
        return cancelled(store, stream, ruled.reason)
    at_roster = [on(roster, *following.roster)] if following.roster else []
    return [*brings(stream, following.tournament), *at_roster]


def ordered(hand: Hand) -> list[Event]:
    """What a final hand's ruling orders its tournament to do; nothing before that."""
    return [event for event in (rulings.correction(hand), penalties.imposed(hand)) if event is not None]


def in_its_tournament(hand: Hand, t: Tournament) -> list[Event]:
    """The same with what follows from it at once: other places, where the tournament is over."""
    events = ordered(hand)
    return [*events, *place_again(reduce(tournaments.evolve, events, t), hand.hand_id)]


def ended_at_its_table(store: Store, hand: Hand, now: datetime) -> Change:
    """What the hand's table records of its end."""
    if hand.tournament_id is None:
        ring = store.load(RING, hand.table_id)
        return on(ring, *ring_hands.ended(hand, existing(ring, "table"), now))
    table = store.load(TABLE, hand.table_id)
    return on(table, *hands.ended(hand, existing(table, "table"), now))


def _at_table(store: Store, before: Hand, after: Hand, now: datetime) -> list[Change]:
    """The end of a hand that a ruling voids; the freeze of its table, or its end."""
    voided = before.state is not after.state and after.state is State.VOIDED
    ended = [ended_at_its_table(store, after, now)] if voided else []
    frozen = _freezes_its_table(after)
    if frozen == _freezes_its_table(before):
        return ended
    made = TableFrozen if frozen else TableReleased
    table = ended[0] if ended else on(store.load(TABLE, before.table_id))
    return [msgspec.structs.replace(table, events=(*table.events, made(hand_id=before.hand_id)))]


def _freezes_its_table(hand: Hand) -> bool:
    return "table" in hand.dispute.frozen and hand.state in (State.RUNNING, State.SETTLED)
