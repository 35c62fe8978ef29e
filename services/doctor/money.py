"""I3 of the money book: each journal sums to 0, and what the accounts hold is what the streams say.

Added up over the whole log, stream by stream: an account's balance takes memory, an event none.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final
from uuid import UUID

import msgspec

from domain.hand_events import Dealt, RingCommitted, Settled
from domain.ids import HandId, PlayerId, TableId, TournamentId
from domain.journal import FEES, OUTSIDE, Journal, Kind, escrow, pool, stack, wallet
from domain.ledger import Where, journals
from domain.ring_events import RingHandBegun, RingHandEnded, RingOpened, SatDown, StoodUp, ToppedUp
from domain.roster import ReEntered, Registered
from domain.structure import BuyIn
from domain.tournament_events import (
    Cancelled,
    Finished,
    MoneyPrizesAwarded,
    PoolDissolved,
    PoolFormed,
    Published,
)
from domain.wallet import Credited, Debited
from services.doctor.violation import Violation, at, stream
from services.envelope import Recorded

OTHER_SIDE: Final[Mapping[Kind, AbstractSet[str]]] = {
    "deposit": {OUTSIDE},
    "withdrawal": {OUTSIDE},
    "entry": {"escrow", FEES},
    "refund": {"escrow", FEES},
    "prize": {"pool"},
    "buy_in": {"stack"},
    "cash_out": {"stack"},
}
"""The accounts beside the wallet's, by their first word, of each kind of journal."""


class _Tournament(msgspec.Struct):
    """What a tournament's own events say of its money."""

    terms: list[tuple[int, BuyIn | None]] = []
    formed: PoolFormed | None = None
    over: bool = False

    def price_at(self, position: int) -> BuyIn | None:
        """What an entry at that log position cost: the newest terms before it."""
        return next((buy_in for since, buy_in in reversed(self.terms) if since < position), None)

    def overlay(self, currency: str) -> int:
        """What the house adds to the pool, in minor units of that currency."""
        return self.formed.overlay if self.formed and self.formed.currency == currency else 0


class Books:
    """The money book, as the streams that were added so far make it."""

    def __init__(self) -> None:
        self._accounts: Counter[tuple[str, str]] = Counter()
        self._moved: defaultdict[UUID, Counter[tuple[str, str]]] = defaultdict(Counter)
        self._entries: defaultdict[UUID, list[int]] = defaultdict(list)
        self._tournaments: dict[UUID, _Tournament] = {}
        self._stacks: dict[tuple[str, UUID], dict[PlayerId, int]] = {}

    def add(self, events: Sequence[Recorded]) -> Iterator[Violation]:
        """One stream of whatever kind; violations of its journals."""
        match events[0].topic.partition(".")[0]:
            case "wallet":
                yield from self._wallet(events)
            case "tournament":
                yield from self._tournament(events)
            case "roster":
                for r in events:
                    if isinstance(r.event, Registered | ReEntered):
                        self._entries[r.event.tournament_id].append(r.position)
            case "ring":
                yield from self._ring(events)
            case "hand":
                yield from self._hand(events)

    def close(self, *, settled: bool) -> Iterator[Violation]:
        """What does not agree, once every stream is added; `settled`: whoever is owed anything has been paid."""
        for currency in sorted({currency for currency, _ in self._accounts}):
            total = sum(amount for (of, _), amount in self._accounts.items() if of == currency)
            if total:
                yield Violation("I3", f"book of {currency}", f"its accounts sum to {total}, not to 0")
        for (currency, table), stacks in self._stacks.items():
            yield from self._at_ring(currency, table, stacks)
        for t, told in self._tournaments.items():
            yield from self._of_tournament(TournamentId(t), told, settled=settled)

    # one stream

    def _wallet(self, events: Sequence[Recorded]) -> Iterator[Violation]:
        balance = 0
        for r in events:
            assert isinstance(r.event, Credited | Debited)
            amount = r.event.amount if isinstance(r.event, Credited) else -r.event.amount
            own = [line.amount for line in r.event.journal.lines if line.account == wallet(r.event.player_id)]
            if own != [amount]:
                yield at("I3", r, "its journal does not move what the wallet gets or pays")
            others = {line.account.partition("/")[0] for line in r.event.journal.lines} - {"wallet"}
            if not others <= OTHER_SIDE.get(r.event.journal.kind, set()):
                what = f"a {r.event.journal.kind} does not move {' and '.join(sorted(others))}"
                yield at("I3", r, what)
            balance += amount
            if balance < 0:
                yield at("I3", r, f"the wallet is {-balance} below 0")
            yield from self._book(r, Where(stream=r.stream, version=r.version))

    def _tournament(self, events: Sequence[Recorded]) -> Iterator[Violation]:
        told = self._tournaments[events[0].stream] = _Tournament()
        for r in events:
            match r.event:
                case Published():
                    told.terms.append((r.position, r.event.structure.buy_in))
                case PoolFormed():
                    told.formed = r.event
                    yield from self._book(r, Where(stream=r.stream, version=r.version))
                case PoolDissolved():
                    told.formed = None
                    yield from self._book(r, Where(stream=r.stream, version=r.version))
                case MoneyPrizesAwarded():
                    yield from _awarded(r, r.event, told.formed)
                case Finished() | Cancelled():
                    told.over = True

    def _ring(self, events: Sequence[Recorded]) -> Iterator[Violation]:
        opened, table = events[0].event, TableId(events[0].stream)
        assert isinstance(opened, RingOpened)
        stacks: Counter[PlayerId] = Counter()
        players: dict[int, PlayerId] = {}
        for r in events:
            match r.event:
                case SatDown():
                    stacks[r.event.player_id] += r.event.buy_in
                case ToppedUp():
                    stacks[r.event.player_id] += r.event.amount
                case StoodUp():
                    yield from _stood_up(r, r.event, stacks[r.event.player_id])
                    stacks[r.event.player_id] -= r.event.stack
                case RingHandBegun():
                    players = r.event.players
                    stacks.update(dict.fromkeys(players.values(), -r.event.ante))
                    yield from _begun(r, r.event, stacks)
                    yield from self._book(r, Where(stream=r.stream, version=r.version, table_id=table))
                case RingHandEnded():
                    stacks.update({players[seat]: net for seat, net in r.event.net.items()})
        self._stacks[opened.terms.currency, table] = dict(stacks)

    def _hand(self, events: Sequence[Recorded]) -> Iterator[Violation]:
        """A hand at a ring table is settled in money."""
        first = events[0].event
        if not isinstance(first, RingCommitted):
            return
        dealt = next((r.event for r in events if isinstance(r.event, Dealt)), None)
        for r in events:
            if isinstance(r.event, Settled) and dealt:
                where = Where(
                    stream=r.stream,
                    version=r.version,
                    table_id=first.table_id,
                    hand_id=HandId(r.stream),
                    seats={s.seat: s.player_id for s in dealt.seats},
                    currency=first.currency,
                )
                yield from self._book(r, where)

    def _book(self, r: Recorded, where: Where) -> Iterator[Violation]:
        try:
            made = journals(r.event, where)
        except AssertionError:
            yield at("I3", r, "what it moves is out of balance")
            return
        for journal in made:
            if total := sum(line.amount for line in journal.lines):
                yield at("I3", r, f"its journal sums to {total}, not to 0")
            self._write(journal)

    def _write(self, journal: Journal) -> None:
        assert journal.currency is not None
        for line in journal.lines:
            self._accounts[journal.currency, line.account] += line.amount
            if journal.tournament_id is not None:
                of_player = line.account.startswith("wallet/")
                kind = journal.kind if of_player else line.account
                self._moved[journal.tournament_id][journal.currency, kind] += line.amount

    # all of them

    def _at_ring(self, currency: str, table: UUID, stacks: dict[PlayerId, int]) -> Iterator[Violation]:
        for player, chips in stacks.items():
            booked = self._accounts[currency, stack(TableId(table), player)]
            if booked != chips:
                told = f"player {player} has {chips} at the table, and {booked} in the books"
                yield Violation("I3", stream("ring", table), told)

    def _of_tournament(self, t: TournamentId, told: _Tournament, *, settled: bool) -> Iterator[Violation]:
        """Prizes + refunds + fees = receipts + overlay, beside what is held to be paid out; in each currency that its
        terms have named, for terms may change while nobody is entered."""
        cost: Counter[str] = Counter()
        for position in self._entries[t]:
            if price := told.price_at(position):
                cost[price.currency] += price.price
        for currency in sorted({*cost, *(of for of, _ in self._moved[t])}):
            yield from self._of_currency(t, told, currency, cost[currency], settled=settled)

    def _of_currency(
        self, t: TournamentId, told: _Tournament, currency: str, cost: int, *, settled: bool
    ) -> Iterator[Violation]:
        name, moved = stream("tournament", t), self._moved[t]
        receipts = -moved[currency, "entry"]
        paid_out = moved[currency, "refund"] + moved[currency, "prize"]
        fees, overlay = moved[currency, FEES], told.overlay(currency)
        in_escrow, in_pool = (self._accounts[currency, account(t)] for account in (escrow, pool))
        held = in_escrow + in_pool
        if receipts != cost:
            what = f"its entries cost {cost} {currency}, and {receipts} were paid for them"
            yield Violation("I3", name, what)
        if paid_out + fees + held != receipts + overlay:
            what = f"prizes, refunds, fees and what is held are {paid_out + fees + held}"
            yield Violation("I3", name, f"{what}, where receipts and overlay are {receipts + overlay}")
        if told.formed and told.formed.currency == currency and in_escrow:
            yield Violation("I3", name, f"its escrow holds {in_escrow} beside the pool")
        if min(in_escrow, in_pool) < 0:
            yield Violation("I3", name, f"has paid out {-min(in_escrow, in_pool)} more than it held")
        if settled and told.over and held:
            yield Violation("I3", name, f"is over, and {held} are not paid out")


def _awarded(r: Recorded, event: MoneyPrizesAwarded, formed: PoolFormed | None) -> Iterator[Violation]:
    prizes = sum(prize.amount for prize in event.prizes)
    there = formed.buy_ins + formed.overlay if formed else 0
    if not prizes == event.pool == there:
        yield at("I3", r, f"prizes of {prizes} are awarded from a pool of {there}")


def _stood_up(r: Recorded, event: StoodUp, had: int) -> Iterator[Violation]:
    if event.stack != had:
        yield at("I3", r, f"seat {event.seat} is left with {event.stack}, and had {had}")


def _begun(r: Recorded, event: RingHandBegun, stacks: Counter[PlayerId]) -> Iterator[Violation]:
    for seat, told in event.stacks.items():
        had = stacks[event.players[seat]]
        if told != had:
            yield at("I3", r, f"seat {seat} is dealt in with {told}, and has {had} after the ante")
