"""Lists, read from the projections page by page: each page begins after a key, so that new rows disturb none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import UUID

import msgspec
from psycopg.rows import dict_row

from domain.prizes import promised
from domain.structure import Structure
from services.application import resources as shapes
from services.application.errors import NotFound
from services.application.rulesets import RuleSets, preset_rule_sets
from services.database import Database
from services.projections.leaderboard import ALL_TIME

T = TypeVar("T")


class Page(NamedTuple, Generic[T]):
    """Some items of one kind, and the key of the last of them if more follow."""

    kind: type[T]
    items: list[T]
    next: tuple[Any, ...] | None


_TOURNAMENT = """
SELECT t.tournament_id, t.state, t.entrants, t.entries, t.players_left, t.level, t.unit AS current_unit,
       t.structure_hash, t.draw_commitment, t.draw_seed, t.position AS as_of, t.structure, t.created
FROM projections.tournaments t
"""
_PLAYERS = """
SELECT player_id, COALESCE(p.name, %(unnamed)s) AS name, l.created_at, l.created
FROM projections.players l LEFT JOIN people p USING (player_id)
WHERE l.created > %(after)s ORDER BY l.created LIMIT %(limit)s
"""
_ENTRIES = """
SELECT e.entry_id, e.player_id, COALESCE(p.name, %(unnamed)s) AS name, e.state, e.entered_at, e.position
FROM projections.entries e LEFT JOIN people p USING (player_id)
WHERE e.tournament_id = %(tournament)s AND e.position > %(after)s ORDER BY e.position LIMIT %(limit)s
"""
_TABLES = """
SELECT t.table_id, t.tournament_id, t.number, t.state, t.hand_id, t.last_hand_id, t.hands_played, t.dealer,
       t.direction, t.level, t.unit, t.held, t.freezes > 0 AS frozen, t.position AS as_of,
       COALESCE((SELECT jsonb_agg(jsonb_build_object('seat', s.seat, 'player_id', s.player_id,
                 'name', COALESCE(p.name, %(unnamed)s), 'stack', s.stack)
                 || CASE WHEN s.sit_out IS NULL THEN '{}' ELSE jsonb_build_object('sit_out', s.sit_out) END
                 ORDER BY s.seat)
                 FROM projections.table_seats s LEFT JOIN people p USING (player_id)
                 WHERE s.table_id = t.table_id), '[]') AS seats
FROM projections.tables t
WHERE t.tournament_id = %(tournament)s AND t.number > %(after)s ORDER BY t.number LIMIT %(limit)s
"""
_HANDS = """
SELECT hand_id, table_id, number, state, level, unit, dealer, direction, winner, liable, started_at, ended_at,
       recorded, played_at, disputed, created
FROM projections.hands
WHERE {of} = %(id)s AND created > %(after)s ORDER BY created LIMIT %(limit)s
"""
_RULE_SETS = """
SELECT name, version, name || '@' || version AS reference, ruleset AS rules, digest, published_at, position
FROM projections.rulesets WHERE (name, version) > (%(name)s, %(version)s) ORDER BY name, version LIMIT %(limit)s
"""
_NEWEST = {
    "players": "SELECT max(created) FROM projections.players",
    "rulesets": "SELECT max(position) FROM projections.rulesets",
    "tournaments": "SELECT max(position) FROM projections.tournaments",
    "rings": "SELECT max(position) FROM projections.rings JOIN projections.tables USING (table_id)",
    "stakes": "SELECT max(position) FROM projections.stakes",
    "webhooks": "SELECT max(position) FROM projections.webhooks",
    "leaderboard": "SELECT max(position) FROM projections.leaderboard",
    "tournament": "SELECT max(position) FROM projections.tournaments WHERE tournament_id = %(id)s",
    "hands": "SELECT max(position) FROM projections.feed WHERE tournament_id = %(id)s AND type LIKE 'hand.%%'",
    "table": "SELECT max(position) FROM projections.feed WHERE table_id = %(id)s AND type LIKE 'hand.%%'",
    "tables": "SELECT max(position) FROM projections.tables WHERE tournament_id = %(id)s",
}


def tournaments(db: Database, after: int | None, limit: int) -> Page[shapes.Tournament]:
    """All tournaments, the newest first."""
    query = f"{_TOURNAMENT} WHERE t.created < %(before)s ORDER BY t.created DESC LIMIT %(limit)s"
    rows = fetch(db, query, {"before": 2**63 - 1 if after is None else after, "limit": limit + 1})
    return page_of(shapes.Tournament, rows, limit, ("created",), _tournament)


def tournament(db: Database, tournament_id: UUID) -> shapes.Tournament:
    """One tournament; entrants are counted from the first entry on."""
    rows = fetch(db, f"{_TOURNAMENT} WHERE t.tournament_id = %(id)s", {"id": tournament_id})
    if not rows:
        raise NotFound("tournament")
    return _tournament(rows[0])


def tournament_must_exist(db: Database, tournament_id: UUID) -> None:
    if not fetch(
        db, "SELECT 1 FROM projections.tournaments WHERE tournament_id = %(id)s", {"id": tournament_id}
    ):
        raise NotFound("tournament")


def table_must_exist(db: Database, table_id: UUID) -> None:
    if not fetch(db, "SELECT 1 FROM projections.tables WHERE table_id = %(id)s", {"id": table_id}):
        raise NotFound("table")


def newest(db: Database, what: str, of: UUID | None = None) -> int:
    """The log position of the newest event of a list; 0 if it has none."""
    return fetch(db, _NEWEST[what], {"id": of})[0]["max"] or 0


def players(db: Database, after: int | None, limit: int) -> Page[shapes.Player]:
    """All players in the order of their enrolment."""
    rows = fetch(db, _PLAYERS, {"after": after or 0, "limit": limit + 1})
    return page_of(shapes.Player, rows, limit, ("created",))


def entries(db: Database, tournament_id: UUID, after: int | None, limit: int) -> Page[shapes.Entry]:
    """A tournament's entries in the order in which they were made."""
    keys = {"tournament": tournament_id, "after": after or 0, "limit": limit + 1}
    return page_of(shapes.Entry, fetch(db, _ENTRIES, keys), limit, ("position",))


def tables(db: Database, tournament_id: UUID, after: int | None, limit: int) -> Page[shapes.Table]:
    """Every table that the tournament ever opened, by number."""
    keys = {"tournament": tournament_id, "after": after or 0, "limit": limit + 1}
    return page_of(shapes.Table, fetch(db, _TABLES, keys), limit, ("number",), _table)


def unit_and_level(db: Database, table_id: UUID) -> tuple[int, int]:
    """A table's unit and level before its first hand: its tournament's, when it was opened."""
    query = "SELECT unit, level FROM projections.tables WHERE table_id = %(id)s"
    rows = fetch(db, query, {"id": table_id})
    return (rows[0]["unit"], rows[0]["level"]) if rows else (0, 1)


def hands(db: Database, tournament_id: UUID, after: int | None, limit: int) -> Page[shapes.HandLine]:
    """A tournament's hands in the order of their deals."""
    return _hands(db, "tournament_id", tournament_id, after, limit)


def hands_at(db: Database, table_id: UUID, after: int | None, limit: int) -> Page[shapes.HandLine]:
    """A table's hands in the order of their deals."""
    return _hands(db, "table_id", table_id, after, limit)


def _hands(db: Database, of: str, key: UUID, after: int | None, limit: int) -> Page[shapes.HandLine]:
    keys = {"id": key, "after": after or 0, "limit": limit + 1}
    return page_of(shapes.HandLine, fetch(db, _HANDS.format(of=of), keys), limit, ("created",))


def prizes(db: Database, tournament_id: UUID, first: int | None, limit: int) -> Page[shapes.Prize]:
    """What each place gets, from the one behind so many on: promised while it runs, awarded once it is finished."""
    whole, begin = _prizes(db, tournament_id), max(first or 0, 0)
    end = begin + limit
    return Page(shapes.Prize, whole[begin:end], (end,) if len(whole) > end else None)


def _prizes(db: Database, tournament_id: UUID) -> list[shapes.Prize]:
    query = (
        "SELECT state, entrants, entries, structure, prizes FROM projections.tournaments"
        " WHERE tournament_id = %(id)s"
    )
    [row] = fetch(db, query, {"id": tournament_id})
    terms = msgspec.convert(row["structure"], Structure)
    currency = terms.buy_in.currency if terms.buy_in else None
    if row["prizes"]:
        called = _called(db, [prize["player_id"] for prize in row["prizes"]])
        return [_prize(prize, called, currency) for prize in row["prizes"]]
    if row["state"] not in ("running", "paused"):
        return []
    return [
        shapes.Prize(place=place, tied=False, player_id=None, name=None, amount=amount, currency=currency)
        for place, amount in enumerate(promised(terms, row["entries"], row["entrants"]), 1)
    ]


def rule_sets(
    db: Database, known: RuleSets, after: tuple[str, int] | None, limit: int
) -> Page[shapes.RuleSet]:
    """The presets and all versions of all published rule sets, by name, then version."""
    name, version = after or ("", -1)
    rows = fetch(db, _RULE_SETS, {"name": name, "version": version, "limit": limit + 1})
    presets = [preset for preset in preset_rule_sets(known) if (preset.name, 0) > (name, version)]
    found = sorted([*presets, *(made(shapes.RuleSet, row) for row in rows)], key=_rule_set_order)
    following = _rule_set_order(found[limit - 1]) if len(found) > limit else None
    return Page(shapes.RuleSet, found[:limit], following)


def _rule_set_order(rules: shapes.RuleSet) -> tuple[str, int]:
    """Presets have no version."""
    return rules.name, rules.version or 0


def seasons(db: Database) -> list[shapes.Season]:
    """Each leaderboard; there is always that of all time."""
    query = (
        "SELECT count(*) AS players FROM projections.players WHERE EXISTS (SELECT 1 FROM projections.leaderboard b"
        " WHERE b.season = %(season)s AND b.player_id = players.player_id)"
    )
    return [shapes.Season(season=ALL_TIME, players=fetch(db, query, {"season": ALL_TIME})[0]["players"])]


def tournament_is_over(db: Database, tournament_id: UUID) -> bool:
    query = "SELECT 1 FROM projections.tournaments WHERE tournament_id = %(id)s AND state IN ('finished', 'cancelled')"
    return bool(fetch(db, query, {"id": tournament_id}))


def every_hand_is_final(db: Database, tournament_id: UUID) -> bool:
    """Whether a tournament that is over has no hand that could still be ruled on; a yes can never become a no."""
    query = (
        "SELECT 1 FROM projections.tournaments WHERE tournament_id = %(id)s AND state IN ('finished', 'cancelled')"
        " AND NOT EXISTS (SELECT FROM projections.hands"
        " WHERE tournament_id = %(id)s AND state IN ('running', 'settled'))"
    )
    return bool(fetch(db, query, {"id": tournament_id}))


def table_is_closed(db: Database, table_id: UUID) -> bool:
    query = "SELECT 1 FROM projections.tables WHERE table_id = %(id)s AND state = 'closed'"
    return bool(fetch(db, query, {"id": table_id}))


def fetch(db: Database, query: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of a query, by column; `unnamed` is always among its values."""
    with db.connection() as conn, conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query, {"unnamed": shapes.UNNAMED, **values}).fetchall()


def page_of(
    kind: type[T],
    rows: Sequence[dict[str, Any]],
    limit: int,
    key: tuple[str, ...],
    make: Any = None,  # noqa: ANN401 - a function of a row
) -> Page[T]:
    """One row more than `limit` was asked for: it tells whether a page follows."""
    shown = rows[:limit]
    items = [make(row) if make else made(kind, row) for row in shown]
    return Page(kind, items, tuple(_plain(shown[-1][part]) for part in key) if len(rows) > limit else None)


def _plain(part: object) -> object:
    return str(part) if isinstance(part, UUID) else part


def made(kind: type[T], row: Mapping[str, Any]) -> T:
    """A shape of those of a row's columns that it has."""
    return kind(**{name: row[name] for name in kind.__struct_fields__ if name in row})  # type: ignore[attr-defined]


def _tournament(row: Mapping[str, Any]) -> shapes.Tournament:
    terms = msgspec.convert(row["structure"], Structure)
    pool = shapes.prize_pool(terms, row["state"], row["entries"])
    return msgspec.convert({**row["structure"], **row, "prize_pool": pool}, shapes.Tournament)


def _table(row: Mapping[str, Any]) -> shapes.Table:
    return msgspec.convert(dict(row), shapes.Table)


def _prize(prize: Mapping[str, Any], called: Mapping[UUID, str], currency: str | None) -> shapes.Prize:
    player = UUID(prize["player_id"])
    return shapes.Prize(
        place=prize["place"],
        tied=prize["tied"],
        player_id=player,
        name=called.get(player, shapes.UNNAMED),
        amount=prize["amount"],
        currency=currency,
    )


def _called(db: Database, players: Sequence[str]) -> dict[UUID, str]:
    rows = fetch(
        db, "SELECT player_id, name FROM people WHERE player_id = ANY(%(ids)s::uuid[])", {"ids": players}
    )
    return {row["player_id"]: row["name"] for row in rows}
