"""A wallet: what a player may dispose of in one currency, in its minor units. It is never below 0.

Each event is one journal of the money book. Whoever wants to move money asks with a `Booking`; a journal that the
wallet has booked already is not booked again, so a job may ask twice.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from domain.aggregate import Aggregate
from domain.errors import Conflicting, Refused
from domain.events import Books, Event, Guarded
from domain.growing import GrowingSet
from domain.ids import HandId, JournalId, PlayerId, TableId, TournamentId
from domain.journal import OUTSIDE, Book, Journal, Kind, Line, balanced, gained
from domain.journal import wallet as account
from domain.structure import LARGEST_AMOUNT


class _Moved(msgspec.Struct, frozen=True, kw_only=True):
    """`reference` is what the money has outside: a transfer, a receipt of the cash desk."""

    player_id: Books[PlayerId]
    currency: Books[str]
    amount: Books[int]
    journal: Books[Journal]
    reference: Books[str | None]
    note: Books[str | None]


class Credited(Event, _Moved, frozen=True, kw_only=True):
    """The wallet got `amount`."""


class Debited(Event, _Moved, frozen=True, kw_only=True):
    """The wallet paid `amount`."""


class Wallet(Guarded, frozen=True):
    """`booked` are the journals so far; `references` those of deposits and withdrawals, by kind."""

    player_id: PlayerId
    currency: str
    balance: int = 0
    booked: GrowingSet[JournalId] = GrowingSet()
    references: GrowingSet[tuple[str, str]] = GrowingSet()


def evolve(wallet: Wallet | None, event: Event) -> Wallet:
    match event:
        case Credited() | Debited():
            wallet = wallet or Wallet(event.player_id, event.currency)
            references = wallet.references
            if event.reference is not None:
                references = references.with_((event.journal.kind, event.reference))
            change = event.amount if isinstance(event, Credited) else -event.amount
            return msgspec.structs.replace(
                wallet,
                balance=wallet.balance + change,
                booked=wallet.booked.with_(event.journal.journal_id),
                references=references,
            )
    raise AssertionError(f"{type(event).__name__} is no event of a wallet")


WALLET = Aggregate("wallet", evolve, values=True)


class Booking(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be booked: `others` are the accounts on the other side, each with what it gains or gives (> 0)."""

    journal_id: JournalId
    kind: Kind
    others: Mapping[str, int]
    tournament_id: TournamentId | None = None
    table_id: TableId | None = None
    hand_id: HandId | None = None
    reference: str | None = None
    note: str | None = None

    @property
    def amount(self) -> int:
        return sum(self.others.values())


def must_be_new(wallet: Wallet, kind: Kind, reference: str | None) -> None:
    """Raises Conflicting if the wallet has booked a deposit or withdrawal of this reference, whatever its amount."""
    if (kind, reference) in wallet.references:
        detail = f"A {kind} with the reference {reference!r} is booked already: each is booked once."
        raise Conflicting("duplicate-reference", detail)


def deposit(wallet: Wallet, amount: int, reference: str, note: str | None, journal: JournalId) -> list[Event]:
    """Money comes in from outside; a deposit that would take the balance to 2^53 is refused."""
    must_be_new(wallet, "deposit", reference)
    if wallet.balance + amount >= LARGEST_AMOUNT:
        room = LARGEST_AMOUNT - 1 - wallet.balance
        detail = f"would take the balance to 2^53 or beyond: at most {max(room, 0)} may come in"
        raise Refused("validation", "The wallet cannot hold so much.", {"/amount": detail})
    return give(wallet, _outside("deposit", amount, reference, note, journal))


def withdraw(
    wallet: Wallet, amount: int, reference: str, note: str | None, journal: JournalId
) -> list[Event]:
    """Money goes out, as far as the wallet has it."""
    must_be_new(wallet, "withdrawal", reference)
    return take(wallet, _outside("withdrawal", amount, reference, note, journal))


def take(wallet: Wallet, booking: Booking) -> list[Event]:
    """The wallet pays `booking.amount` to the other side; Refused("insufficient-funds") if it has less."""
    if booking.journal_id in wallet.booked:
        return []
    missing = booking.amount - wallet.balance
    if missing > 0:
        held = f"The wallet has {wallet.balance} {wallet.currency} (minor units) of {booking.amount}"
        members = {"missing": missing, "currency": wallet.currency}
        raise Refused("insufficient-funds", f"{held}: {missing} are missing.", members=members)
    lines = (Line(account(wallet.player_id), -booking.amount, wallet.player_id), *_others(wallet, booking, 1))
    return [_event(Debited, wallet, booking, lines)]


def give(wallet: Wallet, booking: Booking) -> list[Event]:
    """The other side pays `booking.amount` to the wallet, whatever it has: what is owed is paid."""
    if booking.journal_id in wallet.booked:
        return []
    lines = (*_others(wallet, booking, -1), Line(account(wallet.player_id), booking.amount, wallet.player_id))
    return [_event(Credited, wallet, booking, lines)]


def _outside(kind: Kind, amount: int, reference: str, note: str | None, journal: JournalId) -> Booking:
    return Booking(journal_id=journal, kind=kind, others={OUTSIDE: amount}, reference=reference, note=note)


def _others(wallet: Wallet, booking: Booking, sign: int) -> tuple[Line, ...]:
    return gained({name: sign * amount for name, amount in booking.others.items()}, wallet.player_id)


def _event(
    kind: type[Credited | Debited], wallet: Wallet, booking: Booking, lines: tuple[Line, ...]
) -> Event:
    assert booking.amount > 0, "a journal of a wallet moves something"
    journal = balanced(
        Journal(
            journal_id=booking.journal_id,
            book=Book.MONEY,
            currency=wallet.currency,
            kind=booking.kind,
            lines=lines,
            tournament_id=booking.tournament_id,
            table_id=booking.table_id,
            hand_id=booking.hand_id,
        )
    )
    return kind(
        player_id=wallet.player_id,
        currency=wallet.currency,
        amount=booking.amount,
        journal=journal,
        reference=booking.reference,
        note=booking.note,
    )
