"""What a tournament owes once it is over, paid into its players' wallets: its prizes, or refunds.

Each payment is a journal with an id of its own, so it is paid once however often it is asked for. They are made in
one order, slice by slice and in batches, each of them all or nothing; what is left stays on the agenda.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from domain import wallet as wallets
from domain.ids import TournamentId, roster_id, wallet_id
from domain.payments import SLICE, Payment, owed
from domain.roster import ROSTER, Roster
from domain.tournament import TOURNAMENT, Tournament
from domain.wallet import WALLET, Wallet
from services.application.context import Services
from services.application.lists import every_hand_is_final
from services.commands import again, job, on
from services.envelope import Change, Stream
from services.store import Store

AreFinal: TypeAlias = Callable[[TournamentId], bool]
"""Whether every hand of a tournament that is over is final."""
BATCH = 50
"""Payments in one transaction."""


def pay(services: Services, t: TournamentId, number: int, are_final: AreFinal | None = None) -> None:
    """Make the payments of the slice `number`, from 0, that are not made yet; `are_final` is asked of the projections.

    They may be asked, late as they are: that all hands of a tournament that is over are final can never become untrue.
    """
    store = services.store
    final = are_final or (lambda of: every_hand_is_final(store.database, of))
    due = _due(store, t, final)[number * SLICE : (number + 1) * SLICE]
    for first in range(0, len(due), BATCH):
        name, batch = f"pay-{t}-{number}-{first}", due[first : first + BATCH]
        again(partial(_pay, store, name, batch))


def _due(store: Store, t: TournamentId, are_final: AreFinal) -> list[Payment]:
    """What is owed: refunds at once, prizes once every hand is final."""
    final = are_final(t)  # before the prizes are read: a last ruling may have changed them
    stream, roster = store.load_many([(TOURNAMENT, t), (ROSTER, roster_id(t))])
    tournament: Tournament | None = stream.state
    if tournament is None or not tournament.over:
        return []
    if tournament.prizes and not final:
        return []
    return owed(tournament, (roster.state or Roster()).paid)


def _pay(store: Store, name: str, batch: list[Payment]) -> None:
    """Whatever of the batch is not paid yet."""
    streams = store.load_many([(WALLET, wallet_id(p.player_id, p.currency)) for p in batch])
    changes = [_given(stream, payment) for stream, payment in zip(streams, batch, strict=True)]
    left = [change for change in changes if change.events]
    if left:
        store.append(job(name), left, streams[0].read_at)


def _given(stream: Stream[Wallet], payment: Payment) -> Change:
    wallet = stream.state or Wallet(payment.player_id, payment.currency)
    return on(stream, *wallets.give(wallet, payment.booking))
