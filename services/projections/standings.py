"""`standings`: each player's chips, points and hands. A change is a new row, so any position can be read.

A player's row as of a position is his newest one at or below it; `standings_at` gives all of a tournament, placed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from domain import table, tournament
from services.database import Cursor
from services.envelope import Recorded
from services.projections.context import Context

DDL = """
CREATE TABLE standings (
    tournament_id uuid NOT NULL,
    player_id uuid NOT NULL,
    position bigint NOT NULL,
    chips bigint NOT NULL,
    points bigint NOT NULL DEFAULT 0,
    hands integer NOT NULL DEFAULT 0,
    hands_won integer NOT NULL DEFAULT 0,
    table_id uuid,
    place integer,
    tied boolean NOT NULL DEFAULT false,
    no_show boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tournament_id, player_id, position)
);
"""

_NEXT = """
INSERT INTO standings
SELECT tournament_id, player_id, %(position)s, COALESCE(%(chips)s, chips), points + %(points)s,
       hands + %(hands)s, hands_won + %(won)s,
       CASE WHEN %(sits)s THEN %(table_id)s ELSE table_id END,
       COALESCE(%(place)s, place), COALESCE(%(tied)s, tied), no_show OR %(no_show)s
FROM standings WHERE tournament_id = %(tournament_id)s AND player_id = %(player_id)s
ORDER BY position DESC LIMIT 1
ON CONFLICT (tournament_id, player_id, position) DO UPDATE
SET chips = excluded.chips, points = excluded.points, hands = excluded.hands,
    hands_won = excluded.hands_won, table_id = excluded.table_id, place = excluded.place, tied = excluded.tied,
    no_show = excluded.no_show
"""
_SAME: Mapping[str, Any] = {
    "chips": None,
    "points": 0,
    "hands": 0,
    "won": 0,
    "sits": False,
    "table_id": None,
    "place": None,
    "tied": None,
    "no_show": False,
}


def project(cur: Cursor, r: Recorded, context: Context) -> None:
    """Write the new rows of those whom `r` concerns."""
    match r.event:
        case tournament.Started():
            for player in r.event.entrants:
                cur.execute(
                    "INSERT INTO standings (tournament_id, player_id, position, chips)"
                    " SELECT tournament_id, %s, %s, (structure->>'unit')::bigint"
                    " * (structure->>'stack_points')::bigint FROM tournaments WHERE tournament_id = %s",
                    (player, r.position, r.stream),
                )
        case tournament.TablesDrawn():
            for drawn in r.event.tables:
                for place in drawn.places:
                    _next(cur, r, r.stream, place.player_id, sits=True, table_id=drawn.table_id)
        case tournament.Placed():
            _next(
                cur,
                r,
                r.stream,
                r.event.player_id,
                sits=True,
                place=r.event.place,
                no_show=r.event.no_show,
                chips=0,
            )
        case tournament.Finished():
            for standing in r.event.standings:
                _next(
                    cur, r, r.stream, standing.player_id, place=standing.place, tied=standing.tied, sits=True
                )
        case table.Seated():
            tournament_id = context.tournament_of(cur, r.stream)
            _next(cur, r, tournament_id, r.event.place.player_id, sits=True, table_id=r.stream)
        case table.HandEnded():
            _hand_ended(cur, r, r.event, context)


def _hand_ended(cur: Cursor, r: Recorded, e: table.HandEnded, context: Context) -> None:
    hand = context.hand(cur, e.hand_id)
    if e.winner is None:
        return
    for seat, player in hand.seats.items():
        _next(
            cur,
            r,
            hand.tournament_id,
            player,
            chips=e.stacks[seat],
            points=e.points[seat],
            hands=1,
            won=int(seat == e.winner),
        )


def _next(cur: Cursor, r: Recorded, tournament_id: UUID, player_id: UUID, **changes: object) -> None:
    key = {"tournament_id": tournament_id, "player_id": player_id, "position": r.position}
    cur.execute(_NEXT, {**_SAME, **changes, **key})
