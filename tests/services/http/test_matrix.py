"""Every route as every role: what each may do is written here, and no route is missing."""

from __future__ import annotations

import base64
from uuid import UUID

import pytest

from domain.events import Audience, audiences
from domain.ids import roster_id, ruleset_id
from tests.services.http.driving import Api
from tests.services.http.playing import Game, name
from tests.services.http.test_hidden_cards import CARD

ROLES = ("none", "player", "auditor", "operator", "director", "admin")
# For each route: the body, and the status for each of ROLES in order. `mine` routes act on the player's own things.
R = "/v1/tournaments/{tournament}"
H = "/v1/hands/{hand}"
NOBODY = "00000000-0000-5000-8000-000000000000"
OPEN = (200,) * 6
OPERATING = (401, 403, 403, "ok", 403, "ok")
LEDGER = (401, 200, 200, 200, 200, 200)
DIRECTING = (401, 403, 403, "ok", "ok", "ok")
MATRIX = {
    ("GET", "/v1/players", "/v1/players"): (None, OPEN),
    ("POST", "/v1/players", "/v1/players"): ({"name": "{name}"}, OPERATING),
    ("GET", "/v1/players/{player_id}", "/v1/players/{player}"): (None, OPEN),
    ("POST", "/v1/players/{player_id}/tokens", "/v1/players/{player}/tokens"): (None, OPERATING),
    ("POST", "/v1/tokens", "/v1/tokens"): ({"role": "auditor"}, (401, 403, 403, 403, 403, "ok")),
    ("DELETE", "/v1/tokens/{token_id}", "/v1/tokens/" + NOBODY): (None, (401, 403, 403, 404, 403, 404)),
    ("GET", "/v1/rulesets", "/v1/rulesets"): (None, OPEN),
    ("GET", "/v1/rulesets/{name}", "/v1/rulesets/high-low"): (None, OPEN),
    ("POST", "/v1/rulesets", "/v1/rulesets"): ({"name": "club", "rules": {"base": "high-low"}}, OPERATING),
    ("GET", "/v1/tournaments", "/v1/tournaments"): (None, OPEN),
    ("POST", "/v1/tournaments", "/v1/tournaments"): ({"name": "M", "format": "freezeout"}, OPERATING),
    ("GET", "/v1/tournaments/{tournament_id}", R): (None, OPEN),
    ("PATCH", "/v1/tournaments/{tournament_id}", R): ({"unit": 2}, (401, 403, 403, 409, 403, 409)),
    ("GET", "/v1/tournaments/{tournament_id}/entries", R + "/entries"): (None, OPEN),
    ("POST", "/v1/tournaments/{tournament_id}/entries", R + "/entries"): (
        {"player_id": "{player}"},
        (401, 409, 403, 409, 409, 409),
    ),
    ("DELETE", "/v1/tournaments/{tournament_id}/entries/{player_id}", R + "/entries/{player}"): (
        None,
        (401, 409, 403, 409, 409, 409),
    ),
    ("POST", "/v1/tournaments/{tournament_id}/start", R + "/start"): (None, (401, 403, 403, 409, 403, 409)),
    ("POST", "/v1/tournaments/{tournament_id}/pause", "{other}/pause"): (
        None,
        (401, 403, 403, 409, 409, 409),
    ),
    ("POST", "/v1/tournaments/{tournament_id}/resume", "{other}/resume"): (
        None,
        (401, 403, 403, 409, 409, 409),
    ),
    ("POST", "/v1/tournaments/{tournament_id}/finish", R + "/finish"): (
        None,
        (401, 403, 403, 409, 403, 409),
    ),
    ("POST", "/v1/tournaments/{tournament_id}/cancel", "{other}/cancel"): (
        None,
        (401, 403, 403, 409, 409, 409),
    ),
    ("GET", "/v1/tournaments/{tournament_id}/standings", R + "/standings"): (None, OPEN),
    ("GET", "/v1/tournaments/{tournament_id}/tables", R + "/tables"): (None, OPEN),
    ("GET", "/v1/tournaments/{tournament_id}/prizes", R + "/prizes"): (None, OPEN),
    ("GET", "/v1/tournaments/{tournament_id}/hands", R + "/hands"): (None, OPEN),
    ("GET", "/v1/tables/{table_id}", "/v1/tables/{table}"): (None, OPEN),
    ("POST", "/v1/tables", "/v1/tables"): ({"tournament_id": "{tournament}"}, (401, 403, 403, 409, 403, 409)),
    ("POST", "/v1/tables/{table_id}/results", "/v1/tables/{table}/results"): (
        {"winner": 1},
        (401, 403, 403, 409, 409, 409),
    ),
    ("POST", "/v1/tables/{table_id}/close", "/v1/tables/{table}/close"): (
        None,
        (401, 403, 403, 409, 409, 409),
    ),
    ("GET", "/v1/tables", "/v1/tables"): (None, OPEN),
    ("GET", "/v1/tables/{table_id}/hands", "/v1/tables/{table}/hands"): (None, OPEN),
    ("PUT", "/v1/tables/{table_id}/seats/{seat}", "/v1/tables/{table}/seats/1"): (
        {"sitting_out": True},
        (401, 404, 403, 404, 403, 404),
    ),
    ("DELETE", "/v1/tables/{table_id}/seats/{seat}", "/v1/tables/{table}/seats/1"): (
        None,
        (401, 404, 403, 404, 403, 404),
    ),
    ("POST", "/v1/tables/{table_id}/pause", "/v1/tables/{table}/pause"): (
        None,
        (401, 403, 403, 404, 404, 404),
    ),
    ("POST", "/v1/tables/{table_id}/resume", "/v1/tables/{table}/resume"): (
        None,
        (401, 403, 403, 404, 404, 404),
    ),
    ("GET", "/v1/stakes", "/v1/stakes"): (None, OPEN),
    ("GET", "/v1/stakes/{name}", "/v1/stakes/actionpoker"): (None, OPEN),
    ("POST", "/v1/stakes", "/v1/stakes"): (
        {"name": "friday", "currency": "USD", "steps": [{"unit": 1, "buy_in": 50, "ante": 0}]},
        OPERATING,
    ),
    ("GET", "/v1/hands/{hand_id}", H): (None, OPEN),
    ("GET", "/v1/hands/{hand_id}/legal-plays", H + "/legal-plays"): (None, (401, 200, 403, 403, 403, 403)),
    ("POST", "/v1/hands/{hand_id}/plays", H + "/plays"): (
        {"turn": 10_000, "cards": ["3D"]},
        (401, 409, 403, 403, 403, 403),
    ),
    ("POST", "/v1/hands/{hand_id}/passes", H + "/passes"): ({"turn": 10_000}, (401, 409, 403, 403, 403, 403)),
    ("GET", "/v1/hands/{hand_id}/history", H + "/history"): (None, (403,) * 6),
    ("POST", "/v1/tables/{table_id}/heartbeat", "/v1/tables/{table}/heartbeat"): (
        {"rtt_ms": 40},
        (401, 200, 403, 403, 403, 403),
    ),
    ("GET", "/v1/hands/{hand_id}/connections", H + "/connections"): (None, (401, 403, 200, 403, 200, 200)),
    ("POST", "/v1/wallets/{player_id}/deposits", "/v1/wallets/{player}/deposits"): (
        {"amount": 1, "currency": "EUR", "reference": "{name}"},
        OPERATING,
    ),
    ("POST", "/v1/wallets/{player_id}/withdrawals", "/v1/wallets/{player}/withdrawals"): (
        {"amount": 1, "currency": "EUR", "reference": "{name}"},
        (401, 403, 403, "ok", 403, "ok"),
    ),
    ("GET", "/v1/wallets/{player_id}", "/v1/wallets/{player}"): (None, LEDGER),
    ("GET", "/v1/ledger/accounts", "/v1/ledger/accounts"): (None, LEDGER),
    ("GET", "/v1/ledger/entries", "/v1/ledger/entries?format=csv"): (None, LEDGER),
    ("GET", "/v1/ledger/trial-balance", "/v1/ledger/trial-balance"): (None, (401, 403, 200, 200, 200, 200)),
    ("GET", "/v1/leaderboards", "/v1/leaderboards"): (None, OPEN),
    ("GET", "/v1/leaderboards/{season}", "/v1/leaderboards/all"): (None, OPEN),
    ("GET", "/v1/feed", "/v1/feed?tournament={tournament}"): (None, OPEN),
}
CASES = [(*route, role) for route in MATRIX for role in ROLES]


@pytest.fixture(scope="module")
def game(app, operator) -> Game:
    return Game(app, operator)


@pytest.fixture(scope="module")
def as_role(app, game, auditor, operator, director_, admin) -> dict[str, Api]:
    player = next(iter(game.players.values()))
    people = {"none": Api(app), "player": player, "auditor": auditor, "operator": operator}
    return people | {"director": director_, "admin": admin}


@pytest.fixture(scope="module")
def ids(app, game, operator) -> dict[str, str]:
    hand = game.hand(game.hand_id())
    other = Game(app, operator, entrants=0)
    operator.made(f"{other.path}/cancel")
    found = {"tournament": game.id, "other": other.path, "hand": hand["hand_id"], "table": hand["table_id"]}
    return found | {"player": next(iter(game.players))}


@pytest.mark.parametrize(("method", "rule", "path", "role"), CASES, ids=str)
def test_a_role_may_do_this_and_no_more(method, rule, path, role, as_role, ids):
    body, statuses = MATRIX[method, rule, path]
    expected = statuses[ROLES.index(role)]
    for key, value in ids.items():
        path = path.replace("{" + key + "}", value)
    if body:
        body = {k: v.format(name=name(), **ids) if isinstance(v, str) else v for k, v in body.items()}
    response = as_role[role].request(method, path, body, buffered=not path.startswith("/v1/feed"))
    response.close()
    assert response.status_code in ((200, 201, 204) if expected == "ok" else (expected,)), response
    if response.status_code >= 400:
        assert response.mimetype == "application/problem+json"


def test_the_matrix_has_every_route_of_openapi_and_no_other(anybody):
    spec = anybody.read("/openapi.json")
    routes = {
        (m.upper(), rule) for rule, methods in spec["paths"].items() for m in methods if m != "parameters"
    }
    assert routes == {(method, rule) for method, rule, _ in MATRIX}


def test_openapi_names_the_roles_of_the_matrix(anybody):
    paths = anybody.read("/openapi.json")["paths"]
    for (method, rule, _), (_, statuses) in MATRIX.items():
        roles = paths[rule][method.lower()].get("x-roles", list(ROLES[1:]))
        admitted = {
            r for r, status in zip(ROLES, statuses, strict=True) if status not in (401, 403) and r != "none"
        }
        if rule.endswith("/history"):
            continue
        assert set(roles) == admitted, (method, rule)


PARTS = {
    "tournament_id": "tournament",
    "player_id": "player",
    "hand_id": "hand",
    "table_id": "table",
    "token_id": "credential",
}
KINDS = ("player", "credential", "tournament", "roster", "table", "hand", "rule set")
TAKEN = [
    (method, rule, part, kind)
    for method, rule, _ in MATRIX
    for part, own in PARTS.items()
    if "{" + part + "}" in rule
    for kind in KINDS
    if kind != own
]


@pytest.fixture(scope="module")
def of_each_kind(app, game, operator, admin) -> dict[str, str]:
    """An id of each kind of stream, each of something that is there."""
    hand = game.hand(game.hand_id())
    operator.made("/v1/rulesets", {"name": "of-a-kind", "rules": {"base": "high-low"}})
    return {
        "player": next(iter(game.players)),
        "credential": admin.made("/v1/tokens", {"role": "auditor"})["token_id"],
        "tournament": game.id,
        "roster": str(roster_id(UUID(game.id))),
        "table": hand["table_id"],
        "hand": hand["hand_id"],
        "rule set": str(ruleset_id("of-a-kind")),
    }


@pytest.fixture
def unspoken(of_each_kind, services, caplog):
    """The log says nothing of cards, seeds and secrets, whatever it says."""
    caplog.set_level("DEBUG")
    yield
    said = caplog.text
    assert not CARD.search(said)
    for secret in secrets(services, of_each_kind):
        assert secret not in said


def who_may(method: str, rule: str) -> str:
    """A role that the route is open to: the admin, or the player whose own things it is about."""
    statuses = next(statuses for (m, r, _), (_, statuses) in MATRIX.items() if (m, r) == (method, rule))
    return "player" if statuses[ROLES.index("admin")] == 403 and "history" not in rule else "admin"


def secrets(services, ids: dict[str, str]) -> list[str]:
    """Every hidden value of the streams of these ids, as a log would write it."""
    found = []
    for r in (r for stream in ids.values() for r in services.store.events(UUID(stream))):
        for field, audience in audiences(type(r.event)).items():
            value = getattr(r.event, field)
            if audience is Audience.SEALED and isinstance(value, bytes):
                found += [repr(value), value.hex(), base64.b64encode(value).decode()]
            if audience is Audience.SEALED and isinstance(value, str) and len(value) > 8:
                found.append(value)
    assert len(found) > 6
    return found


@pytest.mark.parametrize("case", TAKEN, ids=" ".join)
def test_an_id_of_another_kind_is_404(case, as_role, of_each_kind, unspoken):
    method, rule, part, kind = case
    path = rule.replace("{seat}", "1")
    for each, own in PARTS.items():
        path = path.replace("{" + each + "}", of_each_kind[kind if each == part else own])
    body = next(body for (m, r, _), (body, _) in MATRIX.items() if (m, r) == (method, rule))
    if body:
        body = {
            k: v.format(name="Kind", player=of_each_kind["player"]) if isinstance(v, str) else v
            for k, v in body.items()
        }
    reader = as_role[who_may(method, rule)]
    answer = reader.request(method, path, body)
    assert (answer.status_code, answer.json["type"]) == (404, "/problems/not-found"), answer.json


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("topic", ["tournament", "table", "player"])
def test_a_feed_of_an_id_of_another_kind_is_404(topic, kind, anybody, of_each_kind, unspoken):
    if topic != kind:
        assert anybody.get(f"/v1/feed?{topic}={of_each_kind[kind]}").status_code == 404


@pytest.mark.parametrize("kind", KINDS)
def test_an_id_of_another_kind_in_a_body_is_none_of_its_kind(
    kind, app, operator, admin, of_each_kind, unspoken
):
    open_ = Game(app, operator, entrants=0)
    if kind != "player":
        answer = admin.post(f"{open_.path}/entries", {"player_id": of_each_kind[kind]})
        assert (answer.status_code, answer.json["errors"][0]["detail"]) == (422, "is no player")
    if kind != "tournament":
        answer = admin.post("/v1/tokens", {"role": "auditor", "tournament_id": of_each_kind[kind]})
        assert (answer.status_code, answer.json["errors"][0]["detail"]) == (422, "is no tournament")


@pytest.mark.parametrize("kind", KINDS)
def test_a_token_of_an_id_of_any_kind_is_good_for_nothing(kind, app, of_each_kind, unspoken):
    answer = Api(app, f"b2_{of_each_kind[kind]}_secret").get("/v1/players")
    assert answer.status_code == 401


@pytest.mark.parametrize("rule", sorted({rule for _, rule, _ in MATRIX if "{" in rule}))
def test_an_unknown_id_is_404(rule, as_role):
    path = rule
    for part in ("tournament_id", "player_id", "hand_id", "table_id", "token_id"):
        path = path.replace("{" + part + "}", NOBODY)
    path = path.replace("{name}", "nothing").replace("{season}", "1999").replace("{seat}", "1")
    methods = {m: body for (m, r, _), (body, _) in MATRIX.items() if r == rule}
    for method, body in methods.items():
        reader = as_role[who_may(method, rule)]
        response = reader.request(method, path, body)
        assert (response.status_code, response.json["type"]) == (404, "/problems/not-found"), (method, path)
