"""`ledger`: the books, double entry. Which event makes which journal says `domain.ledger`; here are only rows.

A line carries its account's balance after it, so that any position of the log can be read: an account's balance as of
a position is that of its newest line at or below it.
"""

from __future__ import annotations

from domain.hand_events import Settled
from domain.ids import HandId, TableId, TournamentId
from domain.journal import Journal, Line
from domain.ledger import Where, journals
from domain.ring_events import RingHandBegun
from domain.table_events import Vacated
from domain.tournament_events import (
    LateSeated,
    PenaltyCarriedOut,
    PlayerReplaced,
    PoolDissolved,
    PoolFormed,
    ReinstatedSeated,
    ResultCorrected,
    StacksCorrected,
    TablesDrawn,
)
from domain.wallet import Credited, Debited
from services.database import Cursor
from services.envelope import Recorded
from services.projections.context import Context

DDL = """
CREATE TABLE ledger_accounts (
    scope text NOT NULL,
    account text NOT NULL,
    book text NOT NULL,
    currency text,
    tournament_id uuid,
    player_id uuid,
    PRIMARY KEY (scope, account)
);
CREATE INDEX ON ledger_accounts (player_id);
CREATE TABLE ledger_lines (
    position bigint NOT NULL,
    line integer NOT NULL,
    journal_id uuid NOT NULL,
    event text NOT NULL,
    at timestamptz NOT NULL,
    kind text NOT NULL,
    reference text,
    book text NOT NULL,
    currency text,
    tournament_id uuid,
    table_id uuid,
    hand_id uuid,
    scope text NOT NULL,
    account text NOT NULL,
    player_id uuid,
    amount numeric NOT NULL,
    balance numeric NOT NULL,
    PRIMARY KEY (position, line)
);
CREATE INDEX ON ledger_lines (scope, account, position, line);
CREATE INDEX ON ledger_lines (account, position, line);
CREATE INDEX ON ledger_lines (kind, position, line);
CREATE INDEX ON ledger_lines (player_id, position);
CREATE INDEX ON ledger_lines (tournament_id, position);
CREATE INDEX ON ledger_lines (table_id, position);
CREATE INDEX ON ledger_lines (hand_id);
CREATE INDEX ON ledger_lines (journal_id);
"""
# An account belongs to a currency, or in the book of chips to a tournament: that is its `scope`.
# A single amount has its limit (2^53), but what the house's accounts come to, and wallets that are paid, has none.

_ACCOUNT = """
INSERT INTO ledger_accounts VALUES
(%(scope)s, %(account)s, %(book)s, %(currency)s, %(of)s, %(owner)s) ON CONFLICT DO NOTHING
"""
_BALANCE = """
SELECT balance FROM ledger_lines WHERE scope = %(scope)s AND account = %(account)s
ORDER BY position DESC, line DESC LIMIT 1
"""


def project(cur: Cursor, r: Recorded, context: Context) -> None:
    """Write the journals that `r` causes."""
    number = 0
    for journal in journals(r.event, _where(cur, r, context)):
        for line in journal.lines:
            number += 1
            _write(cur, r, context, journal, line, number)


def _write(cur: Cursor, r: Recorded, context: Context, journal: Journal, line: Line, number: int) -> None:
    scope = journal.currency or str(journal.tournament_id)
    balance = context.balances.get((scope, line.account), lambda: _open(cur, scope, journal, line))
    balance = (balance or 0) + line.amount
    context.balances.put((scope, line.account), balance)
    context.ledger_lines.add(
        (
            r.position,
            number,
            journal.journal_id,
            r.topic.rpartition(".")[0],
            r.at,
            journal.kind,
            r.event.reference if isinstance(r.event, Credited | Debited) else None,
            journal.book,
            journal.currency,
            journal.tournament_id,
            journal.table_id,
            journal.hand_id,
            scope,
            line.account,
            line.player_id,
            line.amount,
            balance,
        )
    )


def _open(cur: Cursor, scope: str, journal: Journal, line: Line) -> int | None:
    """See to it that there is such an account, and read its balance."""
    owned = line.player_id is not None and str(line.player_id) in line.account
    of_tournament = journal.currency is None or str(journal.tournament_id) in line.account
    values = {
        "scope": scope,
        "account": line.account,
        "book": journal.book,
        "currency": journal.currency,
        "of": journal.tournament_id if of_tournament else None,
        "owner": line.player_id if owned else None,
    }
    cur.execute(_ACCOUNT, values)
    row = cur.execute(_BALANCE, values).fetchone()
    return row[0] if row else None


def _where(cur: Cursor, r: Recorded, context: Context) -> Where:
    """What `r` belongs to, of those that move something."""
    match r.event:
        case Settled():
            hand = context.hand(cur, r.stream)
            return Where(
                stream=r.stream,
                version=r.version,
                tournament_id=TournamentId(hand.tournament_id) if hand.tournament_id else None,
                table_id=TableId(hand.table_id),
                hand_id=HandId(r.stream),
                seats=hand.seats,
                currency=hand.currency,
            )
        case RingHandBegun():
            table = TableId(r.stream)
            return Where(stream=r.stream, version=r.version, table_id=table, hand_id=r.event.hand_id)
        case Vacated():
            t, table = TournamentId(context.tournament_of(cur, r.stream)), TableId(r.stream)
            return Where(stream=r.stream, version=r.version, tournament_id=t, table_id=table)
        case (
            ResultCorrected()
            | StacksCorrected()
            | ReinstatedSeated()
            | PlayerReplaced()
            | PenaltyCarriedOut()
        ):
            t = TournamentId(r.stream)
            return Where(stream=r.stream, version=r.version, tournament_id=t, hand_id=r.event.hand_id)
        case PoolFormed() | PoolDissolved() | TablesDrawn() | LateSeated():
            return Where(stream=r.stream, version=r.version, tournament_id=TournamentId(r.stream))
    return Where(stream=r.stream, version=r.version)
