"""`webhooks` has at every moment those that are not deleted, and no secret."""

from __future__ import annotations

from domain.webhook import WebhookDeleted, WebhookDisabled, WebhookRegistered


def test_webhooks_are_all_that_are_not_deleted(evening):
    def look(tables, world):
        disabled = {r.stream: r.position for r in world.of(WebhookDisabled)}
        gone = {r.stream for r in world.of(WebhookDeleted)}
        assert sorted(tables["webhooks"], key=lambda row: row["created"]) == [
            {
                "webhook_id": r.stream,
                "created": r.position,
                "url": r.event.url,
                "topics": list(r.event.topics),
                "tournament_id": r.event.tournament_id,
                "state": "disabled" if r.stream in disabled else "active",
                "created_at": r.at,
                "position": disabled.get(r.stream, r.position),
            }
            for r in world.of(WebhookRegistered)
            if r.stream not in gone
        ]

    evening.walk(look)
    states = evening.rows()("SELECT state FROM webhooks ORDER BY created")
    assert [row["state"] for row in states] == ["active", "disabled"]
