"""One log line for each request, with its id in the answer, and never what it holds."""

from __future__ import annotations

import logging
import re
from uuid import UUID, uuid4

import pytest

from services.errors import Unavailable
from services.http.calls import EXTENSION
from services.http.observing import REQUEST_ID
from services.logs import Json
from tests.services.http.driving import Api
from tests.services.http.playing import Game


@pytest.fixture
def lines(caplog):
    """The requests that were logged since the last call."""
    caplog.set_level(logging.DEBUG, "services.http")

    def taken() -> list[dict]:
        found = [
            r.fields | {"level": r.levelname}
            for r in caplog.records
            if r.msg == "%s" and r.args == ("request",)
        ]
        caplog.clear()
        return found

    return taken


def test_a_command_s_line_names_it_and_its_role(operator, lines):
    body = {"name": f"Mei {uuid4().hex[:20]}"}
    key = str(uuid4())
    first = operator.post("/v1/players", body, key=key)
    again = operator.post("/v1/players", body, key=key)
    made, repeated = lines()
    assert made.pop("ms") >= 0
    assert made.pop("id") == first.headers[REQUEST_ID] != again.headers[REQUEST_ID]
    command = made.pop("command")
    assert made == {
        "method": "POST",
        "route": "/v1/players",
        "status": 201,
        "role": "operator",
        "level": "INFO",
    }
    assert (repeated["command"], repeated["repeat"]) == (command, True)


def test_a_read_without_a_token_has_no_role(anybody, lines):
    anybody.get(f"/v1/players/{uuid4()}")
    [line] = lines()
    assert (line["route"], line["status"], "role" in line) == ("/v1/players/<uuid:player_id>", 404, False)


@pytest.mark.parametrize("given", [str(UUID(int=7, version=4)), UUID(int=7, version=4).hex])
def test_a_proxy_s_request_id_is_kept(anybody, lines, given):
    answer = anybody.get("/v1/rulesets", headers={REQUEST_ID: given})
    assert answer.headers[REQUEST_ID] == given == lines()[0]["id"]


@pytest.mark.parametrize("given", ["b2_secret", "7D 7S", "x" * 32, "0" * 33, ""])
def test_a_request_id_of_another_form_is_not_taken(anybody, lines, given):
    answer = anybody.get("/v1/rulesets", headers={REQUEST_ID: given})
    assert answer.headers[REQUEST_ID] not in (given, "")
    assert lines()[0]["id"] == answer.headers[REQUEST_ID]


def test_probes_are_for_debugging_and_failures_are_warnings(app, anybody, lines, monkeypatch):
    for path in ("/healthz", "/readyz", "/metrics"):
        anybody.get(path)
    assert {line["level"] for line in lines()} == {"DEBUG"}

    def away(*_):
        raise Unavailable("away")

    monkeypatch.setattr(app.extensions[EXTENSION].services.store, "head", away)
    anybody.get("/v1/players")
    assert [(line["level"], line["status"]) for line in lines()] == [("WARNING", 503)]


def test_no_line_holds_a_body_a_query_a_card_a_name_or_a_token(app, operator, services, caplog):
    caplog.set_level(logging.DEBUG)
    game = Game(app, operator)
    hand = game.hand_id()
    answer = game.act(hand)
    player = next(iter(game.players.values()))
    player.get(f"/v1/hands/{hand}/legal-plays?cards=7D,7S")
    player.post(f"/v1/hands/{hand}/plays", {"turn": 10_000, "cards": ["3D"]})
    Api(app, "b2_" + "0" * 36 + "_guessed").get("/v1/players")
    written = "\n".join(Json("web").format(record) for record in caplog.records)
    assert "/v1/hands/<uuid:hand_id>/plays" in written
    for secret in ("guessed", player.token, operator.token):
        assert secret not in written
    for card in ("7D", "3D", *answer["actions"][0]["cards"]):
        assert not re.search(rf"(?<![\w-]){card}(?![\w-])", written)
    for name in operator.read(f"/v1/tournaments/{game.id}/standings")["items"]:
        assert name["name"] not in written
