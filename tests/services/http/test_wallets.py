"""Wallets over HTTP: booked once, never below 0, whoever asks and however often at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from tests.services.http.banking import deposit, rich


@pytest.fixture
def player(operator):
    return rich(operator, 0)


def money(amount=500, currency="EUR", **more):
    return {"amount": amount, "currency": currency, "reference": str(uuid4())} | more


def test_a_deposit_is_answered_with_its_journal_and_the_balance(operator, player):
    body = money(500, reference="transfer 17", note="by bank")
    made = operator.post(f"/v1/wallets/{player}/deposits", body)
    assert made.status_code == 201
    wanted = {"player_id": player, "currency": "EUR", "kind": "deposit", "amount": 500, "balance": 500}
    assert wanted.items() <= made.json.items()
    assert (made.json["reference"], made.json["note"]) == ("transfer 17", "by bank")
    paid = operator.made(f"/v1/wallets/{player}/withdrawals", money(200))
    assert (paid["kind"], paid["balance"]) == ("withdrawal", 300)


def test_a_repeat_is_the_same_answer_even_after_more_has_happened(operator, player):
    body = money(500)
    first = operator.post(f"/v1/wallets/{player}/deposits", body, key="once")
    deposit(operator, player, 7)
    again = operator.post(f"/v1/wallets/{player}/deposits", body, key="once")
    assert (again.status_code, again.json) == (201, first.json)
    assert again.headers["Idempotency-Hit"] == "true"


@pytest.mark.parametrize(
    "changed", [{"amount": 501}, {"currency": "USD"}, {"note": "x"}, {"currency": "euro"}]
)
def test_the_same_key_with_another_body_is_refused_also_in_another_currency(operator, player, changed):
    body = money(500)
    operator.made(f"/v1/wallets/{player}/deposits", body, key="once")
    other = operator.post(f"/v1/wallets/{player}/deposits", body | changed, key="once")
    assert (other.status_code, other.json["type"]) == (422, "/problems/idempotency-key-reuse")


def test_a_reference_is_booked_once_whoever_sends_it_and_whatever_the_amount(operator, admin, player):
    body = money(500)
    operator.made(f"/v1/wallets/{player}/deposits", body)
    for again in (body, body | {"amount": 1}, body | {"amount": "all"}):
        answer = admin.post(f"/v1/wallets/{player}/deposits", again)
        assert (answer.status_code, answer.json["type"]) == (409, "/problems/duplicate-reference")
    assert operator.made(f"/v1/wallets/{player}/withdrawals", body)["balance"] == 0
    assert deposit(operator, player, 3)["balance"] == 3


def test_more_than_there_is_stays_there_and_what_is_missing_is_told(operator, player):
    deposit(operator, player, 500)
    answer = operator.post(f"/v1/wallets/{player}/withdrawals", money(750))
    assert (answer.status_code, answer.json["type"]) == (422, "/problems/insufficient-funds")
    assert (answer.json["missing"], answer.json["currency"]) == (250, "EUR")
    dollars = operator.post(f"/v1/wallets/{player}/withdrawals", money(1, "USD"))
    assert (dollars.status_code, dollars.json["missing"]) == (422, 1)


def test_everything_that_is_wrong_is_told_at_once(operator, player):
    wrong = {"amount": 0, "currency": "EURO", "reference": "", "note": 5, "colour": "red"}
    answer = operator.post(f"/v1/wallets/{player}/deposits", wrong)
    assert answer.status_code == 422
    assert {e["pointer"] for e in answer.json["errors"]} == {f"/{name}" for name in wrong}
    answer = operator.post(f"/v1/wallets/{player}/deposits", {"currency": "EUR"})
    assert {e["pointer"] for e in answer.json["errors"]} == {"/amount", "/reference"}


def test_the_largest_amounts_are_refused_before_they_overflow(operator, player):
    largest = 2**53 - 1
    answer = operator.post(f"/v1/wallets/{player}/deposits", money(largest + 1))
    assert answer.json["errors"][0]["pointer"] == "/amount"
    assert operator.made(f"/v1/wallets/{player}/deposits", money(largest))["balance"] == largest
    answer = operator.post(f"/v1/wallets/{player}/deposits", money(1))
    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, "/amount")
    assert operator.made(f"/v1/wallets/{player}/withdrawals", money(largest))["balance"] == 0


def test_a_wallet_is_a_player_s(operator):
    answer = operator.post(f"/v1/wallets/{uuid4()}/deposits", money())
    assert (answer.status_code, answer.json["type"]) == (404, "/problems/not-found")


def test_of_200_withdrawals_of_the_last_unit_at_once_exactly_one_succeeds(operator, player):
    deposit(operator, player, 1)
    with ThreadPoolExecutor(32) as pool:
        answers = list(
            pool.map(lambda _: operator.post(f"/v1/wallets/{player}/withdrawals", money(1)), range(200))
        )
    assert sorted(answer.status_code for answer in answers) == [201] + [422] * 199
    assert {answer.json.get("missing") for answer in answers if answer.status_code == 422} == {1}


def test_one_key_in_parallel_is_one_deposit(operator, player):
    body = money(5)
    with ThreadPoolExecutor(16) as pool:
        keyed = lambda _: operator.post(f"/v1/wallets/{player}/deposits", body, key="p")  # noqa: E731
        answers = list(pool.map(keyed, range(40)))
    assert {(answer.status_code, answer.text) for answer in answers} == {(201, answers[0].text)}
    assert sum("Idempotency-Hit" not in answer.headers for answer in answers) == 1
