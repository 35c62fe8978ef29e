"""Disputes about hands: flags, freezes, rulings, appeals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from flask import Response

from domain.dispute_events import Penalty
from domain.hand import Hand
from domain.ids import HandId
from domain.rulings import Ruling
from services.application import disputes
from services.application import resources as shapes
from services.application.context import Services
from services.application.credentials import Actor
from services.application.disputeviews import disputed
from services.commands import Outcome
from services.envelope import Command
from services.http import queries, schemas
from services.http.access import Who
from services.http.answers import written
from services.http.calls import Call
from services.http.routing import Routes, command
from services.http.wouldbe import would_be

blueprint = Routes("disputes", "Flags, freezes, rulings and appeals of hands")
ONE = "/hands/<uuid:hand_id>"
T = TypeVar("T")


@command(
    blueprint,
    "POST",
    f"{ONE}/flags",
    shapes.Disputed,
    who=Who.DISPUTING,
    body=schemas.NewFlag(),
    problems=("hand-final", "already-ruled", "already-flagged"),
    located=True,
    example={"reason": "My pass was taken while I was choosing", "evidence": "See the clock of turn 31"},
)
def flag_hand(call: Call, hand_id: UUID) -> Response:
    """Flag a hand for a ruling, with a reason: it is not final before one; a player flags hands that he was dealt in"""
    return _disputed(call, hand_id, disputes.flag, disputes.Words)


@command(
    blueprint,
    "POST",
    f"{ONE}/freeze",
    shapes.Disputed,
    who=Who.RULING,
    body=schemas.NewFreeze(),
    problems=("hand-final", "already-ruled", "already-frozen", "table-closed"),
    located=True,
    example={"scope": "table", "reason": "The deck is being looked at"},
)
def freeze_hand(call: Call, hand_id: UUID) -> Response:
    """Freeze a hand, the deals of its table, or payouts: not by who plays at that table"""
    return _disputed(call, hand_id, disputes.freeze, disputes.Asked)


@command(
    blueprint,
    "POST",
    f"{ONE}/release",
    shapes.Disputed,
    who=Who.RULING,
    body=schemas.NewFreeze(),
    problems=("hand-final", "not-frozen"),
    located=True,
    example={"scope": "table", "reason": "It is complete"},
)
def release_hand(call: Call, hand_id: UUID) -> Response:
    """End a freeze of that scope; a ruling ends those of the hand and the payouts too"""
    return _disputed(call, hand_id, disputes.release, disputes.Asked)


@command(
    blueprint,
    "POST",
    f"{ONE}/rulings",
    shapes.Disputed,
    who=Who.RULING,
    body=schemas.NewRuling(),
    query=queries.DryRun(),
    problems=(
        "hand-final",
        "already-ruled",
        "hand-not-settled",
        "hand-closed",
        "hand-not-dealt",
        "tournament-over",
        "player-barred",
    ),
    located=True,
    example={"ruling": "adjust", "reason": "Seat 2 had 5 cards left, not 3", "points": {"1": 5, "2": -5}},
)
def rule_on_hand(call: Call, hand_id: UUID) -> Response:
    """Rule on a hand: not by who plays at that table, and on appeal not by who ruled first"""
    if call.query["dry_run"]:
        ruling = partial(_told, call, _ruling)
        return would_be(disputes.would_rule(call.services, call.actor, HandId(hand_id), ruling))
    return _disputed(call, hand_id, disputes.rule, _ruling)


@command(
    blueprint,
    "POST",
    f"{ONE}/appeals",
    shapes.Disputed,
    who=Who.DISPUTING,
    body=schemas.NewAppeal(),
    problems=("hand-final", "not-ruled", "already-appealed"),
    located=True,
    example={"reason": "The clock was stopped then"},
)
def appeal_ruling(call: Call, hand_id: UUID) -> Response:
    """Appeal once against a ruling, until the hand is final: another director rules"""
    return _disputed(call, hand_id, disputes.appeal, disputes.Words)


def _disputed(
    call: Call,
    hand_id: UUID,
    act: Callable[[Services, Command, Actor, HandId, Callable[[], T]], Outcome[Hand]],
    kind: Callable[..., T],
) -> Response:
    """Do it with what the body says, which is read once no conflict stands in the way."""
    outcome = act(call.services, call.command, call.actor, HandId(hand_id), partial(_told, call, kind))
    answer = disputed(outcome, call.command.id)
    return written(201, answer, repeat=outcome.repeat, location=f"/v1/hands/{answer.hand_id}")


def _told(call: Call, kind: Callable[..., T]) -> T:
    return kind(**call.body.read())


def _ruling(*, penalties: Sequence[Mapping[str, Any]] = (), **told: Any) -> Ruling:  # noqa: ANN401
    return Ruling(**told, penalties=tuple(Penalty(**given) for given in penalties))
