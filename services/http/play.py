"""Tables and hands: what a player needs, and what everybody may see."""

from __future__ import annotations

from uuid import UUID

from flask import Response

from domain.hand import HAND
from domain.ids import HandId, TableId
from services.application import hands, histories
from services.application import resources as shapes
from services.application.handviews import acted, entropy_taken, legal_plays
from services.application.tableviews import table_view
from services.http import queries, schemas
from services.http.access import CHALLENGE, Who
from services.http.answers import read, written
from services.http.calls import Call
from services.http.problems import Problem
from services.http.routing import Routes, command, get

blueprint = Routes("play", "Tables, hands, plays and passes")
ONE = "/hands/<uuid:hand_id>"
_ACTING = (
    "forbidden",
    "hand-closed",
    "hand-not-dealt",
    "hand-frozen",
    "sits-out",
    "stale-turn",
    "not-your-turn",
    "assistant-rule",
)


@get(blueprint, "/tables/<uuid:table_id>", shapes.Table)
def get_table(call: Call, table_id: UUID) -> Response:
    """Read a table"""
    return read(table_view(call.services, TableId(table_id)))


@get(blueprint, ONE, shapes.Hand)
def get_hand(call: Call, hand_id: UUID) -> Response:
    """Read a hand; a player who was dealt in also sees his own cards, as `you`"""
    return read(histories.hand(call.services, HandId(hand_id), call.reader))


@get(
    blueprint,
    f"{ONE}/legal-plays",
    shapes.LegalPlays,
    who=Who.PLAYERS,
    query=queries.CardsAsked(),
    problems=("hand-closed", "hand-not-dealt"),
)
def get_legal_plays(call: Call, hand_id: UUID) -> Response:
    """Read every legal play of one's own seat, off turn there is none; and why some cards, or a pass, are allowed"""
    asked = () if call.query["pass"] else call.query.get("cards")
    return read(legal_plays(call.services, call.actor, HandId(hand_id), asked))


@command(
    blueprint,
    "POST",
    f"{ONE}/plays",
    shapes.Acted,
    who=Who.PLAYERS,
    body=schemas.NewPlay(),
    problems=(
        *_ACTING,
        "duplicate-card",
        "card-not-held",
        "not-a-card-set",
        "wrong-card-count",
        "does-not-beat",
        "must-include-lowest",
    ),
    located=True,
    main=HAND,
    example={"turn": 4, "cards": ["7D", "7S"]},
)
def play(call: Call, hand_id: UUID) -> Response:
    """Play cards on one's turn"""
    body = call.body
    asked = hands.Asked(body.valid.get("turn"), body.valid.get("cards", ()), body.wrong)
    outcome = hands.play(call.services, call.command, call.actor, HandId(hand_id), asked, call.loaded)
    answer = acted(outcome, HandId(hand_id), call.command.id)
    return written(201, answer, repeat=outcome.repeat, location=f"/v1/hands/{hand_id}")


@command(
    blueprint,
    "POST",
    f"{ONE}/passes",
    shapes.Acted,
    who=Who.PLAYERS,
    body=schemas.NewPass(),
    problems=(*_ACTING, "leader-cannot-pass"),
    located=True,
    main=HAND,
    example={"turn": 5},
)
def pass_turn(call: Call, hand_id: UUID) -> Response:
    """Pass on one's turn"""
    asked = hands.Asked(call.body.valid.get("turn"), (), call.body.wrong)
    outcome = hands.pass_turn(call.services, call.command, call.actor, HandId(hand_id), asked, call.loaded)
    answer = acted(outcome, HandId(hand_id), call.command.id)
    return written(201, answer, repeat=outcome.repeat, location=f"/v1/hands/{hand_id}")


@command(
    blueprint,
    "POST",
    f"{ONE}/entropy",
    shapes.EntropyTaken,
    who=Who.PLAYERS,
    body=schemas.NewEntropy(),
    problems=("forbidden", "hand-closed", "entropy-closed", "entropy-given"),
    located=True,
    example={"nonce": "4H-2S-of-my-own-dice"},
)
def give_entropy(call: Call, hand_id: UUID) -> Response:
    """Send entropy of one's own for a hand that is committed to and not dealt yet; it goes into the shuffle"""

    def nonce() -> str:
        return str(call.body.read()["nonce"])

    outcome = hands.give_entropy(call.services, call.command, call.actor, HandId(hand_id), nonce)
    answer = entropy_taken(outcome, HandId(hand_id), call.command.id)
    return written(201, answer, repeat=outcome.repeat, location=f"/v1/hands/{hand_id}")


@get(
    blueprint,
    f"{ONE}/history",
    dict,
    problems=("forbidden", "hand-not-closed", "hand-not-dealt"),
    projected=True,
)
def get_history(call: Call, hand_id: UUID) -> Response:
    """Read the history of a hand that is over, `big2-hand/1`, with everybody's cards"""
    try:
        return read(histories.history(call.services, HandId(hand_id), call.reader))
    except histories.NeedsToken:
        detail = "Until the tournament is over, or the ring table closed, this takes a token."
        raise Problem("unauthenticated", detail, headers=CHALLENGE) from None
