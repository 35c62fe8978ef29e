"""`rings`: ring tables as lists show them, beside their rows in `tables` and `table_seats`; the stakes of the house."""

from __future__ import annotations

import msgspec
from psycopg.types.json import Jsonb

from domain import ring_events as ring
from domain.stakes import StakesPublished
from services.database import Cursor
from services.envelope import Recorded
from services.projections.context import Context

DDL = """
CREATE TABLE rings (
    table_id uuid PRIMARY KEY,
    created bigint NOT NULL UNIQUE,
    terms jsonb NOT NULL,
    deal_at timestamptz NOT NULL,
    paused boolean NOT NULL DEFAULT false,
    closing boolean NOT NULL DEFAULT false
);
CREATE TABLE stakes (
    name text NOT NULL,
    version integer NOT NULL,
    currency text NOT NULL,
    steps jsonb NOT NULL,
    digest text NOT NULL,
    published_at timestamptz NOT NULL,
    position bigint NOT NULL,
    PRIMARY KEY (name, version)
);
"""


def project(cur: Cursor, r: Recorded, context: Context) -> None:  # noqa: ARG001
    """Write what `r` changes at a ring table, or the stakes that it publishes."""
    match r.topic.partition(".")[0]:
        case "ring":
            _table(cur, r)
            _seat(cur, r)
            cur.execute("UPDATE tables SET position = %s WHERE table_id = %s", (r.position, r.stream))
        case "stakes":
            assert isinstance(r.event, StakesPublished)
            e = r.event
            cur.execute(
                "INSERT INTO stakes VALUES (%s, %s, %s, %s, %s, %s, %s)",
                (
                    e.name,
                    e.version,
                    e.currency,
                    Jsonb(msgspec.to_builtins(e.steps)),
                    e.digest,
                    r.at,
                    r.position,
                ),
            )


def _table(cur: Cursor, r: Recorded) -> None:
    match r.event:
        case ring.RingOpened():
            terms = r.event.terms
            cur.execute(
                "INSERT INTO tables (table_id, unit, position) VALUES (%s, %s, %s)",
                (r.stream, terms.unit, r.position),
            )
            cur.execute(
                "INSERT INTO rings (table_id, created, terms, deal_at) VALUES (%s, %s, %s, %s)",
                (r.stream, r.position, Jsonb(msgspec.to_builtins(terms)), r.at),
            )
        case ring.RingHandBegun():
            _hand_begun(cur, r, r.event)
        case ring.RingHandEnded():
            _hand_ended(cur, r, r.event)
        case ring.RingPaused() | ring.RingResumed():
            paused = isinstance(r.event, ring.RingPaused)
            cur.execute("UPDATE rings SET paused = %s WHERE table_id = %s", (paused, r.stream))
        case ring.CloseAsked():
            cur.execute("UPDATE rings SET closing = true WHERE table_id = %s", (r.stream,))
        case ring.RingClosed():
            cur.execute("UPDATE rings SET closing = false WHERE table_id = %s", (r.stream,))
            cur.execute("UPDATE tables SET state = 'closed' WHERE table_id = %s", (r.stream,))


def _hand_begun(cur: Cursor, r: Recorded, e: ring.RingHandBegun) -> None:
    cur.execute(
        "UPDATE tables SET hand_id = %s, dealer = %s, direction = %s WHERE table_id = %s",
        (e.hand_id, e.dealer, e.direction, r.stream),
    )
    for seat, stack in e.stacks.items():
        _change(cur, r, seat, stack=stack)


def _hand_ended(cur: Cursor, r: Recorded, e: ring.RingHandEnded) -> None:
    cur.execute(
        "UPDATE tables SET hand_id = NULL, last_hand_id = %s, hands_played = hands_played + 1 WHERE table_id = %s",
        (e.hand_id, r.stream),
    )
    cur.execute("UPDATE rings SET deal_at = %s WHERE table_id = %s", (e.deal_at, r.stream))
    for seat, net in e.net.items():
        cur.execute(
            "UPDATE table_seats SET stack = stack + %s WHERE table_id = %s AND seat = %s",
            (net, r.stream, seat),
        )


def _seat(cur: Cursor, r: Recorded) -> None:
    match r.event:
        case ring.SatDown():
            e = r.event
            cur.execute(
                "INSERT INTO table_seats VALUES (%s, %s, %s, %s, %s, false, false)",
                (r.stream, e.seat, e.player_id, e.buy_in, e.buy_in),
            )
        case ring.ToppedUp():
            cur.execute(
                "UPDATE table_seats SET stack = stack + %(n)s, buy_in = buy_in + %(n)s"
                " WHERE table_id = %(table)s AND seat = %(seat)s",
                {"n": r.event.amount, "table": r.stream, "seat": r.event.seat},
            )
        case ring.SatOut() | ring.SatIn():
            _change(cur, r, r.event.seat, sitting_out=isinstance(r.event, ring.SatOut))
        case ring.LeaveAsked():
            _change(cur, r, r.event.seat, leaving=True)
        case ring.StoodUp():
            cur.execute("DELETE FROM table_seats WHERE table_id = %s AND seat = %s", (r.stream, r.event.seat))


def _change(cur: Cursor, r: Recorded, seat: int, **columns: object) -> None:
    names = ", ".join(f"{name} = %({name})s" for name in columns)
    cur.execute(
        f"UPDATE table_seats SET {names} WHERE table_id = %(stream)s AND seat = %(seat)s",  # noqa: S608 - our own names
        {**columns, "stream": r.stream, "seat": seat},
    )
