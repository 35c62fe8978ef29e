"""Wallets: money in and out, and what tournaments and tables take from them and give back.

The order of locks: first what a command is about (a roster, a table), then the player whose wallet pays or gets,
whatever the currency. Deposits and withdrawals, entries and their withdrawals, and who sits down or tops up take a
player's; what pays several at once (prizes, refunds, the end of a seat) takes none. Whoever holds a player's asks for
no other lock: so nobody waits in a circle. Locks only save work: which of two commands gets the last unit is decided
by the version of the wallet's stream.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from domain import wallet as decide_on
from domain.events import Event
from domain.ids import JournalId, PlayerId, journal_id, wallet_id
from domain.journal import Kind
from domain.player import PLAYER
from domain.wallet import WALLET, Booking, Credited, Debited, Wallet
from services.application import resources as shapes
from services.application.context import Services
from services.application.errors import existing
from services.commands import Decision, Outcome, execute, on
from services.envelope import Change, Command, Stream
from services.store import Store


class WalletRequest(NamedTuple):
    """What an operator sends: currency and reference, where they could be read, and `read` for all of it.

    `read` raises Refused with whatever is wrong with the body.
    """

    currency: str | None
    reference: str | None
    read: Callable[[], Money]


class Money(NamedTuple):
    """Money that goes in or out, with its reference outside."""

    amount: int
    reference: str
    note: str | None


Step = Callable[[Wallet, int, str, str | None, JournalId], list[Event]]


def deposit(services: Services, command: Command, player: PlayerId, asked: WalletRequest) -> Outcome[Wallet]:
    """Book money that a player has paid in."""
    return _outside(services, command, player, asked, ("deposit", decide_on.deposit))


def withdraw(services: Services, command: Command, player: PlayerId, asked: WalletRequest) -> Outcome[Wallet]:
    """Book money that a player is paid out."""
    return _outside(services, command, player, asked, ("withdrawal", decide_on.withdraw))


def _outside(
    services: Services, command: Command, player: PlayerId, asked: WalletRequest, how: tuple[Kind, Step]
) -> Outcome[Wallet]:
    store, (kind, step) = services.store, how

    def decide(stream: Stream[Wallet], _now: datetime) -> Decision:
        wallet = stream.state or Wallet(player, currency)
        decide_on.must_be_new(wallet, kind, asked.reference)  # a conflict is told before what is wrong
        money = asked.read()
        made = journal_id(command.id, kind)
        return Decision([on(stream, *step(wallet, money.amount, money.reference, money.note, made))])

    existing(store.load(PLAYER, player), "player")
    currency = asked.currency or ""  # then the body cannot be read, and there is no such wallet
    with store.lock(player):
        return execute(store, command, (WALLET, wallet_id(player, currency)), decide)


def booked(outcome: Outcome[Wallet]) -> shapes.WalletJournal:
    """The journal that `deposit` or `withdraw` booked."""
    made, wallet = outcome.events[0], outcome.state
    assert isinstance(made.event, Credited | Debited)
    assert wallet is not None
    return shapes.WalletJournal(
        journal_id=made.event.journal.journal_id,
        player_id=made.event.player_id,
        currency=made.event.currency,
        kind=made.event.journal.kind,
        amount=made.event.amount,
        balance=wallet.balance,
        reference=made.event.reference,
        note=made.event.note,
        at=made.at,
        as_of=outcome.position,
    )


def take(store: Store, player: PlayerId, currency: str, booking: Booking) -> list[Change]:
    """What a command appends, beside its own events, for a player to pay; Refused("insufficient-funds").

    Nothing if the wallet has booked that journal. Decide again after a conflict, as `services.commands.execute` does.
    """
    return _change(store, player, currency, lambda wallet: decide_on.take(wallet, booking))


def give(store: Store, player: PlayerId, currency: str, booking: Booking) -> list[Change]:
    """The same for a player to be paid, which is never refused."""
    return _change(store, player, currency, lambda wallet: decide_on.give(wallet, booking))


def _change(
    store: Store, player: PlayerId, currency: str, decide: Callable[[Wallet], list[Event]]
) -> list[Change]:
    stream = store.load(WALLET, wallet_id(player, currency))
    events = decide(stream.state or Wallet(player, currency))
    return [on(stream, *events)] if events else []
