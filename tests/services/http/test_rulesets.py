"""Rule sets: presets, and what operators publish."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.services.http.playing import Game


def test_presets_are_listed_and_read(anybody):
    names = [r["name"] for r in anybody.read("/v1/rulesets")["items"]]
    assert set(names) >= {
        "actionpoker", "dealer-puck", "english-harbour", "high-low", "hong-kong", "pusoy-dos", "taiwan",
    }  # fmt: skip
    preset = anybody.read("/v1/rulesets/high-low")
    assert (preset["reference"], preset["version"]) == ("high-low", None)
    assert preset["rules"]["straight_tie"] == "last_in_sequence"


def test_a_rule_set_is_published_version_by_version(operator, anybody):
    first = operator.made("/v1/rulesets", {"name": "club", "rules": {"base": "high-low", "dragon": True}})
    second = operator.made("/v1/rulesets", {"name": "club", "rules": {"base": "high-low", "triples": False}})
    assert (first["reference"], second["reference"]) == ("club@1", "club@2")
    assert anybody.read("/v1/rulesets/club") == second
    assert anybody.read("/v1/rulesets/club@1") == first
    assert first["rules"]["dragon"] is True
    for missing in ("club@3", "club@x", "club@", "nothing"):
        assert anybody.get(f"/v1/rulesets/{missing}").status_code == 404


def test_pages_of_rule_sets_hold_presets_and_versions_by_name(operator, anybody):
    operator.made("/v1/rulesets", {"name": "aa", "rules": {"base": "high-low"}})
    whole = anybody.read("/v1/rulesets?limit=200")["items"]
    paged, path = [], "/v1/rulesets?limit=2"
    while True:
        page = anybody.read(path)
        assert len(page["items"]) <= 2
        paged += page["items"]
        if page["next"] is None:
            break
        path = f"/v1/rulesets?limit=2&cursor={page['next']}"
    assert paged == whole
    assert [r["name"] for r in whole] == sorted(r["name"] for r in whole)


def test_everything_that_is_wrong_with_one_is_told(operator):
    body = {"name": "bad", "rules": {"base": "high-low", "dragon": 1, "nothing": 2}}
    answer = operator.post("/v1/rulesets", body)
    assert {e["pointer"] for e in answer.json["errors"]} == {"/rules/dragon", "/rules/nothing"}
    assert (
        operator.post("/v1/rulesets", {"name": "Bad Name", "rules": {}}).json["errors"][0]["pointer"]
        == "/name"
    )
    assert (
        operator.post("/v1/rulesets", {"name": "bad", "rules": []}).json["errors"][0]["pointer"] == "/rules"
    )
    taken = operator.post("/v1/rulesets", {"name": "high-low", "rules": {"base": "actionpoker"}})
    assert taken.json["type"] == "/problems/name-taken"


def test_the_name_and_the_switches_are_judged_together(operator):
    for query in ("", "?dry_run=true"):
        answer = operator.post(
            f"/v1/rulesets{query}", {"name": "A B", "rules": {"base": "nope", "x": 1}, "y": 1}
        )
        assert {e["pointer"] for e in answer.json["errors"]} == {"/name", "/rules/base", "/rules/x", "/y"}


def test_a_pointer_is_escaped_and_a_contradiction_is_told_with_everything_else(operator):
    body = {"name": "bad", "rules": {"base": "taiwan", "a/b~c": 1, "point_tiers": [[8, 3], [10, 2]]}}
    errors = {e["pointer"]: e["detail"] for e in operator.post("/v1/rulesets", body).json["errors"]}
    assert set(errors) == {"/rules/a~1b~0c", "/rules/point_tiers"}
    assert "R8.1" in errors["/rules/point_tiers"]


def test_what_docs_rulesets_publishes_is_taken_and_played(operator):
    page = (Path(__file__).parents[3] / "docs/rulesets.md").read_text(encoding="utf-8")
    sent = re.findall(r"post (?:rulesets|tournaments) '(.*?)'", page, re.DOTALL)
    rule_set, tournament = map(json.loads, sent)
    made = operator.made("/v1/rulesets", rule_set)
    assert made["reference"] == tournament["rules"]
    assert f"\n{made['digest']}  friday-club.toml\n" in page
    assert operator.made("/v1/tournaments", tournament)["rules"] == made["reference"]


def test_a_structure_names_a_published_rule_set_with_its_version(app, operator):
    operator.made("/v1/rulesets", {"name": "pinned", "rules": {"base": "high-low"}})
    body = {"name": "X", "format": "freezeout", "rules": "pinned"}
    newest = operator.made("/v1/tournaments", body)["rules"]
    operator.made("/v1/rulesets", {"name": "pinned", "rules": {"base": "actionpoker"}})
    assert newest == "pinned@1"
    assert operator.made("/v1/tournaments", body | {"rules": "pinned@1"})["rules"] == "pinned@1"
    assert operator.made("/v1/tournaments", body)["rules"] == "pinned@2"
    assert operator.made("/v1/tournaments", body | {"rules": "high-low"})["rules"] == "high-low"
    for wrong in ("pinned@3", "pinned@", "high-low@1"):
        assert operator.post("/v1/tournaments", body | {"rules": wrong}).status_code == 422


def test_a_hand_under_a_published_rule_set_is_judged_without_the_service(app, operator, anybody):
    from big2.history import verify  # noqa: PLC0415
    from services import bootstrap  # noqa: PLC0415

    operator.made("/v1/rulesets", {"name": "judged", "rules": {"base": "high-low", "last_card": "forced"}})
    game = Game(app, operator, rules="judged")
    hand_id = game.hand_id()
    game.play_hand(hand_id)
    history = operator.read(f"/v1/hands/{hand_id}/history")
    assert history["rules"]["last_card"] == "forced"
    assert history["rules_named"] == "judged@1"
    assert verify(history, bootstrap.presets())["verdict"] == "valid"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("hongkong", "; is hong-kong meant?"),
        ("Action-Poker", "; is actionpoker meant?"),
        ("actionpoker@1", "; is actionpoker meant?"),
        ("zzz", "or a published one"),
    ],
)
def test_of_a_rule_set_that_there_is_not_the_preset_that_is_near_is_told(name, hint, operator):
    for path, body in (
        ("/v1/tournaments", {"name": "X", "format": "freezeout"}),
        ("/v1/tables", {"stake": {"schedule": "actionpoker", "unit": 100}}),
    ):
        told = operator.post(path, body | {"rules": name}).json["errors"]
        assert [(error["pointer"], error["detail"].endswith(hint)) for error in told] == [("/rules", True)]
