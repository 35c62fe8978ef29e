"""`leaderboard`: each player over all tournaments: hands, wins, points, places. A change is a new row.

So any position can be read: a player's row as of it is his newest one at or below it.
"""

from __future__ import annotations

from domain import table_events as table
from domain import tournament_events as tournament
from services.database import Cursor
from services.envelope import Recorded
from services.projections.context import Context

ALL_TIME = "all"
"""The only season yet."""

DDL = """
CREATE TABLE leaderboard (
    season text NOT NULL,
    player_id uuid NOT NULL,
    position bigint NOT NULL,
    hands bigint NOT NULL,
    wins bigint NOT NULL,
    points bigint NOT NULL,
    tournaments integer NOT NULL,
    first_places integer NOT NULL,
    best_place integer,
    PRIMARY KEY (season, player_id, position)
);
CREATE INDEX ON leaderboard (position);
"""

_ADD = """
INSERT INTO leaderboard
SELECT %(season)s, %(player)s, %(position)s, COALESCE(l.hands, 0) + %(hands)s, COALESCE(l.wins, 0) + %(wins)s,
       COALESCE(l.points, 0) + %(points)s, COALESCE(l.tournaments, 0) + %(tournaments)s,
       COALESCE(l.first_places, 0) + %(first)s, LEAST(l.best_place, %(place)s)
FROM (SELECT 1) AS one LEFT JOIN (
    SELECT * FROM leaderboard WHERE season = %(season)s AND player_id = %(player)s ORDER BY position DESC LIMIT 1
) AS l ON true
"""
_NOTHING = {"hands": 0, "wins": 0, "points": 0, "tournaments": 0, "first": 0, "place": None}


def project(cur: Cursor, r: Recorded, context: Context) -> None:
    """Add a settled hand's results, and a finished tournament's places."""
    match r.event:
        case table.HandEnded() if r.event.winner is not None:
            for seat, player in context.hand(cur, r.event.hand_id).seats.items():
                won = int(seat == r.event.winner)
                _add(cur, r, player=player, hands=1, wins=won, points=r.event.points[seat])
        case tournament.Finished():
            for standing in r.event.standings:
                first = int(standing.place == 1)
                _add(cur, r, player=standing.player_id, tournaments=1, first=first, place=standing.place)


def _add(cur: Cursor, r: Recorded, **gained: object) -> None:
    cur.execute(_ADD, {**_NOTHING, **gained, "season": ALL_TIME, "position": r.position})
