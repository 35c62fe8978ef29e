"""Heartbeats, and how the connections of a hand's players have changed (R11.1, R11.3)."""

from __future__ import annotations

from uuid import UUID

from flask import Response

from domain.ids import HandId, TableId
from services.application import heartbeats
from services.application import resources as shapes
from services.http import queries, schemas
from services.http.access import Who
from services.http.answers import key_of, listed, written
from services.http.calls import Call
from services.http.routing import Routes, command, get

blueprint = Routes("connections", "How the players are connected")


@command(
    blueprint,
    "POST",
    "/tables/<uuid:table_id>/heartbeat",
    shapes.Heartbeat,
    who=Who.PLAYERS,
    status=200,
    body=schemas.NewHeartbeat(),
    problems=("table-closed",),
    keyed=False,
    example={"rtt_ms": 48},
)
def send_heartbeat(call: Call, table_id: UUID) -> Response:
    """Say that one's client is there, every two seconds or so, and learn how one is connected"""
    body = call.body
    sent = heartbeats.SentHeartbeat(None if body.wrong else body.valid["rtt_ms"], body.wrong)
    answer = heartbeats.beat(call.services, call.actor, TableId(table_id), sent, call.listener.reach_head)
    return written(200, answer)


@get(
    blueprint,
    "/hands/<uuid:hand_id>/connections",
    shapes.ConnectionChange,
    who=Who.AUDITING,
    query=queries.Paged(),
    listed=True,
)
def list_hand_connections(call: Call, hand_id: UUID) -> Response:
    """List how each seat was connected at the deal, and every change from there to the hand's end"""
    after = key_of(call.query.get("cursor"), int, int)
    page, as_of = heartbeats.changes_in_hand(
        call.services, call.actor, HandId(hand_id), after, call.query["limit"]
    )
    return listed(page, as_of, call.query)
