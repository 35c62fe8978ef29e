"""Looking back: the log for whoever audits it, a hand step by step, and who has read which hand's cards."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from flask import Response
from marshmallow import ValidationError

from domain.credential import Role
from domain.ids import HandId
from domain.topics import TOPICS
from services.application import card_reads, histories, steps
from services.application.audited import LoggedEvent, logged_events
from services.application.card_reads import CardRead
from services.application.steps import Step
from services.http import queries
from services.http.access import CHALLENGE, Who
from services.http.answers import key_of, listed
from services.http.calls import Call
from services.http.fields import Id, Instant, OneOf, Raw
from services.http.paging import at_position
from services.http.problems import Problem
from services.http.routing import Routes, get, listing

blueprint = Routes("looking-back", "The log, hands step by step, and who has read them")
_KINDS = sorted(
    {topic.rpartition(".")[0] for topic in TOPICS} | {topic.partition(".")[0] for topic in TOPICS}
)
"""`hand.played`, and `hand` for all of them."""


class Clause(Raw):
    """The id of a clause of the rules."""

    PATTERN = r"R[0-9]{1,2}\.[0-9]{1,2}"

    def __init__(self, **more: Any) -> None:  # noqa: ANN401 - marshmallow's own signature
        super().__init__(metadata={"pattern": f"^{self.PATTERN}$"} | more.pop("metadata", {}), **more)

    def _deserialize(self, value: Any, *args: Any, **more: Any) -> str:  # noqa: ANN401
        text = super()._deserialize(value, *args, **more)
        if not re.fullmatch(self.PATTERN, text):
            raise ValidationError("must be a clause of the rules, such as R6.2")
        return text


class _Between(queries.PagedAsOf):
    tournament = Id()
    table = Id()
    hand = Id()
    player = Id()
    to = Instant(metadata={"format": "date-time", "description": "Before this time."})
    vars()["from"] = Instant(metadata={"format": "date-time", "description": "This time and later."})


class EventsAsked(_Between):
    type = OneOf(*_KINDS, metadata={"description": "A type of event, or the kind of stream that it is in."})
    clause = Clause(metadata={"description": "A clause of the rules, such as `R6.2`."})


class ReadsAsked(queries.PagedTable):
    tournament = Id()
    table = Id()
    hand = Id()
    player = Id(metadata={"description": "Hands that he was dealt in."})
    credential = Id()
    role = OneOf(*(role.value for role in Role), card_reads.NOBODY)
    to = Instant(metadata={"format": "date-time", "description": "Before this time."})
    vars()["from"] = Instant(metadata={"format": "date-time", "description": "This time and later."})


@listing(blueprint, "/audit/events", LoggedEvent, query=EventsAsked(), who=Who.AUDITING)
def list_events(call: Call) -> Response:
    """List the events of the log, oldest first, with what the reader may see of each by now"""
    as_of, after = at_position(call, int)
    page = logged_events(
        call.services.store, call.actor, call.query, as_of, max(after, 0), call.query["limit"]
    )
    return listed(page, as_of, call.query)


@listing(blueprint, "/audit/access-log", CardRead, query=ReadsAsked(), who=Who.AUDITING)
def list_access_log(call: Call) -> Response:
    """List who was shown the cards of which hand after its end, oldest first"""
    key = key_of(call.query.get("cursor"), int)
    after = max(key[0], 0) if key else 0
    page = card_reads.card_reads(call.database, call.actor, call.query, after, call.query["limit"])
    return listed(page, call.listener.position, call.query)


@get(
    blueprint,
    "/hands/<uuid:hand_id>/steps",
    Step,
    query=queries.Paged(),
    problems=("forbidden", "hand-not-closed"),
    projected=True,
    listed=True,
)
def list_steps(call: Call, hand_id: UUID) -> Response:
    """Go through a hand that is over: after each action all holdings, what was legal, the duty and the clock"""
    key = key_of(call.query.get("cursor"), int)
    first = max(key[0], 0) if key else 0
    try:
        page, as_of = steps.steps(call.services, HandId(hand_id), call.reader, first, call.query["limit"])
    except histories.NeedsToken:
        detail = "Until the tournament is over, or the ring table closed, this takes a token."
        raise Problem("unauthenticated", detail, headers=CHALLENGE) from None
    return listed(page, as_of, call.query)
