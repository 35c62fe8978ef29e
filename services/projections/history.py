"""`history`: every hand, by tournament, table and player."""

from __future__ import annotations

from domain import dispute_events as dispute
from domain import hand_events as hand
from services.database import Cursor
from services.envelope import Recorded
from services.projections.context import Context

DDL = """
CREATE TABLE hands (
    hand_id uuid PRIMARY KEY,
    tournament_id uuid,
    currency text,
    table_id uuid NOT NULL,
    number integer NOT NULL,
    state text NOT NULL DEFAULT 'running',
    level integer,
    unit bigint,
    dealer integer,
    direction text,
    protest_seconds integer,
    winner integer,
    liable integer,
    started_at timestamptz NOT NULL,
    ended_at timestamptz,
    recorded boolean NOT NULL DEFAULT false,
    played_at timestamptz,
    disputed boolean NOT NULL DEFAULT false,
    created bigint NOT NULL UNIQUE
);
CREATE INDEX ON hands (tournament_id, created);
CREATE INDEX ON hands (table_id, created);
CREATE INDEX ON hands (hand_id) WHERE state = 'running';
CREATE TABLE hand_players (
    hand_id uuid NOT NULL,
    seat integer NOT NULL,
    player_id uuid NOT NULL,
    stack bigint,
    cards_left integer,
    net bigint,
    PRIMARY KEY (hand_id, seat)
);
CREATE INDEX ON hand_players (player_id);
"""


def project(cur: Cursor, r: Recorded, context: Context) -> None:  # noqa: ARG001
    """Write a hand's beginning and its end; a running hand's actions are read from its stream."""
    match r.event:
        case hand.Committed() | hand.RingCommitted():
            _begun(cur, r, r.event)
        case hand.EntropyDealt():
            pass  # its terms were told before
        case hand.Dealt() | hand.EntropyOpened():
            _dealt(cur, r, r.event)
        case hand.HandRecorded():
            _begun(cur, r, r.event)
            _dealt(cur, r, r.event)
            cur.execute(
                "UPDATE hands SET recorded = true, played_at = %s WHERE hand_id = %s",
                (r.event.played_at, r.stream),
            )
        case hand.Settled():
            _settled(cur, r, r.event)
        case dispute.Flagged() | dispute.Appealed():
            _disputed(cur, r, disputed=True)
        case dispute.Frozen() | dispute.Released():
            _disputed(cur, r, disputed=r.event.open)
        case dispute.Ruled():
            _disputed(cur, r, disputed=False)
        case hand.Voided():
            cur.execute(
                "UPDATE hands SET state = 'voided', ended_at = %s WHERE hand_id = %s", (r.at, r.stream)
            )
        case hand.Finalised() | hand.Confirmed():
            cur.execute(
                "UPDATE hands SET state = 'final' WHERE hand_id = %s AND state = 'settled'", (r.stream,)
            )


def _begun(cur: Cursor, r: Recorded, e: hand.Committed | hand.RingCommitted | hand.HandRecorded) -> None:
    of = (None, e.currency) if isinstance(e, hand.RingCommitted) else (e.tournament_id, None)
    cur.execute(
        "INSERT INTO hands (hand_id, tournament_id, currency, table_id, number, started_at, created)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s)",
        (r.stream, *of, e.table_id, e.number, r.at, r.position),
    )


def _dealt(cur: Cursor, r: Recorded, e: hand.Dealt | hand.EntropyOpened | hand.HandRecorded) -> None:
    cur.execute(
        "UPDATE hands SET level = %s, unit = %s, dealer = %s, direction = %s, protest_seconds = %s WHERE hand_id = %s",
        (e.level, e.unit, e.dealer, e.direction, e.timing.protest_seconds, r.stream),
    )
    cur.execute(
        "INSERT INTO hand_players (hand_id, seat, player_id, stack)"
        " SELECT %s, * FROM unnest(%s::integer[], %s::uuid[], %s::bigint[])",
        (r.stream, [s.seat for s in e.seats], [s.player_id for s in e.seats], [s.stack for s in e.seats]),
    )


def _disputed(cur: Cursor, r: Recorded, *, disputed: bool) -> None:
    """A frozen table alone does not dispute a hand that is ruled."""
    cur.execute("UPDATE hands SET disputed = %s WHERE hand_id = %s", (disputed, r.stream))


def _settled(cur: Cursor, r: Recorded, e: hand.Settled) -> None:
    cur.execute(
        "UPDATE hands SET state = 'settled', winner = %s, liable = %s, ended_at = %s WHERE hand_id = %s",
        (e.winner, e.liable, r.at, r.stream),
    )
    cur.execute(
        "UPDATE hand_players AS p SET cards_left = s.cards_left, net = s.net"
        " FROM unnest(%s::integer[], %s::integer[], %s::bigint[]) AS s (seat, cards_left, net)"
        " WHERE hand_id = %s AND p.seat = s.seat",
        (list(e.net), [e.cards_left[seat] for seat in e.net], list(e.net.values()), r.stream),
    )
