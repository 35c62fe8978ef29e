"""Entry money over HTTP: charged at the entry, in escrow until the start, in the pool until it is paid to the unit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pytest

from services.doctor.examination import Examination, Questions
from tests.services.http.banking import Casino, deposit, rich
from tests.services.http.driving import CLOCK, Api
from tests.services.http.playing import name


def entered(casino, player, by=None):
    return (by or casino.operator).post(f"{casino.path}/entries", {"player_id": player})


def won(casino):
    """Play the only table to its end: seat 1 wins every hand, against everybody's all."""
    [table] = casino.tables()
    while casino.state()["state"] == "running":
        table = casino.operator.read(f"/v1/tables/{table['table_id']}")
        left = [0] + [13] * (len(table["seats"]) - 1)
        seats = [seat["seat"] for seat in table["seats"]]
        body = {"cards_left": dict(zip(map(str, seats), left, strict=True)), "winner": seats[0]}
        casino.operator.made(f"/v1/tables/{table['table_id']}/results", body)


def test_a_tournament_tells_its_buy_in_its_guarantee_and_its_pool(operator):
    casino = Casino(operator, 2, start=False, guarantee=2500)
    shown = casino.state()
    assert shown["buy_in"] == {"amount": 1000, "fee": 100, "currency": "EUR"}
    assert (shown["guarantee"], shown["prize_pool"]) == (2500, 2500)
    casino.enter()
    assert casino.state()["prize_pool"] == 3000


def test_an_entry_is_charged_and_its_amount_held_in_escrow(operator):
    casino = Casino(operator, 1, start=False, has=1500)
    [player] = casino.players
    assert casino.purse(player) == (400, 1000)
    assert casino.escrow == 1000
    assert casino.pool == 0


def test_who_has_too_little_is_told_what_is_missing_and_is_not_entered(operator):
    casino = Casino(operator, 0, start=False)
    poor = rich(operator, 1099)
    answer = entered(casino, poor)
    assert (answer.status_code, answer.json["type"]) == (422, "/problems/insufficient-funds")
    assert (answer.json["missing"], answer.json["currency"]) == (1, "EUR")
    assert operator.read(f"{casino.path}/entries")["items"] == []
    deposit(operator, poor, 1)
    assert entered(casino, poor).status_code == 201
    assert entered(casino, rich(operator, 5000, "USD")).json["missing"] == 1100


def test_a_conflict_is_told_before_what_is_missing(operator):
    casino = Casino(operator, 2, start=False, capacity=2)
    assert entered(casino, rich(operator, 0)).json["type"] == "/problems/tournament-full"
    assert entered(casino, casino.players[0]).json["type"] == "/problems/already-registered"


def test_a_player_enters_himself_with_his_own_money_once_however_often_he_asks(app, operator):
    casino = Casino(operator, 0, start=False)
    player = rich(operator, 1500)
    himself = Api(app, operator.made(f"/v1/players/{player}/tokens")["token"])
    body = {"player_id": player}
    with ThreadPoolExecutor(8) as pool:
        ask = lambda _: himself.post(f"{casino.path}/entries", body, key="me")  # noqa: E731
        answers = list(pool.map(ask, range(16)))
    assert {answer.status_code for answer in answers} == {201}
    assert casino.purse(player) == (400, 1000)


def test_a_withdrawal_gives_amount_and_fee_back_and_a_new_entry_is_charged_anew(operator):
    casino = Casino(operator, 2, start=False)
    player = casino.players[0]
    assert operator.delete(f"{casino.path}/entries/{player}").status_code == 204
    assert casino.purse(player) == (1100, 0)
    assert casino.escrow == 1000
    assert entered(casino, player).status_code == 201
    assert casino.purse(player) == (0, 1000)


def test_terms_that_change_while_nobody_is_entered_change_no_price_that_was_paid(operator, services):
    """In another currency too; each entry costs what its own terms say."""
    casino = Casino(operator, 1, start=False)
    [player] = casino.players
    for buy_in in (
        {"amount": 7, "fee": 1, "currency": "USD"},
        None,
        {"amount": 5, "fee": 0, "currency": "EUR"},
    ):
        assert operator.delete(f"{casino.path}/entries/{player}").status_code == 204
        assert operator.request("PATCH", casino.path, {"buy_in": buy_in}).status_code == 200
        deposit(operator, player, 8, "USD")
        assert entered(casino, player).status_code == 201
    assert casino.purse(player) == (1095, 5)
    assert list(Examination(services.store, Questions(invariants=("I3",))).violations()) == []


def test_the_start_moves_the_escrow_into_the_pool_and_the_house_adds_what_is_guaranteed(operator):
    casino = Casino(operator, 4, guarantee=4500)
    assert (casino.escrow, casino.pool) == (0, 4500)
    assert casino.state()["prize_pool"] == 4500
    prizes = operator.read(f"{casino.path}/prizes")["items"]
    assert [(p["place"], p["player_id"], p["amount"], p["currency"]) for p in prizes] == [
        (1, None, 2925, "EUR"),
        (2, None, 1575, "EUR"),
    ]
    assert casino.purse(casino.players[0]) == (0, 0)


def test_prizes_are_paid_at_the_finish_and_the_pool_ends_at_0(operator):
    casino = Casino(operator, 3, guarantee=3001)
    won(casino)
    casino.paid()
    [prize] = operator.read(f"{casino.path}/prizes")["items"]
    assert (prize["amount"], prize["currency"], prize["place"]) == (3001, "EUR", 1)
    assert casino.purse(prize["player_id"]) == (3001, 0)
    entries = operator.read(f"/v1/ledger/entries?tournament={casino.id}&kind=prize")["items"]
    assert [(e["account"], e["amount"]) for e in entries] == [
        (f"pool/{casino.id}", -3001),
        (f"wallet/{prize['player_id']}", 3001),
    ]


def test_prizes_wait_for_the_protest_window_of_the_last_hand(operator):
    casino = Casino(operator, 3, protest_seconds=600)
    won(casino)
    winner = operator.read(f"{casino.path}/prizes")["items"][0]["player_id"]
    assert (casino.pool, casino.purse(winner)) == (3000, (0, 0))
    with CLOCK.put_forward(seconds=601):
        casino.paid()
    assert casino.purse(winner) == (3000, 0)


@pytest.mark.parametrize("start", [False, True])
def test_a_cancellation_refunds_everybody_in_full_and_the_house_its_overlay(operator, start):
    before = balance(operator, "house"), balance(operator, "fees")
    casino = Casino(operator, 5, start=start, guarantee=9000)
    operator.made(f"{casino.path}/cancel")
    casino.paid()
    assert [casino.purse(player) for player in casino.players] == [(1100, 0)] * 5
    assert casino.state()["prize_pool"] is None
    assert (balance(operator, "house"), balance(operator, "fees")) == before


def test_a_cancellation_in_the_money_pays_who_is_left_by_chips_and_keeps_the_fees(operator):
    before = balance(operator, "house"), balance(operator, "fees")
    casino = Casino(operator, 4, guarantee=4001, seats_per_table=4, unit_levels=[1], stack_points=50)
    [table] = casino.tables()
    while len(seats := operator.read(f"/v1/tables/{table['table_id']}")["seats"]) > 2:
        left = [0, 1, 13, 13][: len(seats)]
        numbers = [str(seat["seat"]) for seat in seats]
        body = {"cards_left": dict(zip(numbers, left, strict=True)), "winner": seats[0]["seat"]}
        operator.made(f"/v1/tables/{table['table_id']}/results", body)
    operator.made(f"{casino.path}/cancel")
    casino.paid()
    left = {seat["player_id"]: seat["stack"] for seat in seats}
    prizes = {
        prize["player_id"]: prize["amount"] for prize in operator.read(f"{casino.path}/prizes")["items"]
    }
    assert sum(prizes.values()) == 4001
    assert all(abs(prizes[player] - 4001 * stack / 200) < 1 for player, stack in left.items())
    assert {player: casino.purse(player)[0] for player in casino.players} == {
        player: prizes.get(player, 0) for player in casino.players
    }
    assert (balance(operator, "house"), balance(operator, "fees")) == (before[0] - 1, before[1] + 400)


def test_a_start_that_finds_too_few_refunds_them(operator):
    soon = operator.app.extensions["big2"].services.store.now()
    when = soon.replace(year=soon.year + 1).isoformat()
    casino = Casino(operator, 1, start=False, starts_at=when)
    with CLOCK.put_forward(days=370):
        casino.paid()
    assert casino.state()["state"] == "cancelled"
    assert casino.purse(casino.players[0]) == (1100, 0)


def test_more_refunds_than_fit_into_one_transaction_or_one_job_are_all_made_once(operator, monkeypatch):
    for where in ("services.application.payments", "services.projections.payments"):
        monkeypatch.setattr(f"{where}.SLICE", 3)
    monkeypatch.setattr("services.application.payments.BATCH", 2)
    casino = Casino(operator, 20, start=False, amount=7, fee=1, has=8)
    operator.made(f"{casino.path}/cancel")
    casino.paid()
    assert {casino.purse(player) for player in casino.players} == {(8, 0)}
    refunds = operator.read(f"/v1/ledger/entries?tournament={casino.id}&kind=refund&limit=200")
    to_wallets = [e["account"] for e in refunds["items"] if e["account"].startswith("wallet/")]
    assert sorted(to_wallets) == sorted(f"wallet/{player}" for player in casino.players)


def test_a_league_holds_its_entries_until_the_end_and_then_pays_the_best(operator):
    casino = Casino(operator, 3, format="league", guarantee=3333)
    a, b, c = casino.players
    assert (casino.escrow, casino.pool) == (3000, 0)
    table = casino.open(a, b)
    casino.record(table, 0, 5)
    late = casino.enter()
    assert casino.escrow == 4000
    operator.delete(f"{casino.path}/entries/{c}")
    assert casino.purse(c) == (1100, 0)
    operator.made(f"{casino.path}/finish")
    casino.paid()
    assert casino.purse(a) == (3333, 0)
    assert [casino.purse(player) for player in (b, late)] == [(0, 0), (0, 0)]


def test_of_entries_to_many_tournaments_at_once_a_player_pays_for_as_many_as_he_can(app, operator):
    casinos = [Casino(operator, 0, start=False) for _ in range(8)]
    player = rich(operator, 3 * 1100 + 50)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda casino: entered(casino, player), casinos))
    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [422] * 5
    assert casinos[0].purse(player) == (50, 3000)


def test_for_16_places_of_60_players_at_once_exactly_16_pay_an_entry(operator):
    casino = Casino(operator, 0, start=False, capacity=16)
    players = [rich(operator, 1100) for _ in range(60)]
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda player: entered(casino, player), players))
    assert sum(answer.status_code == 201 for answer in answers) == 16
    assert casino.escrow == 16_000
    assert sum(casino.purse(player) == (0, 1000) for player in players) == 16


@pytest.mark.parametrize(
    ("terms", "pointers"),
    [
        ({"guarantee": 5}, {"/guarantee"}),
        (
            {"buy_in": {"amount": 0, "fee": -1, "currency": "euro"}},
            {"/buy_in/amount", "/buy_in/fee", "/buy_in/currency"},
        ),
        ({"buy_in": {"amount": 5, "currency": "EUR", "tip": 1}}, {"/buy_in/tip"}),
        ({"buy_in": {}}, {"/buy_in/amount", "/buy_in/currency"}),
        ({"buy_in": 5}, {"/buy_in"}),
        ({"buy_in": {"amount": 2**52, "currency": "EUR"}, "capacity": 5}, {"/buy_in/amount"}),
        ({"buy_in": {"amount": 2**53, "currency": "EUR"}}, {"/buy_in/amount"}),
        (
            {"late_entry_levels": 1, "buy_in": {"amount": 2**47, "currency": "EUR"}, "capacity": 9},
            {"/buy_in/amount"},
        ),
    ],
)
def test_terms_of_money_that_contradict_each_other_are_refused_by_pointer(operator, terms, pointers):
    answer = operator.post("/v1/tournaments", {"name": "X", "format": "freezeout"} | terms)
    assert answer.status_code == 422
    assert {error["pointer"] for error in answer.json["errors"]} == pointers


def test_the_fee_is_0_if_left_out_and_a_buy_in_can_change_until_the_first_entry(operator):
    terms = {"name": name(), "format": "freezeout", "buy_in": {"amount": 5, "currency": "EUR"}}
    made = operator.made("/v1/tournaments", terms)
    assert made["buy_in"]["fee"] == 0
    path = f"/v1/tournaments/{made['tournament_id']}"
    changed = operator.request("PATCH", path, {"buy_in": {"amount": 7, "currency": "USD"}, "guarantee": 9})
    assert changed.json["buy_in"] == {"amount": 7, "fee": 0, "currency": "USD"}
    assert operator.request("PATCH", path, {"unit": 2}).json["buy_in"]["currency"] == "USD"
    assert operator.request("PATCH", path, {"buy_in": None}).status_code == 422
    free = operator.request("PATCH", path, {"buy_in": None, "guarantee": 0}).json
    assert (free["buy_in"], free["prize_pool"]) == (None, None)


def balance(operator, account):
    items = operator.read(f"/v1/ledger/accounts?account={account}&currency=EUR")["items"]
    return items[0]["balance"] if items else 0


def test_no_entry_pays_by_terms_that_change_in_the_same_moment_even_without_the_lock(operator, monkeypatch):
    """Who is first decides: either the terms are fixed, or the entry pays what is published by then."""
    store = operator.app.extensions["big2"].services.store
    monkeypatch.setattr(store, "lock", lambda *_, **__: nullcontext())
    for _ in range(12):
        casino = Casino(operator, 0, start=False)
        player = rich(operator, 5000)
        dearer = {"buy_in": {"amount": 3000, "fee": 0, "currency": "EUR"}}
        with ThreadPoolExecutor(2) as pool:
            change = pool.submit(operator.request, "PATCH", casino.path, dearer)
            entry = pool.submit(entered, casino, player)
        assert entry.result().status_code == 201
        paid = 3000 if change.result().status_code == 200 else 1100
        assert change.result().status_code in (200, 409)
        assert casino.state()["buy_in"]["amount"] + casino.state()["buy_in"]["fee"] == paid
        assert casino.purse(player)[0] == 5000 - paid
