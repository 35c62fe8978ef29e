"""The evening at ring tables: who sits where, what it proves; a whole small one, in processes, ends `verified`."""

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
from workers import evening, proving
from workers.client import Refused
from workers.demo_cli import demo
from workers.floor import Floor, Wanted
from workers.showing import Show, Stay, Takings, takings_lines
from workers.stage import DemoFailed, Stage

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


# the floor


class House:
    """Two tables that take whatever is wished; a wallet has too little for a buy-in above `wealth`."""

    def __init__(self, wealth: int = 10**6) -> None:
        self.tables = {name: self._opened(name) for name in ("a", "b")}
        self.listed = ["a", "b"]
        self.posted: list[tuple[str, object]] = []
        self.did: list[tuple[str, str, dict]] = []
        self.wealth = wealth

    @staticmethod
    def _opened(name):
        stake = {"buy_in": 1000, "currency": "USD"}
        ring = {"seats": 4, "closing": False, "stake": stake}
        table = {"table_id": name, "state": "open", "unit": 25, "hands_played": 0, "hand_id": None}
        return {**table, "ring": ring, "seats": []}

    def with_token(self, token):
        return Guest(self, token)

    def post(self, path, body=None):
        self.posted.append((path, body))
        if path == "/v1/players":
            return {"player_id": body["name"].split()[1]}
        if path.endswith("/close"):
            self.tables[path.split("/")[3]]["ring"]["closing"] = True
        if path.endswith("/deposits"):
            self.wealth += body["amount"]
        return {"token": path.split("/")[3]}

    def get(self, path):
        table = self.tables[path.split("/")[3]]
        return {**table, "seats": list(table["seats"])}

    def pages(self, _path):
        return iter([self.tables[name] for name in self.listed])

    def seat(self, table, player):
        return next(s for s in self.tables[table]["seats"] if s["player_id"] == player)

    def paths(self, ending):
        return [path for path, _ in self.posted if path.endswith(ending)]


class Guest:
    def __init__(self, house, player) -> None:
        self.house, self.player = house, player

    def put(self, path, wish):
        table, number = self.house.tables[path.split("/")[3]], int(path.split("/")[5])
        if wish.get("buy_in", 0) > self.house.wealth:
            problem = {"type": "/problems/insufficient-funds", "missing": 7}
            raise Refused(422, problem)
        if wish.get("buy_in", 0) < 0:
            raise Refused(422, {"type": "/problems/validation"})
        self.house.did.append((self.player, path, wish))
        sitting = next((s for s in table["seats"] if s["seat"] == number), None)
        if sitting is None:
            sitting = {"seat": number, "player_id": self.player, "name": self.player, "stack": wish["buy_in"]}
            table["seats"].append(sitting | {"sitting_out": False, "leaving": False, **wish})
        else:
            sitting.update(wish)
        return self.house.get(f"/v1/tables/{table['table_id']}")

    def delete(self, path):
        self.house.did.append((self.player, path, {}))
        table, number = self.house.tables[path.split("/")[3]], int(path.split("/")[5])
        table["seats"] = [s for s in table["seats"] if s["seat"] != number]


def floor_of(house, players, hands=5, whims=("stay",)) -> Floor:
    floor = Floor(house, ["a", "b"], Wanted(players, hands, 0))
    floor._whims = iter(whims * 100)
    floor.enrol(quiet())
    return floor


def at(house) -> list[int]:
    return [len(table["seats"]) for table in house.tables.values()]


@pytest.mark.parametrize(
    ("players", "seated"), [(2, [2, 0]), (3, [2, 1]), (4, [2, 2]), (7, [4, 3]), (8, [4, 4]), (11, [4, 4])]
)
def test_whoever_waits_sits_down_where_one_waits_for_another_else_where_the_fewest_are(players, seated):
    house = House()
    floor = floor_of(house, players)
    floor.look()
    assert at(house) == seated
    assert all(wish["buy_in"] in (1000, 2000) for _, _, wish in house.did)


def test_everybody_comes_in_with_money():
    house = House()
    floor = floor_of(house, 3)
    assert len(floor.names) == 3
    assert [body["amount"] for path, body in house.posted if path.endswith("/deposits")] == [6000] * 3


def test_who_has_too_little_in_his_wallet_pays_in_first():
    house = House()
    floor = floor_of(house, 2)
    house.wealth = 0
    floor.look()
    assert house.posted[-1][1]["amount"] == 6007
    assert at(house) == [2, 0]


def test_another_refusal_is_told():
    house = House()
    floor = floor_of(house, 2)
    with pytest.raises(Refused, match="validation"):
        floor._take_seat("001", house.tables["a"], 1, {"buy_in": -1})


def after_a_hand(house, floor):
    house.tables["a"]["hands_played"] += 1
    house.did.clear()
    floor.look()


@pytest.mark.parametrize(
    ("whim", "wish"), [("top_up", {"buy_in"}), ("sit_out", {"sitting_out"}), ("stand_up", set())]
)
def test_after_a_hand_a_player_tops_up_sits_out_or_stands_up(whim, wish):
    house = House()
    floor = floor_of(house, 4, whims=(whim,))
    floor.look()
    after_a_hand(house, floor)
    left_or_changed = [did for did in house.did if did[1].startswith("/v1/tables/a/")]
    assert set(left_or_changed[0][2]) == wish
    house.did.clear()
    floor.look()  # no other hand since, so no other whim
    assert at(house) == [2, 2]
    assert len(house.did) == (2 if whim == "stand_up" else 0)  # whoever stood up has come back


def test_who_sits_out_comes_back_after_a_while_with_enough_for_another_hand():
    house = House()
    floor = floor_of(house, 2)
    floor.look()
    seat = house.tables["a"]["seats"][0]
    seat |= {"sitting_out": True, "stack": 1999, "buy_in": 2000}
    floor._rests[seat["player_id"]] = 3
    house.did.clear()
    for _ in range(2):
        floor.look()
        assert house.did == []
    floor.look()
    assert house.did[-1][2] == {"buy_in": 3000, "sitting_out": False}


def test_who_was_sat_out_and_has_enough_comes_back_at_once_with_what_he_has():
    house = House()
    floor = floor_of(house, 2)
    floor.look()
    house.tables["a"]["seats"][0] |= {"sitting_out": True, "stack": 2000, "buy_in": 2000}
    floor.look()
    assert house.did[-1][2] == {"buy_in": 2000, "sitting_out": False}


def test_a_table_closes_with_its_last_hand_and_nobody_sits_down_there_any_more():
    house = House()
    floor = floor_of(house, 4, hands=3)
    house.tables["a"] |= {"hands_played": 2, "hand_id": "h"}
    for _ in range(2):
        assert [t["table_id"] for t in floor.look()] == ["a", "b"]
    assert house.paths("/close") == ["/v1/tables/a/close"]
    assert at(house) == [0, 4]


def test_it_is_over_when_every_table_is_closed_and_the_lists_say_so_too():
    house = House()
    floor = floor_of(house, 4, hands=0)
    listed, house.listed = house.listed, []
    assert len(floor.look()) == 2  # the lists know nothing of them yet
    house.listed = listed
    house.tables["a"]["state"] = house.tables["b"]["state"] = "closed"
    assert len(floor.look()) == 2
    house.listed = ["b"]
    assert [table["table_id"] for table in floor.look()] == ["b"]
    house.listed = []
    assert floor.look() == []


def test_an_evening_that_does_not_end_fails(monkeypatch):
    monkeypatch.setattr(evening, "REFRESH_SECONDS", 0.0)
    wanted = Wanted(4, 3, 0, minutes=0.0)
    with pytest.raises(DemoFailed, match="still open after 0"):
        evening._watch(floor_of(House(), 4), wanted, quiet())


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
        asked = wallets.Asked("EUR", money.reference, lambda money=money: money)
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
