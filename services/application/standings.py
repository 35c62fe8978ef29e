"""Standings as of any position of the log: who is in play by chips, then the rest in order of going out."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from psycopg.rows import dict_row

from services.application import resources as shapes
from services.application.lists import Page
from services.database import Database

# A row's `place` is the player's as things stood when he went out; later no-shows rank below him and raise it.
# The final rows have the final places. So those who are out are ordered by it, no-shows last, and counted again.
_STANDINGS = """
WITH newest AS (
    SELECT DISTINCT ON (player_id) * FROM projections.standings
    WHERE tournament_id = %(tournament)s AND position <= %(as_of)s
    ORDER BY player_id, position DESC
), ranked AS (
    SELECT *, rank() OVER (ORDER BY (place IS NOT NULL), no_show, chips_in_play DESC, place) AS rank,
           count(*) OVER (PARTITION BY (place IS NOT NULL), no_show, chips_in_play, place) > 1 AS level,
           max(position) OVER () AS as_of
    FROM (SELECT *, CASE WHEN place IS NULL THEN chips ELSE 0 END AS chips_in_play FROM newest) AS n
)
SELECT rank AS place, level AS tied, player_id, COALESCE(p.name, '(erased)') AS name, points, chips, hands, hands_won,
       table_id, as_of
FROM ranked LEFT JOIN people p USING (player_id)
ORDER BY rank, player_id
OFFSET %(after)s LIMIT %(limit)s
"""


def standings(
    db: Database, tournament_id: UUID, as_of: int, after: int, limit: int
) -> tuple[Page[shapes.Standing], int | None]:
    """A page of the standings as of a position, from row `after`; and the position of their newest change."""
    keys = {"tournament": tournament_id, "as_of": as_of, "after": after, "limit": limit + 1}
    rows: list[dict[str, Any]]
    with db.connection() as conn, conn.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(_STANDINGS, keys).fetchall()
    newest = rows[0].pop("as_of") if rows else None
    items = [_standing(row) for row in rows[:limit]]
    return Page(shapes.Standing, items, (as_of, after + limit) if len(rows) > limit else None), newest


def _standing(row: dict[str, Any]) -> shapes.Standing:
    return shapes.Standing(**{name: row[name] for name in shapes.Standing.__struct_fields__})
