"""`standings`: each player's chips, points and hands. A change is a new row, so any position can be read.

A player's row as of a position is his newest one at or below it; `standings_at` gives all of a tournament, placed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from domain import roster
from domain import table_events as table
from domain import tournament_events as tournament
from services.database import Cursor
from services.envelope import Recorded
from services.projections.context import Context

DDL = """
CREATE TABLE standings (
    tournament_id uuid NOT NULL,
    player_id uuid NOT NULL,
    position bigint NOT NULL,
    chips numeric NOT NULL,
    points bigint NOT NULL DEFAULT 0,
    hands bigint NOT NULL DEFAULT 0,
    hands_won bigint NOT NULL DEFAULT 0,
    cards_left bigint NOT NULL DEFAULT 0,
    table_id uuid,
    place integer,
    tied boolean NOT NULL DEFAULT false,
    no_show boolean NOT NULL DEFAULT false,
    withdrawn boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tournament_id, player_id, position)
);
"""

_NEXT = """
INSERT INTO standings
SELECT tournament_id, player_id, %(position)s, COALESCE(%(chips)s, chips) + %(net)s, points + %(points)s,
       hands + %(hands)s, hands_won + %(won)s, cards_left + %(cards_left)s,
       CASE WHEN %(sits)s THEN %(table_id)s ELSE table_id END,
       COALESCE(%(place)s, place), COALESCE(%(tied)s, tied), no_show OR %(no_show)s, %(withdrawn)s
FROM standings WHERE tournament_id = %(tournament_id)s AND player_id = %(player_id)s
ORDER BY position DESC LIMIT 1
ON CONFLICT (tournament_id, player_id, position) DO UPDATE
SET chips = excluded.chips, points = excluded.points, hands = excluded.hands,
    hands_won = excluded.hands_won, cards_left = excluded.cards_left, table_id = excluded.table_id,
    place = excluded.place, tied = excluded.tied,
    no_show = excluded.no_show, withdrawn = excluded.withdrawn
"""
_ONE_MORE_IN_PLAY = """
INSERT INTO standings
SELECT tournament_id, player_id, %(position)s, chips, points, hands, hands_won, cards_left, table_id, place + 1, tied,
       no_show, withdrawn
FROM (SELECT DISTINCT ON (player_id) * FROM standings WHERE tournament_id = %(tournament_id)s
      ORDER BY player_id, position DESC) AS newest
WHERE place IS NOT NULL AND player_id <> %(player_id)s
"""
"""Whoever is out stands one place lower: below those, that is, who go out from now on."""

_BACK_IN_PLAY = """
INSERT INTO standings
SELECT tournament_id, player_id, %(position)s, (structure->>'unit')::bigint * (structure->>'stack_points')::bigint,
       points, hands, hands_won, cards_left, NULL, NULL
FROM standings AS s JOIN tournaments USING (tournament_id)
WHERE tournament_id = %(tournament_id)s AND player_id = %(player_id)s
ORDER BY s.position DESC LIMIT 1
"""
_SAME: Mapping[str, Any] = {
    "chips": None,
    "net": 0,
    "points": 0,
    "hands": 0,
    "won": 0,
    "cards_left": 0,
    "sits": False,
    "table_id": None,
    "place": None,
    "tied": None,
    "no_show": False,
    "withdrawn": False,
}


def project(cur: Cursor, r: Recorded, context: Context) -> None:
    """Write the new rows of those whom `r` concerns."""
    match r.topic.partition(".")[0]:
        case "tournament":
            _tournament(cur, r)
        case "roster":
            _roster(cur, r)
        case "table":
            _table(cur, r, context)


def _tournament(cur: Cursor, r: Recorded) -> None:
    match r.event:
        case tournament.Started():
            for player in r.event.entrants:
                _first(cur, r, r.stream, player)
        case tournament.EntryTaken() | tournament.LateSeated():
            _late(cur, r, r.event)
        case tournament.TablesDrawn():
            for drawn in r.event.tables:
                _sit(cur, r, drawn)
        case tournament.TableOpened():
            _sit(cur, r, r.event.table)
        case tournament.TableClosed():
            for player in r.event.players:
                _next(cur, r, r.stream, player, sits=True)
        case tournament.Placed():
            out = {"place": r.event.place, "no_show": r.event.no_show, "chips": 0}
            _next(cur, r, r.stream, r.event.player_id, sits=True, **out)
        case tournament.Finished():
            for s in r.event.standings:
                _next(cur, r, r.stream, s.player_id, place=s.place, tied=s.tied, sits=True)


def _roster(cur: Cursor, r: Recorded) -> None:
    """Entries after the start."""
    match r.event:
        case roster.Registered():
            _first(cur, r, r.event.tournament_id, r.event.player_id)
        case roster.Withdrawn():
            _next(cur, r, r.event.tournament_id, r.event.player_id, withdrawn=True)


def _table(cur: Cursor, r: Recorded, context: Context) -> None:
    match r.event:
        case table.Seated():
            tournament_id = context.tournament_of(cur, r.stream)
            _next(cur, r, tournament_id, r.event.place.player_id, sits=True, table_id=r.stream)
        case table.HandEnded():
            _hand_ended(cur, r, r.event, context)


def _sit(cur: Cursor, r: Recorded, drawn: tournament.DrawnTable) -> None:
    for place in drawn.places:
        _next(cur, r, r.stream, place.player_id, sits=True, table_id=drawn.table_id)


def _first(cur: Cursor, r: Recorded, tournament_id: UUID, player: UUID) -> None:
    """A player's first row, with his stack; before the start there is none."""
    cur.execute(
        "INSERT INTO standings (tournament_id, player_id, position, chips)"
        " SELECT tournament_id, %s, %s, (structure->>'unit')::bigint * (structure->>'stack_points')::bigint"
        " FROM tournaments WHERE tournament_id = %s AND state IN ('running', 'paused')",
        (player, r.position, tournament_id),
    )


def _late(cur: Cursor, r: Recorded, e: tournament.EntryTaken | tournament.LateSeated) -> None:
    if isinstance(e, tournament.LateSeated):
        return _next(cur, r, r.stream, e.place.player_id, sits=True, table_id=e.table_id)
    key = {"tournament_id": r.stream, "player_id": e.player_id, "position": r.position}
    cur.execute(_ONE_MORE_IN_PLAY, key)
    if e.re_entry:
        cur.execute(_BACK_IN_PLAY, key)
    return None


def _hand_ended(cur: Cursor, r: Recorded, e: table.HandEnded, context: Context) -> None:
    hand = context.hand(cur, e.hand_id)
    assert hand.tournament_id is not None
    if e.winner is None:
        return
    left = e.cards_left if isinstance(e, table.RecordedHandEnded) else {}
    for seat, player in hand.seats.items():
        _next(
            cur,
            r,
            hand.tournament_id,
            player,
            net=e.net[seat],
            points=e.points[seat],
            hands=1,
            won=int(seat == e.winner),
            cards_left=left.get(seat, 0),
        )


def _next(cur: Cursor, r: Recorded, tournament_id: UUID, player_id: UUID, **changes: object) -> None:
    key = {"tournament_id": tournament_id, "player_id": player_id, "position": r.position}
    cur.execute(_NEXT, {**_SAME, **changes, **key})
