"""A hand as it is read, and its history, `big2-hand/1`: who may, and how that is made of the hand's own events.

Who is shown cards after the end that did not lie on the table is noted, in the table `card_reads`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from big2.actions import By
from big2.actions import Passed as PassedAction
from big2.actions import Played as PlayedAction
from big2.cards import mask_of, parse_stored_cards
from big2.history import ActionOnRecord, History, Seated, action_on_record, write_action, write_history
from big2.rulesets import RuleSet, ruleset_on_record, ruleset_to_mapping
from domain.coming_deals import implied_root
from domain.credential import Role
from domain.errors import Conflicting, NotAllowed
from domain.hand import HAND, Hand, State
from domain.hand_events import (
    CardsPlayed,
    Dealt,
    Finalised,
    HandRecorded,
    Passed,
    ProvenCommitted,
    ProvenRingCommitted,
)
from domain.ids import HandId
from services import people
from services.application import card_reads
from services.application import resources as shapes
from services.application.actions import Voiding, actions_in
from services.application.connections import States
from services.application.context import Services
from services.application.credentials import Actor
from services.application.errors import existing
from services.application.handviews import hand_view, players_of, settlement_of, states_at_deal
from services.application.lists import table_is_closed, tournament_is_over
from services.envelope import Recorded, Stream

SCHEME = "b2deal/1"
BASE = "actionpoker"
"""The preset from which a published rule set is told apart."""
_STAFF = {Role.ADMIN, Role.OPERATOR, Role.DIRECTOR, Role.AUDITOR}


class NeedsToken(Exception):  # noqa: N818 - what the reader needs
    """Somebody without a token may not read this yet."""


def hand(services: Services, hand_id: HandId, actor: Actor | None) -> shapes.Hand:
    """The hand as the actor may see it."""
    stream = services.store.load(HAND, hand_id)
    state = existing(stream, "hand")
    database = services.store.database
    over = state.state is not State.RUNNING
    breaches = over and may_read(services, state, actor)
    states = {} if over else services.connections.at(state.table_id)
    seen = hand_view(stream, people.names(database, players_of(state)), actor, states, breaches=breaches)
    if over and seen.you and seen.you.cards:
        card_reads.note(database, [hand_id], actor)
    return seen


def history(services: Services, hand_id: HandId, actor: Actor | None) -> dict[str, Any]:
    """The history of a hand that is over, for whoever may read it by now.

    Raises NotAllowed("hand-not-closed") to everybody while the hand runs.
    """
    stream = services.store.load(HAND, hand_id)
    hand = existing(stream, "hand")
    if hand.state is State.RUNNING:
        raise NotAllowed("hand-not-closed", "The hand still runs: nobody reads its history yet.")
    if hand.opened:
        raise Conflicting("hand-not-dealt", "The hand was voided before it was dealt: it has no history.")
    if not may_read(services, hand, actor):
        if actor is None:
            raise NeedsToken
        until = "the tournament is over" if hand.tournament_id else "the table is closed"
        raise NotAllowed("forbidden", f"Until {until} only who was dealt in reads this.")
    called = people.names(services.store.database, players_of(hand))
    card_reads.note(services.store.database, [hand_id], actor)
    return _written(stream, hand, called, services.rulesets.presets)


def nameless(stream: Stream[Hand]) -> dict[str, Any] | None:
    """The history of a hand that is over, with ids in the place of names and its rule set in whole; None if it was
    voided before it was dealt."""
    hand = stream.state
    assert hand is not None
    if not isinstance(hand.dealt, Dealt | HandRecorded):
        return None
    called = {player: str(player) for player in players_of(hand)}
    rules = ruleset_on_record(hand.terms.ruleset)
    told = _written(stream, hand, called, {BASE: rules})
    return told | {"rules": {"base": BASE, **ruleset_to_mapping(rules)}}


def may_read(services: Services, hand: Hand, actor: Actor | None) -> bool:
    """Whether the actor may see the cards of a hand that is over."""
    if actor is not None and actor.may_in(hand.tournament_id) and _is_concerned(hand, actor):
        return True
    database = services.store.database
    if hand.tournament_id is None:
        return table_is_closed(database, hand.table_id)
    return tournament_is_over(database, hand.tournament_id)


def _is_concerned(hand: Hand, actor: Actor) -> bool:
    return actor.role in _STAFF or hand.seat_of(actor.player_id) is not None


def _written(
    stream: Stream[Hand], hand: Hand, called: Mapping[UUID, str], presets: Mapping[str, RuleSet]
) -> dict[str, Any]:
    terms = hand.terms
    rules = ruleset_on_record(terms.ruleset)
    settlement = settlement_of(hand.settlement)
    states = states_at_deal(hand)
    actions = actions_in(stream.recorded)
    seats = (_seated(s.seat, s.player_id, s.stack, called, states) for s in terms.seats)
    return write_history(
        History(
            named_rules=_named(terms.rules, rules, presets),
            rules=rules,
            unit=terms.unit,
            seats=tuple(seats),
            dealer=terms.dealer,
            direction=terms.direction,
            leader=terms.leader,
            deal=_deal(hand),
            actions=tuple(map(_action, actions.standing)),
            settlement=shapes.as_json(settlement) if settlement else None,
            voided=hand.state is State.VOIDED,
            recorded=hand.recorded is not None,
            twos_left=hand.recorded.twos_left if hand.recorded else {},
            extra=_extra(stream, hand, [_voided(each, rules) for each in actions.voidings]),
        )
    )


def _deal(hand: Hand) -> dict[int, int]:
    if not isinstance(hand.terms, Dealt):
        return {}
    return {seat: mask_of(parse_stored_cards(cards)) for seat, cards in hand.terms.cards.items()}


def _named(reference: str, rules: RuleSet, presets: Mapping[str, RuleSet]) -> str | dict[str, Any]:
    """A preset by its name, as long as it is still the same; any other rule set by the switches that differ."""
    if presets.get(reference) == rules:
        return reference
    base, whole = ruleset_to_mapping(presets[BASE]), ruleset_to_mapping(rules)
    return {"base": BASE} | {name: value for name, value in whole.items() if base.get(name) != value}


def _seated(seat: int, player: UUID, stack: int | None, called: Mapping[UUID, str], states: States) -> Seated:
    connection = {"connection": states[player].value} if player in states else {}
    return Seated(seat, called.get(player, shapes.UNNAMED), stack, {"player_id": str(player), **connection})


def _action(r: Recorded) -> ActionOnRecord:
    at = shapes.as_json(r.at)
    event = r.event
    if isinstance(event, CardsPlayed):
        by_whom = By.CLOCK if event.by == "clock" else By.PLAYER
        play = PlayedAction(event.seat, mask_of(parse_stored_cards(event.cards)), by_whom, event.breach)
        return action_on_record(play, {"by": event.by, "at": at})
    assert isinstance(event, Passed)
    by = event.reason.value if event.turn is not None else "rule"
    return action_on_record(PassedAction(event.seat, event.reason, event.breach), {"by": by, "at": at})


def _voided(voiding: Voiding, rules: RuleSet) -> dict[str, Any]:
    """What a ruling took back; whoever replays the hand needs nothing of it."""
    ruled = voiding.ruled
    return {
        "action": ruled.action,
        "at": shapes.as_json(voiding.at.at),
        "role": ruled.role.value,
        "reason": ruled.reason,
        "actions": [write_action(_action(r), rules.suits) for r in voiding.actions],
    }


def _extra(stream: Stream[Hand], hand: Hand, voided: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "hand_id": str(hand.hand_id),
        "table_id": str(hand.table_id),
        **({"tournament_id": str(hand.tournament_id)} if hand.tournament_id else {"currency": hand.currency}),
        "number": hand.number,
        **(_told(hand.recorded) if hand.recorded else {"started_at": shapes.as_json(stream.recorded[0].at)}),
        "rules_named": hand.terms.rules,
        "level": hand.terms.level,
        "structure_hash": hand.terms.structure_hash,
        **({} if hand.recorded else {"shuffle": _shuffle(stream, hand)}),
        **({"voided_actions": voided} if voided else {}),
    }


def _told(recorded: HandRecorded) -> dict[str, Any]:
    return {"played_at": shapes.as_json(recorded.played_at)}


def _shuffle(stream: Stream[Hand], hand: Hand) -> dict[str, Any]:
    seed = next((r.event.seed.hex() for r in stream.recorded if isinstance(r.event, Finalised)), None)
    nonces = [{"seat": seat, "nonce": nonce} for seat, nonce in sorted(hand.nonces.items())]
    return {
        "scheme": SCHEME,
        "commitment": hand.commitment,
        "server_only": not nonces,
        **({"nonces": nonces} if nonces else {}),
        **({"seed": seed} if seed else {}),
        **(_inclusion(hand, hand.proof) if hand.proof else {}),
    }


def _inclusion(hand: Hand, proof: ProvenCommitted | ProvenRingCommitted) -> dict[str, Any]:
    """How the commitment stands under the root that was told before anybody sat at the table."""
    root = implied_root(hand.number, proof.commitment, proof.first_hand, proof.path)
    return {"inclusion": {"root": root, "first_hand": proof.first_hand, "path": list(proof.path)}}
