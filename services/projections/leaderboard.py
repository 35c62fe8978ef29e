"""`leaderboard`: each player over all tournaments: hands, wins, points, places."""

from __future__ import annotations

from domain import table, tournament
from services.database import Cursor
from services.envelope import Recorded
from services.projections.context import Context

SEASON = "all"

DDL = """
CREATE TABLE leaderboard (
    season text NOT NULL,
    player_id uuid NOT NULL,
    hands integer NOT NULL DEFAULT 0,
    wins integer NOT NULL DEFAULT 0,
    points bigint NOT NULL DEFAULT 0,
    tournaments integer NOT NULL DEFAULT 0,
    first_places integer NOT NULL DEFAULT 0,
    best_place integer,
    position bigint NOT NULL,
    PRIMARY KEY (season, player_id)
);
"""

_ADD = """
INSERT INTO leaderboard AS l
VALUES (%(season)s, %(player)s, %(hands)s, %(wins)s, %(points)s, %(tournaments)s, %(first)s, %(place)s, %(position)s)
ON CONFLICT (season, player_id) DO UPDATE
SET hands = l.hands + excluded.hands, wins = l.wins + excluded.wins, points = l.points + excluded.points,
    tournaments = l.tournaments + excluded.tournaments, first_places = l.first_places + excluded.first_places,
    best_place = LEAST(l.best_place, excluded.best_place), position = excluded.position
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
    cur.execute(_ADD, {**_NOTHING, **gained, "season": SEASON, "position": r.position})
