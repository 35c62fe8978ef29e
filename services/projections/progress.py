"""How far the projections are, and what they cannot get past: the same for whoever asks, whenever it was started."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from services.database import Database
from services.errors import StoreError

_KEEP = """
INSERT INTO public.projector_stall AS kept (position, projection, reason, since)
VALUES (%(position)s, %(projection)s, %(reason)s, clock_timestamp())
ON CONFLICT (one) DO UPDATE
SET position = excluded.position, projection = excluded.projection, reason = excluded.reason, since = excluded.since
WHERE (kept.position, kept.projection, kept.reason) <> (excluded.position, excluded.projection, excluded.reason)
"""
_READ = """
SELECT t.position, (SELECT count(*) FROM (
           SELECT FROM public.big2_events WHERE notification_id > t.position LIMIT %(most)s
       ) AS behind), e.state, clock_timestamp(), s.position, s.projection, s.reason, s.since
FROM projections.tracking AS t
LEFT JOIN public.projector_stall AS s ON s.position > t.position
LEFT JOIN LATERAL (
    SELECT state FROM public.big2_events WHERE notification_id > t.position ORDER BY notification_id LIMIT 1
) AS e ON true
"""


class Stall(NamedTuple):
    """The event at a log position that a projection fails at: the name of the error's type, and since when."""

    position: int
    projection: str
    reason: str
    since: datetime


class Progress(NamedTuple):
    """Up to which log position all is projected, how many events are not (as far as counted), how old the first of
    them is by the database's clock (null where it cannot be read), and what it stands still at."""

    position: int
    behind: int
    oldest: timedelta | None
    stall: Stall | None


class Stalled(StoreError):  # noqa: N818 - what the caller is told
    """An event cannot be projected; the message says where, and nothing of the event. Its cause may hold a card."""

    def __init__(self, position: int, projection: str, cause: Exception) -> None:
        super().__init__(
            f"the event at position {position} cannot be projected: {projection} fails ({type(cause).__name__})"
        )
        self.position = position
        self.projection = projection
        self.reason = type(cause).__name__


def keep(database: Database, stalled: Stalled) -> None:
    """Remember what the projections stand still at; the same again changes nothing, also after a restart."""
    values = {"position": stalled.position, "projection": stalled.projection, "reason": stalled.reason}
    with database.connection() as conn:
        conn.execute(_KEEP, values)


def progress(database: Database, most: int) -> Progress | None:
    """How far the projections are, with at most so many events counted; None where they have no position yet."""
    with database.connection() as conn:
        row = conn.execute(_READ, {"most": most}).fetchone()
    if row is None:
        return None
    position, behind, state, now, *stall = row
    return Progress(position, behind, _age(state, now), Stall(*stall) if stall[0] else None)


class _Stored(msgspec.Struct):
    at: datetime


def _age(state: bytes | None, now: datetime) -> timedelta | None:
    if state is None:
        return timedelta()
    try:
        return max(now - msgspec.json.decode(state, type=_Stored).at, timedelta())
    except msgspec.DecodeError:
        return None
