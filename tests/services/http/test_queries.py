"""What a query may ask: every parameter of every route refuses what it does not know, and says what it takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, get_args
from uuid import uuid4

import pytest

from domain.journal import ACCOUNTS, Kind
from tests.services.http.driving import Api
from tests.services.http.playing import Game
from tests.services.http.recording import errors

NOTHING = "zzz"
"""No parameter takes this."""
PLAYERS_OWN = "/v1/hands/{hand_id}/legal-plays"
ENTRIES = "/v1/ledger/entries"


class Asked(NamedTuple):
    """A parameter of an operation, at the address of something that there is."""

    method: str
    path: str
    at: str
    name: str
    schema: dict[str, Any]


@pytest.fixture(scope="module")
def game(app, operator) -> Game:
    return Game(app, operator)


@pytest.fixture(scope="module")
def asked(game, anybody) -> list[Asked]:
    return list(parameters(anybody.read("/openapi.json"), game))


def parameters(spec: dict[str, Any], game: Game) -> Iterator[Asked]:
    """Every parameter that a query may have anywhere."""
    hand = game.hand(game.hand_id())
    ids = {
        "tournament_id": game.id,
        "hand_id": hand["hand_id"],
        "table_id": hand["table_id"],
        "season": "all",
        "seat": 1,
    }
    for path, operations in spec["paths"].items():
        for method in operations.keys() - {"parameters"}:
            for parameter in operations[method]["parameters"]:
                if parameter.get("in") == "query":
                    at = path.format(**ids, player_id=next(iter(game.players)))
                    yield Asked(method.upper(), path, at, parameter["name"], parameter["schema"])


def reader(asked: Asked, game: Game, admin: Api) -> Api:
    return next(iter(game.players.values())) if asked.path == PLAYERS_OWN else admin


def test_no_parameter_takes_what_it_does_not_know_and_of_a_few_values_each_is_named(asked, game, admin):
    for one in asked:
        body = None if one.method == "GET" else {}
        answer = reader(one, game, admin).request(one.method, f"{one.at}?{one.name}={NOTHING}", body)
        told = next(what for at, what in errors(answer).items() if at.startswith(f"/query/{one.name}"))
        for value in one.schema.get("enum", ()):
            assert value in told, one
    names = {one.name for one in asked}
    assert {
        "account",
        "after",
        "as_of",
        "book",
        "cards",
        "closed",
        "currency",
        "cursor",
        "dry_run",
        "format",
    } < names
    assert {"from", "hand", "journal", "kind", "limit", "player", "table", "to", "tournament"} < names


def test_each_of_a_few_values_is_taken(asked, game, admin):
    few = [one for one in asked if one.method == "GET" and "enum" in one.schema]
    assert {one.name for one in few} == {"book", "format", "kind", "role", "type"}
    for one in few:
        for value in one.schema["enum"]:
            assert admin.get(f"{one.at}?{one.name}={value}").status_code == 200, (one, value)


def test_an_id_that_nothing_has_finds_nothing(admin):
    for name in ("player", "tournament", "table", "hand", "journal"):
        assert admin.read(f"{ENTRIES}?{name}={uuid4()}")["items"] == []


@pytest.mark.parametrize("name", ACCOUNTS)
def test_an_account_has_one_of_a_few_forms(name, admin, anybody, asked):
    good = re.sub("[A-Z]+", lambda _: str(uuid4()), name)
    assert admin.read(f"{ENTRIES}?account={good}")["as_of"] >= 0
    [pattern] = {one.schema["pattern"] for one in asked if one.name == "account"}
    assert re.search(pattern, good)
    for wrong in (
        f"{good}/",
        f"{good}/{uuid4()}",
        good.upper(),
        good[:-1],
        name + "s",
        f"x{good}",
        "%20" + good,
    ):
        told = errors(admin.get(f"{ENTRIES}?account={wrong}"))
        assert list(told) == ["/query/account"]
        assert all(form in told["/query/account"] for form in ACCOUNTS)
        assert not re.search(pattern, wrong)


def test_a_kind_of_journal_is_one_that_there_is(admin):
    told = errors(admin.get(f"{ENTRIES}?kind=prices&account=wallets&book=gold&currency=zzz"))
    assert sorted(told) == ["/query/account", "/query/book", "/query/currency", "/query/kind"]
    assert told["/query/kind"] == f"must be one of {', '.join(get_args(Kind))}"
