"""Every route as every role: what each may do is written here, and no route is missing."""

from __future__ import annotations

import base64
from uuid import UUID, uuid4

import pytest

from domain.credential import Role
from domain.events import Audience, audiences
from domain.ids import CommandId, PlayerId, TournamentId, roster_id, ruleset_id
from services.application import credentials
from services.application.credentials import Grant
from services.envelope import Command
from tests.harness.matrix import NOBODY, ROLES, body_of, matrix, path_of
from tests.services.http.driving import Api, make_token
from tests.services.http.playing import Game, name
from tests.services.http.test_hidden_cards import CARD

CASES = [(method, rule, role) for method, rule in matrix() for role in ROLES]
STAFF = (Role.AUDITOR, Role.OPERATOR, Role.DIRECTOR)


@pytest.fixture(scope="module")
def game(app, operator) -> Game:
    return Game(app, operator)


@pytest.fixture(scope="module")
def closed(app, operator) -> Game:
    game = Game(app, operator, entrants=0)
    operator.made(f"{game.path}/cancel")
    return game


@pytest.fixture(scope="module")
def ids(game, closed) -> dict[str, str]:
    hand = game.hand(game.hand_id())
    found = {"tournament": game.id, "closed": closed.id, "hand": hand["hand_id"], "table": hand["table_id"]}
    return found | {"player": next(iter(game.players))}


@pytest.fixture(scope="module")
def as_role(app, game, auditor, operator, director_, admin) -> dict[str, Api]:
    """Whoever is limited to no tournament."""
    another = next(iter(Game(app, operator).players.values()))
    people = {"nobody": Api(app), "player": next(iter(game.players.values())), "another": another}
    return people | {"auditor": auditor, "operator": operator, "director": director_, "admin": admin}


@pytest.fixture(scope="module")
def limited(app, services, game, closed, ids) -> dict[tuple[str, str], Api]:
    """Tokens that are limited to a tournament: by role, and by the tournament that a request is about."""
    found = {}
    elsewhere = Game(app, Api(app, make_token(services, Role.OPERATOR)), entrants=0).id
    player = PlayerId(UUID(ids["player"]))
    for about in (game.id, closed.id):
        for role in STAFF:
            found[f"{role} limited here", about] = Api(app, limited_token(services, role, about))
            found[f"{role} limited elsewhere", about] = Api(app, limited_token(services, role, elsewhere))
        token = limited_token(services, Role.PLAYER, elsewhere, player)
        found["player limited elsewhere", about] = Api(app, token)
    return found


def limited_token(services, role: Role, tournament: str, player: PlayerId | None = None) -> str:
    grant = Grant(role, player, TournamentId(UUID(tournament)))
    text = credentials.issue(services.store, Command(CommandId(uuid4()), "tests", ""), lambda: grant).text
    assert text
    return text


@pytest.mark.parametrize(("method", "rule", "role"), CASES, ids=str)
def test_a_role_may_do_this_and_no_more(method, rule, role, as_role, limited, ids):
    expected = matrix()[method, rule][role]
    path = path_of(rule, ids)
    body = body_of(method, rule, {"name": name(), **ids})
    reader = as_role.get(role) or limited[role, ids["closed" if ids["closed"] in path else "tournament"]]
    response = reader.request(method, path, body, buffered=not path.startswith("/v1/feed"))
    response.close()
    done = "ok" if response.status_code in (200, 201, 204) else str(response.status_code)
    assert done == expected, response
    if response.status_code >= 400:
        assert response.mimetype == "application/problem+json"


def test_the_matrix_has_every_route_of_openapi_and_no_other(anybody):
    spec = anybody.read("/openapi.json")
    routes = {
        (m.upper(), rule.removeprefix("/v1"))
        for rule, methods in spec["paths"].items()
        for m in methods
        if m != "parameters"
    }
    assert routes == set(matrix())


def test_openapi_names_the_roles_of_the_matrix(anybody):
    paths = anybody.read("/openapi.json")["paths"]
    every = ["player", "auditor", "operator", "director", "admin"]
    for (method, rule), statuses in matrix().items():
        roles = paths["/v1" + rule][method.lower()].get("x-roles", every)
        admitted = {role for role in every if statuses[role] not in ("401", "403")}
        if rule.endswith(("/history", "/steps", "/bundle")):
            continue
        assert set(roles) == admitted, (method, rule)


def test_a_limited_token_may_nothing_that_a_whole_one_may_not(anybody):
    for route, statuses in matrix().items():
        for role in STAFF:
            for where in ("here", "elsewhere"):
                assert statuses[f"{role} limited {where}"] in (statuses[role], "403"), route


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
    for method, rule in matrix()
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
    statuses = matrix()[method, rule]
    return "player" if statuses["admin"] == "403" and "history" not in rule else "admin"


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
    others = {each: of_each_kind[kind if each == part else own] for each, own in PARTS.items()}
    path = path_of(rule, {"closed": NOBODY, **of_each_kind}, **others)
    body = body_of(method, rule, {"name": "Kind", **of_each_kind})
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


@pytest.mark.parametrize(("method", "rule"), [route for route in matrix() if "{" in route[1]], ids=str)
def test_an_unknown_id_is_404(method, rule, as_role, ids):
    unknown = dict.fromkeys(("tournament_id", "player_id", "hand_id", "table_id", "token_id"), NOBODY)
    path = path_of(rule, ids, **unknown, name="nothing", season="1999")
    answer = as_role[who_may(method, rule)].request(method, path, body_of(method, rule, {"name": "U", **ids}))
    assert (answer.status_code, answer.json["type"]) == (404, "/problems/not-found"), path
