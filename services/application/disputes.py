"""Disputes about hands: flags, freezes, rulings and appeals, and what follows from them in other streams.

The dispute itself is events of its hand. In the same transaction a frozen table learns of it, and once the hand is
final its tournament of what the ruling corrects.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from domain import rulings as decide_on
from domain.dispute import penalties_of
from domain.dispute_events import Person, Ruled, Scope, SubstituteRuled
from domain.errors import Refused
from domain.events import Event
from domain.hand import HAND, Hand
from domain.hand_events import Finalised
from domain.ids import HandId, PlayerId, TournamentId, roster_id
from domain.player import PLAYER, may_enter
from domain.ring import RING
from domain.roster import ROSTER, Roster
from domain.rulings import Ruling
from domain.table import TABLE, must_be_open
from domain.tournament import TOURNAMENT
from domain.tournament_events import Cancelled, PrizesAwarded
from domain.tournament_rulings import (
    OF_TOURNAMENTS,
    must_be_possible,
    must_not_be_his_own,
    must_take_penalties,
)
from services.application.context import Services
from services.application.credentials import Actor
from services.application.errors import existing
from services.application.hands import clock_stands, paused_by
from services.application.outcomes import with_what_follows, without_look
from services.commands import Decision, Outcome, execute
from services.envelope import Command, Stream
from services.store import Store


class Words(NamedTuple):
    """What somebody says of a hand."""

    reason: str
    evidence: str | None = None


class Asked(NamedTuple):
    """A freeze, or the end of one."""

    scope: Scope
    reason: str


def flag(
    services: Services, command: Command, actor: Actor, hand_id: HandId, read: Callable[[], Words]
) -> Outcome[Hand]:
    """Ask for a ruling. `read` raises what is wrong with the body, once no conflict stands in the way; so below."""

    def decide(hand: Hand, _now: datetime) -> list[Event]:
        decide_on.may_flag(hand, person(actor))
        return decide_on.flag(hand, person(actor), *read())

    return _disputed(services, command, actor, hand_id, decide)


def appeal(
    services: Services, command: Command, actor: Actor, hand_id: HandId, read: Callable[[], Words]
) -> Outcome[Hand]:
    """Ask another director to rule."""

    def decide(hand: Hand, _now: datetime) -> list[Event]:
        decide_on.may_appeal(hand, person(actor))
        return decide_on.appeal(hand, person(actor), read().reason)

    return _disputed(services, command, actor, hand_id, decide)


def freeze(
    services: Services, command: Command, actor: Actor, hand_id: HandId, read: Callable[[], Asked]
) -> Outcome[Hand]:
    """Freeze the hand, its table or the payouts; no table that is closed."""

    def decide(hand: Hand, now: datetime) -> list[Event]:
        decide_on.may_freeze(hand, person(actor), sits_there=_sits_there(services.store, hand, actor))
        asked = read()
        frozen = decide_on.freeze(hand, person(actor), *asked, now)
        if asked.scope == "table":
            must_be_open(existing(services.store.load(TABLE, hand.table_id), "table"))
        return frozen

    return _disputed(services, command, actor, hand_id, decide)


def release(
    services: Services, command: Command, actor: Actor, hand_id: HandId, read: Callable[[], Asked]
) -> Outcome[Hand]:
    """End a freeze."""

    def decide(hand: Hand, now: datetime) -> list[Event]:
        decide_on.may_freeze(hand, person(actor), sits_there=_sits_there(services.store, hand, actor))
        runs = _clock_runs(services.store, hand)
        return decide_on.release(hand, person(actor), *read(), now, clock_runs=runs)

    return _disputed(services, command, actor, hand_id, decide)


def rule(
    services: Services, command: Command, actor: Actor, hand_id: HandId, read: Callable[[], Ruling]
) -> Outcome[Hand]:
    """Rule on the hand."""

    def decide(hand: Hand, now: datetime) -> list[Event]:
        return _ruled(services, actor, hand, read, now)

    return _disputed(services, command, actor, hand_id, decide)


def would_rule(services: Services, actor: Actor, hand_id: HandId, read: Callable[[], Ruling]) -> list[Event]:
    """The events that `rule` would store, of the hand and of what follows, but for those that reveal a seed or draw."""
    stream = services.store.load(HAND, hand_id)
    hand = existing(stream, "hand")
    actor.must_be_in(hand.tournament_id)
    ruled = _ruled(services, actor, hand, read, stream.read_at)
    changes = without_look(services.store, stream, ruled, stream.read_at).changes
    events = [event for change in changes for event in change.events]
    return [event for event in events if not isinstance(event, Finalised | Cancelled | PrizesAwarded)]


def person(actor: Actor) -> Person:
    """Who speaks."""
    return Person(actor.credential_id, actor.role, actor.player_id or actor.plays_as)


def _disputed(
    services: Services,
    command: Command,
    actor: Actor,
    hand_id: HandId,
    decision: Callable[[Hand, datetime], list[Event]],
) -> Outcome[Hand]:
    def decide(stream: Stream[Hand], now: datetime) -> Decision:
        hand = existing(stream, "hand")
        actor.must_be_in(hand.tournament_id)
        return with_what_follows(services.store, stream, decision(hand, now), now)

    return execute(services.store, command, (HAND, hand_id), decide)


def _ruled(
    services: Services, actor: Actor, hand: Hand, read: Callable[[], Ruling], now: datetime
) -> list[Event]:
    who = person(actor)
    decide_on.may_rule(hand, who, sits_there=_sits_there(services.store, hand, actor))
    ruled, *following = decide_on.rule(hand, who, read(), now)
    if isinstance(ruled, Ruled) and hand.tournament_id is not None:
        _must_suit_the_tournament(services.store, hand, ruled, hand.tournament_id)
    return [ruled, *following]


def _must_suit_the_tournament(store: Store, hand: Hand, ruled: Ruled, t: TournamentId) -> None:
    """Of what decides who plays on there: it is not the director's own, and possible as things stand."""
    of_tournament = ruled.ruling in OF_TOURNAMENTS
    if not of_tournament and not penalties_of(ruled):
        return
    tournament, roster = store.load_many([(TOURNAMENT, t), (ROSTER, roster_id(t))])
    entered = roster.state or Roster()
    must_not_be_his_own(entered, ruled.by, ruled)
    must_take_penalties(existing(tournament, "tournament"), ruled)
    if of_tournament:
        must_be_possible(existing(tournament, "tournament"), entered, hand, ruled)
    if isinstance(ruled, SubstituteRuled):
        _must_be_able_to_enter(store, ruled.player_id)


def _must_be_able_to_enter(store: Store, player: PlayerId) -> None:
    """Who takes over a seat is known, and not barred."""
    known = store.load(PLAYER, player).state
    if known is None:
        raise Refused("validation", "There is no such player.", {"/player_id": "is no player"})
    may_enter(known)


def _clock_runs(store: Store, hand: Hand) -> bool:
    """Whether no pause stops the hand's clock."""
    if hand.tournament_id is None:
        return not existing(store.load(RING, hand.table_id), "table").paused
    return not clock_stands(*paused_by(store, hand))


def _sits_there(store: Store, hand: Hand, actor: Actor) -> bool:
    """Whether whoever would rule has a seat at the hand's table by now."""
    if actor.plays_as is None or hand.tournament_id is None:
        return False
    table = existing(store.load(TABLE, hand.table_id), "table")
    return table.seat_of(actor.plays_as) is not None
