"""`ledger`: the chips of each tournament, double entry. Every line has its twin; the book sums to zero."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from domain import hand_events as hand
from domain import table_events as table
from domain import tournament_events as tournament
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


class _Payment(NamedTuple):
    """Chips from one account to another; `None` is the house's own account, named by `house`."""

    kind: str
    payer: UUID | None
    receiver: UUID | None
    amount: int
    house: str = ""


def project(cur: Cursor, r: Recorded, context: Context) -> None:
    """Write the journals that `r` causes: chips issued, a hand's transfers, chips void with a no-show."""
    match r.event:
        case tournament.TablesDrawn() if not r.event.final:
            places = [place for drawn in r.event.tables for place in drawn.places]
            issued = [_Payment("issued", None, p.player_id, p.stack, ISSUED) for p in places]
            _write(cur, r, r.stream, None, issued)
        case hand.Settled():
            dealt = context.hand(cur, r.stream)
            if dealt.tournament_id is None:
                return  # money, not chips
            paid = [
                _Payment(_kind(t), dealt.seats[t.payer], dealt.seats[t.receiver], t.paid)
                for t in r.event.transfers
                if t.paid
            ]
            _write(cur, r, dealt.tournament_id, r.stream, paid)
        case table.Vacated() if r.event.reason == "no_show":
            gone = _Payment("no_show", r.event.player_id, None, r.event.stack, VOID)
            _write(cur, r, context.tournament_of(cur, r.stream), None, [gone])


def _kind(transfer: hand.Transfer) -> str:
    return "cover" if transfer.covers else "transfer"


def _write(
    cur: Cursor, r: Recorded, tournament_id: UUID, hand_id: UUID | None, payments: list[_Payment]
) -> None:
    """Each payment is two lines that sum to zero."""
    lines = [
        (payment, player, amount)
        for payment in payments
        for player, amount in ((payment.payer, -payment.amount), (payment.receiver, payment.amount))
    ]
    for number, (payment, player, amount) in enumerate(lines, 1):
        account = f"player/{player}" if player else payment.house
        cur.execute(
            "INSERT INTO ledger_lines VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (
                r.position,
                number,
                r.command,
                tournament_id,
                hand_id,
                payment.kind,
                account,
                player,
                amount,
                r.at,
            ),
        )
