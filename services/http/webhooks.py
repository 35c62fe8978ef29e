"""Webhooks: addresses that are told of events."""

from __future__ import annotations

from uuid import UUID

from flask import Response

from domain.ids import WebhookId
from services.application import resources as shapes
from services.application import webhooks
from services.application.webhooks import Asked
from services.http import queries, schemas
from services.http.access import Who
from services.http.answers import gone, read, written
from services.http.calls import Call
from services.http.paging import paged
from services.http.routing import Routes, command, get, listing

blueprint = Routes("webhooks", "Addresses outside that are told of events, signed")
ONE = "/webhooks/<uuid:webhook_id>"


@command(
    blueprint,
    "POST",
    "/webhooks",
    shapes.Webhook,
    who=Who.OPERATING,
    body=schemas.NewWebhook(),
    problems=("forbidden-url", "too-many-webhooks"),
    located=True,
    example={"url": "https://club.example/big2", "topics": ["tournament.finished", "hand.settled"]},
)
def register_webhook(call: Call) -> Response:
    """Register a webhook; its secret, by which deliveries are signed, is shown this once"""

    def asked() -> Asked:
        body = call.body.valid if "url" in call.body.valid else call.body.read()
        topics = body.get("topics")
        topics = None if topics is None else tuple(topics)
        return Asked(body["url"], topics, body.get("tournament_id"), call.body.unread)

    call.actor.must_be_in(call.body.valid.get("tournament_id"))
    made = webhooks.register(call.services, call.command, asked)
    webhook = webhooks.registered(made)
    where = f"/v1/webhooks/{webhook.webhook_id}"
    return written(201, webhook, repeat=made.outcome.repeat, location=where)


@listing(blueprint, "/webhooks", shapes.Webhook, query=queries.Paged(), who=Who.OPERATING)
def list_webhooks(call: Call) -> Response:
    """List the webhooks in the order of their registration, and how each is told"""
    return paged(call, lambda db, after, limit: webhooks.webhooks(db, call.actor, after, limit), "webhooks")


@get(blueprint, ONE, shapes.Webhook, who=Who.OPERATING, projected=True)
def get_webhook(call: Call, webhook_id: UUID) -> Response:
    """Read a webhook, and how it is told: how far, and what went wrong last"""
    return read(webhooks.webhook(call.database, call.actor, webhook_id))


@command(blueprint, "DELETE", ONE, None, who=Who.OPERATING, status=204)
def delete_webhook(call: Call, webhook_id: UUID) -> Response:
    """Delete a webhook: nothing more is sent to it"""
    outcome = webhooks.delete(call.services, call.command, call.actor, WebhookId(webhook_id))
    return gone(repeat=outcome.repeat)
