"""The OpenAPI page is valid, complete and true: answers and problems fit what it says."""

from __future__ import annotations

import re

import jsonschema
import pytest
from openapi_spec_validator import validate

from tests.services.http.playing import Game


@pytest.fixture(scope="module")
def spec(anybody) -> dict:
    return anybody.read("/openapi.json")


@pytest.fixture(scope="module")
def played(app, operator) -> Game:
    game = Game(app, operator, stack_points=6)
    game.play()
    return game


def operations(spec: dict):
    for path, methods in spec["paths"].items():
        for method, operation in methods.items():
            if method != "parameters":
                yield path, method, operation


def test_it_is_a_valid_openapi_3_1(spec):
    assert spec["openapi"].startswith("3.1")
    validate(spec)


def test_every_operation_has_a_summary_a_security_and_its_problems(spec):
    for path, method, operation in operations(spec):
        where = f"{method} {path}"
        assert operation["summary"], where
        assert operation["operationId"], where
        assert "security" in operation, where
        assert {"400", "401", "404", "405", "422", "429", "500", "503"} <= operation["responses"].keys(), (
            where
        )
        for status, response in operation["responses"].items():
            assert response["description"], where
            if int(status) >= 400:
                assert response["content"]["application/problem+json"]["examples"], where


def test_every_post_but_a_heartbeat_takes_an_idempotency_key(spec):
    for path, method, operation in operations(spec):
        names = {p["$ref"].rpartition("/")[2] for p in operation.get("parameters", []) if "$ref" in p}
        keyed = method == "post" and not path.endswith("/heartbeat")
        assert ("IdempotencyKey" in names) == keyed, path


def test_no_address_of_another_host_is_in_the_pages(anybody, spec):
    text = anybody.get("/docs/").text + str(spec)
    assert not re.findall(r"https?://(?!json-schema\.org|club\.example/)[^\"' )]+", text)
    with anybody.get("/docs/swagger-ui-bundle.js") as bundle:
        assert bundle.status_code == 200


def check(spec: dict, schema: dict, value: object) -> None:
    jsonschema.Draft202012Validator({**schema, "components": spec["components"]}).validate(value)


def test_answers_are_as_described(spec, played, anybody, admin):
    hand = anybody.read(f"{played.path}/hands")["items"][0]["hand_id"]
    table = anybody.read(f"{played.path}/tables")["items"][0]["table_id"]
    ids = {
        "tournament_id": played.id,
        "hand_id": hand,
        "table_id": table,
        "player_id": next(iter(played.players)),
    }
    ids |= {"name": "actionpoker", "season": "all"}
    ids["webhook_id"] = admin.made("/v1/webhooks", {"url": "http://8.8.8.8/"})["webhook_id"]
    seen = 0
    for path, method, operation in operations(spec):
        if method != "get" or path.endswith(("/feed", "/legal-plays")):
            continue
        if "/audit/" in path or path.endswith(("/bundle", "/terms")):
            continue  # those of test_auditing and test_terms
        schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
        reader = admin if "x-roles" in operation else anybody
        check(spec, schema, reader.read(path.format(**ids)))
        seen += 1
    assert seen > 15


def test_a_running_hand_and_its_legal_plays_are_as_described(spec, app, operator):
    game = Game(app, operator)
    hand = game.hand(game.hand_id())
    reader = game.on_turn(hand)
    schemas = spec["components"]["schemas"]
    check(spec, schemas["Hand"], game.hand(hand["hand_id"], reader))
    check(spec, schemas["LegalPlays"], game.legal(hand))
    check(spec, schemas["Acted"], game.act(hand["hand_id"]))


def test_a_heartbeat_s_answer_is_as_described(spec, app, operator):
    game = Game(app, operator)
    hand = game.hand(game.hand_id())
    path = f"/v1/tables/{hand['table_id']}/heartbeat"
    check(spec, spec["components"]["schemas"]["Heartbeat"], game.on_turn(hand).made(path, {"rtt_ms": 300}))


def test_problems_are_as_described(spec, anybody, operator):
    for answer in (
        anybody.get("/v1/nope"),
        operator.post("/v1/tournaments", {}),
        anybody.post("/v1/players"),
    ):
        check(spec, spec["components"]["schemas"]["Problem"], answer.json)


def test_every_answer_has_an_example_that_fits(spec):
    answered = {
        reference.rpartition("/")[2]
        for _, _, operation in operations(spec)
        for status, response in operation["responses"].items()
        if status in ("200", "201")
        for reference in re.findall(r"#/components/schemas/\w+", str(response))
    }
    assert answered
    for name in answered:
        schema = spec["components"]["schemas"][name]
        if name == "HandHistory":
            continue
        check(spec, schema, schema["examples"][0])


def test_a_dry_run_s_answer_is_as_described(spec, operator):
    schema = spec["paths"]["/v1/rulesets"]["post"]["responses"]["200"]["content"]["application/json"][
        "schema"
    ]
    shown = operator.post("/v1/rulesets?dry_run=true", {"name": "dry", "rules": {"base": "taiwan"}})
    assert shown.status_code == 200
    check(spec, schema, shown.json)
    for _, method, operation in operations(spec):
        if any(p.get("name") == "dry_run" for p in operation["parameters"]):
            assert "WouldBe" in str(operation["responses"]["200"]), method


def test_examples_of_bodies_are_taken(spec, operator):
    for path, method, operation in operations(spec):
        media = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        if "example" in media and "{" not in path and method == "post":
            response = operator.post(path, media["example"])
            unknown = [error["pointer"] for error in response.json.get("errors", ())]
            assert response.status_code in (201, 403) or unknown in (["/tournament_id"], ["/url"]), path
