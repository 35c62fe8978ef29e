"""Requests that are wrong, each with the status and the problem that it must get; none leaves anything behind."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from big2.cards import mask_text
from domain.hand import HAND
from services.store import Store
from tests.services.http.driving import Api, Beside
from tests.services.http.playing import Game, until
from tests.services.http.test_hidden_cards import CARD

CASES = [
    json.loads(line) for line in (Path(__file__).parent / "cases/bad_inputs.jsonl").read_text().splitlines()
]
EXAMPLES = "such as 3D, TC or 2S"
"""What the refusal of a card's name says, whatever was dealt."""
TRIES = 40
LOW_TO_HIGH = [rank + suit for rank in "3456789TJQKA2" for suit in "DCHS"]


class Scene:
    """What a case is about: names for its placeholders, and who is who."""

    def __init__(self, values: dict[str, Any], people: dict[str, Api]) -> None:
        self.values = values
        self.people = people


class Scenes:
    """Makes each setup once, except those that a case uses up."""

    def __init__(self, app, operator: Api, auditor: Api) -> None:
        self.app = app
        self.operator = operator
        self.base = {"none": Api(app), "operator": operator, "auditor": auditor}
        self.alice = operator.made("/v1/players", {"name": "Alice"})["player_id"]
        self.bob = operator.made("/v1/players", {"name": "Bob"})["player_id"]
        self.open = Game(app, operator, entrants=0, format="freezeout", capacity=99)
        operator.made(f"{self.open.path}/entries", {"player_id": self.alice})
        operator.made("/v1/tournaments", {"name": "Used", "format": "freezeout"}, key="a-used-key")
        self._running = Game(app, operator)
        hand = self._running.hand_id()
        self.ids = {
            "alice": self.alice,
            "bob": self.bob,
            "used_key": "a-used-key",
            "tournament": self.open.id,
        }
        self.ids |= {"hand": hand, "turn": 1}

    def make(self, setup: str | None, wanted: set[str]) -> Scene:
        make = getattr(self, f"_{setup}", None) if setup not in ("alice_registered", "used_key") else None
        values, people = make(wanted) if make else ({}, {})
        return Scene(self.ids | values, self.base | people)

    def _empty_tournament(self, _wanted: set[str]):
        return {"tournament": Game(self.app, self.operator, entrants=0).id}, {}

    def _full_tournament(self, _wanted: set[str]):
        game = Game(self.app, self.operator, entrants=2, format="freezeout", capacity=2)
        return {"tournament": game.id}, {}

    def _running_tournament(self, _wanted: set[str]):
        return {"tournament": self._running.id}, {}

    def _first_hand(self, wanted: set[str]):
        return self._scene(Game(self.app, self.operator), wanted)

    def _settled_hand(self, _wanted: set[str]):
        game = Game(self.app, self.operator, stack_points=100, between_hands_seconds=3600)
        hand_id = game.hand_id()
        turn = game.hand(hand_id)["turn"]["number"]
        game.play_hand(hand_id)
        return {"hand": hand_id, "turn": turn}, {"seat_on_turn": next(iter(game.players.values()))}

    def _running_hand(self, wanted: set[str]):
        """A hand as the case needs it: led, unless its leader is to act, with the cards that it names."""
        for _ in range(TRIES):
            game = Game(self.app, self.operator)
            if "leader" not in wanted:
                self._lead(game)
            found = self._scene(game, wanted)
            if wanted & {"low_card", "my_pair", "turn-1"} <= found[0].keys():
                return found
        raise AssertionError("no hand had what the case needs")

    def _lead(self, game: Game) -> None:
        """Two singles, the second not the lowest."""
        hand_id = game.hand_id()
        for step in (0, 4):
            hand = game.hand(hand_id)
            singles = [i["cards"] for i in game.legal(hand)["items"] if i["kind"] == "single"]
            if singles:
                singles.sort(key=lambda cards: LOW_TO_HIGH.index(cards[0]))
                body = {"turn": hand["turn"]["number"], "cards": singles[min(step, len(singles) - 1)]}
                game.on_turn(hand).made(f"/v1/hands/{hand_id}/plays", body)

    def _assistant_hand(self, _wanted: set[str]):
        rules = {"name": "forced", "rules": {"base": "actionpoker", "last_card": "forced"}}
        self.operator.made("/v1/rulesets", rules)
        for _ in range(TRIES):
            game = Game(self.app, self.operator, rules="forced")
            hand_id = game.hand_id()
            while (hand := game.hand(hand_id))["turn"]:
                you = game.hand(hand_id, game.on_turn(hand))["you"]
                allowed = [i["cards"] for i in game.legal(hand)["items"]]
                if you["duty"] and (low := self._forbidden(hand, you["cards"], allowed)):
                    values = {"hand": hand_id, "turn": hand["turn"]["number"], "low_single": low}
                    return values, {"assistant": game.on_turn(hand)}
                game.act(hand_id)
        raise AssertionError("nobody was ever an assistant")

    @staticmethod
    def _forbidden(hand: dict, cards: list[str], allowed: list[list[str]]) -> str | None:
        """A single that would be legal but for the duty."""
        to_beat = hand["to_beat"]
        least = 0
        if to_beat:
            if to_beat["kind"] != "single":
                return None
            least = LOW_TO_HIGH.index(to_beat["cards"][0])
        singles = [c for c in cards if LOW_TO_HIGH.index(c) > least or not to_beat]
        return next((c for c in singles if [c] not in allowed), None)

    def _scene(self, game: Game, wanted: set[str]):
        hand = game.hand(game.hand_id())
        on_turn = game.on_turn(hand)
        cards = game.hand(hand["hand_id"], on_turn)["you"]["cards"]
        turn = hand["turn"]["number"]
        values: dict[str, Any] = {
            "hand": hand["hand_id"],
            "turn": turn,
            "my_card": cards[-1],
            "my_card_other_rank": cards[0],
            "my4": [cards[0], cards[1], cards[5], cards[-1]],
            "other_card": next(c for c in LOW_TO_HIGH if c not in cards),
            "not_lowest": cards[-1],
            "legal": game.legal(hand)["items"][0]["cards"] if game.legal(hand)["items"] else None,
        }
        if turn > 1:
            values["turn-1"] = turn - 1
        if hand["to_beat"] and LOW_TO_HIGH.index(cards[0]) < LOW_TO_HIGH.index(hand["to_beat"]["cards"][0]):
            values["low_card"] = cards[0]
        pair = next(([a, b] for a, b in pairwise(cards) if a[0] == b[0]), None)
        if pair and hand["to_beat"] and len(hand["to_beat"]["cards"]) == 1:
            values["my_pair"] = pair
        off = next(p for p in game.players.values() if p is not on_turn)
        if "seat_off_turn" in wanted:
            values["my_card"] = game.hand(hand["hand_id"], off)["you"]["cards"][0]
        other = self._running.players
        people = {"seat_on_turn": on_turn, "leader": on_turn, "seat_off_turn": off}
        return values, people | {"other_table_player": next(iter(other.values()))}


@pytest.fixture(scope="module")
def scenes(app, operator, auditor) -> Scenes:
    return Scenes(app, operator, auditor)


def expanded(text: str) -> bytes:
    """A raw body with its macros carried out."""
    if found := re.fullmatch(r"@bytes\((.*)\)", text):
        return bytes.fromhex(found[1])
    if found := re.fullmatch(r"@utf16\((.*)\)", text):
        return found[1].encode("utf-16")
    return re.sub(r"@repeat\((.+?),(\d+)\)", lambda m: m[1] * int(m[2]), text).encode()


def filled(value: Any, values: dict[str, Any]) -> Any:
    """A body, path or header with the placeholders filled in; a list in a list's place is taken in."""
    if isinstance(value, dict):
        return {k: filled(v, values) for k, v in value.items()}
    if isinstance(value, list):
        parts = [filled(v, values) for v in value]
        return [p for part in parts for p in (part if isinstance(part, list) else [part])]
    if not isinstance(value, str):
        return value
    if (alone := re.fullmatch(r"\{([\w-]+)\}", value)) and alone[1] in values:
        return values[alone[1]]
    return re.sub(r"\{([\w-]+)\}", lambda m: str(values.get(m[1], m[0])), value)


def sent(case: dict, scene: Scene):
    headers = {
        k: expanded(filled(v, scene.values)).decode() for k, v in case["headers"].items() if v is not None
    }
    key = None if "Idempotency-Key" in case["headers"] else ""
    more: dict[str, Any] = {}
    raw = case["raw"]
    if raw is not None and (chunked := re.fullmatch(r"@chunked\((\d+)\)", raw)):
        more = {
            "input_stream": BytesIO(b"a" * int(chunked[1])),
            "environ_overrides": {"wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"},
        }
    elif raw is not None:
        more = {"data": expanded(raw)}
    elif case["body"] is not None:
        more = {"json": filled(case["body"], scene.values)}
        headers.pop("Content-Type", None)
    path = filled(case["path"], scene.values)
    return scene.people[case["as"]].request(case["method"], path, key=key, headers=headers, **more)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_bad_request_gets_the_problem_that_is_stated(case, scenes, services, beside):
    wanted = {case["as"], *re.findall(r"\{([\w-]+)\}", json.dumps(case["body"]))}
    scene = scenes.make(case["setup"], wanted)
    before = quiet(beside, services.store)
    response = sent(case, scene)
    text = response.text if response.mimetype != "text/event-stream" else ""
    assert response.status_code in case["expect_status"], text
    assert response.status_code < 500
    assert "<html" not in text.lower()
    assert "Traceback" not in text
    assert "Access-Control-Allow-Origin" not in response.headers
    named = CARD.findall(json.dumps(filled(case["body"], scene.values)).upper())
    hidden = hidden_from(scene.people[case["as"]], scene.values["hand"], services).difference(named)
    assert not hidden.intersection(CARD.findall(text.replace(EXAMPLES, "")))
    if response.status_code >= 400:
        assert response.mimetype == "application/problem+json"
        assert response.json["status"] == response.status_code
        assert services.store.head() == before
        if case["expect_type"] != "ok":
            assert response.json["type"] == f"/problems/{case['expect_type']}"
    if response.status_code == 405:
        assert response.headers["Allow"]


def hidden_from(reader: Api, hand_id: str, services) -> set[str]:
    """The cards in everybody's holding but the reader's own."""
    game = services.store.load(HAND, UUID(hand_id)).state.game
    held = {card for mask in game.holdings for card in mask_text(mask).split()}
    return held.difference(reader.read(f"/v1/hands/{hand_id}").get("you", {}).get("cards", ()))


def quiet(beside: Beside, store: Store) -> int:
    """The log's head once the jobs beside us have nothing left to do."""
    until(beside.rests)
    return store.head()


def test_one_over_the_capacity_twenty_at_once(scenes, app, operator):
    game = Game(app, operator, entrants=0, format="freezeout", capacity=2)
    players = [operator.made("/v1/players", {"name": f"Twenty {n}"})["player_id"] for n in range(20)]
    with ThreadPoolExecutor(20) as pool:
        ask = lambda player: operator.post(f"{game.path}/entries", {"player_id": player})  # noqa: E731
        statuses = [r.status_code for r in pool.map(ask, players)]
    assert sorted(statuses) == [201] * 2 + [409] * 18


@pytest.mark.parametrize("value", ["-1", str(10**30), "x", "1.5", "٣", "1_0"])
def test_a_last_event_id_that_is_none_is_refused(value, scenes, anybody):
    path = f"/v1/feed?tournament={scenes.open.id}"
    response = anybody.get(path, headers={"Last-Event-ID": value.encode().decode("latin-1")})
    assert (response.status_code, response.json["type"]) == (422, "/problems/validation")
    assert anybody.get(f"{path}&after={value}").status_code == 422
