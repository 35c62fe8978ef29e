"""What a tournament owes once it is over, paid into its players' wallets: prizes, or refunds after a cancellation.

Each payment is a journal with an id of its own, so it is paid once however often it is asked for. They are made in
one order and in batches, each of them all or nothing; what is left stays on the agenda.
"""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import timedelta

from domain import wallet as wallets
from domain.ids import TournamentId, job_command, roster_id, wallet_id
from domain.payments import Payment, owed
from domain.roster import ROSTER, Roster
from domain.tournament import TOURNAMENT, Tournament
from domain.tournament_events import Finished
from domain.wallet import WALLET, Wallet
from services.application.context import Services
from services.commands import ATTEMPTS, on
from services.envelope import Change, Command, Stream
from services.errors import Conflict
from services.store import Store

BATCH = 50
"""Payments in one transaction."""
PAY_SECONDS = 1.5
"""How long one job goes on; the agenda asks again after two seconds."""
WAIT_SECONDS = 2.0
"""How long a job waits for another that pays the same."""


def pay(services: Services, t: TournamentId, paid: int) -> None:
    """Pay what the tournament owes, from the payment behind so many on, for a while."""
    store = services.store
    stop = time.monotonic() + PAY_SECONDS
    with store.lock(roster_id(t), WAIT_SECONDS):
        due = _due(store, t)[paid:]
        for first in range(0, len(due), BATCH):
            if time.monotonic() > stop or not _pay(store, t, due[first : first + BATCH], paid + first):
                return


def _due(store: Store, t: TournamentId) -> list[Payment]:
    """What is owed, once the protest window of the last hand is over."""
    stream, roster = store.load_many([(TOURNAMENT, t), (ROSTER, roster_id(t))])
    tournament: Tournament | None = stream.state
    if tournament is None or not tournament.over or _may_be_protested(stream, tournament):
        return []
    return owed(tournament, (roster.state or Roster()).entries)


def _may_be_protested(stream: Stream[Tournament], t: Tournament) -> bool:
    window = timedelta(seconds=t.structure.protest_seconds)
    return any(isinstance(r.event, Finished) and stream.read_at < r.at + window for r in stream.recorded)


def _pay(store: Store, t: TournamentId, batch: list[Payment], first: int) -> bool:
    """All payments of the batch that are not made yet; False if others are always faster."""
    name = f"pay-{t}-{first}"
    for _ in range(ATTEMPTS):
        streams = store.load_many([(WALLET, wallet_id(p.player_id, p.currency)) for p in batch])
        changes = [_given(stream, payment) for stream, payment in zip(streams, batch, strict=True)]
        left = [change for change in changes if change.events]
        with suppress(Conflict):
            if left:
                store.append(Command(job_command(name), f"job/{name}", ""), left, streams[0].read_at)
            return True
    return False


def _given(stream: Stream[Wallet], payment: Payment) -> Change:
    wallet = stream.state or Wallet(payment.player_id, payment.currency)
    return on(stream, *wallets.give(wallet, payment.booking))
