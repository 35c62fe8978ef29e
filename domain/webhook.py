"""A webhook: an address outside that is told of events as they happen, until it is deleted, or fails for too long."""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

import msgspec

from domain.aggregate import Aggregate
from domain.events import Event, Guarded, Operating, Public, Sealed
from domain.ids import TournamentId, WebhookId

MOST_FAILURES = 20
"""Failures in a row after which a webhook is disabled, once they have gone on"""
PATIENCE = timedelta(days=1)
"""for so long."""


class WebhookRegistered(Event, frozen=True, kw_only=True):
    """`topics` names the events that are told; null is all of tournaments' life."""

    webhook_id: Public[WebhookId]
    url: Operating[str]
    topics: Public[tuple[str, ...] | None]
    tournament_id: Public[TournamentId | None]
    secret: Sealed[str]


class WebhookDisabled(Event, frozen=True, kw_only=True):
    """`failures` deliveries in a row have failed since then, the last one for this reason."""

    failures: Public[int]
    since: Public[datetime]
    failure: Public[str]


class WebhookDeleted(Event, frozen=True, kw_only=True):
    pass


class Webhook(Guarded, frozen=True):
    webhook_id: WebhookId
    url: str
    topics: tuple[str, ...] | None
    tournament_id: TournamentId | None
    secret: str
    state: Literal["active", "disabled", "deleted"] = "active"


class Failing(NamedTuple):
    """How deliveries have failed in a row: how often, since when, and why the last one did."""

    failures: int
    since: datetime
    failure: str


def evolve(webhook: Webhook | None, event: Event) -> Webhook:
    match event:
        case WebhookRegistered():
            return Webhook(event.webhook_id, event.url, event.topics, event.tournament_id, event.secret)
        case WebhookDisabled():
            assert webhook is not None
            return msgspec.structs.replace(webhook, state="disabled")
        case WebhookDeleted():
            assert webhook is not None
            return msgspec.structs.replace(webhook, state="deleted")
    raise AssertionError(f"{type(event).__name__} is no event of a webhook")


WEBHOOK = Aggregate("webhook", evolve, values=True)


def register(
    webhook_id: WebhookId,
    url: str,
    secret: str,
    *,
    topics: tuple[str, ...] | None = None,
    tournament_id: TournamentId | None = None,
) -> list[Event]:
    """A new webhook, of one tournament or of all; a topic that is named twice is told once."""
    return [
        WebhookRegistered(
            webhook_id=webhook_id,
            url=url,
            topics=None if topics is None else tuple(sorted(set(topics))),
            tournament_id=tournament_id,
            secret=secret,
        )
    ]


def disable(webhook: Webhook, failing: Failing, now: datetime) -> list[Event]:
    """Its end, if it has failed often enough for long enough; nothing if not, or if it is over already."""
    hopeless = failing.failures >= MOST_FAILURES and now - failing.since >= PATIENCE
    if webhook.state != "active" or not hopeless:
        return []
    return [WebhookDisabled(failures=failing.failures, since=failing.since, failure=failing.failure)]


def delete(webhook: Webhook) -> list[Event]:
    """Its end for good, disabled or not; nothing if it is deleted."""
    return [] if webhook.state == "deleted" else [WebhookDeleted()]


def signature(secret: str, sent_at: int, body: bytes) -> str:
    """What a delivery is signed with: `sent_at` are seconds since 1970.

    >>> signature("secret", 1800000000, b"{}")
    't=1800000000,v1=bb7079132825ac793cea8c013c1dd24d926b9b02132245b10588d9e5c0df70d7'
    """
    digest = hmac.new(secret.encode(), b"%d." % sent_at + body, hashlib.sha256)
    return f"t={sent_at},v1={digest.hexdigest()}"
