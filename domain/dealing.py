"""How a hand comes to its cards: committed to first, dealt at once or after the time in which players send entropy.

Until its deal a hand stands at turn 0, whose deadline is the deal (`domain.hand`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from big2.cards import cards_text, mask_of
from big2.rulesets import RuleSet, ruleset_to_mapping
from big2.table import deal_order
from domain.coming_deals import Inclusion, inclusion
from domain.connection import Connection
from domain.deal import commitment, dealt, hand_seed, shuffled_deck
from domain.errors import Conflicting, NotAllowed
from domain.events import Event
from domain.hand import Hand, State, end, evolve, folded, game_of, is_late, next_turn_of, whole_rule_set
from domain.hand_events import (
    Committed,
    ConnectedDealt,
    Dealt,
    EntropyDealt,
    EntropyGiven,
    EntropyOpened,
    ProvenCommitted,
    ProvenRingCommitted,
    RingCommitted,
    SeatDealt,
    Timing,
)
from domain.ids import PlayerId, TableId, TournamentId
from domain.table import Deal
from domain.table_events import Place

_TERMS = tuple(name for name in EntropyOpened.__struct_fields__ if name in Dealt.__struct_fields__)
"""What an announced deal and the deal itself both tell."""


class Dealing(Protocol):
    """A table that deals: of a tournament, or a ring table, which has a currency instead."""

    @property
    def table_id(self) -> TableId: ...

    @property
    def tournament_id(self) -> TournamentId | None: ...

    @property
    def currency(self) -> str | None: ...

    @property
    def rules(self) -> str: ...


def deal(
    table: Dealing,
    terms: Deal,
    rules: RuleSet,
    *,
    master: bytes,
    rooted: bool,
    structure_hash: str,
    timing: Timing,
    connections: Mapping[UUID, Connection],
    now: datetime,
    entropy_seconds: int = 0,
) -> list[Event]:
    """A new hand under `terms`, from the `master` secret of the tournament or the ring table: committed and dealt, or
    with `entropy_seconds` committed, to be dealt by `deal_opened`.

    `rooted` says that a root over its commitment stands already. Who is not among `connections` is not connected: he is
    dealt in all the same (R11.1).
    """
    return deal_from(
        fixed_by(master, table, terms, rooted=rooted),
        table,
        terms,
        rules,
        structure_hash=structure_hash,
        timing=timing,
        connections=connections,
        now=now,
        entropy_seconds=entropy_seconds,
    )


class Fixed(NamedTuple):
    """What a hand's cards come from, and how its commitment stands under a root, if it does."""

    seed: bytes
    proof: Inclusion | None


def fixed_by(master: bytes, table: Dealing, terms: Deal, *, rooted: bool) -> Fixed:
    """What the `master` secret fixes of a hand."""
    dealt_for = str(table.tournament_id or table.table_id)
    proof = inclusion(master, dealt_for, table.table_id, terms.number) if rooted else None
    return Fixed(hand_seed(master, str(terms.hand_id)), proof)


def deal_from(
    fixed: Fixed,
    table: Dealing,
    terms: Deal,
    rules: RuleSet,
    *,
    structure_hash: str,
    timing: Timing,
    connections: Mapping[UUID, Connection],
    now: datetime,
    entropy_seconds: int = 0,
) -> list[Event]:
    """The same where the hand's own seed is known, and no master."""
    committed = _commit(table, terms, fixed)
    told = _told(table, terms, rules, structure_hash, timing)
    if entropy_seconds:
        closes_at = now + timedelta(seconds=entropy_seconds)
        return [committed, EntropyOpened(**told, entropy_seconds=entropy_seconds, closes_at=closes_at)]
    event = ConnectedDealt(**told, **_cards(evolve(None, committed), told, connections, now))
    hand = folded([committed, event])
    return [committed, event, *(end(hand) if hand.game.turn is None else ())]


def deal_opened(hand: Hand, connections: Mapping[UUID, Connection], now: datetime) -> list[Event]:
    """Deals a hand once the time for entropy is over; nothing if the world has moved on."""
    if hand.state is not State.RUNNING or hand.opened is None or not is_late(hand, now):
        return []
    told = {name: getattr(hand.opened, name) for name in _TERMS}
    nonces = dict(sorted(hand.nonces.items()))
    event = EntropyDealt(**told, **_cards(hand, told, connections, now), nonces=nonces)
    after = evolve(hand, event)
    return [event, *(end(after) if after.game.turn is None else ())]


def give_entropy(hand: Hand, player: PlayerId, nonce: str, now: datetime) -> list[Event]:
    """`player` sends his seat's nonce, before the deal and once; with the last seat's the hand is due to be dealt.

    Raises NotAllowed, then Conflicting.
    """
    seat = may_give_entropy(hand, player, now)
    last = len(hand.nonces) + 1 == len(hand.terms.seats)
    closes_at = now if last and hand.deadline is not None else hand.deadline
    return [EntropyGiven(seat=seat, nonce=nonce, closes_at=closes_at)]


def may_give_entropy(hand: Hand, player: PlayerId, now: datetime) -> int:
    """The seat that `player` sends entropy for; raises as `give_entropy` does."""
    seat = hand.seat_of(player)
    if seat is None:
        raise NotAllowed("forbidden", "Only a player who is dealt in sends entropy, for his own seat.")
    if hand.state is not State.RUNNING:
        raise Conflicting("hand-closed", f"The hand is {hand.state}.")
    if hand.opened is None or is_late(hand, now):
        raise Conflicting("entropy-closed", "It is too late for this hand: send entropy for the next one.")
    if seat in hand.nonces:
        raise Conflicting("entropy-given", f"Seat {seat} has sent its nonce for this hand.")
    return seat


# below: what is told of a deal, and what is drawn


def _commit(table: Dealing, terms: Deal, fixed: Fixed) -> Event:
    dealt_for = table.tournament_id or table.table_id
    told: dict[str, Any] = {
        "hand_id": terms.hand_id,
        "table_id": table.table_id,
        "number": terms.number,
        "commitment": commitment(fixed.seed, str(dealt_for), str(terms.hand_id)),
        "seed": fixed.seed,
    }
    told |= {"tournament_id": table.tournament_id} if table.tournament_id else {"currency": table.currency}
    if fixed.proof:
        told |= {"first_hand": fixed.proof.first_hand, "path": fixed.proof.path}
    event: Event = _COMMITTED[table.tournament_id is None, fixed.proof is not None](**told)
    return event


_COMMITTED = {
    (False, False): Committed,
    (False, True): ProvenCommitted,
    (True, False): RingCommitted,
    (True, True): ProvenRingCommitted,
}
"""By whether it is at a ring table, and whether its commitment stands under a root."""


def _told(table: Dealing, terms: Deal, rules: RuleSet, structure_hash: str, timing: Timing) -> dict[str, Any]:
    """What is known of a deal before a card is drawn."""
    return {
        "rules": table.rules,
        "ruleset": ruleset_to_mapping(rules),
        "structure_hash": structure_hash,
        "level": terms.level,
        "unit": terms.unit,
        "dealer": terms.dealer,
        "direction": terms.direction,
        "leader": terms.leader,
        "seats": tuple(_seat_dealt(place) for place in terms.seats),
        "timing": timing,
    }


def _cards(
    hand: Hand, told: Mapping[str, Any], connections: Mapping[UUID, Connection], now: datetime
) -> dict[str, Any]:
    """What is drawn for a committed hand, from its seed and its nonces, and the turn that follows."""
    assert hand.seed is not None
    rules, dealer, direction = whole_rule_set(told["ruleset"]), told["dealer"], told["direction"]
    names = (str(hand.tournament_id or hand.table_id), str(hand.hand_id))
    nonces = [nonce.encode() for _, nonce in sorted(hand.nonces.items())]
    seats = {s.seat: s.player_id for s in told["seats"]}
    order = deal_order(dealer, list(seats), direction)
    holdings, stub = dealt(shuffled_deck(hand.seed, *names, nonces), order)
    masks = {seat: mask_of(cards) for seat, cards in holdings.items()}
    game = game_of(rules, dealer, direction, told["leader"], masks)
    return {
        "cards": {seat: cards_text(holdings[seat], rules.suits) for seat in seats},
        "stub": cards_text(stub, rules.suits),
        "next_turn": next_turn_of(game, now + timedelta(seconds=_first_turn_seconds(told, game.turn))),
        "connections": {
            seat: connections.get(player, Connection.NOT_CONNECTED) for seat, player in seats.items()
        },
    }


def _first_turn_seconds(told: Mapping[str, Any], leader: int | None) -> int:
    sits_out = any(s.seat == leader and s.sits_out for s in told["seats"])
    seconds: int = told["timing"].turn_seconds
    return 0 if sits_out else seconds


def _seat_dealt(place: Place) -> SeatDealt:
    return SeatDealt(place.seat, place.player_id, place.stack, sits_out=place.sit_out > 0)
