"""Lists, read from the projections page by page: each page begins after a key, so that new rows disturb none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import UUID

import msgspec
from psycopg.rows import dict_row

from domain.prizes import prize_table
from services.application import resources as shapes
from services.application.errors import NotFound
from services.database import Database

T = TypeVar("T")


class Page(NamedTuple, Generic[T]):
    """Some items of one kind, and the key of the last of them if more follow."""

    kind: type[T]
    items: list[T]
    next: tuple[Any, ...] | None


_TOURNAMENT = """
SELECT t.tournament_id, t.state, t.entrants, t.players_left, t.level, t.unit AS current_unit, t.structure_hash,
       t.draw_commitment, t.draw_seed, t.position AS as_of, t.structure, t.created
FROM projections.tournaments t
"""
_PLAYERS = """
SELECT player_id, COALESCE(p.name, '(erased)') AS name, l.created_at, l.created
FROM projections.players l LEFT JOIN people p USING (player_id)
WHERE l.created > %(after)s ORDER BY l.created LIMIT %(limit)s
"""
_ENTRIES = """
SELECT e.entry_id, e.player_id, COALESCE(p.name, '(erased)') AS name, e.state, e.entered_at, e.position
FROM projections.entries e LEFT JOIN people p USING (player_id)
WHERE e.tournament_id = %(tournament)s AND e.position > %(after)s ORDER BY e.position LIMIT %(limit)s
"""
_TABLES = """
SELECT t.table_id, t.tournament_id, t.number, t.state, t.hand_id, t.last_hand_id, t.hands_played, t.dealer,
       t.direction, t.level, t.unit, t.position AS as_of,
       COALESCE((SELECT jsonb_agg(jsonb_build_object('seat', s.seat, 'player_id', s.player_id,
                 'name', COALESCE(p.name, '(erased)'), 'stack', s.stack) ORDER BY s.seat)
                 FROM projections.table_seats s LEFT JOIN people p USING (player_id)
                 WHERE s.table_id = t.table_id), '[]') AS seats
FROM projections.tables t
WHERE t.tournament_id = %(tournament)s AND t.number > %(after)s ORDER BY t.number LIMIT %(limit)s
"""
_HANDS = """
SELECT hand_id, table_id, number, state, level, unit, dealer, direction, winner, liable, started_at, ended_at, created
FROM projections.hands
WHERE tournament_id = %(tournament)s AND created > %(after)s ORDER BY created LIMIT %(limit)s
"""
_RULE_SETS = """
SELECT name, version, name || '@' || version AS reference, ruleset AS rules, digest, published_at, position
FROM projections.rulesets WHERE (name, version) > (%(name)s, %(version)s) ORDER BY name, version LIMIT %(limit)s
"""
_LEADERS = """
WITH placed AS (
    SELECT l.*, rank() OVER best AS place, count(*) OVER (PARTITION BY points) > 1 AS tied,
           row_number() OVER each AS row
    FROM projections.leaderboard l WHERE season = %(season)s
    WINDOW best AS (ORDER BY points DESC), each AS (ORDER BY points DESC, player_id)
)
SELECT place, tied, player_id, COALESCE(p.name, '(erased)') AS name, points, hands, wins AS hands_won, tournaments,
       first_places, best_place, row
FROM placed LEFT JOIN people p USING (player_id)
WHERE (-points, player_id) > (%(points)s, %(player)s) ORDER BY row LIMIT %(limit)s
"""
_NEWEST = {
    "players": "SELECT max(created) FROM projections.players",
    "rulesets": "SELECT max(position) FROM projections.rulesets",
    "tournaments": "SELECT max(position) FROM projections.tournaments",
    "leaderboard": "SELECT max(position) FROM projections.leaderboard",
    "tournament": "SELECT max(position) FROM projections.tournaments WHERE tournament_id = %(id)s",
    "tables": "SELECT max(position) FROM projections.tables WHERE tournament_id = %(id)s",
}
_FIRST = -(2**63)
_NOBODY = UUID(int=0)


def tournaments(db: Database, after: int | None, limit: int) -> Page[shapes.Tournament]:
    """All tournaments, the newest first."""
    query = f"{_TOURNAMENT} WHERE t.created < %(before)s ORDER BY t.created DESC LIMIT %(limit)s"
    rows = _fetch(db, query, {"before": 2**63 - 1 if after is None else after, "limit": limit + 1})
    return _page(shapes.Tournament, rows, limit, ("created",), _tournament)


def tournament(db: Database, tournament_id: UUID) -> shapes.Tournament:
    """One tournament; entrants are counted from the first entry on."""
    rows = _fetch(db, f"{_TOURNAMENT} WHERE t.tournament_id = %(id)s", {"id": tournament_id})
    if not rows:
        raise NotFound("tournament")
    return _tournament(rows[0])


def tournament_must_exist(db: Database, tournament_id: UUID) -> None:
    if not _fetch(
        db, "SELECT 1 FROM projections.tournaments WHERE tournament_id = %(id)s", {"id": tournament_id}
    ):
        raise NotFound("tournament")


def newest(db: Database, what: str, tournament_id: UUID | None = None) -> int:
    """The log position of the newest event of a list; 0 if it has none."""
    return _fetch(db, _NEWEST[what], {"id": tournament_id})[0]["max"] or 0


def players(db: Database, after: int | None, limit: int) -> Page[shapes.Player]:
    """All players in the order of their enrolment."""
    rows = _fetch(db, _PLAYERS, {"after": after or 0, "limit": limit + 1})
    return _page(shapes.Player, rows, limit, ("created",))


def entries(db: Database, tournament_id: UUID, after: int | None, limit: int) -> Page[shapes.Entry]:
    """A tournament's entries in the order in which they were made."""
    keys = {"tournament": tournament_id, "after": after or 0, "limit": limit + 1}
    return _page(shapes.Entry, _fetch(db, _ENTRIES, keys), limit, ("position",))


def tables(db: Database, tournament_id: UUID, after: int | None, limit: int) -> Page[shapes.Table]:
    """Every table that the tournament ever opened, by number."""
    keys = {"tournament": tournament_id, "after": after or 0, "limit": limit + 1}
    return _page(shapes.Table, _fetch(db, _TABLES, keys), limit, ("number",), _table)


def unit_and_level(db: Database, table_id: UUID) -> tuple[int, int]:
    """A table's unit and level before its first hand: its tournament's, when it was opened."""
    query = "SELECT unit, level FROM projections.tables WHERE table_id = %(id)s"
    rows = _fetch(db, query, {"id": table_id})
    return (rows[0]["unit"], rows[0]["level"]) if rows else (0, 1)


def hands(db: Database, tournament_id: UUID, after: int | None, limit: int) -> Page[shapes.HandLine]:
    """A tournament's hands in the order of their deals."""
    keys = {"tournament": tournament_id, "after": after or 0, "limit": limit + 1}
    return _page(shapes.HandLine, _fetch(db, _HANDS, keys), limit, ("created",))


def prizes(db: Database, tournament_id: UUID) -> list[shapes.Prize]:
    """What each place gets: promised while the tournament runs, awarded once it is finished."""
    query = (
        "SELECT state, entrants, structure->'prizes_bp' AS table, prizes FROM projections.tournaments"
        " WHERE tournament_id = %(id)s"
    )
    rows = _fetch(db, query, {"id": tournament_id})
    if not rows:
        raise NotFound("tournament")
    row = rows[0]
    if row["prizes"]:
        called = _called(db, [prize["player_id"] for prize in row["prizes"]])
        return [_prize(prize, called) for prize in row["prizes"]]
    if row["state"] not in ("running", "paused"):
        return []
    promised = row["table"] if row["table"] == "standard" else tuple(row["table"])
    return [
        shapes.Prize(place=place, tied=False, player_id=None, name=None, amount=amount)
        for place, amount in enumerate(prize_table(promised, row["entrants"]), 1)
    ]


def published_rule_sets(db: Database, after: tuple[str, int], limit: int) -> Page[shapes.RuleSet]:
    """All versions of all published rule sets, by name."""
    name, version = after
    rows = _fetch(db, _RULE_SETS, {"name": name, "version": version, "limit": limit + 1})
    return _page(shapes.RuleSet, rows, limit, ("name", "version"))


def seasons(db: Database) -> list[shapes.Season]:
    """Each leaderboard; there is always that of all time."""
    query = "SELECT count(*) AS players FROM projections.leaderboard WHERE season = 'all'"
    return [shapes.Season(season="all", players=_fetch(db, query, {})[0]["players"])]


def leaders(db: Database, after: tuple[int, UUID] | None, limit: int) -> Page[shapes.Leader]:
    """The players of all time, by points."""
    points, player = after or (_FIRST, _NOBODY)
    rows = _fetch(db, _LEADERS, {"season": "all", "points": points, "player": player, "limit": limit + 1})
    for row in rows:
        row["key"] = -row["points"]
    return _page(shapes.Leader, rows, limit, ("key", "player_id"))


def tournament_is_finished(db: Database, tournament_id: UUID) -> bool:
    query = "SELECT 1 FROM projections.tournaments WHERE tournament_id = %(id)s AND state = 'finished'"
    return bool(_fetch(db, query, {"id": tournament_id}))


def _fetch(db: Database, query: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    with db.connection() as conn, conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query, values).fetchall()


def _page(
    kind: type[T],
    rows: Sequence[dict[str, Any]],
    limit: int,
    key: tuple[str, ...],
    make: Any = None,  # noqa: ANN401 - a function of a row
) -> Page[T]:
    """One row more than `limit` was asked for: it tells whether a page follows."""
    shown = rows[:limit]
    items = [make(row) if make else _made(kind, row) for row in shown]
    return Page(kind, items, tuple(_plain(shown[-1][part]) for part in key) if len(rows) > limit else None)


def _plain(part: object) -> object:
    return str(part) if isinstance(part, UUID) else part


def _made(kind: type[T], row: Mapping[str, Any]) -> T:
    return kind(**{name: row[name] for name in kind.__struct_fields__ if name in row})  # type: ignore[attr-defined]


def _tournament(row: Mapping[str, Any]) -> shapes.Tournament:
    return msgspec.convert({**row["structure"], **row}, shapes.Tournament)


def _table(row: Mapping[str, Any]) -> shapes.Table:
    return msgspec.convert(dict(row), shapes.Table)


def _prize(prize: Mapping[str, Any], called: Mapping[UUID, str]) -> shapes.Prize:
    player = UUID(prize["player_id"])
    return shapes.Prize(
        place=prize["place"],
        tied=prize["tied"],
        player_id=player,
        name=called.get(player, shapes.UNNAMED),
        amount=prize["amount"],
    )


def _called(db: Database, players: Sequence[str]) -> dict[UUID, str]:
    rows = _fetch(
        db, "SELECT player_id, name FROM people WHERE player_id = ANY(%(ids)s::uuid[])", {"ids": players}
    )
    return {row["player_id"]: row["name"] for row in rows}
