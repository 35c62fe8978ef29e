"""`payments`: how much of what a tournament owes is paid, and the agenda's job for what is left."""

from __future__ import annotations

from domain.payments import SLICE
from domain.tournament_events import Cancelled, MoneyPrizesAwarded
from domain.wallet import Credited
from services.database import Cursor
from services.envelope import Recorded
from services.projections.agenda import waits_from
from services.projections.context import Context

DDL = """
CREATE TABLE agenda_payments (
    tournament_id uuid PRIMARY KEY,
    paid integer NOT NULL,
    owed integer NOT NULL
);
"""


def project(cur: Cursor, r: Recorded, context: Context) -> None:  # noqa: ARG001
    """Put the payments on the agenda that `r` makes due, and count those that it makes."""
    match r.event:
        case MoneyPrizesAwarded():
            _owe(cur, r, len(r.event.prizes), "(structure->>'protest_seconds')::integer")
        case Cancelled():
            _owe(cur, r, r.event.entrants, "0")
        case Credited() if r.event.journal.kind in ("prize", "refund"):
            _paid(cur, r.event)


def _owe(cur: Cursor, r: Recorded, payments: int, wait: str) -> None:
    """So many prizes or refunds, where there is a buy-in; prizes wait for the last hand's protest window."""
    cur.execute(
        "INSERT INTO agenda_payments SELECT tournament_id, 0, %s FROM tournaments"
        " WHERE tournament_id = %s AND structure->'buy_in' <> 'null' AND %s > 0",
        (payments, r.stream, payments),
    )
    cur.execute(
        "INSERT INTO agenda SELECT 'pay/' || tournament_id, 'pay-' || tournament_id || '-0', 'pay',"  # noqa: S608
        f" jsonb_build_array(tournament_id, 0), ends, {waits_from('ends', wait)} FROM agenda_payments"
        f" JOIN tournaments USING (tournament_id), LATERAL (SELECT %s + make_interval(secs => {wait}) AS ends) AS wait"
        " WHERE tournament_id = %s",
        (r.at, r.stream),
    )


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
