"""The floor of an evening: who sits down where, what players do after a hand, and when it is over."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from workers.client import Refused
from workers.floor import Floor, Wanted
from workers.showing import Show


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
    floor.enrol(Show(Console(file=io.StringIO())))
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
