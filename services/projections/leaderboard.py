"""`leaderboard`: each player over all tournaments: hands, wins, points, places. A change is a new row.

So any position can be read: a player's row as of it is his newest one at or below it.
"""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

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

_NEWEST = """
SELECT hands, wins, points, tournaments, first_places, best_place FROM leaderboard
WHERE season = %s AND player_id = %s ORDER BY position DESC LIMIT 1
"""


class Record(NamedTuple):
    """What a player has come to."""

    hands: int = 0
    wins: int = 0
    points: int = 0
    tournaments: int = 0
    first_places: int = 0
    best_place: int | None = None


def project(cur: Cursor, r: Recorded, context: Context) -> None:
    """Add a settled hand's results, what rulings change of them, and a finished tournament's places."""
    match r.event:
        case table.HandEnded() if r.event.winner is not None:
            for seat, player in context.hand(cur, r.event.hand_id).seats.items():
                won = int(seat == r.event.winner)
                _add(cur, r, context, player, Record(1, won, r.event.points[seat]))
        case tournament.ResultCorrected():
            for change in r.event.changes:
                tally = change.tally
                _add(cur, r, context, change.player_id, Record(tally.hands, tally.hands_won, tally.points))
        case tournament.Finished():
            for s in r.event.standings:
                first = int(s.place == 1)
                _add(
                    cur,
                    r,
                    context,
                    s.player_id,
                    Record(tournaments=1, first_places=first, best_place=s.place),
                )


def _add(cur: Cursor, r: Recorded, context: Context, player: UUID, gained: Record) -> None:
    before = context.records.get(player, lambda: _read(cur, player)) or Record()
    places = [place for place in (before.best_place, gained.best_place) if place is not None]
    record = Record(
        before.hands + gained.hands,
        before.wins + gained.wins,
        before.points + gained.points,
        before.tournaments + gained.tournaments,
        before.first_places + gained.first_places,
        min(places, default=None),
    )
    context.records.put(player, record)
    context.leaderboard.add((ALL_TIME, player, r.position, *record))


def _read(cur: Cursor, player: UUID) -> Record | None:
    row = cur.execute(_NEWEST, (ALL_TIME, player)).fetchone()
    return Record._make(row) if row else None
