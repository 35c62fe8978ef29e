"""Webhooks: registered, read, deleted. What they are told of, and how far, is in `services.application.deliveries`."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from domain import webhook as decide_on
from domain import webhooks as webhook_list
from domain.errors import Refused
from domain.ids import WEBHOOKS, TournamentId, WebhookId, webhook_id
from domain.topics import TOPICS
from domain.tournament import TOURNAMENT
from domain.webhook import WEBHOOK, Webhook, WebhookRegistered
from domain.webhooks import WEBHOOK_LIST, WebhookList
from services import outgoing
from services.application import resources as shapes
from services.application.context import Services
from services.application.credentials import Actor
from services.application.errors import NotFound
from services.application.lists import Page, fetch, page_of
from services.commands import Decision, Outcome, execute, on
from services.database import Database
from services.envelope import Command, Stream
from services.outgoing import ForbiddenUrl

SECRET_BYTES = 32
TOLD_OF = ("hand", "ring", "roster", "table", "tournament")
TOLD = tuple(sorted({t.rpartition(".")[0] for t in TOPICS if t.partition(".")[0] in TOLD_OF}))
"""The events that feeds and webhooks tell, by name."""

_ROWS = """
SELECT w.*, COALESCE(d.position, w.created) AS reached, COALESCE(d.delivered, 0) AS delivered, d.delivered_at,
       COALESCE(d.failures, 0) AS failures, d.failing_since, d.failure, d.next_try_at
FROM projections.webhooks w LEFT JOIN webhook_deliveries d USING (webhook_id)
"""
_LIST = f"""{_ROWS}
WHERE w.created > %(after)s AND (%(own)s::uuid IS NULL OR w.tournament_id = %(own)s) ORDER BY w.created LIMIT %(limit)s
"""
_ONE = f"{_ROWS} WHERE w.webhook_id = %(id)s"
_REGISTERED = "SELECT webhook_id FROM projections.webhooks ORDER BY created"


class Asked(NamedTuple):
    """What a webhook is to be: `topics` null is all of tournaments' life, `tournament_id` null is any one.

    `unread` is what was wrong with it before, by JSON pointer.
    """

    url: str
    topics: tuple[str, ...] | None
    tournament_id: TournamentId | None
    unread: Mapping[str, str] = MappingProxyType({})


class Registered(NamedTuple):
    """A webhook that was registered; `secret` is null when it is not ours to show (again)."""

    outcome: Outcome[Webhook]
    secret: str | None


def register(services: Services, command: Command, read: Callable[[], Asked]) -> Registered:
    """Register a webhook with a secret of its own. A repeat of the command answers without the secret."""
    made, secret = webhook_id(command.id), secrets.token_urlsafe(SECRET_BYTES)
    asked = None if services.store.load(WEBHOOK, made).version else _new(services, read)

    def decide(stream: Stream[Webhook], _now: datetime) -> Decision:
        assert asked is not None, "a webhook is its command's alone"
        listed = _list(services)
        added = webhook_list.add(_listed_by(services, listed), made)
        events = decide_on.register(
            made, asked.url, secret, topics=asked.topics, tournament_id=asked.tournament_id
        )
        return Decision([on(stream, *events), on(listed, *added)])

    with services.store.lock(WEBHOOKS):
        outcome = execute(services.store, command, (WEBHOOK, made), decide)
    event = outcome.events[0].event
    assert isinstance(event, WebhookRegistered)
    return Registered(outcome, secret if secrets.compare_digest(event.secret, secret) else None)


def registered(made: Registered) -> shapes.Webhook:
    """The webhook that `register` made, as it was then."""
    first = made.outcome.events[0]
    assert isinstance(first.event, WebhookRegistered)
    webhook = shapes.Webhook(
        webhook_id=first.stream,
        url=first.event.url,
        topics=None if first.event.topics is None else list(first.event.topics),
        tournament_id=first.event.tournament_id,
        state="active",
        created_at=first.at,
        as_of=made.outcome.position,
    )
    return msgspec.structs.replace(webhook, secret=made.secret) if made.secret else webhook


def webhooks(db: Database, reader: Actor, after: int | None, limit: int) -> Page[shapes.Webhook]:
    """The webhooks in the order of their registration; for a limited token those of its tournament."""
    rows = fetch(db, _LIST, {"after": after or 0, "own": reader.tournament_id, "limit": limit + 1})
    return page_of(shapes.Webhook, rows, limit, ("created",), _listed)


def webhook(db: Database, reader: Actor, webhook: UUID) -> shapes.Webhook:
    """One webhook, and how it is told."""
    rows = fetch(db, _ONE, {"id": webhook})
    if not rows:
        raise NotFound("webhook")
    reader.must_be_in(rows[0]["tournament_id"])
    return msgspec.structs.replace(_listed(rows[0]), as_of=rows[0]["position"])


def delete(services: Services, command: Command, actor: Actor, webhook: WebhookId) -> Outcome[Webhook]:
    """End a webhook: at most the delivery that is on its way is the last one."""

    def decide(stream: Stream[Webhook], _now: datetime) -> Decision:
        if stream.state is None or not (events := decide_on.delete(stream.state)):
            raise NotFound("webhook")
        listed = _list(services)
        removed = webhook_list.remove(listed.state or WebhookList(), webhook)
        return Decision([on(stream, *events), *([on(listed, *removed)] if removed else [])])

    stream = services.store.load(WEBHOOK, webhook)
    if stream.state is None:
        raise NotFound("webhook")
    actor.must_be_in(stream.state.tournament_id)
    with services.store.lock(WEBHOOKS):
        return execute(services.store, command, (WEBHOOK, webhook), decide)


def _new(services: Services, read: Callable[[], Asked]) -> Asked:
    """What is asked for, if there may be such a one. Nobody else waits while its host is looked up."""
    webhook_list.must_have_room(_listed_by(services, _list(services)))
    asked = read()
    _check(services, asked)
    return asked


def _list(services: Services) -> Stream[WebhookList]:
    return services.store.load(WEBHOOK_LIST, WEBHOOKS)


def _listed_by(services: Services, stream: Stream[WebhookList]) -> WebhookList:
    """The list; before there is one, what the projections have, which may be older than lists."""
    if stream.state is not None:
        return stream.state
    rows = fetch(services.store.database, _REGISTERED, {})
    return WebhookList(tuple(WebhookId(row["webhook_id"]) for row in rows))


def _check(services: Services, asked: Asked) -> None:
    """Everything that is wrong with it at once."""
    errors = dict(asked.unread)
    if asked.tournament_id and not services.store.load(TOURNAMENT, asked.tournament_id).version:
        errors["/tournament_id"] = "is no tournament"
    try:
        _look_up(asked.url, services.webhook_hosts)
    except ForbiddenUrl as error:
        told = "Nothing is sent to this address."
        raise Refused("forbidden-url", told, {"/url": str(error), **errors}) from error
    if errors:
        raise Refused("validation", "No such webhook can be registered.", errors)


def _look_up(url: str, own: frozenset[str]) -> None:
    to = outgoing.target(url)
    outgoing.address(to, private=to.host in own)


def _listed(row: Mapping[str, Any]) -> shapes.Webhook:
    delivery = shapes.WebhookDelivery(
        position=row["reached"],
        delivered=row["delivered"],
        last_delivered_at=row["delivered_at"],
        failures=row["failures"],
        failing_since=row["failing_since"],
        last_failure=row["failure"],
        next_try_at=row["next_try_at"] if row["state"] == "active" else None,
    )
    return shapes.Webhook(
        webhook_id=row["webhook_id"],
        url=row["url"],
        topics=row["topics"],
        tournament_id=row["tournament_id"],
        state=row["state"],
        created_at=row["created_at"],
        delivery=delivery,
    )
