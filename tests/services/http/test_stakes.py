"""The house's stakes over HTTP: R10.2 as it is read, and schedules that operators publish."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from services.bootstrap import stakes
from tests.services.http.recording import code, errors
from tests.services.http.ringing import TERMS, RingGame

STEPS = [{"unit": 100, "buy_in": 5000, "ante": 30}, {"unit": 25, "buy_in": 1200, "ante": 10}]


def friday(**others: object) -> dict:
    return {"name": "friday", "currency": "USD", "steps": STEPS} | others


def test_r10_2_the_schedule_reads_like_s0s_table(anybody):
    schedule = anybody.read("/v1/stakes/actionpoker")
    assert (schedule["reference"], schedule["currency"], schedule["published_at"]) == (
        "actionpoker@1",
        "USD",
        None,
    )
    expected = [(step.unit, step.buy_in, step.ante) for step in stakes()["actionpoker"].steps]
    assert [(step["unit"], step["buy_in"], step["ante"]) for step in schedule["steps"]] == expected
    assert len(expected) == 10
    assert anybody.read("/v1/stakes/actionpoker@1") == schedule


def test_an_operator_publishes_a_schedule_and_its_next_version(operator, anybody):
    answer = operator.post("/v1/stakes", friday(name="weekly"))
    assert answer.status_code == 201
    assert answer.headers["Location"] == "/v1/stakes/weekly@1"
    first = answer.json
    assert [step["unit"] for step in first["steps"]] == [25, 100]
    assert anybody.read("/v1/stakes/weekly") == first
    second = operator.made("/v1/stakes", friday(name="weekly", steps=STEPS[:1]))
    assert second["reference"] == "weekly@2"
    assert anybody.read("/v1/stakes/weekly") == second
    assert anybody.read("/v1/stakes/weekly@1") == first


def test_r10_3_a_table_keeps_the_version_it_was_opened_with(operator, app):
    operator.made("/v1/stakes", friday(name="kept"))
    old = RingGame(app, operator, stake={"schedule": "kept", "unit": 100})
    dearer = [{"unit": 100, "buy_in": 9000, "ante": 90}]
    operator.made("/v1/stakes", friday(name="kept", steps=dearer))
    assert old.table()["ring"]["stake"] == {
        "schedule": "kept@1", "currency": "USD", "unit": 100, "buy_in": 5000, "ante": 30,
    }  # fmt: skip
    old.sit(1)
    old.sit(2)
    assert [s["stack"] for s in old.hand(old.hand_id())["seats"]] == [4970, 4970]
    new = RingGame(app, operator, stake={"schedule": "kept", "unit": 100})
    assert new.opened["ring"]["stake"]["buy_in"] == 9000
    assert new.opened["ring"]["stake"]["schedule"] == "kept@2"
    again = RingGame(app, operator, stake={"schedule": "kept@1", "unit": 100})
    assert again.opened["ring"]["stake"]["ante"] == 30


def test_r10_3_the_house_may_change_the_schedule_that_comes_with_the_service(operator, anybody):
    made = operator.made("/v1/stakes", friday(name="actionpoker", currency="EUR"))
    assert made["reference"] == "actionpoker@2"
    assert anybody.read("/v1/stakes/actionpoker") == made
    assert anybody.read("/v1/stakes/actionpoker@1")["currency"] == "USD"
    told = errors(operator.post("/v1/tables", TERMS | {"stake": {"schedule": "actionpoker", "unit": 100}}))
    assert told == {"/currency": "must be EUR, the currency of actionpoker@2"}


def test_all_versions_are_listed_by_name_page_by_page(operator, anybody):
    for name in ("zebra", "abacus", "abacus"):
        operator.made("/v1/stakes", friday(name=name))
    found, cursor = [], None
    while True:
        page = anybody.read("/v1/stakes?limit=2" + (f"&cursor={cursor}" if cursor else ""))
        found += [item["reference"] for item in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert found == sorted(found)
    assert {"abacus@1", "abacus@2", "actionpoker@1", "zebra@1"} <= set(found)
    assert len(found) == len(set(found))


@pytest.mark.parametrize("name", ["nobodys", "actionpoker@99", "actionpoker@", "@1"])
def test_a_schedule_that_there_is_not_is_not_found(name, anybody):
    assert code(anybody.get(f"/v1/stakes/{name}")) == (404, "not-found")


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({}, ["/currency", "/name", "/steps"]),
        (friday(name="Friday Night", currency="usd", steps=[]), ["/currency", "/name", "/steps"]),
        (friday(steps=[{"unit": 0, "buy_in": -1}]), ["/steps/0/ante", "/steps/0/buy_in", "/steps/0/unit"]),
        (friday(steps=[*STEPS, STEPS[0]]), ["/steps/2/unit"]),
        (friday(steps=[*STEPS, STEPS[0]], currency="XXX"), ["/currency", "/steps/2/unit"]),
        (friday(steps=[{"unit": 100, "buy_in": 129, "ante": 30}]), ["/steps/0/buy_in"]),
        (
            friday(steps=[{"unit": 0}, STEPS[0], 7, STEPS[0], {"unit": 9, "buy_in": 9, "ante": 1}]),
            ["/steps/0/ante", "/steps/0/buy_in", "/steps/0/unit", "/steps/2", "/steps/3/unit", "/steps/4/buy_in"],
        ),
        (friday(steps={}), ["/steps"]),
        (friday(steps=None), ["/steps"]),
        (friday(steps=[{"unit": 10**9 + 1, "buy_in": 2**53, "ante": 0}]), ["/steps/0/buy_in", "/steps/0/unit"]),
    ],
    ids=str,
)  # fmt: skip
def test_everything_that_is_wrong_with_a_schedule_is_told_at_once(body, pointers, operator, services):
    before = services.store.head()
    for query in ("", "?dry_run=true"):
        assert sorted(errors(operator.post(f"/v1/stakes{query}", body))) == pointers
    assert services.store.head() == before


def test_a_dry_run_shows_the_version_that_would_be_and_stores_nothing(operator, services):
    before = services.store.head()
    [event] = operator.post("/v1/stakes?dry_run=true", friday(name="dry")).json["events"]
    assert (event["type"], event["name"], event["version"]) == ("stakes.published", "dry", 1)
    assert services.store.head() == before


def test_a_schedule_sent_many_times_with_one_key_is_one_version(operator):
    body = friday(name="once")
    with ThreadPoolExecutor(6) as pool:
        sent = list(pool.map(lambda _: operator.post("/v1/stakes", body, key="once"), range(6)))
    assert {answer.status_code for answer in sent} == {201}
    assert len({answer.data for answer in sent}) == 1
    other = operator.post("/v1/stakes", friday(name="twice"), key="once")
    assert code(other) == (422, "idempotency-key-reuse")
    assert operator.made("/v1/stakes", body)["version"] == 2
