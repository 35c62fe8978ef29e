"""What webhooks are to be told, and how far each of them is: at least once, in the order of the log.

A webhook that fails waits, longer with each failure, and is told the same event again; the others wait for nobody.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from domain.ids import TournamentId, WebhookId
from domain.webhook import WEBHOOK, Failing, Webhook, disable
from services.commands import Decision, execute, job, on
from services.database import Database
from services.envelope import Stream
from services.store import Store

BATCH = 50
"""Events that are read at once for one webhook."""
LOOKED_AT = 10_000
"""Positions of the log that one look for such events goes through."""
FIRST_PAUSE_SECONDS = 5
"""After the first failure; it doubles with each."""
LONGEST_PAUSE_SECONDS = 3600
LONGEST_FAILURE = 200
"""Letters of a reason that are kept."""

_WAITING = """
SELECT w.webhook_id, w.tournament_id, w.topics, COALESCE(d.position, w.created)
FROM projections.tracking t, projections.webhooks w LEFT JOIN webhook_deliveries d USING (webhook_id)
WHERE w.state = 'active' AND COALESCE(d.position, w.created) < t.position
  AND (d.next_try_at IS NULL OR d.next_try_at <= clock_timestamp())
ORDER BY w.created
"""
_HEAD = "SELECT position FROM projections.tracking"
_AFTER = """
SELECT position, data FROM projections.feed
WHERE position > %(after)s AND position <= %(upto)s AND (%(all)s OR tournament_id IS NOT NULL){filters}
ORDER BY position LIMIT %(limit)s
"""
_OF_TOURNAMENT = " AND tournament_id = %(tournament)s"
_OF_TOPICS = " AND type = ANY(%(topics)s)"
_REACHED = """
INSERT INTO webhook_deliveries AS d (webhook_id, position, delivered, delivered_at)
VALUES (%(id)s, %(position)s, %(delivered)s, CASE WHEN %(delivered)s > 0 THEN clock_timestamp() END)
ON CONFLICT (webhook_id) DO UPDATE
SET position = GREATEST(d.position, excluded.position), delivered = d.delivered + excluded.delivered,
    delivered_at = COALESCE(excluded.delivered_at, d.delivered_at),
    failures = 0, failing_since = NULL, failure = NULL, next_try_at = NULL
"""
_FAILED = """
INSERT INTO webhook_deliveries AS d (webhook_id, position, failed, failures, failing_since, failure, next_try_at)
VALUES (%(id)s, %(position)s, 1, 1, clock_timestamp(), %(failure)s,
        clock_timestamp() + make_interval(secs => %(first)s))
ON CONFLICT (webhook_id) DO UPDATE
SET failed = d.failed + 1, failures = d.failures + 1, failure = excluded.failure,
    failing_since = COALESCE(d.failing_since, clock_timestamp()),
    next_try_at = clock_timestamp()
                  + make_interval(secs => LEAST(%(longest)s, %(first)s * 2 ^ LEAST(d.failures, 20)))
RETURNING failures, failing_since, failure
"""


class Waiting(NamedTuple):
    """A webhook that is told of events up to a position, and may be told of more now."""

    webhook_id: WebhookId
    tournament_id: TournamentId | None
    topics: list[str] | None
    position: int


class Told(NamedTuple):
    """An event as everybody may see it, as JSON."""

    position: int
    data: str


class Page(NamedTuple):
    """The next events for a webhook; with them it is told of all up to `upto`, which may be the `last` there is."""

    events: list[Told]
    upto: int
    last: bool


def waiting(database: Database) -> list[Waiting]:
    """The active webhooks that the log has gone on for, but for those whose pause is not over."""
    with database.connection() as conn:
        return [Waiting._make(row) for row in conn.execute(_WAITING).fetchall()]


def following(database: Database, webhook: Waiting, after: int) -> Page:
    """What a webhook is to be told next, as far as one look goes."""
    wanted = (_OF_TOURNAMENT if webhook.tournament_id else "") + (_OF_TOPICS if webhook.topics else "")
    with database.connection() as conn:
        row = conn.execute(_HEAD).fetchone()
        head = row[0] if row else after
        upto = min(head, after + LOOKED_AT)
        values = {
            "after": after,
            "upto": upto,
            "all": webhook.topics is not None,
            "tournament": webhook.tournament_id,
            "topics": webhook.topics,
            "limit": BATCH,
        }
        rows = conn.execute(_AFTER.replace("{filters}", wanted), values).fetchall()
    events = [Told._make(row) for row in rows]
    if len(events) == BATCH:
        upto = events[-1].position
    return Page(events, upto, last=upto >= head)


def reached(database: Database, webhook_id: UUID, position: int, *, delivered: int = 0) -> None:
    """A webhook is told of everything up to a position. It need not wait for the disk: told twice is told."""
    with database.transaction() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")
        cursor.execute(_REACHED, {"id": webhook_id, "position": position, "delivered": delivered})


def failed(store: Store, webhook_id: WebhookId, position: int, failure: str) -> None:
    """The event behind a position was not taken: again after a pause; disabled after too many for too long."""
    values = {
        "id": webhook_id,
        "position": position,
        "failure": failure[:LONGEST_FAILURE],
        "first": FIRST_PAUSE_SECONDS,
        "longest": LONGEST_PAUSE_SECONDS,
    }
    with store.database.connection() as conn:
        row = conn.execute(_FAILED, values).fetchone()
    assert row is not None
    failing = Failing(*row)

    def decide(stream: Stream[Webhook], now: datetime) -> Decision:
        assert stream.state is not None
        return Decision([on(stream, *disable(stream.state, failing, now))])

    execute(store, job(f"webhook-{webhook_id}-disable"), (WEBHOOK, webhook_id), decide)
