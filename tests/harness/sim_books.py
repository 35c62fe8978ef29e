"""What must hold of money, chips and seats after every transaction (I3), and of the button, the direction, the lead.

Accounts are summed from the journals of `domain.ledger`; what they must come to is counted here from the events.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from uuid import UUID

from big2.rulesets import RuleSet
from big2.table import Direction
from domain.hand_events import Dealt, HandRecorded, Settled
from domain.journal import FEES, RAKE, chips_of, escrow, pool, stack
from domain.ledger import Where, journals
from domain.ring_events import RingHandBegun
from domain.roster import ReEntered, Registered, Withdrawn
from domain.table_events import Vacated
from domain.tournament import State, Tournament
from domain.wallet import Credited, Debited
from services.envelope import Recorded
from tests.harness.sim_log import must
from tests.services.projections.world import World

BOOKS = "I3 each book sums to 0"
WALLETS = "I3 no wallet, escrow, pool or stack is below 0"
CHIPS = "I3 chips at seats and void are what was issued"
STACKS = "I3 a stack at a ring table is what the books say"
RECEIPTS = "I3 prizes, refunds and fees are the receipts and the overlay"
RAKED = "I3 each player dealt in has paid one ante"
SEATS = "everybody in play sits at one table, once"
BUTTON = "R9.1 the button goes on to the first seat dealt in"
DIRECTION = "R9.2 the direction goes on as the rule set has it"
PAUSED = "nothing is dealt in a pause, nor after the end"
LEAD = "R5.3 the winner of the table's last hand leads"


class Books:
    """Follows money and chips; `close` is the end, when everything owed is paid."""

    def __init__(self) -> None:
        self.money: Counter[tuple[str, str]] = Counter()
        self.chips: Counter[tuple[UUID, str]] = Counter()
        self._entries: Counter[UUID] = Counter()
        self._raked: Counter[str] = Counter()
        self._touched: set[UUID] = set()
        self._rings: set[UUID] = set()

    def follow(self, r: Recorded, world: World) -> None:
        """`world` knows the event already."""
        for journal in journals(r.event, _where(r, world)):
            for line in journal.lines:
                if journal.currency is None:
                    assert journal.tournament_id is not None
                    self.chips[journal.tournament_id, line.account] += line.amount
                else:
                    self.money[journal.currency, line.account] += line.amount
        match r.event:
            case Registered() | ReEntered():
                self._entries[r.event.tournament_id] += 1
            case Withdrawn():
                self._entries[r.event.tournament_id] -= 1
            case RingHandBegun():
                self._raked[r.event.currency] += r.event.ante * len(r.event.players)
        kind = r.topic.partition(".")[0]
        if kind == "ring":
            self._rings.add(r.stream)
        elif (t := world.tournament_of(r)) is not None:
            self._touched.add(t)

    def transaction(self, world: World) -> None:
        """After each transaction."""
        for (currency, account), balance in self.money.items():
            if account.startswith(("wallet/", "escrow/", "pool/", "stack/")):
                must(balance >= 0, WALLETS, account, balance, currency)
        must(not sum(self.money.values()), BOOKS, "money")
        for currency, due in self._raked.items():
            must(self.money[currency, RAKE] == due, RAKED, self.money[currency, RAKE], "for", due)
        for table_id in self._rings:
            for seat in world.rings[table_id].seats.values():
                there = self.money[world.rings[table_id].currency, stack(table_id, seat.player_id)]
                must(there == seat.stack, STACKS, seat.stack, "at the table,", there, "in the books")
        for t in self._touched:
            self._tournament(t, world.tournaments[t], world)
        for wallet in world.wallets:
            booked = self.money[wallet.currency, f"wallet/{wallet.player_id}"]
            must(wallet.balance == booked, BOOKS, "a wallet has", wallet.balance, "for", booked)
        self._touched.clear()
        self._rings.clear()

    def _tournament(self, t: UUID, tournament: Tournament, world: World) -> None:
        must(not sum(n for (of, _), n in self.chips.items() if of == t), BOOKS, "chips")
        if tournament.structure.for_points or tournament.state not in (State.RUNNING, State.PAUSED):
            return
        for number in tournament.open_tables:
            for seat in world.tables[tournament.table_id(number)].seats.values():
                there = self.chips[t, chips_of(seat.player_id)]
                must(there == seat.stack, CHIPS, seat.stack, "at the table,", there, "in the books")

    def close(self, world: World) -> None:
        """Everything owed is paid: nothing is left between wallets."""
        for t, tournament in world.tournaments.items():
            buy_in = tournament.structure.buy_in
            if buy_in is None or not tournament.over:
                continue
            for account in (escrow(tournament.tournament_id), pool(tournament.tournament_id)):
                must(not self.money[buy_in.currency, account], RECEIPTS, account, "is not empty")
            played_for = tournament.state is State.FINISHED or tournament.prizes  # cancelled in the money
            self._entries[t] = self._entries[t] if played_for else 0
        fees: Counter[str] = Counter()
        for t, entries in self._entries.items():
            if buy_in := world.tournaments[t].structure.buy_in:
                fees[buy_in.currency] += buy_in.fee * entries
        for currency, due in fees.items():
            must(self.money[currency, FEES] == due, RECEIPTS, self.money[currency, FEES], "in fees for", due)


def _where(r: Recorded, world: World) -> Where:
    if isinstance(r.event, Settled):
        hand = world.hands[r.stream]
        return Where(
            stream=r.stream,
            version=r.version,
            tournament_id=hand.tournament_id,
            table_id=hand.table_id,
            hand_id=hand.hand_id,
            seats={s.seat: s.player_id for s in hand.terms.seats},
            currency=hand.currency,
        )
    t = world.tournament_of(r) if not isinstance(r.event, Credited | Debited) else None
    table = r.stream if isinstance(r.event, Vacated | RingHandBegun) else None
    return Where(stream=r.stream, version=r.version, tournament_id=t, table_id=table)


class Seats:
    """Who is in play, and where he sits: counted from the tournament's and the tables' events."""

    def __init__(self) -> None:
        self._in_play: defaultdict[UUID, set[UUID]] = defaultdict(set)
        self._coming: defaultdict[UUID, set[UUID]] = defaultdict(set)
        self._touched: set[UUID] = set()

    def follow(self, r: Recorded, world: World) -> None:
        kind, t = r.topic.rpartition(".")[0], r.stream
        event = r.event
        match kind:
            case "tournament.started":
                self._in_play[t] |= set(event.entrants)
            case "tournament.entry_taken":
                self._in_play[t].add(event.player_id)
                self._coming[t].add(event.player_id)
            case "tournament.late_seated":
                self._coming[t].discard(event.place.player_id)
            case "tournament.placed":
                self._in_play[t].discard(event.player_id)
        if kind.startswith(("tournament.", "table.")) and (of := world.tournament_of(r)):
            self._touched.add(of)

    def transaction(self, world: World) -> None:
        for t in self._touched:
            tournament = world.tournaments[t]
            drawn = tournament.tables_drawn and not tournament.structure.for_points
            if not drawn or tournament.state not in (State.RUNNING, State.PAUSED):
                continue
            tables = [world.tables[tournament.table_id(n)] for n in tournament.open_tables]
            seated = [seat.player_id for table in tables for seat in table.seats.values()]
            must(len(set(seated)) == len(seated), SEATS, "twice")
            must(
                set(seated) == self._in_play[t] - self._coming[t],
                SEATS,
                "somebody has no seat, or two places",
            )
        self._touched.clear()


class Deals:
    """R5.3, R9.1 and R9.2, from one hand of a table to the next."""

    def __init__(self, rules: dict[str, RuleSet]) -> None:
        self._rules = rules
        self._before: dict[UUID, tuple[int, Direction]] = {}
        self._won: dict[UUID, tuple[int, UUID]] = {}

    def follow(self, r: Recorded, world: World) -> None:
        if isinstance(r.event, Dealt | HandRecorded):
            hand = world.hands[r.stream]
            self._deal(hand.table_id, hand.tournament_id is None, r.event, world)
        elif isinstance(r.event, Settled):
            hand = world.hands[r.stream]
            seats = {s.seat: s.player_id for s in hand.terms.seats}
            self._won[hand.table_id] = r.event.winner, seats[r.event.winner]

    def _deal(self, table: UUID, ring: bool, event: Dealt | HandRecorded, world: World) -> None:
        paused = world.rings[table].paused if ring else _stands(world, table)
        must(not paused, PAUSED, table)
        seats = {s.seat: s.player_id for s in event.seats}
        if table in self._before:
            dealer, direction = self._before[table]
            turns = self._rules[event.rules].direction == "alternate"
            must((event.direction is direction) == (not turns), DIRECTION, event.direction)
            must(event.dealer == _following(dealer, seats, 1), BUTTON, event.dealer, "after", dealer)
        elif ring:
            must(event.dealer == min(seats), BUTTON, "R9.1: a ring table's first is the lowest seat")
        else:
            first = world.tables[table].first_dealer
            expected = first if first in seats else _following(first, seats, 1)
            must(event.dealer == expected, BUTTON, event.dealer, "for the one drawn,", first)
        leader = None if ring else self._leader(table, seats, event)
        must(event.leader == leader, LEAD, event.leader, "for", leader)
        self._before[table] = event.dealer, event.direction

    def _leader(self, table: UUID, seats: dict[int, UUID], event: Dealt | HandRecorded) -> int | None:
        if table not in self._won or self._rules[event.rules].opening_scope == "every_hand":
            return None
        seat, winner = self._won[table]
        here = [number for number, player in seats.items() if player == winner]
        step = 1 if event.direction is Direction.CLOCKWISE else -1
        return here[0] if here else _following(seat, seats, step)


def _stands(world: World, table: UUID) -> bool:
    """Whether a table's tournament does not run, or the table has not followed it yet."""
    at = world.tables[table]
    return at.paused or world.tournaments[at.tournament_id].state is not State.RUNNING


def _following(seat: int, seats: object, step: int) -> int:
    """The next seat dealt in."""
    for _ in range(4):
        seat = (seat - 1 + step) % 4 + 1
        if seat in seats:
            return seat
    raise AssertionError("nobody was dealt in")
