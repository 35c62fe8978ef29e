"""I6 of wallets and players: every booking and every bar is decided again from the state before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Final, TypeVar

from domain import player as players
from domain import roster as rosters
from domain import wallet as wallets
from domain.aggregate import Aggregate
from domain.credential import CREDENTIAL
from domain.events import Event
from domain.ids import wallet_id
from domain.journal import Journal
from domain.journal import wallet as account
from domain.payments import owed
from domain.player import PLAYER, Barred, Enrolled, Player, Reinstated
from domain.roster import Roster
from domain.ruleset import RULE_SET
from domain.stakes import STAKES
from domain.tournament import Tournament
from domain.wallet import WALLET, Booking, Credited, Debited, Wallet
from domain.webhook import WEBHOOK
from domain.webhooks import WEBHOOK_LIST
from services.doctor.judging import FAULTS, Append, judged, refused
from services.doctor.reading import Log
from services.doctor.violation import Violation, at
from services.envelope import Recorded

S = TypeVar("S")

FOLDED: Final[dict[str, Aggregate[object]]] = {
    "credential": CREDENTIAL,  # type: ignore[dict-item]
    "ruleset": RULE_SET,  # type: ignore[dict-item]
    "stakes": STAKES,  # type: ignore[dict-item]
    "webhook": WEBHOOK,  # type: ignore[dict-item]
    "webhooks": WEBHOOK_LIST,  # type: ignore[dict-item]
}
"""Streams of which each event says all there is to it: they are replayed only."""


def wallet_events(events: Sequence[Recorded]) -> Iterator[Violation]:
    """Each journal of a wallet: booked once, for a reference once, and never more than the wallet has."""
    return _one_by_one(WALLET, events, _booked_again)


def payments(log: Log, t: Tournament, roster: Sequence[Recorded]) -> Iterator[Violation]:
    """What a tournament that is over has paid is what it owed to him; who is not paid yet is on the agenda."""
    entered = reduce(rosters.evolve, (r.event for r in roster), Roster())
    due = {p.booking.journal_id: p for p in (owed(t, entered.paid) if t.over else ())}
    wallet_ids = [wallet_id(p.player_id, p.currency) for p in due.values()]
    for events in log.streams(wallet_ids).values():
        for r in events:
            paid = r.event.journal if isinstance(r.event, Credited | Debited) else None
            payment = due.get(paid.journal_id) if paid else None
            if (
                payment
                and r.event != wallets.give(Wallet(payment.player_id, payment.currency), payment.booking)[0]
            ):
                yield at("I6", r, f"pays something else than tournament {t.tournament_id} owed")


def player_events(events: Sequence[Recorded]) -> Iterator[Violation]:
    """A player is enrolled, then barred and reinstated by turns."""
    return _one_by_one(PLAYER, events, _told_again)


def folded(kind: str, events: Sequence[Recorded]) -> Iterator[Violation]:
    """The other streams are replayed without a fault."""
    return _one_by_one(FOLDED[kind], events, lambda _, event: [event])


def _one_by_one(
    aggregate: Aggregate[S], events: Sequence[Recorded], decide: Callable[[S | None, Event], Sequence[Event]]
) -> Iterator[Violation]:
    state: S | None = None
    for r in events:
        before = state
        yield from (found := list(judged(Append((r,)), lambda: {r.stream: decide(before, r.event)})))  # noqa: B023
        if found:
            return
        try:
            state = aggregate.evolve(state, r.event)
        except FAULTS as fault:
            yield at("I6", r, refused(fault))
            return


def _told_again(player: Player | None, event: Event) -> list[Event]:
    match event:
        case Enrolled() if player is None:
            return players.enrol(event.player_id)
        case Barred() if player:
            return players.bar(player, event.reason)
        case Reinstated() if player:
            return players.reinstate(player, event.reason)
    return []


def _booked_again(wallet: Wallet | None, event: Event) -> list[Event]:
    assert isinstance(event, Credited | Debited)
    before = wallet or Wallet(event.player_id, event.currency)
    journal = event.journal
    if journal.kind in ("deposit", "withdrawal"):
        step = wallets.deposit if journal.kind == "deposit" else wallets.withdraw
        return step(before, event.amount, event.reference or "", event.note, journal.journal_id)
    step_of = wallets.give if isinstance(event, Credited) else wallets.take
    return step_of(before, _booking(event, journal))


def _booking(event: Credited | Debited, journal: Journal) -> Booking:
    sign = -1 if isinstance(event, Credited) else 1
    own = account(event.player_id)
    return Booking(
        journal_id=journal.journal_id,
        kind=journal.kind,
        others={line.account: sign * line.amount for line in journal.lines if line.account != own},
        tournament_id=journal.tournament_id,
        table_id=journal.table_id,
        hand_id=journal.hand_id,
        reference=event.reference,
        note=event.note,
    )
