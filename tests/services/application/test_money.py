"""Random days of money, in memory: whatever happens, in whatever order, at once and twice, nothing is lost or made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from random import Random
from types import SimpleNamespace
from uuid import uuid4

import pytest

from domain.credential import Role
from domain.errors import Rejected
from domain.hand import HAND, Hand
from domain.hand import State as Hands
from domain.hand_events import Committed, HandRecorded, Settled
from domain.ids import CommandId, CredentialId, PlayerId, TournamentId, roster_id, wallet_id
from domain.ledger import Where, journals
from domain.payments import owed
from domain.player import enrol
from domain.results import Result
from domain.roster import ROSTER, Roster
from domain.table import TABLE
from domain.topics import TOPICS
from domain.tournament import TOURNAMENT, Tournament
from domain.wallet import WALLET
from services.application import director, hands, leagues, payments, results, tournaments, wallets
from services.application.credentials import Actor
from services.application.results import Told
from services.application.rulesets import RuleSets
from services.application.wallets import Money, WalletRequest
from services.bootstrap import presets
from services.envelope import Change, Command
from services.errors import Unavailable
from services.store import Store
from tests.domain.given import NOW

STEPS = 800
CURRENCIES = ("EUR", "JPY")
STAFF = Actor(CredentialId(uuid4()), Role.ADMIN, None, None)


class Day:
    """A house in memory, with a few players and whatever tournaments the day brings."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.now = NOW
        self.store = Store.in_memory(TOPICS, lambda: self.now)
        self.services = SimpleNamespace(store=self.store, rulesets=RuleSets(self.store, presets()))
        self.players = [PlayerId(uuid4()) for _ in range(9)]
        for player in self.players:
            self.store.append(self.command(), [Change(player, 0, enrol(player))], self.now)
        self.tournaments: list[TournamentId] = []
        self.done: list[Callable[[], object]] = []
        self.refused: Counter[str] = Counter()

    @staticmethod
    def command() -> Command:
        return Command(CommandId(uuid4()), "test", "")

    def attempt(self, what: Callable[[], object]) -> None:
        """Do it, or be told why not."""
        try:
            what()
        except Rejected as rejected:
            self.refused[rejected.code] += 1

    def step(self) -> None:
        """One thing, several at once, or something that was done before once more."""
        kind = self.random.random()
        if kind < 0.1 and self.done:
            return self.attempt(self.random.choice(self.done))
        if kind < 0.2:
            some = [self.choose() for _ in range(6)]
            with ThreadPoolExecutor(6) as pool:
                list(pool.map(self.attempt, some))
            return None
        something = self.choose()
        self.done.append(something)
        return self.attempt(something)

    def choose(self) -> Callable[[], object]:
        choices = [
            (self.in_or_out, 6),
            (self.enter, 10),
            (self.withdraw, 1),
            (self.publish, 1),
            (self.start, 4),
            (self.record, 14),
            (self.end, 1),
            (self.pay, 3),
            (self.finalise, 3),
        ]
        [chosen] = self.random.choices(*zip(*choices, strict=True))
        return chosen()

    # what may happen

    def in_or_out(self) -> Callable[[], object]:
        step = self.random.choice((wallets.deposit, wallets.deposit, wallets.withdraw))
        money = Money(self.random.randint(1, 4000), uuid4().hex, None)
        asked = WalletRequest(self.random.choice(CURRENCIES), money.reference, lambda: money)
        player, command = self.random.choice(self.players), self.command()
        return lambda: step(self.services, command, player, asked)

    def publish(self) -> Callable[[], object]:
        amount, fee = self.random.randint(1, 900), self.random.randint(0, 90)
        buy_in = {"amount": amount, "fee": fee, "currency": self.random.choice(CURRENCIES)}
        terms = {
            "name": "Day",
            "format": self.random.choice(("freezeout", "league")),
            "recorded": True,
            "buy_in": self.random.choice((buy_in, buy_in, None)),
            "protest_seconds": self.random.choice((0, 60)),
        }
        if terms["format"] == "freezeout":
            terms["stack_points"] = 10
        if terms["buy_in"]:
            terms["guarantee"] = self.random.choice((0, self.random.randint(1, 5000)))
        command = self.command()

        def publish() -> None:
            made = tournaments.publish(self.services, command, lambda: terms)
            if not made.repeat:
                self.tournaments.append(made.state.tournament_id)

        return publish

    def of_a_tournament(self, what: Callable[[TournamentId], object]) -> Callable[[], object]:
        if not self.tournaments:
            return self.publish()
        t = self.random.choice(self.tournaments[-3:])
        return lambda: what(t)

    def enter(self) -> Callable[[], object]:
        player, command = self.random.choice(self.players), self.command()
        return self.of_a_tournament(
            lambda t: tournaments.register(self.services, command, STAFF, t, lambda: player)
        )

    def withdraw(self) -> Callable[[], object]:
        player, command = self.random.choice(self.players), self.command()
        return self.of_a_tournament(lambda t: tournaments.withdraw(self.services, command, STAFF, t, player))

    def start(self) -> Callable[[], object]:
        command = self.command()

        def start(t: TournamentId) -> None:
            tournaments.start(self.services, command, t, lambda: None)
            director.draw(self.store, t)

        return self.of_a_tournament(start)

    def record(self) -> Callable[[], object]:
        """A result at some table; of a league perhaps a new table."""
        command, random = self.command(), Random(self.random.random())

        def record(t: TournamentId) -> None:
            tournament = self.tournament(t)
            tables = [self.store.load(TABLE, self.table(tournament, n)).state for n in tournament.open_tables]
            if tournament.structure.for_points and (not tables or random.random() < 0.2):
                free = [p for p in self.roster(t).entries if p not in tournament.sitting]
                seats = list(enumerate(free[:3], 1))
                leagues.open_a_table(self.services, command, STAFF, leagues.Wanted(t, seats))
                return
            table = random.choice(tables) if tables else None
            if table and table.seats:
                left = {seat: random.randint(1, 13) for seat in table.seats}
                winner = random.choice(list(left))
                told = Told(None, Result(left | {winner: 0}, winner))
                results.record(self.services, command, STAFF, table.table_id, told)

        return self.of_a_tournament(record)

    def end(self) -> Callable[[], object]:
        command = self.command()
        how = self.random.choice(
            (
                lambda t: tournaments.cancel(self.services, command, t, lambda: "rain"),
                lambda t: leagues.finish(self.services, command, t, lambda: None),
            )
        )
        return self.of_a_tournament(how)

    def pay(self) -> Callable[[], object]:
        return self.of_a_tournament(self.paid)

    def paid(self, t: TournamentId) -> None:
        payments.pay(
            self.services, t, 0, lambda of: not any(hand.state is Hands.SETTLED for hand in self.hands(of))
        )

    def finalise(self) -> Callable[[], object]:
        return self.of_a_tournament(self.made_final)

    def made_final(self, t: TournamentId) -> None:
        """Each hand whose protest window is over."""
        for hand in self.hands(t):
            hands.finalise(self.services, hand.hand_id)

    # what there is

    def hands(self, t: TournamentId) -> list[Hand]:
        recorded = [r for r in self.store.log(0, 10_000) if isinstance(r.event, HandRecorded)]
        return [self.store.load(HAND, r.stream).state for r in recorded if r.event.tournament_id == t]

    def tournament(self, t: TournamentId) -> Tournament:
        return self.store.load(TOURNAMENT, t).state

    def roster(self, t: TournamentId) -> Roster:
        return self.store.load(ROSTER, roster_id(t)).state or Roster()

    @staticmethod
    def table(t: Tournament, number: int):
        return t.tables[number] if t.structure.for_points else t.table_id(number)

    def books(self):
        """The balances after each event of the log, by currency or tournament and account."""
        balances: Counter[tuple[str, str]] = Counter()
        hands = {}
        for r in self.store.log(0, 10_000):
            if isinstance(r.event, HandRecorded):
                hands[r.stream] = r.event
            assert not isinstance(r.event, Committed)
            where = Where(stream=r.stream, version=r.version, tournament_id=r.stream)
            if isinstance(r.event, Settled):
                seats = {s.seat: s.player_id for s in hands[r.stream].seats}
                of = hands[r.stream].tournament_id
                where = Where(stream=r.stream, version=r.version, tournament_id=of, seats=seats)
            made = journals(r.event, where)
            for journal in made:
                for line in journal.lines:
                    balances[journal.currency or str(journal.tournament_id), line.account] += line.amount
            yield r, made, balances


@pytest.mark.parametrize("seed", range(8))
def test_whatever_a_day_brings_nothing_is_lost_or_made(seed):
    day = Day(seed)
    for _ in range(STEPS):
        day.step()
    ids = []
    for _, made, balances in day.books():
        ids += [journal.journal_id for journal in made]
        sums: Counter[str] = Counter()
        for (scope, account), balance in balances.items() if made else ():
            sums[scope] += balance
            assert balance >= 0 or not account.startswith(("wallet/", "escrow/", "pool/"))
        assert not any(sums.values())
    assert len(ids) == len(set(ids)), "a journal is written once"
    day.now += timedelta(minutes=2)
    for t in day.tournaments:
        day.made_final(t)
        day.paid(t)
    *_, (_, _, balances) = day.books()
    check_tournaments(day, balances)
    check_wallets(day, balances)


def check_tournaments(day, balances):
    """What is over owes nothing; what is not holds what its entrants have paid."""
    for t in day.tournaments:
        tournament = day.tournament(t)
        buy_in = tournament.structure.buy_in
        scope = buy_in.currency if buy_in else ""
        held = balances[scope, f"escrow/{t}"], balances[scope, f"pool/{t}"]
        if tournament.over or not buy_in:
            assert held == (0, 0)
            prizes = sum(prize.amount for prize in tournament.prizes)
            assert prizes == (sum(p.booking.amount for p in owed(tournament, ())) if buy_in else prizes)
        elif tournament.pool:
            assert held == (0, tournament.pool.buy_ins + tournament.pool.overlay)
        else:
            assert held == (buy_in.amount * len(day.roster(t).entries), 0)


def check_wallets(day, balances):
    """A wallet's stream says what the ledger says."""
    for player in day.players:
        for currency in CURRENCIES:
            wallet = day.store.load(WALLET, wallet_id(player, currency)).state
            assert balances[currency, f"wallet/{player}"] == (wallet.balance if wallet else 0)


def test_the_days_bring_whatever_there_is():
    kinds: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for seed in range(6):
        day = Day(seed)
        for _ in range(STEPS):
            day.step()
        refused += day.refused
        kinds += Counter(journal.kind for _, made, _ in day.books() for journal in made)
    wanted = {
        "deposit",
        "withdrawal",
        "entry",
        "refund",
        "pool",
        "dissolution",
        "prize",
        "issued",
        "transfer",
    }
    assert wanted <= set(kinds)
    assert "insufficient-funds" in refused


def test_a_payment_that_meets_a_deposit_at_every_try_is_made_at_the_next_one():
    day = Day(1)
    append = day.store.append

    def in_the_way(command, changes, at, also=None):
        if command.actor.startswith("job/pay"):
            day.store.append = append
            day.attempt(deposit)
            day.store.append = in_the_way if next(tries, None) is not None else append
        return append(command, changes, at, also)

    player = day.players[0]

    def deposit():
        money = Money(1, uuid4().hex, None)
        return wallets.deposit(
            day.services, day.command(), player, WalletRequest("EUR", money.reference, lambda: money)
        )

    terms = {"name": "X", "format": "freezeout", "buy_in": {"amount": 5, "fee": 0, "currency": "EUR"}}
    t = tournaments.publish(day.services, day.command(), lambda: terms).state.tournament_id
    for _ in range(5):
        deposit()
    tournaments.register(day.services, day.command(), STAFF, t, lambda: player)
    tournaments.cancel(day.services, day.command(), t, lambda: "rain")
    tries = iter(range(5))
    day.store.append = in_the_way
    payments.pay(day.services, t, 0, lambda _: True)
    assert day.store.load(WALLET, wallet_id(player, "EUR")).state.balance == 3
    day.store.append = append
    payments.pay(day.services, t, 0, lambda _: True)
    payments.pay(day.services, t, 0, lambda _: True)
    assert day.store.load(WALLET, wallet_id(player, "EUR")).state.balance == 8


def test_two_locks_in_one_order_let_no_two_commands_wait_for_each_other():
    """Each of many players enters each of many tournaments at once, and leaves it again."""
    day = Day(2)
    terms = {"name": "X", "format": "freezeout", "buy_in": {"amount": 5, "fee": 1, "currency": "EUR"}}
    many = [
        tournaments.publish(day.services, day.command(), lambda: terms).state.tournament_id for _ in range(5)
    ]
    for player in day.players:
        money = Money(30, uuid4().hex, None)
        wallets.deposit(
            day.services, day.command(), player, WalletRequest("EUR", money.reference, lambda m=money: m)
        )

    def come_and_go(pair):
        t, player = pair
        tournaments.register(day.services, day.command(), STAFF, t, lambda: player)
        tournaments.withdraw(day.services, day.command(), STAFF, t, player)

    with ThreadPoolExecutor(12) as pool:
        try:
            list(pool.map(come_and_go, [(t, player) for t in many for player in day.players]))
        except Unavailable:
            pytest.fail("somebody waited in a circle")
    *_, (_, _, balances) = day.books()
    assert {balances["EUR", f"wallet/{player}"] for player in day.players} == {30}
