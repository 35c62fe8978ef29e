"""`directory`: players, rule sets, tournaments with their entries, and tables, as lists show them."""

from __future__ import annotations

from uuid import UUID

import msgspec
from psycopg.types.json import Jsonb

from domain import player, roster
from domain import table_events as table
from domain import tournament_events as tournament
from domain.ruleset import RuleSetPublished
from domain.structure import Structure
from services.database import Cursor
from services.envelope import Recorded
from services.projections.context import Context

DDL = """
CREATE TABLE players (
    player_id uuid PRIMARY KEY,
    barred boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    created bigint NOT NULL UNIQUE
);
CREATE TABLE rulesets (
    name text NOT NULL,
    version integer NOT NULL,
    ruleset jsonb NOT NULL,
    digest text NOT NULL,
    published_at timestamptz NOT NULL,
    position bigint NOT NULL,
    PRIMARY KEY (name, version)
);
CREATE TABLE tournaments (
    tournament_id uuid PRIMARY KEY,
    created bigint NOT NULL UNIQUE,
    position bigint NOT NULL,
    state text NOT NULL DEFAULT 'open',
    structure jsonb,
    structure_hash text,
    draw_commitment text NOT NULL,
    draw_seed text,
    entrants integer NOT NULL DEFAULT 0,
    entries integer NOT NULL DEFAULT 0,
    players_left integer NOT NULL DEFAULT 0,
    level integer NOT NULL DEFAULT 1,
    unit bigint,
    pauses integer NOT NULL DEFAULT 0,
    prizes jsonb NOT NULL DEFAULT '[]',
    created_at timestamptz NOT NULL,
    started_at timestamptz,
    ended_at timestamptz
);
CREATE TABLE entries (
    tournament_id uuid NOT NULL,
    player_id uuid NOT NULL,
    entry_id uuid NOT NULL,
    state text NOT NULL,
    entered_at timestamptz NOT NULL,
    position bigint NOT NULL,
    PRIMARY KEY (tournament_id, entry_id)
);
CREATE INDEX ON entries (tournament_id, position);
CREATE TABLE tables (
    table_id uuid PRIMARY KEY,
    tournament_id uuid,
    number integer,
    state text NOT NULL DEFAULT 'open',
    hand_id uuid,
    last_hand_id uuid,
    hands_played integer NOT NULL DEFAULT 0,
    dealer integer,
    direction text,
    level integer NOT NULL DEFAULT 1,
    unit bigint,
    held boolean NOT NULL DEFAULT false,
    freezes integer NOT NULL DEFAULT 0, -- by disputes about its hands, one each
    position bigint NOT NULL,
    UNIQUE (tournament_id, number)
);
CREATE TABLE table_seats (
    table_id uuid NOT NULL,
    seat integer NOT NULL,
    player_id uuid NOT NULL,
    stack bigint,
    buy_in bigint,
    sitting_out boolean,
    leaving boolean,
    sit_out integer,
    PRIMARY KEY (table_id, seat)
);
"""


def project(cur: Cursor, r: Recorded, context: Context) -> None:  # noqa: ARG001
    """Write what `r` changes in the lists."""
    topic = r.topic.partition(".")[0]
    match topic:
        case "player" | "ruleset":
            _people_and_rules(cur, r)
        case "roster":
            _roster(cur, r)
        case "tournament":
            _tournament(cur, r)
        case "table":
            _table(cur, r)


def _people_and_rules(cur: Cursor, r: Recorded) -> None:
    match r.event:
        case player.Enrolled():
            cur.execute(
                "INSERT INTO players (player_id, created_at, created) VALUES (%s, %s, %s)",
                (r.stream, r.at, r.position),
            )
        case player.Barred() | player.Reinstated():
            barred = isinstance(r.event, player.Barred)
            cur.execute("UPDATE players SET barred = %s WHERE player_id = %s", (barred, r.stream))
        case RuleSetPublished():
            e = r.event
            cur.execute(
                "INSERT INTO rulesets VALUES (%s, %s, %s, %s, %s, %s)",
                (e.name, e.version, Jsonb(e.ruleset), e.digest, r.at, r.position),
            )


def _roster(cur: Cursor, r: Recorded) -> None:
    match r.event:
        case roster.Registered():
            _entry(cur, r, r.event)
            _count_entrants(cur, r, r.event.tournament_id, players=+1, entries=+1)
        case roster.ReEntered():
            _entry(cur, r, r.event)
            _count_entrants(cur, r, r.event.tournament_id, players=0, entries=+1)
        case roster.Withdrawn():
            cur.execute(
                "DELETE FROM entries WHERE tournament_id = %s AND player_id = %s",
                (r.event.tournament_id, r.event.player_id),
            )
            _count_entrants(cur, r, r.event.tournament_id, players=-1, entries=-1)


def _entry(cur: Cursor, r: Recorded, e: roster.Registered | roster.ReEntered) -> None:
    cur.execute(
        "INSERT INTO entries VALUES (%s, %s, %s, 'registered', %s, %s)",
        (e.tournament_id, e.player_id, e.entry_id, r.at, r.position),
    )


def _count_entrants(cur: Cursor, r: Recorded, t: UUID, players: int, entries: int) -> None:
    """Either adds one to those in play, or takes one from them: who enters again had left them."""
    cur.execute(
        "UPDATE tournaments SET entrants = entrants + %(players)s, entries = entries + %(entries)s,"
        " players_left = players_left + %(entries)s, position = %(position)s WHERE tournament_id = %(id)s",
        {"players": players, "entries": entries, "position": r.position, "id": t},
    )


def _tournament(cur: Cursor, r: Recorded) -> None:
    match r.event:
        case tournament.SeedsCommitted():
            cur.execute(
                "INSERT INTO tournaments (tournament_id, created, position, draw_commitment, created_at)"
                " VALUES (%s, %s, %s, %s, %s)",
                (r.stream, r.position, r.position, r.event.draw_commitment, r.at),
            )
        case tournament.Published():
            _set(
                cur,
                r,
                structure=Jsonb(structure_builtins(r.event.structure)),
                structure_hash=r.event.structure_hash,
                unit=r.event.structure.unit_at(1),
            )
        case tournament.Started():
            _set(cur, r, state="running", started_at=r.at)
        case tournament.Paused():
            _set(cur, r, state="paused", pauses=r.event.number)
        case tournament.Resumed():
            _set(cur, r, state="running")
        case tournament.LevelRaised():
            _set(cur, r, level=r.event.level, unit=r.event.unit)
        case tournament.TablesHeld():
            _set(cur, r)
            cur.execute(
                "UPDATE tables SET held = number = ANY(%s) WHERE tournament_id = %s",
                (list(r.event.numbers), r.stream),
            )
        case tournament.Placed() | tournament.PlayerReinstated():
            cur.execute(
                "UPDATE tournaments SET players_left = players_left + %s, position = %s"
                " WHERE tournament_id = %s",
                (-1 if isinstance(r.event, tournament.Placed) else 1, r.position, r.stream),
            )
        case tournament.PrizesAwarded():
            _set(cur, r, prizes=Jsonb(msgspec.to_builtins(r.event.prizes)))
        case tournament.Finished():
            seed = r.event.draw_seed.hex()
            _set(cur, r, state="finished", ended_at=r.at, draw_seed=seed)
        case tournament.Cancelled():
            seed = r.event.draw_seed.hex()
            _set(cur, r, state="cancelled", ended_at=r.at, draw_seed=seed)
        case _:
            _set(cur, r)


def _set(cur: Cursor, r: Recorded, **columns: object) -> None:
    names = ", ".join(f"{name} = %({name})s" for name in ("position", *columns))
    cur.execute(
        f"UPDATE tournaments SET {names} WHERE tournament_id = %(stream)s",  # noqa: S608 - our own names
        {**columns, "position": r.position, "stream": r.stream},
    )


def structure_builtins(structure: Structure) -> dict[str, object]:
    """The structure as JSON-ready values."""
    built: dict[str, object] = msgspec.to_builtins(structure)
    return built


def _table(cur: Cursor, r: Recorded) -> None:
    match r.event:
        case table.Opened():
            e = r.event
            cur.execute(
                "INSERT INTO tables (table_id, tournament_id, number, position, level, unit)"
                " SELECT %s, %s, %s, %s, level, unit FROM tournaments WHERE tournament_id = %s",
                (r.stream, e.tournament_id, e.number, r.position, e.tournament_id),
            )
            points = isinstance(e, table.RecordedTableOpened) and e.points
            for place in e.places:
                _seat(cur, r, place, None if points else place.stack)
        case table.Seated():
            _seat(cur, r, r.event.place, r.event.place.stack)
            _touch(cur, r)
        case table.Vacated():
            cur.execute("DELETE FROM table_seats WHERE table_id = %s AND seat = %s", (r.stream, r.event.seat))
            _touch(cur, r)
        case table.HandBegun():
            _hand_begun(cur, r, r.event)
        case table.HandEnded():
            _hand_ended(cur, r, r.event)
        case table.SeatTakenOver():
            cur.execute(
                "UPDATE table_seats SET player_id = %s, sit_out = NULL WHERE table_id = %s AND seat = %s",
                (r.event.player_id, r.stream, r.event.seat),
            )
            _touch(cur, r)
        case table.SitOutGiven():
            cur.execute(
                "UPDATE table_seats SET sit_out = COALESCE(sit_out, 0) + %s WHERE table_id = %s AND seat = %s",
                (r.event.hands, r.stream, r.event.seat),
            )
            _touch(cur, r)
        case table.TableFrozen() | table.TableReleased():
            cur.execute(
                "UPDATE tables SET freezes = freezes + %s WHERE table_id = %s",
                (1 if isinstance(r.event, table.TableFrozen) else -1, r.stream),
            )
            _touch(cur, r)
        case table.StacksAdjusted():
            _adjusted(cur, r, r.event)
            _touch(cur, r)
        case table.Closed():
            cur.execute(
                "UPDATE tables SET state = 'closed', hand_id = NULL, held = false, position = %s WHERE table_id = %s",
                (r.position, r.stream),
            )
            cur.execute("DELETE FROM table_seats WHERE table_id = %s", (r.stream,))
        case _:
            _touch(cur, r)


def _seat(cur: Cursor, r: Recorded, place: table.Place, stack: int | None) -> None:
    cur.execute(
        "INSERT INTO table_seats (table_id, seat, player_id, stack, sit_out) VALUES (%s, %s, %s, %s, %s)",
        (r.stream, place.seat, place.player_id, stack, place.sit_out or None),
    )


def _hand_begun(cur: Cursor, r: Recorded, e: table.HandBegun) -> None:
    cur.execute(
        "UPDATE tables SET hand_id = %s, dealer = %s, direction = %s, level = %s, unit = %s,"
        " position = %s WHERE table_id = %s",
        (e.hand_id, e.dealer, e.direction, e.level, e.unit, r.position, r.stream),
    )


def _hand_ended(cur: Cursor, r: Recorded, e: table.HandEnded) -> None:
    cur.execute(
        "UPDATE tables SET hand_id = NULL, last_hand_id = %s, hands_played = hands_played + 1,"
        " position = %s WHERE table_id = %s",
        (e.hand_id, r.position, r.stream),
    )
    cur.execute(
        "UPDATE table_seats AS t SET stack = s.stack FROM unnest(%s::integer[], %s::bigint[]) AS s (seat, stack)"
        " WHERE table_id = %s AND t.seat = s.seat",
        (list(e.stacks), list(e.stacks.values()), r.stream),
    )
    if e.winner is not None:  # a voided hand is not sat out
        cur.execute(
            "UPDATE table_seats SET sit_out = NULLIF(sit_out - 1, 0) WHERE table_id = %s AND sit_out IS NOT NULL",
            (r.stream,),
        )


def _adjusted(cur: Cursor, r: Recorded, e: table.StacksAdjusted) -> None:
    cur.execute(
        "UPDATE table_seats AS t SET stack = t.stack + s.chips"
        " FROM unnest(%s::integer[], %s::bigint[]) AS s (seat, chips)"
        " WHERE table_id = %s AND t.seat = s.seat",
        (list(e.changes), list(e.changes.values()), r.stream),
    )


def _touch(cur: Cursor, r: Recorded) -> None:
    cur.execute("UPDATE tables SET position = %s WHERE table_id = %s", (r.position, r.stream))
