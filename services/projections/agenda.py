"""`agenda`: everything that is due, and when. The clock reads it; a job that is done makes its row go.

A row waits while the database's clock is within its wait, from `waits_from` to `due_at`. What is due at once has a
wait of no length: it is due whatever that clock says. A deal, a hand's end and a payment wait for a known time, and are
due as well when the clock was set back to before it (`domain.waits`). Turns, levels and scheduled starts, which have no
`waits_from`, go by the clock alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from psycopg.types.json import Jsonb

from domain import dispute_events as dispute
from domain import hand_events as hand
from domain import roster
from domain import table_events as table
from domain import tournament_events as tournament
from domain.waits import STEP
from services.database import Cursor
from services.envelope import Recorded
from services.projections.context import Context
from services.projections.growing import Growing

DDL = """
CREATE TABLE agenda (
    subject text PRIMARY KEY,
    name text NOT NULL,
    job text NOT NULL,
    args jsonb NOT NULL,
    due_at timestamptz NOT NULL,
    waits_from timestamptz
);
CREATE INDEX ON agenda (due_at);
CREATE INDEX ON agenda (waits_from);
CREATE TABLE agenda_tables (
    table_id uuid PRIMARY KEY,
    tournament_id uuid NOT NULL,
    hands integer NOT NULL DEFAULT 0,
    deal_at timestamptz NOT NULL,
    look_at timestamptz,
    running boolean NOT NULL DEFAULT false,
    pauses integer NOT NULL,
    paused boolean NOT NULL DEFAULT false,
    frozen integer NOT NULL DEFAULT 0,
    recorded boolean NOT NULL
);
CREATE INDEX ON agenda_tables (tournament_id);
"""

IS_DUE = "(due_at <= statement_timestamp() OR waits_from > statement_timestamp())"
"""Whether a row of the agenda is due by the database's clock."""

_BEHIND = (
    " FROM agenda_tables AS t JOIN tournaments USING (tournament_id) WHERE state IN ('running', 'paused')"
    " AND (paused <> (state = 'paused') OR t.pauses < tournaments.pauses) AND NOT recorded"
)
"""The tables that have a pause, or the end of one, still to follow (`domain.pausing.behind`).

At a table with real cards nothing is ever due but its close: it has no clock, and asks its tournament about pauses.
"""


def waits_from(ends: str, seconds: str) -> str:
    """`domain.waits.earliest` in SQL, of two of its terms."""
    longer = f"make_interval(secs => {seconds} + {STEP.total_seconds():.0f})"
    return f"{ends} - CASE WHEN {seconds} = 0 THEN interval '0' ELSE {longer} END"


_NEXT_AT_RING = f"""
INSERT INTO agenda
SELECT %(subject)s, %(name)s, 'ring', jsonb_build_array(table_id),
    CASE WHEN closing OR goes THEN %(at)s ELSE deal_at END,
    CASE WHEN closing OR goes THEN %(at)s WHEN last_hand_id IS NULL THEN deal_at
    ELSE {waits_from("deal_at", "(terms->'timing'->>'between_hands_seconds')::integer")} END
FROM rings JOIN tables USING (table_id) CROSS JOIN (
    SELECT COALESCE(bool_or(leaving), false) AS goes, count(*) FILTER (WHERE NOT sitting_out AND NOT leaving) AS playing
    FROM table_seats WHERE table_id = %(table)s
) AS seats
WHERE table_id = %(table)s AND state = 'open' AND hand_id IS NULL AND (closing OR goes OR (playing >= 2 AND NOT paused))
"""  # noqa: S608 - our own words
"""Who cannot pay the next hand sits out by then (`domain.ring_hands.ended`)."""

_DEAL_WAITS_FROM = waits_from("deal_at", "(structure->>'between_hands_seconds')::integer")


def project(cur: Cursor, r: Recorded, context: Context) -> None:
    """Put on the agenda what `r` makes due, and strike what it settles."""
    match r.topic.partition(".")[0]:
        case "tournament":
            _tournament(cur, r)
        case "roster":
            _roster(cur, r)
        case "table":
            _table(cur, r)
        case "ring":
            _ring(cur, r)
        case "hand":
            _hand(cur, r, context)


def write_turns(cur: Cursor, context: Context, *, few: bool) -> None:
    """Write where the turns have come to at the end of a batch; nothing else is kept under their subjects."""
    turns, context.turns = context.turns, {}
    if turns:
        cur.execute("DELETE FROM agenda WHERE subject = ANY(%s)", (list(turns),))
        rows = Growing("agenda", 6)
        for row in filter(None, turns.values()):
            rows.add(row)
        rows.write(cur, few=few)


def _tournament(cur: Cursor, r: Recorded) -> None:
    t = r.stream
    match r.event:
        case tournament.Published():
            _put(cur, f"start/{t}", f"start-{t}", "start", [t], r.event.structure.starts_at)
        case tournament.Started():
            _strike(cur, f"start/{t}")
            _put_draw(cur, r)
            _put(cur, f"level/{t}", f"level-{t}-2", "level", [t, 2], r.event.level_ends_at)
        case tournament.TablesDrawn():
            _strike(cur, f"draw/{t}")
        case tournament.EntryTaken():
            _seat_at_once(cur, r, f"{r.event.number}")
        case tournament.PlayerReinstated():
            _seat_at_once(cur, r, f"back-{r.event.number}")
        case tournament.LateSeated():
            _strike(cur, f"seat/{t}")  # that look has seen whoever else is coming
        case tournament.LevelRaised():
            following = r.event.level + 1
            _put(cur, f"level/{t}", f"level-{t}-{following}", "level", [t, following], r.event.ends_at)
        case tournament.Paused():
            _strike(cur, f"level/{t}")
            _strike(cur, f"draw/{t}")
            _strike(cur, f"seat/{t}")
            _follow_pauses(cur, r, "tournament_id", t)
        case tournament.Resumed():
            _put_level_back(cur, t, r.event.level_ends_at)
            _put_draw(cur, r)
            _follow_pauses(cur, r, "tournament_id", t)
        case tournament.Finished():
            _over(cur, t)
        case tournament.Cancelled():
            _over(cur, t)
            _close_tables(cur, r)


def _roster(cur: Cursor, r: Recorded) -> None:
    match r.event:
        case roster.Registered():
            _start_if_full(cur, r, r.event.tournament_id)
        case roster.Withdrawn():
            cur.execute(
                "DELETE FROM agenda USING tournaments WHERE subject = %s AND tournament_id = %s"
                " AND structure->>'starts_at' IS NULL",
                (f"start/{r.event.tournament_id}", r.event.tournament_id),
            )


def _start_if_full(cur: Cursor, r: Recorded, t: UUID) -> None:
    """A sit_and_go without a starting time starts when its last place is taken (TOURNAMENTS.md)."""
    cur.execute(
        "INSERT INTO agenda SELECT %s, %s, 'start', %s, %s, %s FROM tournaments"
        " WHERE tournament_id = %s AND state = 'open' AND structure->>'format' = 'sit_and_go'"
        " AND structure->>'starts_at' IS NULL AND entrants >= (structure->>'capacity')::integer"
        " ON CONFLICT (subject) DO NOTHING",
        (f"start/{t}", f"start-{t}-{r.version}", Jsonb([str(t)]), r.at, r.at, t),
    )


def _put_level_back(cur: Cursor, t: UUID, ends_at: datetime | None) -> None:
    if ends_at is not None:
        cur.execute(
            "INSERT INTO agenda SELECT %s, 'level-' || tournament_id || '-' || level + 1, 'level',"
            " jsonb_build_array(tournament_id, level + 1), %s FROM tournaments WHERE tournament_id = %s",
            (f"level/{t}", ends_at, t),
        )


def _seat_at_once(cur: Cursor, r: Recorded, who: str) -> None:
    """A look at the tables for who has entered late, or is back. After a pause each table's next deal is one anyway;
    with real cards the next result is."""
    cur.execute(
        "INSERT INTO agenda SELECT %s, %s, 'deal', %s, %s, %s FROM tournaments"
        " WHERE tournament_id = %s AND state = 'running' AND NOT (structure->>'recorded')::boolean"
        " ON CONFLICT (subject) DO UPDATE"
        " SET name = excluded.name, due_at = excluded.due_at, waits_from = excluded.waits_from",
        (
            f"seat/{r.stream}",
            f"seat-{r.stream}-{who}",
            Jsonb([str(r.stream)]),
            r.at,
            r.at,
            r.stream,
        ),
    )


def _put_draw(cur: Cursor, r: Recorded) -> None:
    """The draw of the first tables, unless they are there; a league draws none."""
    cur.execute(
        "INSERT INTO agenda SELECT %s, %s, 'draw', %s, %s, %s FROM tournaments WHERE tournament_id = %s"
        " AND structure->>'format' <> 'league' AND NOT EXISTS (SELECT FROM tables WHERE tournament_id = %s)",
        (f"draw/{r.stream}", f"draw-{r.stream}", Jsonb([str(r.stream)]), r.at, r.at, r.stream, r.stream),
    )


def _over(cur: Cursor, t: UUID) -> None:
    for subject in ("start", "draw", "level", "seat"):
        _strike(cur, f"{subject}/{t}")
    cur.execute(
        "DELETE FROM agenda USING agenda_tables WHERE tournament_id = %s AND subject = 'pause/' || table_id",
        (t,),
    )


def _close_tables(cur: Cursor, r: Recorded) -> None:
    """After a cancellation each open table voids its hand and closes."""
    cur.execute(
        "INSERT INTO agenda SELECT 'close/' || table_id, 'close-' || table_id, 'close',"
        " jsonb_build_array(table_id), %s, %s FROM agenda_tables WHERE tournament_id = %s",
        (r.at, r.at, r.stream),
    )


def _follow_pauses(cur: Cursor, r: Recorded, column: str, key: UUID) -> None:
    """Each table of `key` (one table, or a tournament's) that has a pause to follow gets a job; the others none."""
    one = f" t.{column} = %s"
    cur.execute(
        f"DELETE FROM agenda USING agenda_tables AS t WHERE subject = 'pause/' || table_id AND {one}",  # noqa: S608
        (key,),
    )
    cur.execute(
        "INSERT INTO agenda SELECT 'pause/' || table_id, 'pause-' || table_id || '-' || %s, 'pause',"
        f" jsonb_build_array(table_id), %s, %s {_BEHIND} AND {one}",
        (r.position, r.at, r.at, key),
    )


def _table(cur: Cursor, r: Recorded) -> None:
    match r.event:
        case table.Opened():
            cur.execute(
                "INSERT INTO agenda_tables (table_id, tournament_id, deal_at, pauses, recorded)"
                " VALUES (%s, %s, %s, %s, %s)",
                (
                    r.stream,
                    r.event.tournament_id,
                    r.event.deal_at,
                    r.event.pauses,
                    isinstance(r.event, table.RecordedTableOpened),
                ),
            )
        case table.HandBegun():
            _change(cur, r, hands=r.event.number, running=True)
        case table.HandEnded():
            somebody_is_out = min(r.event.stacks.values(), default=1) <= 0
            look_at = r.at if somebody_is_out else None
            _change(cur, r, running=False, deal_at=r.event.deal_at, look_at=look_at)
        case table.Vacated():
            _change(cur, r, look_at=None)
        case table.TableFrozen() | table.TableReleased():
            step = 1 if isinstance(r.event, table.TableFrozen) else -1
            cur.execute("UPDATE agenda_tables SET frozen = frozen + %s WHERE table_id = %s", (step, r.stream))
        case table.TablePaused():
            _change(cur, r, paused=True, pauses=r.event.number)
        case table.TableResumed():
            _change(cur, r, paused=False)
        case table.Closed():
            return _closed(cur, r)
        case _:
            return None
    _next_deal(cur, r)
    if isinstance(r.event, table.TablePaused | table.TableResumed):
        _follow_pauses(cur, r, "table_id", r.stream)
    return None


def _ring(cur: Cursor, r: Recorded) -> None:
    """Between hands a ring table has something to do if two can play, somebody stands up, or it is to close."""
    subject = f"ring/{r.stream}"
    _strike(cur, subject)
    name = f"ring-{r.stream}-{r.version}"
    cur.execute(_NEXT_AT_RING, {"subject": subject, "name": name, "at": r.at, "table": r.stream})


def _closed(cur: Cursor, r: Recorded) -> None:
    for subject in ("deal", "pause", "close"):
        _strike(cur, f"{subject}/{r.stream}")
    cur.execute("DELETE FROM agenda_tables WHERE table_id = %s", (r.stream,))


def _change(cur: Cursor, r: Recorded, **columns: object) -> None:
    names = ", ".join(f"{name} = %({name})s" for name in columns)
    cur.execute(
        f"UPDATE agenda_tables SET {names} WHERE table_id = %(stream)s",  # noqa: S608 - our own names
        {**columns, "stream": r.stream},
    )


def _next_deal(cur: Cursor, r: Recorded) -> None:
    """A table between hands is looked at at once when somebody is out, else when its next deal is due."""
    _strike(cur, f"deal/{r.stream}")
    cur.execute(
        "INSERT INTO agenda SELECT 'deal/' || table_id, CASE WHEN look_at IS NULL THEN 'deal-' || table_id || '-'"  # noqa: S608
        " || hands + 1 ELSE 'look-' || table_id || '-' || hands END, 'deal',"
        f" jsonb_build_array(tournament_id), COALESCE(look_at, deal_at), COALESCE(look_at, {_DEAL_WAITS_FROM})"
        " FROM agenda_tables JOIN tournaments USING (tournament_id)"
        " WHERE table_id = %s AND NOT running AND NOT paused AND frozen = 0 AND NOT recorded",
        (r.stream,),
    )


def _hand(cur: Cursor, r: Recorded, context: Context) -> None:
    match r.event:
        case hand.EntropyOpened() | hand.EntropyGiven():
            _turn(context, r, 0, r.event.closes_at)
        case hand.Dealt() | hand.CardsPlayed() | hand.Passed() if r.event.next_turn is not None:
            _turn(context, r, r.event.next_turn.number, r.event.next_turn.deadline)
        case dispute.ActionsVoided():
            _turn(context, r, r.event.next_turn.number, r.event.next_turn.deadline)
        case hand.ClockStarted() | dispute.TimeGiven():
            _turn(context, r, r.event.turn, r.event.deadline)
        case hand.ClockStopped() | hand.Voided():
            context.turns[f"turn/{r.stream}"] = None
        case hand.Settled():
            context.turns[f"turn/{r.stream}"] = None
            _protest(cur, r)
        case dispute.Flagged() | dispute.Frozen(open=True) | dispute.Appealed():
            _strike(cur, f"final/{r.stream}")
        case dispute.Released() | dispute.Ruled():
            _protest(cur, r)
        case hand.Finalised() | hand.Confirmed():
            _strike(cur, f"final/{r.stream}")


def _turn(context: Context, r: Recorded, number: int, deadline: datetime | None) -> None:
    """The turn that runs, in the place of the one before; without a deadline nothing is due."""
    subject, name, args = f"turn/{r.stream}", f"turn-{r.stream}-{number}", Jsonb([str(r.stream), number])
    context.turns[subject] = (subject, name, "turn", args, deadline, None) if deadline else None


def _protest(cur: Cursor, r: Recorded) -> None:
    """A settled hand becomes final when its protest window is over: after the settlement, a ruling, or a release."""
    cur.execute(
        "INSERT INTO agenda SELECT %s, %s, 'finalise', %s, ends,"  # noqa: S608
        f" {waits_from('ends', 'protest_seconds')} FROM hands,"
        " LATERAL (SELECT %s + make_interval(secs => protest_seconds) AS ends) AS wait"
        " WHERE hand_id = %s AND state = 'settled' AND NOT disputed"
        " ON CONFLICT (subject) DO UPDATE SET due_at = excluded.due_at, waits_from = excluded.waits_from",
        (f"final/{r.stream}", f"final-{r.stream}", Jsonb([str(r.stream)]), r.at, r.stream),
    )


def _put(
    cur: Cursor, subject: str, name: str, job: str, args: Sequence[object], due_at: datetime | None
) -> None:
    """The subject's next job; none when it is due at no time."""
    if due_at is None:
        return _strike(cur, subject)
    cur.execute(
        "INSERT INTO agenda VALUES (%s, %s, %s, %s, %s) ON CONFLICT (subject) DO UPDATE"
        " SET name = excluded.name, job = excluded.job, args = excluded.args, due_at = excluded.due_at,"
        " waits_from = excluded.waits_from",
        (subject, name, job, Jsonb([a if isinstance(a, int) else str(a) for a in args]), due_at),
    )
    return None


def _strike(cur: Cursor, subject: str) -> None:
    cur.execute("DELETE FROM agenda WHERE subject = %s", (subject,))
