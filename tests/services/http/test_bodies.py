"""A body that is no object: on every route its shape is told, and nothing of members that it cannot have."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.services.http.driving import Api
from tests.services.http.playing import Game, until
from tests.services.http.recording import Club, errors
from tests.services.http.ringing import RingGame
from tests.services.http.test_disputes import REASON, Disputed

NO_OBJECTS = ([], [{}], "buy_in", 7, True, None)
AT_TURN = ("play", "pass_turn", "send_heartbeat")


class Scene:
    """Something at each address that takes a body, in a state in which nothing but the body can be wrong."""

    def __init__(self, app, operator: Api, admin: Api) -> None:
        self.admin = admin
        self.running, self.paused = Game(app, operator), Game(app, operator)
        self.hand = self.running.hand(self.running.hand_id())
        self.paused.hand_id()
        operator.made(f"{self.paused.path}/pause")
        self.coming = Game(app, operator, entropy_seconds=3600)
        self.ruled, self.frozen = Disputed(app, operator), Disputed(app, operator)
        admin.made(f"{self.ruled.at}/rulings", {"ruling": "stands", **REASON})
        admin.made(f"{self.frozen.at}/freeze", {"scope": "hand", **REASON})
        self.empty = Game(app, operator, entrants=0)
        self.open = Game(app, operator, entrants=2, format="freezeout")
        self.club = Club(operator, 2)
        self.table = self.club.open()
        self.club.record(self.table, 0, 5)
        self.ring, self.still = RingGame(app, operator), RingGame(app, operator)
        operator.made(f"{self.still.path}/pause")

    def asked(self, spec: dict[str, Any]) -> Iterator[tuple[str, str, str, Api]]:
        """The name, the method and the address of each operation that takes a body, and who may ask for it."""
        for path, operations in spec["paths"].items():
            for method in operations.keys() - {"parameters"}:
                if "requestBody" in operations[method]:
                    name = operations[method]["operationId"]
                    yield name, method.upper(), path.format(**self._ids(name)), self._who(name)

    def _who(self, name: str) -> Api:
        if name == "give_entropy":
            return next(iter(self.coming.players.values()))
        return self.running.on_turn(self.hand) if name in AT_TURN else self.admin

    def _ids(self, name: str) -> dict[str, object]:
        tournaments = {
            "change_tournament": self.empty.id,
            "pause": self.running.id,
            "resume": self.paused.id,
            "finish": self.club.id,
        }
        tables = {
            "record_result": self.table,
            "send_heartbeat": self.hand["table_id"],
            "resume_ring_table": self.still.id,
        }
        hands = {
            "give_entropy": self.coming.hand_id(),
            "appeal_ruling": self.ruled.hand_in_question,
            "release_hand": self.frozen.hand_in_question,
        }
        return {
            "tournament_id": tournaments.get(name, self.open.id),
            "table_id": tables.get(name, self.ring.id),
            "hand_id": hands.get(name, self.hand["hand_id"]),
            "player_id": next(iter(self.running.players)),
            "seat": 1,
        }


@pytest.fixture(scope="module")
def scene(app, operator, admin) -> Scene:
    return Scene(app, operator, admin)


@pytest.mark.parametrize("body", NO_OBJECTS, ids=str)
def test_of_what_is_no_object_the_shape_alone_is_told_on_every_route(body, scene, anybody, services, beside):
    until(beside.rests)
    before = services.store.head()
    asked = list(scene.asked(anybody.read("/openapi.json")))
    for name, method, path, who in asked:
        answer = who.request(method, path, data=json.dumps(body), content_type="application/json")
        assert errors(answer) == {"": "must be an object"}, name
    assert {"take_seat", "publish_stakes", "publish_tournament", "open_table", "record_result", "play"} <= {
        name for name, *_ in asked
    }
    assert services.store.head() == before


def test_of_a_part_that_is_no_object_the_shape_alone_is_told(operator):
    assert errors(operator.post("/v1/tables", {"stake": []})) == {"/stake": "must be an object"}
    told = errors(operator.post("/v1/tournaments", {"name": "X", "format": "freezeout", "buy_in": []}))
    assert told == {"/buy_in": "must be an object"}
    told = errors(operator.post("/v1/stakes", {"name": "x", "currency": "EUR", "steps": [[], 7]}))
    assert told == {"/steps/0": "must be an object", "/steps/1": "must be an object"}
    seats = {"tournament_id": "7d0f7a9e-6a3e-5c0e-9a62-3f9c3c0b7a11", "seats": [[], None]}
    told = errors(operator.post("/v1/tables", seats))
    assert told.keys() >= {"/seats/0", "/seats/1"}
