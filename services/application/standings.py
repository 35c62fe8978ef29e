"""Standings and leaderboards, as of any position of the log."""

from __future__ import annotations

from typing import Any, TypeVar
from uuid import UUID

from services.application import resources as shapes
from services.application.errors import NotFound
from services.application.lists import Page, fetch, made
from services.database import Database
from services.projections.leaderboard import ALL_TIME

T = TypeVar("T")

# Who is in play by chips, then the rest in order of going out.
# A row's `place` is the player's as things stood when he went out; later no-shows rank below him and raise it.
# The final rows have the final places. So those who are out are ordered by it, no-shows last, and counted again.
# As ruled whoever is disqualified ranks below them: of these the last to go out first, who still plays before him.
# A league goes by points, as `domain.placing.places_by_points` has it.
_STANDINGS = """
WITH ruled AS (
    SELECT DISTINCT ON (player_id) * FROM projections.standings
    WHERE tournament_id = %(tournament)s AND position <= %(as_of)s
    ORDER BY player_id, position DESC
), corrected AS (
    SELECT player_id, sum(points) AS points, sum(hands) AS hands, sum(hands_won) AS hands_won,
           sum(cards_left) AS cards_left, sum(chips) AS chips
    FROM projections.corrections WHERE %(as_played)s AND tournament_id = %(tournament)s AND position <= %(as_of)s
    GROUP BY player_id
), newest AS (
    SELECT r.tournament_id, r.player_id, r.position, r.chips - COALESCE(c.chips, 0) AS chips,
           r.points - COALESCE(c.points, 0)::bigint AS points, r.hands - COALESCE(c.hands, 0)::bigint AS hands,
           r.hands_won - COALESCE(c.hands_won, 0)::bigint AS hands_won,
           r.cards_left - COALESCE(c.cards_left, 0)::bigint AS cards_left,
           r.table_id, CASE WHEN %(as_played)s THEN r.out_place ELSE r.place END AS place, r.no_show, r.withdrawn,
           r.disqualified AND NOT %(as_played)s AS disqualified, COALESCE(r.out_at, 0) AS out_at
    FROM ruled AS r LEFT JOIN corrected AS c USING (player_id)
), placed AS (
    SELECT n.*, CASE WHEN structure->>'format' = 'league'
        THEN ARRAY[disqualified::integer, (hands = 0)::integer, -points, -hands_won, cards_left]::numeric[]
        WHEN disqualified THEN ARRAY[2, no_show::integer, -chips, -out_at]::numeric[]
        WHEN place IS NULL THEN ARRAY[0, 0, -chips, 0] ELSE ARRAY[1, no_show::integer, 0, place]::numeric[]
        END AS key
    FROM newest AS n JOIN projections.tournaments USING (tournament_id) WHERE NOT withdrawn
), ranked AS (
    SELECT *, rank() OVER (ORDER BY key) AS rank, count(*) OVER (PARTITION BY key) > 1 AS level,
           (SELECT max(position) FROM newest) AS as_of
    FROM placed
)
SELECT rank AS place, level AS tied, player_id, COALESCE(p.name, %(unnamed)s) AS name, points, chips, hands, hands_won,
       table_id, as_of
FROM ranked LEFT JOIN people p USING (player_id)
ORDER BY rank, player_id
OFFSET %(first)s LIMIT %(limit)s
"""


_CORRECTIONS = """
SELECT position, hand_id, player_id, COALESCE(p.name, %(unnamed)s) AS name, points, hands, hands_won, chips, unpaid,
       penalty, amount, max(position) OVER () AS as_of
FROM projections.corrections LEFT JOIN people p USING (player_id)
WHERE tournament_id = %(tournament)s AND position <= %(as_of)s
ORDER BY position, player_id
OFFSET %(first)s LIMIT %(limit)s
"""

_LEADERS = """
WITH newest AS (
    SELECT l.* FROM projections.players CROSS JOIN LATERAL (
        SELECT * FROM projections.leaderboard b
        WHERE b.season = %(season)s AND b.player_id = players.player_id AND b.position <= %(as_of)s
        ORDER BY b.position DESC LIMIT 1
    ) AS l
), ranked AS (
    SELECT *, rank() OVER (ORDER BY points DESC) AS place, count(*) OVER (PARTITION BY points) > 1 AS tied,
           max(position) OVER () AS as_of
    FROM newest
)
SELECT place, tied, player_id, COALESCE(p.name, %(unnamed)s) AS name, points, hands,
       round(points::numeric / NULLIF(hands, 0), 2) AS points_per_hand,
       wins AS hands_won, tournaments, first_places, best_place, as_of
FROM ranked LEFT JOIN people p USING (player_id)
ORDER BY place, player_id
OFFSET %(first)s LIMIT %(limit)s
"""


def standings(
    db: Database, tournament_id: UUID, as_of: int, first: int, limit: int, *, as_played: bool = False
) -> tuple[Page[shapes.Standing], int | None]:
    """A page of the standings as of a position, from row `first` on; and the position of their newest change.

    As ruled, or `as_played`: without what rulings have corrected.
    """
    which = {"tournament": tournament_id, "as_played": as_played}
    return _page(db, shapes.Standing, _STANDINGS, which, (as_of, first, limit))


def corrections(
    db: Database, tournament_id: UUID, as_of: int, first: int, limit: int
) -> tuple[Page[shapes.Correction], int | None]:
    """The difference between the standings as played and as ruled, in the order of the log."""
    which = {"tournament": tournament_id}
    return _page(db, shapes.Correction, _CORRECTIONS, which, (as_of, first, limit))


def leaders(
    db: Database, season: str, as_of: int, first: int, limit: int
) -> tuple[Page[shapes.Leader], int | None]:
    """A page of a season's players by points, likewise."""
    if season != ALL_TIME:
        raise NotFound("season")
    return _page(db, shapes.Leader, _LEADERS, {"season": season}, (as_of, first, limit))


def _page(
    db: Database, kind: type[T], query: str, which: dict[str, Any], where: tuple[int, int, int]
) -> tuple[Page[T], int | None]:
    as_of, first, limit = where
    rows = fetch(db, query, {**which, "as_of": as_of, "first": first, "limit": limit + 1})
    newest = rows[0]["as_of"] if rows else None
    following = (as_of, first + limit) if len(rows) > limit else None
    return Page(kind, [made(kind, row) for row in rows[:limit]], following), newest
