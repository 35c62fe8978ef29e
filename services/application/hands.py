"""Hands: plays and passes, the clock's actions, the end of the protest window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import reduce
from typing import Any, NamedTuple

from big2.cards import Card
from big2.errors import IllegalPlay
from domain import dealing
from domain import hand as decide_on
from domain.dispute_events import Released, Ruled
from domain.errors import NotAllowed, Refused
from domain.events import Event
from domain.hand import HAND, Hand
from domain.hand import State as HandState
from domain.hand_events import Settled
from domain.ids import HandId, PlayerId
from domain.pausing import behind
from domain.table import TABLE, Table
from domain.tournament import TOURNAMENT, State, Tournament
from domain.waits import over
from services.application.context import Services
from services.application.credentials import Actor
from services.application.errors import existing
from services.application.outcomes import ended_at_its_table, with_what_follows
from services.application.turn_clocks import last_stop, set_by
from services.commands import Beaten, Decision, Outcome, execute, job, on
from services.envelope import Command, Recorded, Stream
from services.locks import LOCK_SECONDS
from services.store import Store

WAIT_SECONDS = 2.0
"""How long the clock waits for a table, well below a job's own limit."""


class Asked(NamedTuple):
    """What a player sends: his turn's number, and his cards, which a pass has none of.

    `wrong` is what is the matter with the body, if anything; `turn` is null if it could not be read.
    """

    turn: int | None
    cards: Sequence[Card]
    wrong: Refused | None = None


Decide = Callable[[Hand, PlayerId, int, Sequence[Card], datetime], list[Event]]


def play(
    services: Services,
    command: Command,
    actor: Actor,
    hand_id: HandId,
    asked: Asked,
    loaded: Stream[Hand] | None = None,
) -> Outcome[Hand]:
    """The actor's player plays cards on his turn; `loaded` is the hand, if it has just been read."""
    return _act(services.store, command, actor, hand_id, asked, decide_on.play, loaded=loaded)


def pass_turn(
    services: Services,
    command: Command,
    actor: Actor,
    hand_id: HandId,
    asked: Asked,
    loaded: Stream[Hand] | None = None,
) -> Outcome[Hand]:
    """The actor's player passes on his turn."""

    def decide(hand: Hand, player: PlayerId, turn: int, _: Sequence[Card], now: datetime) -> list[Event]:
        return decide_on.pass_turn(hand, player, turn, now)

    return _act(services.store, command, actor, hand_id, asked, decide, loaded=loaded)


def give_entropy(
    services: Services, command: Command, actor: Actor, hand_id: HandId, read: Callable[[], str]
) -> Outcome[Hand]:
    """The actor's player sends his seat's nonce for a hand that is not dealt yet; `read` raises what is wrong there."""

    def decide(stream: Stream[Hand], now: datetime) -> Decision:
        hand = existing(stream, "hand")
        actor.must_be_in(hand.tournament_id)
        if actor.player_id is None:
            raise NotAllowed("forbidden", "Only a player who is dealt in sends entropy, for his own seat.")
        dealing.may_give_entropy(hand, actor.player_id, now)
        return Decision([on(stream, *dealing.give_entropy(hand, actor.player_id, read(), now))])

    return execute(services.store, command, (HAND, hand_id), decide)


def act_for_absent(services: Services, hand_id: HandId, turn: int) -> None:
    """The clock acts on a turn that is past its deadline (R11.2), and on turn 0 deals: entropy was taken until then.
    Nothing if the world has moved on."""

    def decide(stream: Stream[Hand], now: datetime) -> Decision:
        if stream.state is None:
            return Decision(())
        pausing = paused_by(services.store, stream.state)
        if clock_stands(*pausing):
            return Decision(())
        acted = _at_deadline(services, stream.state, turn, now)
        recorded = _recorded(services.store, stream, acted, now).changes
        return Decision([*recorded, *map(on, pausing)] if recorded else ())

    command = job(f"turn-{hand_id}-{turn}")
    _in_turn(services.store, command, hand_id, decide, wait_seconds=WAIT_SECONDS)


def _at_deadline(services: Services, hand: Hand, turn: int, now: datetime) -> list[Event]:
    if turn:
        return decide_on.act_for_absent(hand, turn, now)
    return dealing.deal_opened(hand, services.connections.at(hand.table_id), now)


class ClockStep(NamedTuple):
    """A jump `by` so much of the database's clock, after log position `position`.

    `until` is what it would say now without the jump; null if that is not known well enough.
    """

    by: timedelta
    position: int
    until: datetime | None

    def came_after(self, r: Recorded, now: datetime) -> bool:
        """Whether the jump came after this event."""
        if r.position <= self.position or self.until is None:
            return r.position <= self.position
        return r.at <= self.until if self.by > timedelta() else r.at > now


def shift_clock(services: Services, hand_id: HandId, step: ClockStep) -> None:
    """After the database's clock has jumped: a turn that ran then keeps the time that it had left.

    Once, however many clocks have noticed: the shift itself came after the jump.
    """

    def decide(stream: Stream[Hand], now: datetime) -> Decision:
        if stream.state is None or stream.state.state is not HandState.RUNNING:
            return Decision(())
        return Decision([on(stream, *_kept(stream.state, set_by(stream.recorded), step, now))])

    name = f"shift-{hand_id}-{step.position}-{step.by // timedelta(microseconds=1)}"  # jumps may share a position
    execute(services.store, job(name), (HAND, hand_id), decide)


def _kept(hand: Hand, settings: Sequence[Recorded], step: ClockStep, now: datetime) -> list[Event]:
    """What keeps the running turn's time. Where a jump ahead lies between its clock's setting and a stop, the stop has
    taken the jump for time that went by: how much it was nobody knows any more, and the turn has all its time."""
    if hand.deadline is not None and step.came_after(settings[-1], now):
        return decide_on.shift_clock(hand, hand.deadline, step.by)
    stopped = last_stop(settings, hand.turn_number) if step.by > timedelta() else None
    if stopped is None or not step.came_after(stopped[0], now) or step.came_after(stopped[1], now):
        return []
    return decide_on.give_whole_turn(hand, now)


def finalise(services: Services, hand_id: HandId) -> None:
    """Make a settled hand final once its protest window is over."""

    def decide(stream: Stream[Hand], now: datetime) -> Decision:
        if stream.state is None or not _protest_is_over(stream, stream.state, now):
            return Decision(())
        return with_what_follows(services.store, stream, decide_on.finalise(stream.state), now)

    execute(services.store, job(f"final-{hand_id}"), (HAND, hand_id), decide)


def _act(
    store: Store,
    command: Command,
    actor: Actor,
    hand_id: HandId,
    asked: Asked,
    action: Decide,
    *,
    loaded: Stream[Hand] | None,
) -> Outcome[Hand]:
    def decide(stream: Stream[Hand], now: datetime) -> Decision:
        hand = existing(stream, "hand")
        actor.must_be_in(hand.tournament_id)
        if actor.player_id is None:
            raise NotAllowed("forbidden", "Only a player who was dealt in acts in a hand.")
        turn = hand.turn_number if asked.turn is None else asked.turn
        if asked.wrong:
            with suppress(IllegalPlay):  # whether he may act at all comes before what he sent
                action(hand, actor.player_id, turn, (), now)
            raise asked.wrong
        return _recorded(store, stream, action(hand, actor.player_id, turn, asked.cards, now), now)

    return _in_turn(store, command, hand_id, decide, loaded)


def _in_turn(
    store: Store,
    command: Command,
    hand_id: HandId,
    decide: Callable[[Stream[Hand], datetime], Decision],
    loaded: Stream[Hand] | None = None,
    *,
    wait_seconds: float = LOCK_SECONDS,
) -> Outcome[Hand]:
    """Carry out an action. The end of a ring table's hand stands in the table's stream too, where somebody may change
    his seat all the time: who is beaten by that each time holds the table, as they do, and is next."""
    try:
        return execute(store, command, (HAND, hand_id), decide, loaded)
    except Beaten:
        hand = store.load(HAND, hand_id).state
        if hand is None or hand.tournament_id is not None:
            raise
    with store.lock(hand.table_id, wait_seconds):
        return execute(store, command, (HAND, hand_id), decide)


def _recorded(store: Store, stream: Stream[Hand], events: list[Event], now: datetime) -> Decision:
    """The events; those that end the hand together with the table's own, in one transaction."""
    if not events:
        return Decision(())
    at_hand = on(stream, *events)
    if not any(isinstance(event, Settled) for event in events):
        return Decision([at_hand])
    assert stream.state is not None
    hand = reduce(decide_on.evolve, events, stream.state)
    ended = ended_at_its_table(store, hand, now)
    return Decision([at_hand, ended] if ended.events else [at_hand])


def paused_by(store: Store, hand: Hand) -> list[Stream[Any]]:
    """The tournament and the table of a hand, which stop its clock; a ring table's pause stops the turn itself."""
    if hand.tournament_id is None:
        return []
    return store.load_many([(TOURNAMENT, hand.tournament_id), (TABLE, hand.table_id)])


def clock_stands(tournament: Stream[Tournament] | None = None, table: Stream[Table] | None = None) -> bool:
    """Whether the clock is to act for nobody: in a pause, until the table has followed it, and after a cancellation."""
    if tournament is None or table is None:
        return False
    if tournament.state is None or table.state is None:
        return True
    return tournament.state.state is not State.RUNNING or behind(tournament.state, table.state)


def _protest_is_over(stream: Stream[Hand], hand: Hand, now: datetime) -> bool:
    """A ruling begins the window anew, for an appeal; so does the end of the last freeze."""
    begun = [r.at for r in stream.recorded if isinstance(r.event, Settled | Released | Ruled)]
    seconds = hand.terms.timing.protest_seconds
    return bool(begun) and over(begun[-1] + timedelta(seconds=seconds), seconds, now)
