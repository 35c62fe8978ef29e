"""`leaderboard`: each player over all tournaments: hands, wins, points, places. A change is a new row.

So any position can be read: a player's row as of it is his newest one at or below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from domain import table_events as table
from domain import tournament_events as tournament
from domain.placing import Standing
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
CREATE TABLE finishes (
    player_id uuid NOT NULL,
    tournament_id uuid NOT NULL,
    place integer NOT NULL,
    PRIMARY KEY (player_id, tournament_id)
);
CREATE INDEX ON finishes (tournament_id);
"""

_NEWEST = """
SELECT hands, wins, points, tournaments, first_places, best_place FROM leaderboard
WHERE season = %s AND player_id = %s ORDER BY position DESC LIMIT 1
"""
_PLACED = """
INSERT INTO finishes SELECT player, %s, place FROM unnest(%s::uuid[], %s::integer[]) AS standings (player, place)
ON CONFLICT (player_id, tournament_id) DO UPDATE SET place = excluded.place
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
        case tournament.PenaltiesImposed():
            for imposed in r.event.penalties:
                if imposed.penalty == "points":
                    _add(cur, r, context, imposed.player_id, Record(points=-(imposed.amount or 0)))
        case tournament.StandingsCorrected():
            _placed_again(cur, r, context, r.event.standings)
        case tournament.Finished():
            _placed(cur, r, r.event.standings)
            for s in r.event.standings:
                first = int(s.place == 1)
                _add(
                    cur,
                    r,
                    context,
                    s.player_id,
                    Record(tournaments=1, first_places=first, best_place=s.place),
                )


def _placed(cur: Cursor, r: Recorded, standings: Sequence[Standing]) -> None:
    players, places = [s.player_id for s in standings], [s.place for s in standings]
    cur.execute(_PLACED, (r.stream, players, places))


def _placed_again(cur: Cursor, r: Recorded, context: Context, standings: Sequence[Standing]) -> None:
    """Places of a finished tournament as ruled: whose have changed has another best one, perhaps."""
    rows = cur.execute(
        "SELECT player_id, place FROM finishes WHERE tournament_id = %s", (r.stream,)
    ).fetchall()
    before: dict[UUID, int] = dict(rows)
    _placed(cur, r, standings)
    for s in standings:
        if s.place != before[s.player_id]:
            best = cur.execute(
                "SELECT min(place) FROM finishes WHERE player_id = %s", (s.player_id,)
            ).fetchone()
            assert best is not None
            first = int(s.place == 1) - int(before[s.player_id] == 1)
            record = _sum(cur, context, s.player_id, Record(first_places=first))
            _put(r, context, s.player_id, record._replace(best_place=best[0]))


def _add(cur: Cursor, r: Recorded, context: Context, player: UUID, gained: Record) -> None:
    _put(r, context, player, _sum(cur, context, player, gained))


def _sum(cur: Cursor, context: Context, player: UUID, gained: Record) -> Record:
    """What a player has come to with this."""
    before = context.records.get(player, lambda: _read(cur, player)) or Record()
    places = [place for place in (before.best_place, gained.best_place) if place is not None]
    return Record(
        before.hands + gained.hands,
        before.wins + gained.wins,
        before.points + gained.points,
        before.tournaments + gained.tournaments,
        before.first_places + gained.first_places,
        min(places, default=None),
    )


def _put(r: Recorded, context: Context, player: UUID, record: Record) -> None:
    context.records.put(player, record)
    context.leaderboard.add((ALL_TIME, player, r.position, *record))


def _read(cur: Cursor, player: UUID) -> Record | None:
    row = cur.execute(_NEWEST, (ALL_TIME, player)).fetchone()
    return Record._make(row) if row else None
