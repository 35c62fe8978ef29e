"""Entry money and prizes, as bookings of wallets: what an entry costs, and what a tournament owes once it is over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from domain.ids import JournalId, PlayerId, TournamentId, journal_id
from domain.journal import FEES, Kind, escrow, pool
from domain.structure import BuyIn
from domain.tournament import State, Tournament
from domain.wallet import Booking

SLICE = 500
"""Payments that one job makes; the next job makes the next."""


class Payment(msgspec.Struct, frozen=True):
    """Somebody's money from a tournament; the journal's id is the same whenever it is worked out."""

    player_id: PlayerId
    currency: str
    booking: Booking


def entry(tournament: TournamentId, buy_in: BuyIn, journal: JournalId) -> Booking:
    """What an entrant pays: the amount into the escrow, the fee to the house."""
    return _entry_money(tournament, buy_in, journal, "entry")


def refund(tournament: TournamentId, buy_in: BuyIn, journal: JournalId) -> Booking:
    """The same back, with the fee."""
    return _entry_money(tournament, buy_in, journal, "refund")


def refund_of_all(tournament: TournamentId, buy_in: BuyIn, journal: JournalId, entries: int) -> Booking:
    """What a player paid for so many entries back, with the fees."""
    whole = replace(buy_in, amount=buy_in.amount * entries, fee=buy_in.fee * entries)
    return refund(tournament, whole, journal)


def owed(t: Tournament, entrants: Iterable[PlayerId]) -> list[Payment]:
    """Everything that a tournament with a buy-in pays once it is over, in the order in which it is paid.

    Its prizes, if there are any. Cancelled before the money: each of `entrants`, who stand there once for each entry,
    gets his entries back. Else nothing.
    """
    buy_in = t.structure.buy_in
    if buy_in is None:
        return []
    if t.state is State.CANCELLED and not t.prizes:
        bookings = {
            player: refund_of_all(t.tournament_id, buy_in, _id(t, player), entries)
            for player, entries in Counter(entrants).items()
        }
    else:
        bookings = {prize.player_id: _prize(t, prize.player_id, prize.amount) for prize in t.prizes}
    return [Payment(player, buy_in.currency, booking) for player, booking in bookings.items()]


def _id(t: Tournament, player: PlayerId) -> JournalId:
    return journal_id(t.tournament_id, f"owed/{player}")


def _prize(t: Tournament, player: PlayerId, amount: int) -> Booking:
    return Booking(
        journal_id=_id(t, player),
        kind="prize",
        others={pool(t.tournament_id): amount},
        tournament_id=t.tournament_id,
    )


def _entry_money(tournament: TournamentId, buy_in: BuyIn, journal: JournalId, kind: Kind) -> Booking:
    return Booking(
        journal_id=journal,
        kind=kind,
        others={escrow(tournament): buy_in.amount, FEES: buy_in.fee},
        tournament_id=tournament,
    )
