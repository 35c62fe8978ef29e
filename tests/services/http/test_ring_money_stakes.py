"""R10.1 and R10.2 over HTTP: what each table of S0's schedule asks for, to the cent; and the greatest amounts."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID, uuid4

import pytest

from tests.services.http.driving import Api
from tests.services.http.outside import prove_books
from tests.services.http.recording import code, errors
from tests.services.http.ringing import TERMS, RingGame, regulars

S0 = [
    (25, 1200, 10),
    (50, 2500, 15),
    (100, 5000, 30),
    (200, 5000, 60),
    (300, 11200, 70),
    (500, 12500, 90),
    (800, 20000, 120),
    (1000, 25000, 120),
    (1500, 30000, 180),
    (2000, 35000, 180),
]
"""Unit, buy-in and ante, in cents (R10.2)."""
NAMES = ("Ann", "Ben", "Cy", "Dee")


@pytest.fixture(scope="module")
def people(app, operator) -> dict[str, Api]:
    return regulars(app, operator, *NAMES)


def at(app, operator, unit: int, people: dict[str, Api]) -> RingGame:
    """A table of that unit, and who may sit there."""
    ring = RingGame(app, operator, stake={"schedule": "actionpoker@1", "unit": unit})
    ring.players = dict(people)
    return ring


def test_r10_2_the_house_has_s0s_ten_tables(anybody):
    [schedule] = anybody.read("/v1/stakes")["items"]
    assert (schedule["reference"], schedule["currency"]) == ("actionpoker@1", "USD")
    assert [(s["unit"], s["buy_in"], s["ante"]) for s in schedule["steps"]] == S0


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("unit", "buy_in", "ante"), S0)
def test_r10_1_each_player_dealt_in_pays_the_ante_to_the_house(  # noqa: PLR0917 - a row of S0's table
    unit, buy_in, ante, players, app, operator, people, services
):
    ring, house = at(app, operator, unit, people), rake(operator)
    seated = list(people)[:players]
    ring.sit_together(dict.fromkeys(seated, buy_in))
    hand_id = ring.hand_id()
    operator.made(f"{ring.path}/pause")

    assert rake(operator) == house + players * ante
    hand = ring.hand(hand_id)
    assert (hand["unit"], hand["currency"]) == (unit, "USD")
    assert [seat["stack"] for seat in hand["seats"]] == [buy_in - ante] * players
    assert [ring.stack_of(player) for player in seated] == [buy_in - ante] * players
    lines = operator.read(f"/v1/ledger/entries?hand={hand_id}")["items"]
    pairs = [((f"stack/{ring.id}/{player}", -ante), ("rake", ante)) for player in seated]
    assert [(line["account"], line["amount"]) for line in lines] == [line for pair in pairs for line in pair]
    assert {line["kind"] for line in lines} == {"ante"}
    assert len({line["journal_id"] for line in lines}) == 1
    assert first_transaction(services, hand_id) == ["ring.hand_begun", "hand.committed", "hand.dealt"]


def rake(operator) -> int:
    items = operator.read("/v1/ledger/accounts?account=rake&currency=USD")["items"]
    return items[0]["balance"] if items else 0


def first_transaction(services, hand_id: str) -> list[str]:
    """What PostgreSQL stored in the transaction that began a hand, as its own numbers of transactions say."""
    query = """
    SELECT topic FROM big2_events WHERE xmin = (
        SELECT xmin FROM big2_events WHERE originator_id = %s AND originator_version = 1
    ) ORDER BY notification_id
    """
    with services.store.database.connection() as conn:
        return [topic.rpartition(".")[0] for [topic] in conn.execute(query, (UUID(hand_id),))]


@pytest.mark.parametrize(("unit", "buy_in", "ante"), S0)
def test_r10_1_the_buy_in_is_the_least_that_he_brings(unit, buy_in, ante, app, operator, people):
    ring = at(app, operator, unit, people)
    player, *_ = people
    told = errors(ring.put(1, {"player_id": player, "buy_in": buy_in - 1}))
    assert told == {"/buy_in": f"must be {buy_in} at least (R10.1)"}
    assert ring.put(1, {"player_id": player, "buy_in": buy_in + 1}).json["seats"][0]["stack"] == buy_in + 1
    assert (unit + ante) * 10 < buy_in


# the greatest amounts

GREATEST = 2**53 - 1


class Place(NamedTuple):
    """A member of a body that is an amount of money, and the greatest that may be sent there."""

    path: str
    body: dict
    pointer: str
    most: int


MONEY = {"amount": 1, "currency": "USD", "reference": "receipt"}
OF_A_TOURNAMENT = {
    "name": "Dear", "format": "freezeout", "buy_in": {"amount": 1, "fee": 1, "currency": "USD"}, "guarantee": 1,
}  # fmt: skip
STAKES = {"name": "dear", "currency": "USD", "steps": [{"unit": 1, "buy_in": 2, "ante": 1}]}
PLACES = [
    Place("POST /v1/wallets/{player}/deposits", MONEY, "/amount", GREATEST),
    Place("POST /v1/wallets/{player}/withdrawals", MONEY, "/amount", GREATEST),
    Place("POST /v1/tournaments", OF_A_TOURNAMENT, "/buy_in/amount", GREATEST),
    Place("POST /v1/tournaments", OF_A_TOURNAMENT, "/buy_in/fee", GREATEST),
    Place("POST /v1/tournaments", OF_A_TOURNAMENT, "/guarantee", GREATEST),
    Place("POST /v1/stakes", STAKES, "/steps/0/unit", 10**9),
    Place("POST /v1/stakes", STAKES, "/steps/0/buy_in", GREATEST),
    Place("POST /v1/stakes", STAKES, "/steps/0/ante", 10**9),
    Place("POST /v1/tables", TERMS, "/stake/unit", 10**9),
    Place("PUT {ring}/seats/1", {"player_id": "{player}", "buy_in": 1}, "/buy_in", GREATEST),
]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place.path} {place.pointer}")
def test_past_the_greatest_amount_nothing_is_booked(place, ring, operator, services):
    before = services.store.head()
    bounds = errors(sent(operator, ring, place, place.most + 1))[place.pointer]
    assert bounds.endswith(f"to {place.most}")
    for amount in (2**53, 2**63, -1, -(2**63)):
        assert errors(sent(operator, ring, place, amount))[place.pointer] == bounds
    for amount in (1e300, float(2**52), "1", True, [1]):
        assert errors(sent(operator, ring, place, amount))[place.pointer] == "must be an integer"
    assert code(sent(operator, ring, place, 10**19)) == (400, "malformed-json")
    assert services.store.head() == before


@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place.path} {place.pointer}")
def test_the_greatest_amount_itself_is_read(place, ring, operator):
    """What is then wrong, if anything, is what it comes to: too little in a wallet, or no such unit."""
    answer = sent(operator, ring, place, place.most)
    assert answer.status_code in (201, 422)
    wrong = {error["pointer"]: error["detail"] for error in answer.json.get("errors", [])}
    assert "must be from" not in wrong.get(place.pointer, "")


@pytest.fixture
def ring(app, operator, people) -> RingGame:
    return at(app, operator, 100, people)


def sent(operator: Api, ring: RingGame, place: Place, amount: object):
    """The body with that amount in its place."""
    player = next(iter(ring.players))
    method, path = place.path.format(player=player, ring=ring.path).split()
    body = filled(place.body, place.pointer.strip("/").split("/"), amount)
    if "player_id" in body:
        body["player_id"] = player
    if "reference" in body:
        body["reference"] = uuid4().hex
    return operator.request(method, path, body)


def filled(body, steps: list[str], amount: object):
    if not steps:
        return amount
    step, *rest = steps
    if isinstance(body, list):
        return [filled(each, rest, amount) if place == int(step) else each for place, each in enumerate(body)]
    return body | {step: filled(body[step], rest, amount)}


def test_the_greatest_amount_is_paid_in_brought_to_a_table_and_paid_out_to_the_cent(app, operator):
    ring = RingGame(app, operator)
    player = ring.player(GREATEST)
    assert "at most 0 may come" in paid(operator, player, 1, "deposits").text
    ring.sit(1, player, GREATEST)
    other = ring.player(5000)
    full = errors(ring.put(2, {"player_id": other, "buy_in": 5000}))
    assert full == {"/buy_in": "is more than may lie on one table: he may bring 0 at most"}
    assert (ring.purse(player), ring.stack_of(player), ring.purse(other)) == (0, GREATEST, 5000)
    assert ring.leave(1).status_code == 204
    assert ring.purse(player) == GREATEST
    assert paid(operator, player, GREATEST, "withdrawals").json["balance"] == 0
    assert paid(operator, player, 1, "withdrawals").json["missing"] == 1


def paid(operator: Api, player: str, amount: int, what: str):
    body = {"amount": amount, "currency": "USD", "reference": uuid4().hex}
    return operator.post(f"/v1/wallets/{player}/{what}", body)


@pytest.mark.usefixtures("people")
def test_at_last_the_book_is_the_one_that_the_raw_events_make(operator, beside, database_url):
    prove_books(operator, beside, database_url)
