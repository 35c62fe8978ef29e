"""The list of webhooks, one stream with an id that everybody knows: so that there are never more than there may be."""

from __future__ import annotations

from domain.aggregate import Aggregate
from domain.errors import Conflicting
from domain.events import Event, Guarded, Public
from domain.ids import WebhookId

MOST_WEBHOOKS = 32
"""Webhooks at one time, with those that are disabled: each is told by a thread of its own."""


class WebhooksListed(Event, frozen=True, kw_only=True):
    """All webhooks that are not deleted, in the transaction that registers or deletes one."""

    webhook_ids: Public[tuple[WebhookId, ...]]


class WebhookList(Guarded, frozen=True):
    webhook_ids: tuple[WebhookId, ...] = ()


def evolve(listed: WebhookList | None, event: Event) -> WebhookList:  # noqa: ARG001 - each says all
    assert isinstance(event, WebhooksListed), f"{type(event).__name__} is no event of a list of webhooks"
    return WebhookList(event.webhook_ids)


WEBHOOK_LIST = Aggregate("webhooks", evolve, values=True)


def must_have_room(listed: WebhookList) -> None:
    """Conflicting if there are as many as there may be."""
    if len(listed.webhook_ids) >= MOST_WEBHOOKS:
        told = f"There are {MOST_WEBHOOKS} webhooks, and no more at one time: delete one first."
        raise Conflicting("too-many-webhooks", told)


def add(listed: WebhookList, webhook_id: WebhookId) -> list[Event]:
    """The list with one more."""
    must_have_room(listed)
    return [WebhooksListed(webhook_ids=(*listed.webhook_ids, webhook_id))]


def remove(listed: WebhookList, webhook_id: WebhookId) -> list[Event]:
    """The list with one less; nothing if it is not on it."""
    if webhook_id not in listed.webhook_ids:
        return []
    return [WebhooksListed(webhook_ids=tuple(w for w in listed.webhook_ids if w != webhook_id))]
