"""`ledger`: the chips of each tournament, double entry. Every line has its twin; the book sums to zero."""

from __future__ import annotations

from uuid import UUID

from domain import hand, table, tournament
from services.database import Cursor
from services.envelope import Recorded
from services.projections.context import Context

ISSUED = "issued"
VOID = "void"

DDL = """
CREATE TABLE ledger_lines (
    position bigint NOT NULL,
    line integer NOT NULL,
    journal_id uuid NOT NULL,
    tournament_id uuid NOT NULL,
    hand_id uuid,
    kind text NOT NULL,
    account text NOT NULL,
    player_id uuid,
    amount bigint NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (position, line)
);
CREATE INDEX ON ledger_lines (tournament_id, account, position);
CREATE INDEX ON ledger_lines (player_id, position);
"""


def project(cur: Cursor, r: Recorded, context: Context) -> None:
    """Write the journals that `r` causes: chips issued, a hand's transfers, chips void with a no-show."""
    match r.event:
        case tournament.TablesDrawn() if not r.event.final:
            places = [place for drawn in r.event.tables for place in drawn.places]
            journal = [("issued", ISSUED, None, place.player_id, place.stack) for place in places]
            _write(cur, r, r.stream, None, journal)
        case hand.Settled():
            dealt = context.hand(cur, r.stream)
            paid = [t for t in r.event.transfers if t.paid]
            journal = [(_kind(t), None, dealt.seats[t.payer], dealt.seats[t.receiver], t.paid) for t in paid]
            _write(cur, r, dealt.tournament_id, r.stream, journal)
        case table.Vacated() if r.event.reason == "no_show":
            tournament_id = context.tournament_of(cur, r.stream)
            gone = [("no_show", VOID, r.event.player_id, None, r.event.stack)]
            _write(cur, r, tournament_id, None, gone)


def _kind(transfer: hand.Transfer) -> str:
    return "cover" if transfer.covers else "transfer"


def _write(
    cur: Cursor,
    r: Recorded,
    tournament_id: UUID,
    hand_id: UUID | None,
    journal: list[tuple[str, str | None, UUID | None, UUID | None, int]],
) -> None:
    """Each (kind, house account, payer, receiver, amount) is two lines that sum to zero; a null player is the house."""
    lines = []
    for kind, house, payer, receiver, amount in journal:
        lines += [(kind, house, payer, -amount), (kind, house, receiver, amount)]
    for number, (kind, house, player, amount) in enumerate(lines, 1):
        account = f"player/{player}" if player else house
        cur.execute(
            "INSERT INTO ledger_lines VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (r.position, number, r.command, tournament_id, hand_id, kind, account, player, amount, r.at),
        )
