"""`webhooks`: those that are not deleted, with what each is told of; never a secret."""

from __future__ import annotations

from domain import webhook
from services.database import Cursor
from services.envelope import Recorded
from services.projections.context import Context

DDL = """
CREATE TABLE webhooks (
    webhook_id uuid PRIMARY KEY,
    created bigint NOT NULL UNIQUE,
    url text NOT NULL,
    topics text[],
    tournament_id uuid,
    state text NOT NULL DEFAULT 'active',
    created_at timestamptz NOT NULL,
    position bigint NOT NULL
);
"""


def project(cur: Cursor, r: Recorded, context: Context) -> None:  # noqa: ARG001
    """Write what `r` changes of a webhook."""
    match r.event:
        case webhook.WebhookRegistered():
            e = r.event
            topics = None if e.topics is None else list(e.topics)
            cur.execute(
                "INSERT INTO webhooks (webhook_id, created, url, topics, tournament_id, created_at, position)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s)",
                (r.stream, r.position, e.url, topics, e.tournament_id, r.at, r.position),
            )
        case webhook.WebhookDisabled():
            cur.execute(
                "UPDATE webhooks SET state = 'disabled', position = %s WHERE webhook_id = %s",
                (r.position, r.stream),
            )
        case webhook.WebhookDeleted():
            cur.execute("DELETE FROM webhooks WHERE webhook_id = %s", (r.stream,))
