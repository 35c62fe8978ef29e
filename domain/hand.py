"""A hand: committed, dealt, played, settled, final. What is disputed and replayed.

The rules are big2's; this module records what they decide, and adds time: each turn has a deadline (R11.2). Where
players may send entropy, the time for it comes first: turn 0, whose deadline is the deal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache, reduce
from typing import Any

import msgspec

from big2 import hand as play_rules
from big2.actions import Action, By, PassReason
from big2.actions import Passed as PassedAction
from big2.actions import Played as PlayedAction
from big2.cards import Card, mask_of, mask_text, parse_stored_cards
from big2.rulesets import RuleSet, ruleset_on_record
from big2.settlement import Settlement, settle
from big2.table import Direction
from domain.aggregate import Aggregate
from domain.dispute import Dispute
from domain.dispute import evolve as evolve_dispute
from domain.dispute_events import (
    ActionsVoided,
    Appealed,
    Flagged,
    Frozen,
    Released,
    Ruled,
    TimeGiven,
)
from domain.errors import Conflicting, NotAllowed
from domain.events import Event, Guarded
from domain.hand_events import (
    ActedBy,
    CardsPlayed,
    ClockStarted,
    ClockStopped,
    Committed,
    Confirmed,
    Dealt,
    EntropyGiven,
    EntropyOpened,
    Finalised,
    HandRecorded,
    Passed,
    ProvenCommitted,
    ProvenRingCommitted,
    RingCommitted,
    SeatDealt,
    Settled,
    Transfer,
    Turn,
    Voided,
)
from domain.ids import HandId, PlayerId, TableId, TournamentId
from domain.table import Table
from domain.table_events import HandEnded

Terms = Dealt | EntropyOpened
"""What a hand is, or will be, dealt under."""


class State(StrEnum):
    RUNNING = "running"
    SETTLED = "settled"
    FINAL = "final"
    VOIDED = "voided"


class Hand(Guarded, frozen=True):
    """`play` is the game itself; `stopped_ms` the time left on a stopped clock; `acted` and `clocked` are seats.

    `actions` are those that stand; `given_seconds` a ruling has added to the running turn.
    `nonces` is the entropy that seats have sent. A hand that was recorded has no commitment, no seed and no `play`; one
    at a ring table no tournament, but a `currency`.
    """

    hand_id: HandId
    table_id: TableId
    tournament_id: TournamentId | None
    number: int
    commitment: str | None = None
    proof: ProvenCommitted | ProvenRingCommitted | None = None
    seed: bytes | None = None
    nonces: dict[int, str] = msgspec.field(default_factory=dict)
    play: play_rules.Hand | None = None
    dealt: Terms | HandRecorded | None = None
    state: State = State.RUNNING
    deadline: datetime | None = None
    stopped_ms: int | None = None
    given_seconds: int = 0
    actions: tuple[Action, ...] = ()
    acted: frozenset[int] = frozenset()
    clocked: frozenset[int] = frozenset()
    settlement: Settled | None = None
    currency: str | None = None
    dispute: Dispute = Dispute()

    @property
    def terms(self) -> Terms | HandRecorded:
        """The deal's, in the transaction of the commitment; or what was recorded in its place."""
        assert self.dealt is not None
        return self.dealt

    @property
    def recorded(self) -> HandRecorded | None:
        """What was recorded, if the hand was played with real cards."""
        return self.dealt if isinstance(self.dealt, HandRecorded) else None

    @property
    def game(self) -> play_rules.Hand:
        """The game itself; Conflicting where there is none to look into or to play in."""
        if self.recorded:
            raise Conflicting("hand-closed", "The hand was played with real cards: only its result is known.")
        if self.play is None:
            raise Conflicting("hand-not-dealt", "Nobody holds a card yet: the hand waits for its deal.")
        return self.play

    @property
    def opened(self) -> EntropyOpened | None:
        """What the hand is to be dealt under, as long as it is not dealt."""
        return self.dealt if isinstance(self.dealt, EntropyOpened) else None

    @property
    def turn_number(self) -> int:
        """The running turn's; 0 before the deal."""
        return 0 if self.opened else self.game.turn_number

    def seat_of(self, player: PlayerId | None) -> int | None:
        """The seat that `player` was dealt in, if he was."""
        return next((s.seat for s in self.terms.seats if s.player_id == player), None)

    def sits_out(self, seat: int) -> bool:
        """Whether the clock alone acts for the seat, by a penalty."""
        return seat in (s.seat for s in self.terms.seats if isinstance(s, SeatDealt) and s.sits_out)

    def turn_seconds(self, seat: int) -> int:
        """How long the seat's turns last."""
        return 0 if self.sits_out(seat) else self.terms.timing.turn_seconds


def evolve(hand: Hand | None, event: Event) -> Hand:  # noqa: C901 - one case an event
    if hand is None:
        return _begun(event)
    change = msgspec.structs.replace
    match event:
        case CardsPlayed():
            action = PlayedAction(event.seat, _mask(event.cards), _by(event.by), event.breach)
            return _acted(hand, action, event.by, event.next_turn)
        case Passed():
            passed = PassedAction(event.seat, event.reason, event.breach)
            return _acted(hand, passed, acted_by(event), event.next_turn)
        case Dealt():
            return change(hand, dealt=event, play=_start(event), deadline=_deadline(event.next_turn))
        case EntropyOpened():
            return change(hand, dealt=event, deadline=event.closes_at)
        case EntropyGiven():
            return _given(hand, event)
        case ClockStopped():
            return change(hand, deadline=None, stopped_ms=event.remaining_ms)
        case ClockStarted():
            return change(hand, deadline=event.deadline, stopped_ms=None)
        case Settled():
            return change(hand, state=State.SETTLED, settlement=event, deadline=None)
        case Voided():
            return change(hand, state=State.VOIDED, deadline=None)
        case Finalised() | Confirmed():
            return change(hand, state=State.FINAL if hand.settlement else hand.state)
        case ActionsVoided():
            return _taken_back(hand, event)
        case TimeGiven():
            return _given_time(hand, event)
        case Flagged() | Frozen() | Released() | Ruled() | Appealed():
            return change(hand, dispute=evolve_dispute(hand.dispute, event))
    raise AssertionError(f"{type(event).__name__} is no event of a hand")


HAND = Aggregate("hand", evolve, values=True)


def folded(events: Sequence[Event]) -> Hand:
    """The hand that these events, all of it from the first on, make."""
    return reduce(evolve, events[1:], evolve(None, events[0]))


# decisions


def play(hand: Hand, player: PlayerId, turn: int, cards: Sequence[Card], now: datetime) -> list[Event]:
    """`player` plays `cards` (as he sent them, repeats and all) on `turn`.

    Raises NotAllowed, then Conflicting, then big2's IllegalPlay with the clause.
    """
    seat = _seat_on_turn(hand, player, turn)
    return _recorded(hand, play_rules.play(hand.game, seat, cards, By.PLAYER), now)


def pass_turn(hand: Hand, player: PlayerId, turn: int, now: datetime) -> list[Event]:
    """`player` passes on `turn`; raises as `play` does."""
    seat = _seat_on_turn(hand, player, turn)
    return _recorded(hand, play_rules.pass_turn(hand.game, seat, By.PLAYER), now)


def act_for_absent(hand: Hand, turn: int, now: datetime) -> list[Event]:
    """The clock's action once `turn` is past its deadline (R11.2); nothing if the world has moved on."""
    if (
        hand.state is not State.RUNNING
        or hand.opened
        or hand.game.turn_number != turn
        or not is_late(hand, now)
    ):
        return []
    return _recorded(hand, play_rules.clock_action(hand.game), now)


def stop_clock(hand: Hand, at: datetime, *, whole: bool = False) -> list[Event]:
    """Keeps the time that the running turn has left at `at`; the `whole` turn where its clock was set since then."""
    if hand.state is not State.RUNNING or hand.deadline is None:
        return []
    left = (hand.deadline - at) // timedelta(milliseconds=1)
    remaining = longest_wait_ms(hand) if whole else min(max(0, left), longest_wait_ms(hand))
    return [ClockStopped(turn=hand.turn_number, remaining_ms=remaining)]


def longest_wait_ms(hand: Hand) -> int:
    """How long the running turn lasts at most; before the deal, how long entropy is taken."""
    turn = hand.play.turn if hand.play else None
    seconds = hand.opened.entropy_seconds if hand.opened else hand.turn_seconds(turn or 0)
    return 1000 * (seconds + hand.given_seconds)


def start_clock(hand: Hand, now: datetime) -> list[Event]:
    """Gives the running turn the time that it had left."""
    if hand.state is not State.RUNNING or hand.stopped_ms is None or hand.dispute.stops_play:
        return []
    deadline = now + timedelta(milliseconds=hand.stopped_ms)
    return [ClockStarted(turn=hand.turn_number, deadline=deadline)]


def shift_clock(hand: Hand, deadline: datetime, step: timedelta) -> list[Event]:
    """After the database's clock stepped: the turn that was due at `deadline` keeps the time that it had left."""
    if hand.state is not State.RUNNING or hand.deadline != deadline:
        return []
    return [ClockStarted(turn=hand.turn_number, deadline=deadline + step)]


def give_whole_turn(hand: Hand, now: datetime) -> list[Event]:
    """After a jump of the database's clock cut what a stop kept: the turn has all its time, stopped or running."""
    most = longest_wait_ms(hand)
    if hand.state is not State.RUNNING or hand.stopped_ms == most:
        return []
    stopped = ClockStopped(turn=hand.turn_number, remaining_ms=most)
    return [stopped, *(start_clock(evolve(hand, stopped), now) if hand.deadline is not None else ())]


def void(hand: Hand, reason: str) -> list[Event]:
    """Ends a running hand without a result; its seed is revealed and never used again."""
    if hand.state is not State.RUNNING:
        return []
    return [Voided(reason=reason), _closing(hand)]


def finalise(hand: Hand) -> list[Event]:
    """Makes a settled hand final, once its protest window is over; nothing while it is disputed."""
    return [_closing(hand)] if hand.state is State.SETTLED and not hand.dispute.keeps_open else []


def ended(hand: Hand, table: Table, now: datetime) -> list[Event]:
    """What the table records of a hand that is over; nothing while it runs."""
    if hand.state is State.RUNNING or table.hand_id != hand.hand_id:
        return []
    net = hand.settlement.net if hand.settlement else {s.seat: 0 for s in hand.terms.seats}
    return [
        HandEnded(
            hand_id=hand.hand_id,
            number=hand.number,
            winner=hand.settlement.winner if hand.settlement else None,
            net=net,
            points=points_due(hand),
            stacks={seat: stack + net[seat] for seat, stack in _stacks(hand).items()},
            acted=tuple(sorted(hand.acted)),
            absent=tuple(sorted(s for s in hand.clocked - hand.acted if not hand.sits_out(s))),
            deal_at=now + timedelta(seconds=hand.terms.timing.between_hands_seconds),
        )
    ]


# below: how decisions become events, and events state


def _seat_on_turn(hand: Hand, player: PlayerId, turn: int) -> int:
    seat = hand.seat_of(player)
    if seat is None:
        raise NotAllowed("forbidden", "Only a player who was dealt in acts in a hand.")
    if hand.state is not State.RUNNING:
        raise Conflicting("hand-closed", f"The hand is {hand.state}.")
    if hand.dispute.stops_play:
        raise Conflicting("hand-frozen", "A director has frozen the hand: nobody acts until he releases it.")
    if hand.sits_out(seat):
        raise Conflicting("sits-out", "The player sits this hand out, by a penalty: the clock acts for him.")
    if turn != hand.game.turn_number:
        raise Conflicting("stale-turn", f"Turn {turn} is not the running one, {hand.game.turn_number}.")
    if seat != hand.game.turn:
        raise Conflicting("not-your-turn", f"Seat {hand.game.turn} is to act, not seat {seat}.")
    return seat


def is_late(hand: Hand, now: datetime) -> bool:
    return hand.deadline is not None and hand.deadline <= now


def _recorded(hand: Hand, actions: Sequence[PlayedAction | PassedAction], now: datetime) -> list[Event]:
    """The actions as events, the last with the turn that follows; then the settlement if they ended the hand."""
    game = hand.game
    for action in actions:
        game = play_rules.apply(game, action)
    following = None if game.turn is None else hand.turn_seconds(game.turn)
    deadline = (
        None if following is None or hand.stopped_ms is not None else now + timedelta(seconds=following)
    )
    followed_by = [None] * (len(actions) - 1) + [next_turn_of(game, deadline)]
    turns = [hand.game.turn_number] + [None] * (len(actions) - 1)
    events = [_event(hand, *item) for item in zip(actions, turns, followed_by, strict=True)]
    if game.turn is not None:
        return events
    for event in events:
        hand = evolve(hand, event)
    return [*events, *end(hand)]


def next_turn_of(game: play_rules.Hand, deadline: datetime | None) -> Turn | None:
    return None if game.turn is None else Turn(game.turn_number, game.turn, deadline)


def _deadline(turn: Turn | None) -> datetime | None:
    return turn.deadline if turn else None


def _event(
    hand: Hand, action: PlayedAction | PassedAction, turn: int | None, next_turn: Turn | None
) -> Event:
    if isinstance(action, PassedAction):
        return Passed(
            turn=turn,
            seat=action.seat,
            reason=action.reason,
            breach=action.breach,
            next_turn=next_turn,
        )
    assert turn is not None, "a play takes a turn"
    return CardsPlayed(
        turn=turn,
        seat=action.seat,
        cards=mask_text(action.mask, hand.game.rules.suits),
        by="clock" if action.by is By.CLOCK else "player",
        breach=action.breach,
        next_turn=next_turn,
    )


def end(hand: Hand) -> list[Event]:
    """The settlement, and the seed at once where nobody may protest, and nobody has."""
    result = settle(hand.game, hand.terms.unit, _stacks(hand))
    settlement = settled(result)
    may_protest = hand.terms.timing.protest_seconds > 0
    return [settlement, *(() if may_protest else finalise(evolve(hand, settlement)))]


def settled(result: Settlement) -> Settled:
    """A settlement as an event."""
    return Settled(
        winner=result.winner,
        cards_left=dict(result.cards_left),
        liable=result.liable,
        transfers=tuple(
            Transfer(t.payer, t.receiver, t.points, t.due, t.paid, t.covers) for t in result.transfers
        ),
        net=dict(result.net),
    )


def rule_set_of(terms: Terms | HandRecorded) -> RuleSet:
    """The rule set that a hand was played under."""
    return whole_rule_set(terms.ruleset)


def points_due(hand: Hand) -> dict[int, int]:
    """Each seat's points as they were due, before table stakes cut them (R8.3)."""
    points = {s.seat: 0 for s in hand.terms.seats}
    for transfer in hand.settlement.transfers if hand.settlement else ():
        points[transfer.payer] -= transfer.due // hand.terms.unit
        points[transfer.receiver] += transfer.due // hand.terms.unit
    return points


def _closing(hand: Hand) -> Event:
    return Confirmed() if hand.seed is None else Finalised(seed=hand.seed)


def _stacks(hand: Hand) -> dict[int, int]:
    """What each seat dealt in had."""
    dealt = hand.dealt
    assert isinstance(dealt, Terms)
    return {s.seat: s.stack for s in dealt.seats}


def _begun(event: Event) -> Hand:
    """The hand after its first event."""
    if isinstance(event, HandRecorded):
        return _recorded_hand(event)
    assert isinstance(event, Committed | RingCommitted), f"{type(event).__name__} begins no hand"
    return _committed(event)


def _recorded_hand(event: HandRecorded) -> Hand:
    return Hand(
        hand_id=event.hand_id,
        table_id=event.table_id,
        tournament_id=event.tournament_id,
        number=event.number,
        dealt=event,
    )


def _committed(event: Committed | RingCommitted) -> Hand:
    return Hand(
        hand_id=event.hand_id,
        table_id=event.table_id,
        tournament_id=event.tournament_id if isinstance(event, Committed) else None,
        number=event.number,
        commitment=event.commitment,
        seed=event.seed,
        currency=event.currency if isinstance(event, RingCommitted) else None,
        proof=event if isinstance(event, ProvenCommitted | ProvenRingCommitted) else None,
    )


def _given(hand: Hand, event: EntropyGiven) -> Hand:
    """On a stopped clock the last seat's nonce leaves nothing to wait for but the clock."""
    nonces = {**hand.nonces, event.seat: event.nonce}
    stopped_ms = 0 if hand.stopped_ms and len(nonces) == len(hand.terms.seats) else hand.stopped_ms
    return msgspec.structs.replace(hand, nonces=nonces, deadline=event.closes_at, stopped_ms=stopped_ms)


def _acted(hand: Hand, action: PlayedAction | PassedAction, by: ActedBy, next_turn: Turn | None) -> Hand:
    assert hand.play is not None
    return msgspec.structs.replace(
        hand,
        play=play_rules.apply(hand.play, action),
        deadline=_deadline(next_turn),
        stopped_ms=_whole_turn_ms(hand, next_turn),
        given_seconds=0,
        actions=(*hand.actions, action),
        acted=_with(hand.acted, action.seat) if by == "player" else hand.acted,
        clocked=_with(hand.clocked, action.seat) if by == "clock" else hand.clocked,
    )


def _whole_turn_ms(hand: Hand, turn: Turn | None) -> int | None:
    """What a new turn has on a stopped clock; null stands between actions of one transaction, and sets nothing."""
    if hand.stopped_ms is None:
        return None
    return 1000 * (hand.turn_seconds(turn.seat) if turn else hand.terms.timing.turn_seconds)


def before_action(hand: Hand, number: int) -> play_rules.Hand:
    """The game as it stood before that action, counted from 1 among those that stand; turns are numbered as then."""
    assert isinstance(hand.dealt, Dealt)
    return play_rules.replay(_start(hand.dealt), hand.actions[: number - 1])


def _taken_back(hand: Hand, event: ActionsVoided) -> Hand:
    """Who has acted was there, whatever is void; the clock's actions count as far as they stand."""
    stand = hand.actions[: event.action - 1]
    return msgspec.structs.replace(
        hand,
        play=before_action(hand, event.action)._replace(turn_number=event.next_turn.number),
        deadline=_deadline(event.next_turn),
        stopped_ms=_whole_turn_ms(hand, event.next_turn),
        given_seconds=0,
        actions=stand,
        clocked=frozenset(action.seat for action in stand if _is_by_clock(action)),
        dispute=evolve_dispute(hand.dispute, event),
    )


def _is_by_clock(action: Action) -> bool:
    if isinstance(action, PassedAction):
        return action.reason is PassReason.CLOCK
    return action.by is By.CLOCK


def _given_time(hand: Hand, event: TimeGiven) -> Hand:
    return msgspec.structs.replace(
        hand,
        deadline=event.deadline,
        stopped_ms=event.remaining_ms,
        given_seconds=hand.given_seconds + event.seconds,
        dispute=evolve_dispute(hand.dispute, event),
    )


def _with(seats: frozenset[int], seat: int) -> frozenset[int]:
    return seats if seat in seats else seats | {seat}


def _start(event: Dealt) -> play_rules.Hand:
    rules = rule_set_of(event)
    masks = {seat: _mask(cards) for seat, cards in event.cards.items()}
    return game_of(rules, event.dealer, event.direction, event.leader, masks)


def game_of(
    rules: RuleSet, dealer: int, direction: Direction, leader: int | None, masks: Mapping[int, int]
) -> play_rules.Hand:
    return play_rules.start(rules, dealer=dealer, direction=direction, leader=leader, holdings=masks)


def whole_rule_set(ruleset: Mapping[str, Any]) -> RuleSet:
    return _rules(msgspec.json.encode(ruleset))


@lru_cache(maxsize=64)
def _rules(ruleset: bytes) -> RuleSet:
    """Stored rule sets are whole, so they need no preset to stand on."""
    return ruleset_on_record(msgspec.json.decode(ruleset))


@lru_cache(maxsize=65536)
def _mask(cards: str) -> int:
    return mask_of(parse_stored_cards(cards)) if cards else 0


def _by(by: ActedBy) -> By:
    return By.CLOCK if by == "clock" else By.PLAYER


def acted_by(event: CardsPlayed | Passed) -> ActedBy:
    """Who took this action."""
    if isinstance(event, CardsPlayed):
        return event.by
    if event.reason is PassReason.PLAYER:
        return "player"
    return "clock" if event.reason is PassReason.CLOCK else "rule"
