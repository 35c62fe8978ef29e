"""Each amount has its limit, 2^53; what the books come to has none: 1,030 times the most, read in every form."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from uuid import UUID, uuid4, uuid5

import pytest
from click.testing import CliRunner

from domain import wallet as decide
from domain.events import Event
from domain.ids import CommandId, JournalId, PlayerId, TableId, wallet_id
from domain.journal import Kind, stack
from domain.structure import LARGEST_AMOUNT
from domain.wallet import WALLET, Booking, Wallet
from services.application.statements import Period, player_called, statements
from services.envelope import Change, Command
from services.projections.rebuild import compare
from tests.services.http.banking import deposit
from tests.services.http.playing import name, until
from workers.cli import main

MOST = LARGEST_AMOUNT - 1
TIMES = 1030
WHOLE = MOST * TIMES
assert WHOLE > 2**63


class Hoard:
    """A player who takes the most that a deposit may be to a ring table, 1,030 times, and then stands up everywhere."""

    def __init__(self, operator, services) -> None:
        self.name = name()
        self.player = PlayerId(UUID(operator.made("/v1/players", {"name": self.name})["player_id"]))
        self.tables = [TableId(uuid5(self.player, f"table/{n}")) for n in range(TIMES)]
        self.events: list[Event] = []
        self.wallet = Wallet(self.player, "EUR")
        for n, table in enumerate(self.tables):
            self._decided(decide.deposit, MOST, f"transfer {n}", None, JournalId(uuid4()))
            self._decided(decide.take, self._booking("buy_in", table))
        self.before = len(self.events)
        for table in self.tables:
            self._decided(decide.give, self._booking("cash_out", table))
        command = Command(CommandId(uuid4()), "test", "")
        change = Change(wallet_id(self.player, "EUR"), 0, self.events)
        recorded = services.store.append(command, [change], services.store.now())
        self.positions = [r.position for r in recorded]

    def _booking(self, kind: Kind, table: TableId) -> Booking:
        journal = JournalId(uuid4())
        return Booking(
            journal_id=journal, kind=kind, others={stack(table, self.player): MOST}, table_id=table
        )

    def _decided(self, decision: Callable[..., list[Event]], *asked: object) -> None:
        for event in decision(self.wallet, *asked):
            self.wallet = WALLET.evolve(self.wallet, event)
            self.events.append(event)


@pytest.fixture(scope="module")
def hoard(operator, services):
    hoard = Hoard(operator, services)
    assert hoard.wallet.balance == WHOLE
    until(lambda: services.store.head() == projected(services), 60)
    return hoard


def projected(services) -> int:
    with services.store.database.connection() as conn:
        return conn.execute("SELECT position FROM projections.tracking").fetchone()[0]


def test_the_projector_goes_on_behind_them(hoard, operator):
    player = operator.made("/v1/players", {"name": name()})["player_id"]
    deposit(operator, player, 5, "JPY")
    [purse] = operator.read(f"/v1/wallets/{player}")["items"]
    assert purse["balance"] == 5


def test_accounts_hold_whatever_there_is(hoard, auditor):
    wallet, outside = f"wallet/{hoard.player}", "outside"
    for account, balance in ((wallet, WHOLE), (outside, -WHOLE)):
        path = f"/v1/ledger/accounts?account={account}&currency=EUR"
        [item] = auditor.read(path)["items"]
        assert (item["balance"], type(item["balance"])) == (balance, int)
        [row] = csv.DictReader(io.StringIO(auditor.get(f"{path}&format=csv").text))
        assert row["balance"] == str(balance)
        assert json.loads(auditor.get(f"{path}&format=ndjson").text)["balance"] == balance


def test_entries_carry_the_balances_past_every_size_of_integer(hoard, auditor):
    query = f"account=outside&currency=EUR&limit=200&as_of={hoard.positions[-1]}"
    page = auditor.read(f"/v1/ledger/entries?{query}")
    lines = page["items"]
    while page["next"]:
        page = auditor.read(f"/v1/ledger/entries?{query}&cursor={page['next']}")
        lines += page["items"]
    assert [line["balance"] for line in lines] == [-MOST * n for n in range(1, TIMES + 1)]


def test_the_trial_balance_holds_at_every_position(hoard, auditor):
    stacked, over = hoard.positions[hoard.before - 1], hoard.positions[-1]
    for as_of, accounts in ((stacked, TIMES + 2), (over, TIMES + 2)):
        [book] = auditor.read(f"/v1/ledger/trial-balance?book=money&currency=EUR&as_of={as_of}")["items"]
        assert (book["accounts"], book["debit"], book["credit"]) == (accounts, WHOLE, WHOLE)
        assert (book["balance"], book["balanced"]) == (0, True)
    half = hoard.positions[2 * 500 - 1]
    [book] = auditor.read(f"/v1/ledger/trial-balance?book=money&currency=EUR&as_of={half}")["items"]
    assert (book["credit"], book["balanced"]) == (500 * MOST, True)


def test_a_wallet_and_what_is_held_of_it(hoard, auditor):
    stacked = hoard.positions[hoard.before - 1]
    [purse] = auditor.read(f"/v1/wallets/{hoard.player}?as_of={stacked}")["items"]
    assert (purse["balance"], purse["held"]) == (0, WHOLE)
    [purse] = auditor.read(f"/v1/wallets/{hoard.player}")["items"]
    assert (purse["balance"], purse["held"]) == (WHOLE, 0)


def test_a_wallet_that_is_so_full_takes_no_deposit_and_pays(hoard, operator):
    path, body = f"/v1/wallets/{hoard.player}", {"amount": 1, "currency": "EUR", "reference": "one more"}
    refused = operator.post(f"{path}/deposits", body)
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/amount")
    assert operator.made(f"{path}/withdrawals", body)["balance"] == WHOLE - 1
    hoard.wallet = WALLET.evolve(
        hoard.wallet, decide.withdraw(hoard.wallet, 1, "", None, JournalId(uuid4()))[0]
    )


def test_the_statement_agrees_with_the_stream(hoard, services):
    until(lambda: services.store.head() == projected(services), 60)
    whom = player_called(services.store.database, hoard.name)
    [statement] = statements(services.store, whom, "EUR", Period())
    assert statement.agrees
    assert statement.closing_wallet == statement.wallet_stream == hoard.wallet.balance
    assert max(item.stacks for item in statement.items) == WHOLE


@pytest.mark.parametrize("form", [(), ("--csv",), ("--json",)])
def test_the_commands_print_them(hoard, services, monkeypatch, form):
    monkeypatch.setenv("DATABASE_URL", services.store.database.url)
    has = hoard.wallet.balance
    shown = f"{has // 100:,}.{has % 100:02}".replace(",", "") if not form else str(has)
    for command in (("trial-balance", "--book", "money"), ("statement", hoard.name)):
        result = CliRunner().invoke(main, ["ledger", *command, *form])
        assert result.exit_code == 0, result.output
        assert shown in result.stdout.replace(",", "") if not form else shown in result.stdout


def test_a_rebuild_has_the_same_books(hoard, services):
    assert compare(services.store) == []
