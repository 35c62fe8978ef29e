"""A hand step by step, once it is over: after its deal and after each action what everybody held and might do.

Everything is worked out again from the hand's own events by the rules, `big2`: nothing of it is stored.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple
from uuid import UUID

from big2 import hand as play_rules
from big2.cards import card_text, mask_text
from big2.explain import duty_reason
from domain.dispute_events import ActionsVoided, TimeGiven
from domain.errors import NotAllowed
from domain.hand import HAND, Hand, State
from domain.hand_events import CardsPlayed, ClockStarted, ClockStopped, Dealt, Passed
from domain.ids import HandId
from services.application import decisions
from services.application import resources as shapes
from services.application.actions import actions_in
from services.application.card_reads import note
from services.application.context import Services
from services.application.credentials import Actor
from services.application.errors import existing
from services.application.handviews import actions_of
from services.application.histories import NeedsToken, may_read
from services.application.lists import Page
from services.application.resources import Resource
from services.envelope import Recorded

MILLISECOND = timedelta(milliseconds=1)


class ClockChange(Resource, frozen=True, kw_only=True):
    """The clock was stopped with `remaining_ms` on it, or set to a new `deadline`; or a ruling gave it more of either;
    the other one is null."""

    position: int
    at: datetime
    deadline: datetime | None
    remaining_ms: int | None


class DecisionOnRecord(Resource, frozen=True, kw_only=True):
    """The record of a decision: by which request it came, what it was taken on, and digests of what was open and shown.

    `credential_id` is null where the clock decided. `plays` counts the card sets that might be played; `legal_digest`
    is the SHA-256 of their list, `frame` that of what the seat was shown of the hand. An automatic pass had no choice.
    """

    credential_id: UUID | None
    command_id: UUID
    deadline: datetime | None
    plays: int | None
    may_pass: bool | None
    legal_digest: str | None
    frame: str


class Step(Resource, frozen=True, kw_only=True):
    """A hand after its deal (number 0, without an action) or after one action, the event at `position` of the log; or
    after a ruling that voided actions.

    `action_number` is the action's among those that stood then, from 1; `voided` says that a later ruling voided it. Of
    such a ruling, which is no action either, `voids_from` is the number of the first action that it voided.
    `decision` is the record of the action. `time_left_ms` is what was left of its turn when the action came, below 0 if
    it came too late; null for the deal and for an automatic pass. `turn` is the turn that begins with this step, null
    where an automatic pass follows or the hand is over; `clock` is how its deadline changed before the next action.
    `may_pass`, `duty` and `legal` are those of that turn, `must_include` the card that its play has to have (R5.2).
    """

    number: int
    position: int
    at: datetime
    action: shapes.Action | None
    action_number: int | None
    voided: bool
    voids_from: int | None
    decision: DecisionOnRecord | None
    time_left_ms: int | None
    holdings: dict[str, list[str]]
    to_beat: shapes.ToBeat | None
    turn: shapes.Turn | None
    clock: list[ClockChange]
    must_include: str | None
    may_pass: bool
    duty: shapes.Duty | None
    duty_reason: str | None
    legal: list[shapes.LegalPlay]


class _Moment(NamedTuple):
    """An event that makes a step, the hand before and after it, and the clock's events up to the next; of an action its
    decision."""

    recorded: Recorded
    before: Hand | None
    after: Hand
    clock: list[Recorded]
    decided: decisions.Step | None = None


def steps(
    services: Services, hand_id: HandId, actor: Actor | None, first: int, limit: int
) -> tuple[Page[Step], int]:
    """The steps from number `first` on, and the log position of the hand's newest event; of real cards there are none.

    Raises NotAllowed("hand-not-closed") to everybody while the hand runs, NotAllowed or NeedsToken to whoever may not
    read its history yet. Who is shown cards is noted.
    """
    stream = services.store.load(HAND, hand_id)
    hand = existing(stream, "hand")
    if hand.state is State.RUNNING:
        raise NotAllowed("hand-not-closed", "The hand still runs: nobody looks through it yet.")
    if not may_read(services, hand, actor):
        if actor is None:
            raise NeedsToken
        until = "the tournament is over" if hand.tournament_id else "the table is closed"
        raise NotAllowed("forbidden", f"Until {until} only who was dealt in reads this.")
    moments = list(_moments(stream.recorded))
    void = {r.version for voiding in actions_in(stream.recorded).voidings for r in voiding.actions}
    end = first + limit
    some = islice(_decided(moments, decisions.steps(stream.recorded)), first, end)
    shown = [_step(number, moment, void) for number, moment in enumerate(some, first)]
    if shown:
        note(services.store.database, [hand_id], actor)
    return Page(Step, shown, (end,) if len(moments) > end else None), stream.position


def _moments(recorded: Sequence[Recorded]) -> Iterator[_Moment]:
    hand: Hand | None = None
    newest: _Moment | None = None
    for r in recorded:
        before, hand = hand, HAND.evolve(hand, r.event)
        if isinstance(r.event, Dealt | CardsPlayed | Passed | ActionsVoided):
            if newest:
                yield newest
            newest = _Moment(r, before, hand, [])
        elif newest and isinstance(r.event, ClockStopped | ClockStarted | TimeGiven):
            newest.clock.append(r)
    if newest:
        yield newest


def _decided(moments: Sequence[_Moment], decided: Iterator[decisions.Step]) -> Iterator[_Moment]:
    """Each moment with its decision, if it is an action; worked out one by one, as far as they are asked for."""
    for moment in moments:
        taken = isinstance(moment.recorded.event, CardsPlayed | Passed)
        yield moment._replace(decided=next(decided)) if taken else moment


def _step(number: int, moment: _Moment, void: Container[int]) -> Step:
    recorded, before, after, clock, decided = moment
    event = recorded.event
    assert isinstance(event, Dealt | CardsPlayed | Passed | ActionsVoided)
    game, following = after.game, event.next_turn
    suits = game.rules.suits
    owed = play_rules.duty(game) if following else None
    opening = game.must_include if following else None
    return Step(
        number=number,
        position=recorded.position,
        at=recorded.at,
        action=next(iter(actions_of([recorded], breaches=True)), None),
        action_number=len(after.actions) if decided else None,
        voided=recorded.version in void,
        voids_from=event.action if isinstance(event, ActionsVoided) else None,
        decision=_on_record(decided) if decided else None,
        time_left_ms=_time_left_ms(recorded, before),
        holdings={str(seat): _cards(game.holdings[seat], suits) for seat in game.seats},
        to_beat=_to_beat(game),
        turn=shapes.Turn(number=following.number, seat=following.seat, deadline=following.deadline)
        if following
        else None,
        clock=[_clock_change(r) for r in clock],
        must_include=None if opening is None else card_text(opening),
        may_pass=following is not None and play_rules.may_pass(game),
        duty=owed.value if owed else None,
        duty_reason=duty_reason(game) if following else None,
        legal=_legal(game) if following else [],
    )


def _on_record(decided: decisions.Step) -> DecisionOnRecord:
    found = decided.decision
    return DecisionOnRecord(
        credential_id=decided.credential_id,
        command_id=decided.command_id,
        deadline=found.deadline,
        plays=found.legal.plays if found.legal else None,
        may_pass=found.legal.may_pass if found.legal else None,
        legal_digest=found.legal.digest if found.legal else None,
        frame=decided.frame,
    )


def _time_left_ms(recorded: Recorded, before: Hand | None) -> int | None:
    event = recorded.event
    if before is None or not isinstance(event, CardsPlayed | Passed) or event.turn is None:
        return None
    return (before.deadline - recorded.at) // MILLISECOND if before.deadline else before.stopped_ms


def _to_beat(game: play_rules.Hand) -> shapes.ToBeat | None:
    if game.to_beat is None or game.to_beat_seat is None:
        return None
    cards = _cards(game.to_beat.mask, game.rules.suits)
    return shapes.ToBeat(seat=game.to_beat_seat, cards=cards, kind=game.to_beat.kind.value)


def _legal(game: play_rules.Hand) -> list[shapes.LegalPlay]:
    suits = game.rules.suits
    return [
        shapes.LegalPlay(cards=_cards(option.mask, suits), kind=option.kind.value, breach=breach)
        for option, breach in play_rules.options(game)
    ]


def _clock_change(recorded: Recorded) -> ClockChange:
    event = recorded.event
    return ClockChange(
        position=recorded.position,
        at=recorded.at,
        deadline=event.deadline if isinstance(event, ClockStarted | TimeGiven) else None,
        remaining_ms=event.remaining_ms if isinstance(event, ClockStopped | TimeGiven) else None,
    )


def _cards(mask: int, suits: str) -> list[str]:
    return mask_text(mask, suits).split()
