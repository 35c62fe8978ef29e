"""A hand as its reader may see it, from its own stream: who looks decides what is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from uuid import UUID

import msgspec
from msgspec import UNSET

from big2 import hand as play_rules
from big2.actions import PassReason
from big2.cards import Card, mask_text
from big2.explain import duty_reason, explain, explain_pass, write_explanation
from domain import hand_events as events
from domain.connection import Connection
from domain.errors import Conflicting, NotAllowed
from domain.hand import HAND, State
from domain.hand import Hand as HandState
from domain.hand_events import CardsPlayed, ConnectedDealt, EntropyGiven, Passed, Settled
from domain.ids import HandId
from services.application import resources as shapes
from services.application.actions import Voiding, actions_in
from services.application.connections import States
from services.application.context import Services
from services.application.credentials import Actor
from services.application.disputeviews import dispute_view
from services.application.errors import existing
from services.commands import Outcome
from services.envelope import Recorded, Stream

CARD_SETS_KEPT = 65_536
_PASSES: dict[PassReason, tuple[shapes.PassReason, shapes.By]] = {
    PassReason.PLAYER: ("player", "player"),
    PassReason.CLOCK: ("clock", "clock"),
    PassReason.TWO_OF_SPADES: ("two_of_spades", "rule"),
    PassReason.TOO_FEW_CARDS: ("too_few_cards", "rule"),
}


def legal_plays(
    services: Services, actor: Actor, hand_id: HandId, asked: Sequence[Card] | None = None
) -> shapes.LegalPlays:
    """What the actor's seat may play now, and what is to be said of the cards asked about, of none: of a pass.

    NotAllowed to whoever was not dealt in; Conflicting of a hand without cards: played with real ones, or not dealt.
    """
    stream = services.store.load(HAND, hand_id)
    hand = existing(stream, "hand")
    actor.must_be_in(hand.tournament_id)
    seat = hand.seat_of(actor.player_id)
    if seat is None:
        raise NotAllowed("forbidden", "Only a player who was dealt in has legal plays.")
    if hand.opened and hand.state is not State.RUNNING:
        raise Conflicting("hand-closed", f"The hand is {hand.state}: it was never dealt.")
    game = hand.game if hand.state is State.RUNNING else hand.game._replace(turn=None)
    on_turn = game.turn == seat and not hand.sits_out(seat)
    options = play_rules.options(game) if on_turn else []
    suits = game.rules.suits
    return shapes.LegalPlays(
        turn=None if game.turn is None else game.turn_number,
        may_pass=on_turn and play_rules.may_pass(game),
        duty=_duty(game) if on_turn else None,
        duty_reason=duty_reason(game) if on_turn else None,
        items=[_legal_play(option.mask, option.kind.value, breach, suits) for option, breach in options],
        explanation=UNSET if asked is None else _explanation(game, seat, asked),
        as_of=stream.position,
    )


def _explanation(game: play_rules.Hand, seat: int, asked: Sequence[Card]) -> shapes.Explanation:
    told = explain(game, seat, asked) if asked else explain_pass(game, seat)
    return msgspec.convert(write_explanation(told), shapes.Explanation)


def hand_view(
    stream: Stream[HandState],
    called: Mapping[UUID, str],
    actor: Actor | None,
    states: States,
    *,
    breaches: bool,
) -> shapes.Hand:
    """The hand for this reader; `called` has the players' names, `breaches` says that he may see R7.3's marks.

    `states` are the players' connections now; a hand that is over shows those of its deal.
    """
    hand = existing(stream, "hand")
    terms, told, you = hand.terms, hand.recorded, _you(hand, actor)
    cards_left = _cards_left(hand)
    breaches = breaches and hand.state is not State.RUNNING
    actions = actions_in(stream.recorded)
    connected = states if hand.state is State.RUNNING else states_at_deal(hand)
    return shapes.Hand(
        hand_id=hand.hand_id,
        table_id=hand.table_id,
        tournament_id=hand.tournament_id,
        number=hand.number,
        state=hand.state.value,
        rules=terms.rules,
        unit=terms.unit,
        currency=hand.currency,
        dealer=terms.dealer,
        direction=terms.direction.value,
        seats=[
            shapes.HandSeat(
                seat=s.seat,
                player_id=s.player_id,
                name=called.get(s.player_id, shapes.UNNAMED),
                stack=s.stack,
                cards_left=cards_left[s.seat],
                connection=connected.get(s.player_id, Connection.NOT_CONNECTED).value,
                sits_out=True if hand.sits_out(s.seat) else UNSET,
            )
            for s in terms.seats
        ],
        turn=_turn(hand),
        to_beat=_to_beat(hand),
        actions=actions_of(actions.standing, breaches=breaches),
        voided_actions=[_voided(voiding, breaches=breaches) for voiding in actions.voidings],
        settlement=settlement_of(hand.settlement),
        recorded=told is not None,
        played_at=told.played_at if told else None,
        commitment=hand.commitment,
        entropy=_entropy(hand),
        dispute=dispute_view(hand, words=breaches),
        as_of=stream.position,
        **({"you": you} if you else {}),
    )


def states_at_deal(hand: HandState) -> States:
    """How the players were connected at the deal (R11.1); what is not known is left out."""
    if not isinstance(hand.dealt, ConnectedDealt):
        return {}
    return {s.player_id: hand.dealt.connections[s.seat] for s in hand.dealt.seats}


def _entropy(hand: HandState) -> shapes.EntropyWindow | None:
    if hand.opened is None or hand.state is not State.RUNNING:
        return None
    return shapes.EntropyWindow(closes_at=hand.deadline, given=sorted(hand.nonces))


def entropy_taken(outcome: Outcome[HandState], hand_id: HandId, command: UUID) -> shapes.EntropyTaken:
    """What a command sent for its hand."""
    [given] = [r.event for r in outcome.events if isinstance(r.event, EntropyGiven)]
    return shapes.EntropyTaken(
        hand_id=hand_id, command_id=command, seat=given.seat, nonce=given.nonce, closes_at=given.closes_at
    )


def _cards_left(hand: HandState) -> Mapping[int, int]:
    if hand.recorded:
        return hand.recorded.cards_left
    if hand.opened:
        return {s.seat: 0 for s in hand.terms.seats}
    return {s.seat: hand.game.holdings[s.seat].bit_count() for s in hand.terms.seats}


def acted(outcome: Outcome[HandState], hand_id: HandId, command: UUID) -> shapes.Acted:
    """What a command added to its hand."""
    settled = next((r.event for r in outcome.events if isinstance(r.event, Settled)), None)
    return shapes.Acted(
        hand_id=hand_id,
        command_id=command,
        actions=actions_of(outcome.events, breaches=False),
        settlement=settlement_of(settled),
    )


def actions_of(recorded: Iterable[Recorded], *, breaches: bool) -> list[shapes.Action]:
    """The plays and passes among some events, in order."""
    return [
        _action(r, r.event, breaches=breaches) for r in recorded if isinstance(r.event, CardsPlayed | Passed)
    ]


def _voided(voiding: Voiding, *, breaches: bool) -> shapes.VoidedActions:
    return shapes.VoidedActions(
        action=voiding.ruled.action,
        at=voiding.at.at,
        reason=voiding.ruled.reason,
        actions=actions_of(voiding.actions, breaches=breaches),
    )


def settlement_of(settled: Settled | None) -> shapes.Settlement | None:
    """A settlement as the API and a history have it."""
    if settled is None:
        return None
    return shapes.Settlement(
        winner=settled.winner,
        cards_left={str(seat): left for seat, left in settled.cards_left.items()},
        liable=settled.liable,
        transfers=[_transfer(transfer) for transfer in settled.transfers],
        net={str(seat): chips for seat, chips in settled.net.items()},
    )


def players_of(hand: HandState) -> list[UUID]:
    """The players dealt in."""
    return [s.player_id for s in hand.terms.seats]


def _action(r: Recorded, event: CardsPlayed | Passed, *, breaches: bool) -> shapes.Action:
    breach = event.breach if breaches else UNSET
    if isinstance(event, CardsPlayed):
        cards = event.cards.split()
        return shapes.Action(seat=event.seat, cards=cards, by=event.by, at=r.at, breach=breach)
    reason, by = _PASSES[event.reason]
    return shapes.Action(seat=event.seat, pass_=reason, by=by, at=r.at, breach=breach)


def _transfer(transfer: events.Transfer) -> shapes.Transfer:
    what = {"covers": True} if transfer.covers else {"points": transfer.points}
    return shapes.Transfer(
        from_=transfer.payer, to=transfer.receiver, due=transfer.due, paid=transfer.paid, **what
    )


def _turn(hand: HandState) -> shapes.Turn | None:
    game = hand.play
    if hand.state is not State.RUNNING or game is None or game.turn is None:
        return None
    return shapes.Turn(number=game.turn_number, seat=game.turn, deadline=hand.deadline)


def _to_beat(hand: HandState) -> shapes.ToBeat | None:
    game = hand.play
    if game is None or game.to_beat is None or game.to_beat_seat is None:
        return None
    to_beat, seat = game.to_beat, game.to_beat_seat
    cards = _cards(to_beat.mask, game.rules.suits)
    return shapes.ToBeat(seat=seat, cards=cards, kind=to_beat.kind.value)


def _you(hand: HandState, actor: Actor | None) -> shapes.You | None:
    """What the actor's own seat may see; nothing for anybody else, outside the token's tournament, or of real cards."""
    if actor is None or hand.recorded or not actor.may_in(hand.tournament_id):
        return None
    seat = hand.seat_of(actor.player_id) if actor.player_id else None
    if seat is None:
        return None
    if hand.opened:
        return shapes.You(seat=seat, cards=[], duty=None)
    on_turn = hand.state is State.RUNNING and hand.game.turn == seat
    cards = mask_text(hand.game.holdings[seat], hand.game.rules.suits).split()
    return shapes.You(seat=seat, cards=cards, duty=_duty(hand.game) if on_turn else None)


def _duty(game: play_rules.Hand) -> shapes.Duty | None:
    owed = play_rules.duty(game)
    return owed.value if owed else None


def _cards(mask: int, suits: str) -> list[str]:
    return list(_card_texts(mask, suits))


@lru_cache(maxsize=CARD_SETS_KEPT)
def _card_texts(mask: int, suits: str) -> tuple[str, ...]:
    return tuple(mask_text(mask, suits).split())


@lru_cache(maxsize=CARD_SETS_KEPT)
def _legal_play(mask: int, kind: shapes.Kind, breach: bool, suits: str) -> shapes.LegalPlay:
    return shapes.LegalPlay(cards=_cards(mask, suits), kind=kind, breach=breach)
