"""The evening at ring tables: what it proves; a whole small one, in processes, ends `verified`."""

from __future__ import annotations

import io
import re
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from rich.console import Console

from domain.hand_events import CardsPlayed, Passed
from domain.topics import TOPICS
from services.application import wallets
from services.projections.rebuild import replace
from services.store import Store
from tests.services.projections.ring_house import RingHouse
from tests.workers.process import big2
from tests.workers.test_floor import House, floor_of
from workers import evening, proving
from workers.demo_cli import demo
from workers.floor import Wanted
from workers.showing import Show, Stay, Takings, takings_lines
from workers.stage import DemoFailed, Kept, Stage

STAY = Stay("House 001", paid_in=6000, sessions=2, result=-130, paid_out=5870, balance=0)
GOOD = Takings("USD", 8, 281, 425, 2, 1, 14.1, 130, (STAY,), ())


def quiet() -> Show:
    return Show(Console(file=io.StringIO()))


# what it came to


def test_an_evening_tells_every_fact_and_its_verdict_last():
    lines = takings_lines(GOOD)
    assert lines[-1] == "verified"
    assert dict(re.split(r"\s{2,}", line.strip()) for line in lines[:-1]) == {
        "players": "1",
        "sessions": "2",
        "top-ups": "2",
        "sat out": "1",
        "hands": "8",
        "actions": "281",
        "events": "425",
        "seconds": "14.1",
        "money in": "60.00 USD",
        "money out": "58.70 USD",
        "rake": "1.30 USD",
    }


@pytest.mark.parametrize("wrong", [{"rake": 129}, {"problems": ("wallet/x was below 0",)}])
def test_money_that_is_missing_or_any_problem_is_not_verified(wrong):
    takings = msgspec.structs.replace(GOOD, **wrong)
    assert not takings.verified
    assert takings_lines(takings)[-1] == "NOT VERIFIED"
    assert set(takings.problems) <= set(takings_lines(takings))


# its course


def test_an_evening_that_does_not_end_fails(monkeypatch):
    monkeypatch.setattr(evening, "REFRESH_SECONDS", 0.0)
    wanted = Wanted(4, 3, 0, minutes=0.0)
    with pytest.raises(DemoFailed, match="still open after 0"):
        evening._watch(floor_of(House(), 4), wanted, quiet(), [])


def test_an_evening_whose_bots_were_given_up_fails(monkeypatch):
    monkeypatch.setattr(evening, "REFRESH_SECONDS", 0.0)
    living, gone = Kept(), Kept()
    gone.failure = "bots ended 21 times, the last time with signal 9"
    with pytest.raises(DemoFailed, match="bots ended 21 times"):
        evening._watch(floor_of(House(), 4), Wanted(4, 3, 0), quiet(), [living, gone])


def test_on_a_terminal_the_tables_are_live_and_elsewhere_a_line():
    house = House()
    floor_of(house, 4).look()
    live, plain = io.StringIO(), io.StringIO()
    with Show(Console(file=live, force_terminal=True, width=120)) as show:
        show.tables(list(house.tables.values()), 12)
        show._live.refresh()
    Show(Console(file=plain, width=120)).tables(list(house.tables.values()), 12)
    told = "table at 0.25 USD a point, 0 of 12 hands"
    assert re.search(rf"{told}: 00\d \d0\.00, 00\d", live.getvalue())
    assert plain.getvalue() == f"{told}; {told}\n"


# the proof


class Api:
    def pages(self, _path):
        return iter(())


@pytest.fixture(scope="module")
def played(database_url):
    """Two players have paid in, played some hands, and gone home with what they have."""
    house = RingHouse(database_url)
    table, (one, other) = house.open_ring(house.publish_stakes("evening")), house.rich(2, 500)
    house.sit(table, 1, one)
    house.sit(table, 2, other)
    house.play_ring(table, lambda: house.hands_ended(table) == 2 and not house.ring(table).hand_id)
    house.close_ring(table)
    for player, balance in house.purses().items():
        money = wallets.Money(balance, f"home {player}", None)
        asked = wallets.WalletRequest("EUR", money.reference, lambda money=money: money)
        wallets.withdraw(house, house.command(), player, asked)
    house.project()
    yield house, str(table), {str(one): "Ann", str(other): "Bob"}
    house.close()


@pytest.fixture
def proved(played, database_url, monkeypatch):
    monkeypatch.setattr(proving.bootstrap, "store_in", lambda *_: Store(database_url, TOPICS))
    monkeypatch.setattr(evening, "CURRENCY", "EUR")
    _, table, names = played
    stage = Stage(Api(), "http://x", Path(), io.BytesIO(), quiet())
    return lambda: evening._proved(stage, [table], names, 0.0)


def test_an_evening_that_is_whole_is_verified(played, proved):
    takings, books, whom, statement = proved()
    [euros] = (book for book in books if book.currency == "EUR")
    assert euros.difference == 0
    assert {
        group.kind: group.credit - group.debit for group in euros.groups if group.credit or group.debit
    } == {
        "rake": 4,
        "outside": -4,
    }
    assert takings.verified
    assert takings.paid_in == 1000 == takings.paid_out + takings.rake
    house, _, _ = played
    assert takings.actions == len(house.events(CardsPlayed)) + len(house.events(Passed)) > 0
    assert (takings.top_ups, takings.sat_out) == (0, 0)
    assert takings.rake == 4  # two players, two hands, an ante of 1
    assert sum(stay.result for stay in takings.stays) == -4
    assert [(stay.name, stay.sessions, stay.balance) for stay in takings.stays] == [
        ("Ann", 1, 0),
        ("Bob", 1, 0),
    ]
    assert (whom.player_id, statement.closing_wallet) == (statement.player_id, 0)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("amount = amount + 1, balance = balance + 1 WHERE account = 'rake'", "book of money in EUR sums to"),
        ("balance = -1 WHERE account LIKE 'stack/%'", "was below 0"),
        ("balance = -1 WHERE account = 'rake'", "rake was below 0"),
        ("account = 'escrow/x', balance = -1 WHERE account = 'rake'", "escrow/x was below 0"),
        (
            "amount = amount + 1 WHERE account LIKE 'wallet/%' AND kind = 'withdrawal'",
            "is left in the wallet",
        ),
        ("amount = amount + 1 WHERE account LIKE 'wallet/%' AND kind = 'deposit'", "its lines to 1"),
        ("amount = amount + 1 WHERE account LIKE 'stack/%' AND kind = 'ante'", "is left at a table"),
    ],
)
def test_books_that_are_wrong_are_told_and_not_verified(played, proved, change, told):
    house, _, _ = played
    with house.store.database.connection() as conn:
        conn.execute(f"UPDATE projections.ledger_lines SET {change}")
    takings = proved().takings
    replace(house.store)
    assert not takings.verified
    assert any(told in problem for problem in takings.problems)
    assert any("ledger_lines differs" in problem for problem in takings.problems)
    assert proved().takings.verified


def test_a_log_that_was_tampered_with_fails(played, proved):
    house, _, _ = played
    changed = (
        "UPDATE big2_events SET state = convert_to(replace(convert_from(state, 'utf8'), '{}', '{}'), 'utf8')"
        " WHERE topic = 'ring.opened.1'"
    )
    with house.store.database.connection() as conn:
        conn.execute(changed.format("evening", "evenink"))
    with pytest.raises(DemoFailed, match="does not follow version"):
        proved()
    with house.store.database.connection() as conn:
        conn.execute(changed.format("evenink", "evening"))
    assert proved().takings.verified


# a whole one


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (("--ring", "--format", "freezeout"), "--ring plays actionpoker"),
        (("--ring", "--rules", "high-low"), "--ring plays actionpoker"),
        (("--ring", "--entrants", "65"), "--entrants is 64 at most"),
        (("--hands", "3"), "--hands is for --ring"),
    ],
)
def test_what_a_demo_does_not_have_is_told(wrong, told):
    result = CliRunner().invoke(demo, wrong)
    assert result.exit_code == 2
    assert told in " ".join(result.stderr.split())


def test_a_small_evening_ends_verified_and_leaves_nothing():
    with big2("demo", "--ring", "--entrants", "5", "--hands", "3", "--seed", "3") as run:
        assert run.ended() == 0, run.said
    lines = run.said.splitlines()
    assert lines[-1] == "verified"
    facts = dict(re.split(r"\s{2,}", line.strip()) for line in lines[-12:-1])
    assert facts["players"] == "5"
    assert int(facts["hands"]) >= 6
    assert int(facts["sessions"]) >= 5
    money = {name: float(facts[name].removesuffix(" USD")) for name in ("money in", "money out", "rake")}
    assert money["rake"] > 0
    assert round(money["money in"] - money["money out"], 2) == money["rake"]
    assert len(re.findall(r"^House 00\d", run.said, re.MULTILINE)) == 5
    assert "balanced: what the accounts owe (debit) is what they have (credit)" in lines
    assert "Statement of House 00" in run.said
    assert run.left() == []
    folder = re.search(r"data in (\S+)", run.said)[1]
    assert not Path(folder).exists()
