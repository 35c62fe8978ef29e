"""A service that knows leagues alone: enough to see what an import sends, and to cut it off."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from big2.rulesets import RuleSet, ruleset_from_mapping, ruleset_to_mapping
from big2.settlement import Outcome, settle_outcome
from big2.table import Direction
from services.bootstrap import presets
from services.people import skeleton
from tests.workers.service import Request

ROUTES = {
    "rule_set": r"GET /v1/rulesets/([\w-]+)(?:@([0-9]+))?",
    "rulesets": r"GET /v1/rulesets\?limit=1",
    "publish": r"POST /v1/rulesets",
    "player_list": r"GET /v1/players\?limit=200",
    "enrol": r"POST /v1/players",
    "league_list": r"GET /v1/tournaments\?limit=200",
    "create": r"POST /v1/tournaments",
    "enter": r"POST /v1/tournaments/(\w+)/entries",
    "start": r"POST /v1/tournaments/(\w+)/(?:start|finish)",
    "open": r"POST /v1/tables",
    "record": r"POST /v1/tables/(\w+)/results",
    "close": r"POST /v1/tables/(\w+)/close",
    "standings": r"GET /v1/tournaments/(\w+)/standings\?limit=200",
    "ready": r"GET /readyz",
}
Body = dict[str, Any]


class No(Exception):  # noqa: N818 - what the service says
    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.answer = (
            status,
            {"type": f"/problems/{code}", "title": code, "status": status, "detail": f"{code}."},
        )


class FakeService:
    """Called with a request it answers; every command is done once for its key. `most` hands, then it says no."""

    def __init__(self, most: int = 10**6) -> None:
        self.players: dict[str, str] = {}  # ids by name
        self.rules: dict[str, list[dict[str, Any]]] = {}  # versions by name
        self.leagues: dict[str, dict[str, Any]] = {}
        self.tables: dict[str, dict[str, Any]] = {}
        self.results: list[tuple[str, Body]] = []
        self.warnings: list[str] = []  # what an import says of it
        self.meanwhile: set[str] = (
            set()
        )  # names that somebody enrols just before the first player is enrolled
        self.most = most
        self._done: dict[tuple[str, str], tuple[str, tuple[int, Any]]] = {}

    def __call__(self, request: Request) -> tuple[int, Any]:
        asked = f"{request.method} {request.path}"
        key = (request.path, request.headers.get("Idempotency-Key", ""))
        if request.method == "POST" and key in self._done:
            body, answer = self._done[key]
            assert body == repr(request.body), f"{key} was sent with another body"
            return answer
        for name, route in ROUTES.items():
            if found := re.fullmatch(route, asked):
                answer = self._answer(name, found, request)
                if request.method == "POST" and answer[0] < 400:
                    self._done[key] = (repr(request.body), answer)
                return answer
        raise AssertionError(asked)

    def _answer(self, name: str, found: re.Match[str], request: Request) -> tuple[int, Any]:
        try:
            return (200 if request.method == "GET" else 201), getattr(self, f"_{name}")(
                *found.groups(), request.body
            )
        except No as no:
            return no.answer

    def _ready(self, _: Body) -> Body:
        return {}

    def _rulesets(self, _: Body) -> Body:
        return {"items": [], "next": None}

    def _rule_set(self, name: str, version: str | None, _: Body) -> Body:
        if name not in self.rules:
            raise No(404, "not-found")
        return self.rules[name][int(version or 0) - 1]

    def _publish(self, body: Body) -> Body:
        name, rules = body["name"], ruleset_from_mapping(body["rules"], presets())
        versions = self.rules.setdefault(name, [])
        version = len(versions) + 1
        whole = ruleset_to_mapping(rules)
        versions.append({"reference": f"{name}@{version}", "version": version, "rules": whole})
        return versions[-1]

    def _player_list(self, _: Body) -> Body:
        return {"items": [{"name": n, "player_id": i} for n, i in self.players.items()], "next": None}

    def _enrol(self, body: Body) -> Body:
        while self.meanwhile:
            self._new(self.meanwhile.pop())
        if skeleton(body["name"]) in map(skeleton, self.players):
            raise No(409, "name-taken")
        return {"player_id": self._new(body["name"])}

    def _new(self, name: str) -> str:
        self.players[name] = f"p{len(self.players)}"
        return self.players[name]

    def _league_list(self, _: Body) -> Body:
        items = [
            {"tournament_id": i, "name": league["name"], "format": league["format"]}
            for i, league in self.leagues.items()
        ]
        return {"items": items, "next": None}

    def _create(self, body: Body) -> Body:
        league = f"l{len(self.leagues)}"
        self.leagues[league] = body | {"entries": [], "state": []}
        return {"tournament_id": league}

    def _enter(self, league: str, body: Body) -> Body:
        self.leagues[league]["entries"].append(body["player_id"])
        return {}

    def _start(self, league: str, _: Body) -> Body:
        self.leagues[league]["state"].append(True)
        return {}

    def _open(self, body: Body) -> Body:
        taken = {s["player_id"] for t in self.tables.values() if t["open"] for s in t["seats"]}
        assert not taken & {s["player_id"] for s in body["seats"]}
        table = f"t{len(self.tables)}"
        self.tables[table] = body | {"open": True}
        return {"table_id": table}

    def _close(self, table: str, _: Body) -> Body:
        self.tables[table]["open"] = False
        return {}

    def _record(self, table: str, body: Body) -> Body:
        if len(self.results) >= self.most:
            raise No(409, "table-paused")
        assert body["number"] == 1 + sum(at == table for at, _ in self.results)
        self.results.append((table, body))
        return {}

    def _standings(self, league: str, _: Body) -> Body:
        names = {i: n for n, i in self.players.items()}
        rows = {
            p: {"name": names[p], "hands": 0, "hands_won": 0, "points": 0}
            for p in self.leagues[league]["entries"]
        }
        rules = self._ruling(league)
        for table, result in self.results:
            if self.tables[table]["tournament_id"] == league:
                at = {s["seat"]: rows[s["player_id"]] for s in self.tables[table]["seats"]}
                for seat, net in _net(rules, result).items():
                    at[seat]["hands"] += 1
                    at[seat]["hands_won"] += seat == result["winner"]
                    at[seat]["points"] += net
        return {"items": list(rows.values()), "next": None}

    def _ruling(self, league: str) -> RuleSet:
        name, _, version = self.leagues[league]["rules"].partition("@")
        return ruleset_from_mapping(self.rules[name][int(version) - 1]["rules"], {})


def _net(rules: RuleSet, result: Body) -> Mapping[int, int]:
    left = {int(seat): number for seat, number in result["cards_left"].items()}
    nothing, nobody = dict.fromkeys(left, 0), dict.fromkeys(left)
    seats = tuple(sorted(left))
    outcome = Outcome(seats, 1, Direction.CLOCKWISE, result["winner"], left, nothing, result["liable"])
    return settle_outcome(rules, outcome, 1, nobody).net
