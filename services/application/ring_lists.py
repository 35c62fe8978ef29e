"""Ring tables and stakes as lists show them, from the projections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from domain.ring_events import RingTerms
from services.application import resources as shapes
from services.application.lists import Page, fetch, made, page_of
from services.application.ring_stakes import Stakes, built_in_stakes
from services.application.ring_views import ring_terms
from services.database import Database

_RINGS = """
SELECT t.table_id, t.state, t.hand_id, t.last_hand_id, t.hands_played, t.dealer, t.direction, t.level, t.unit,
       t.position AS as_of, r.terms, r.paused, r.closing, r.created,
       COALESCE((SELECT jsonb_agg(jsonb_build_object('seat', s.seat, 'player_id', s.player_id,
                 'name', COALESCE(p.name, %(unnamed)s), 'stack', s.stack, 'buy_in', s.buy_in,
                 'sitting_out', s.sitting_out, 'leaving', s.leaving) ORDER BY s.seat)
                 FROM projections.table_seats s LEFT JOIN people p USING (player_id)
                 WHERE s.table_id = t.table_id), '[]') AS seats
FROM projections.rings r JOIN projections.tables t USING (table_id)
WHERE r.created > %(after)s AND (t.state = 'open' OR %(closed)s) ORDER BY r.created LIMIT %(limit)s
"""
_STAKES = """
SELECT name, version, name || '@' || version AS reference, currency, steps, digest, published_at, position
FROM projections.stakes WHERE (name, version) > (%(name)s, %(version)s) ORDER BY name, version LIMIT %(limit)s
"""


def ring_tables(db: Database, after: int | None, limit: int, *, closed: bool) -> Page[shapes.Table]:
    """The ring tables in the order in which they were opened; those that are closed too, if asked for."""
    rows = fetch(db, _RINGS, {"after": after or 0, "limit": limit + 1, "closed": closed})
    return page_of(shapes.Table, rows, limit, ("created",), _listed)


def stakes(db: Database, known: Stakes, after: tuple[str, int] | None, limit: int) -> Page[shapes.Stakes]:
    """All versions of all schedules, by name, then version; what comes with the service is version 1 of its name."""
    name, version = after or ("", 0)
    rows = fetch(db, _STAKES, {"name": name, "version": version, "limit": limit + 1})
    built_in = [s for s in known.built_in.values() if (s.name, s.version) > (name, version)]
    found = sorted([*map(built_in_stakes, built_in), *(made(shapes.Stakes, row) for row in rows)], key=_order)
    following = _order(found[limit - 1]) if len(found) > limit else None
    return Page(shapes.Stakes, found[:limit], following)


def _order(schedule: shapes.Stakes) -> tuple[str, int]:
    return schedule.name, schedule.version


def _listed(row: Mapping[str, Any]) -> shapes.Table:
    terms = msgspec.convert(row["terms"], RingTerms)
    ring = ring_terms(terms, paused=row["paused"], closing=row["closing"])
    return msgspec.convert(
        {**row, "tournament_id": None, "number": None, "held": False, "frozen": False, "ring": ring},
        shapes.Table,
    )
