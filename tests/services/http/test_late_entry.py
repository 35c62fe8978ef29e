"""A freezeout with a late entrant and a re-entry over HTTP: seats, standings, entries, prizes in money."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from tests.services.http.banking import deposit, rich
from tests.services.http.driving import Api
from tests.services.http.playing import Game, name, until

TERMS = {
    "format": "freezeout",
    "capacity": 9,
    "stack_points": 8,
    "unit_levels": [1, 2, 3],
    "hands_per_level": 2,
    "buy_in": {"amount": 1000, "fee": 100, "currency": "EUR"},
    "late_entry_levels": 3,
}


class Late(Game):
    """A freezeout with late entry; its players can pay for three entries each."""

    def __init__(self, app, operator, entrants=5, **terms):
        self.app = app
        super().__init__(app, operator, entrants, **TERMS | terms)

    def with_token(self, app) -> str:
        player = rich(self.operator, 3300)
        self.players[player] = Api(app, self.operator.made(f"/v1/players/{player}/tokens")["token"])
        return player

    def enter(self, app) -> str:
        player = self.with_token(app)
        self.operator.made(f"{self.path}/entries", {"player_id": player})
        return player

    def start(self):
        return self.operator.made(f"{self.path}/start")

    def read(self, what: str = ""):
        return self.anybody.read(f"{self.path}{what}")

    def standing(self, player: str) -> dict:
        return next(s for s in self.read("/standings")["items"] if s["player_id"] == player)

    def out(self) -> list[str]:
        return [
            s["player_id"] for s in self.read("/standings")["items"] if not s["chips"] and not s["table_id"]
        ]

    def play_until_somebody_is_out(self) -> str:
        while not self.out():
            self.play_hand(self.hand_id())
            until(lambda: self._running() or self.out() or self.state() == "finished")
        return self.out()[0]

    def enter_again(self, player: str):
        return self.players[player].post(f"{self.path}/entries", {"player_id": player})

    def balance(self, account: str) -> int:
        items = self.operator.read(f"/v1/ledger/accounts?account={account}&currency=EUR")["items"]
        return items[0]["balance"] if items else 0


def code(answer) -> tuple[int, str]:
    return answer.status_code, answer.json["type"].rpartition("/")[2]


def test_a_whole_freezeout_with_a_late_entrant_and_a_re_entry(app, operator):
    game = Late(app, operator, 6)
    started = game.start()
    assert (started["entrants"], started["entries"], started["prize_pool"]) == (6, 6, 6000)
    until(lambda: game.read("/tables")["items"])
    late = game.enter(app)
    assert game.balance(f"escrow/{game.id}") == 7000
    assert game.standing(late)["chips"] == 8
    until(lambda: game.standing(late)["table_id"] or game.play_hand(game.hand_id()) is None)
    loser = game.play_until_somebody_is_out()
    again = game.enter_again(loser)
    assert again.status_code == 201
    mine = [e["entry_id"] for e in game.read("/entries")["items"] if e["player_id"] == loser]
    assert len(set(mine)) == 2
    assert mine[1] == again.json["entry_id"]
    read = game.read()
    assert (read["entrants"], read["entries"], read["prize_pool"]) == (7, 8, 8000)
    assert game.standing(loser)["chips"] == 8
    game.play()
    assert_paid(game)


def assert_paid(game):
    standings, prizes = game.read("/standings")["items"], game.read("/prizes")["items"]
    read = game.read()
    assert len(standings) == read["entrants"] == 7
    assert sum(s["chips"] for s in standings) == 8 * read["entries"]
    pool = 1000 * read["entries"]
    assert read["prize_pool"] == sum(p["amount"] for p in prizes) == pool
    assert prizes[0]["amount"] == pool // 2  # eight entries: 50/30/20
    until(lambda: not game.balance(f"escrow/{game.id}") and not game.balance(f"pool/{game.id}"))
    for player in game.players:
        [purse] = game.operator.read(f"/v1/wallets/{player}")["items"]
        won = sum(p["amount"] for p in prizes if p["player_id"] == player)
        entered = sum(e["player_id"] == player for e in game.read("/entries")["items"])
        assert (purse["balance"], purse["held"]) == (3300 - 1100 * entered + won, 0)


def test_who_may_enter_late_and_who_may_not(app, operator):
    game = Late(app, operator, 5, capacity=6, late_entry_levels=2, hands_per_level=99)
    game.start()
    in_play = next(iter(game.players))
    assert code(game.enter_again(in_play)) == (409, "already-registered")
    assert code(operator.delete(f"{game.path}/entries/{in_play}")) == (409, "registration-closed")
    game.enter(app)
    extra = rich(operator, 1100)
    assert code(operator.post(f"{game.path}/entries", {"player_id": extra})) == (409, "tournament-full")
    loser = game.play_until_somebody_is_out()
    poor = operator.made("/v1/players", {"name": name()})["player_id"]
    assert code(operator.post(f"{game.path}/entries", {"player_id": poor})) == (422, "insufficient-funds")
    operator.made(f"{game.path}/pause")
    assert game.enter_again(loser).status_code == 201, "entering goes on in a pause"
    operator.made(f"{game.path}/cancel", {"reason": "rain"})
    assert code(operator.post(f"{game.path}/entries", {"player_id": extra})) == (409, "registration-closed")
    until(lambda: not game.balance(f"escrow/{game.id}"))
    for player in game.players:
        assert operator.read(f"/v1/wallets/{player}")["items"][0]["balance"] == 3300


def test_the_same_key_enters_once_and_charges_once(app, operator):
    game = Late(app, operator, 5)
    game.start()
    player, key = rich(operator, 1100), str(uuid4())
    answers = [operator.post(f"{game.path}/entries", {"player_id": player}, key=key) for _ in range(3)]
    assert [a.status_code for a in answers] == [201] * 3
    assert len({a.json["entry_id"] for a in answers}) == 1
    assert game.read()["entries"] == 6
    deposit(operator, player, 5)
    assert operator.read(f"/v1/wallets/{player}")["items"][0]["balance"] == 5
    operator.made(f"{game.path}/cancel", {"reason": "rain"})


@pytest.mark.parametrize(
    ("terms", "pointers"),
    [
        ({"format": "sit_and_go", "late_entry_levels": 1}, {"/late_entry_levels"}),
        ({"format": "league", "recorded": True, "late_entry_levels": 1}, {"/late_entry_levels"}),
        ({"format": "freezeout", "recorded": True, "late_entry_levels": 1}, {"/late_entry_levels"}),
        ({"format": "freezeout", "late_entry_levels": 11}, {"/late_entry_levels"}),
        ({"format": "freezeout", "late_entry_levels": -1}, {"/late_entry_levels"}),
        ({"format": "freezeout", "late_entry_levels": 4, "unit_levels": [1, 2, 5]}, {"/late_entry_levels"}),
    ],
)
def test_late_entry_is_a_freezeout_s_and_lasts_no_longer_than_its_levels(operator, terms, pointers):
    answer = operator.post("/v1/tournaments", {"name": "X"} | terms)
    assert answer.status_code == 422
    assert {error["pointer"] for error in answer.json["errors"]} == pointers


def test_a_crowd_that_comes_late_gets_exactly_the_free_places_while_hands_go_on(app, operator):
    game = Late(app, operator, 5, capacity=12, hands_per_level=99, stack_points=60)
    game.start()
    hand = game.hand_id()
    crowd = [game.with_token(app) for _ in range(16)]

    def come(number: int):
        if number == len(crowd):
            return game.play_hand(hand)
        return operator.post(f"{game.path}/entries", {"player_id": crowd[number]})

    with ThreadPoolExecutor(len(crowd) + 1) as pool:
        *answers, _ = pool.map(come, range(len(crowd) + 1))
    assert sorted(a.status_code for a in answers) == [201] * 7 + [409] * 9
    assert {code(a)[1] for a in answers if a.status_code == 409} == {"tournament-full"}
    for running in [t["hand_id"] for t in game.read("/tables")["items"] if t["hand_id"]]:
        game.play_hand(running)
    until(lambda: all(s["table_id"] for s in game.read("/standings")["items"]))
    assert game.read()["entries"] == 12
    operator.made(f"{game.path}/cancel", {"reason": "rain"})
