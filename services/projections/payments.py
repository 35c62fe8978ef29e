"""`payments`: how much of what a tournament owes is paid, and the agenda's job for what is left."""

from __future__ import annotations

from uuid import UUID

from domain.hand_events import Confirmed, Finalised
from domain.payments import SLICE
from domain.tournament_events import Cancelled, MoneyPrizesAwarded
from domain.wallet import Credited
from services.database import Cursor
from services.envelope import Recorded
from services.projections.context import Context

DDL = """
CREATE TABLE agenda_payments (
    tournament_id uuid PRIMARY KEY,
    paid integer NOT NULL,
    owed integer NOT NULL
);
"""

_PAY = """
INSERT INTO agenda
SELECT 'pay/' || p.tournament_id, 'pay-' || p.tournament_id || '-0', 'pay', jsonb_build_array(p.tournament_id, 0),
       %s, %s
FROM agenda_payments AS p WHERE p.tournament_id = %s
"""
EVERY_HAND_IS_FINAL = (
    "NOT EXISTS (SELECT FROM hands AS h"
    " WHERE h.tournament_id = p.tournament_id AND h.state IN ('running', 'settled'))"
)
"""Whether all hands of tournament `p` are over for good: once it is over there are no others."""


def project(cur: Cursor, r: Recorded, context: Context) -> None:
    """Put the payments on the agenda that `r` makes due, and count those that it makes."""
    match r.event:
        case MoneyPrizesAwarded():
            _owe(cur, r, len(r.event.prizes))
            _pay_once_all_is_final(cur, r, r.stream)
        case Finalised() | Confirmed():
            _pay_once_all_is_final(cur, r, context.hand(cur, r.stream).tournament_id)
        case Cancelled():
            _refund(cur, r, r.event.entrants)
        case Credited() if r.event.journal.kind in ("prize", "refund"):
            _paid(cur, r.event)


def _owe(cur: Cursor, r: Recorded, payments: int) -> None:
    """So many prizes or refunds, where there is a buy-in; prizes are awarded again where a ruling has moved places."""
    cur.execute(
        "INSERT INTO agenda_payments SELECT tournament_id, 0, %s FROM tournaments"
        " WHERE tournament_id = %s AND structure->'buy_in' <> 'null' AND %s > 0"
        " ON CONFLICT (tournament_id) DO UPDATE SET owed = excluded.owed",
        (payments, r.stream, payments),
    )


def _refund(cur: Cursor, r: Recorded, entrants: int) -> None:
    """Everybody's entries at once; where prizes were awarded before the cancellation, they are all that is owed."""
    owes = cur.execute("SELECT FROM agenda_payments WHERE tournament_id = %s", (r.stream,)).fetchone()
    if owes is None:
        _owe(cur, r, entrants)
        cur.execute(_PAY, (r.at, r.at, r.stream))


def _pay_once_all_is_final(cur: Cursor, r: Recorded, t: UUID | None) -> None:
    """Prizes wait until every hand of their tournament is final; what is owed is paid at once then."""
    cur.execute(f"{_PAY} AND {EVERY_HAND_IS_FINAL} ON CONFLICT DO NOTHING", (r.at, r.at, t))


def _paid(cur: Cursor, e: Credited) -> None:
    """The last payment of a slice makes the next slice due, and the last of all strikes the job."""
    t = e.journal.tournament_id
    cur.execute("UPDATE agenda_payments SET paid = paid + 1 WHERE tournament_id = %s", (t,))
    cur.execute(
        "UPDATE agenda SET name = 'pay-' || tournament_id || '-' || paid / %s,"
        " args = jsonb_build_array(tournament_id, paid / %s)"
        " FROM agenda_payments WHERE tournament_id = %s AND subject = 'pay/' || tournament_id",
        (SLICE, SLICE, t),
    )
    cur.execute(
        "DELETE FROM agenda USING agenda_payments"
        " WHERE tournament_id = %s AND subject = 'pay/' || tournament_id AND paid = owed",
        (t,),
    )
    cur.execute("DELETE FROM agenda_payments WHERE tournament_id = %s AND paid = owed", (t,))
