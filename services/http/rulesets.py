"""Rule sets."""

from __future__ import annotations

from typing import Any

from flask import Response

from big2.rulesets import ruleset_to_mapping
from domain.ruleset import RuleSetPublished, ruleset_digest
from services.application import lists
from services.application import resources as shapes
from services.application.errors import NotFound
from services.application.rulesets import RuleSets, Wanted
from services.envelope import Recorded
from services.http import schemas
from services.http.access import Who
from services.http.answers import key_of, listed, read, written
from services.http.calls import Call
from services.http.routing import Routes, command, get
from services.http.wouldbe import would_be

blueprint = Routes("rule sets", "Built-in presets and published rule sets (R12)")


@get(blueprint, "/rulesets", shapes.RuleSet, query=schemas.Paged(), projected=True, listed=True)
def list_rulesets(call: Call) -> Response:
    """List the presets and every version of the published rule sets, by name"""
    key = key_of(call.query.get("cursor"), str, int)
    after = (str(key[0]), int(key[1])) if key else ("", -1)
    limit = call.query["limit"]
    published = lists.published_rule_sets(call.services.store.database, after, limit)
    presets = [p for p in _presets(call.services.rulesets) if (p.name, 0) > after]
    items = sorted([*presets, *published.items], key=_order)
    more = len(items) > limit or published.next is not None
    page = published._replace(items=items[:limit], next=_order(items[limit - 1]) if more else None)
    return listed(page, lists.newest(call.services.store.database, "rulesets"), call.query)


@get(blueprint, "/rulesets/<string:name>", shapes.RuleSet)
def get_ruleset(call: Call, name: str) -> Response:
    """Read a preset, or a published rule set: its newest version by `name`, any by `name@version`"""
    known = call.services.rulesets
    for preset in _presets(known):
        if preset.name == name:
            return read(preset)
    name, _, version = name.partition("@")
    found = [_published(r) for r in known.recorded(name)]
    found = [each for each in found if not version or str(each.version) == version]
    if not found:
        raise NotFound("rule set")
    return read(found[-1])


@command(
    blueprint,
    "POST",
    "/rulesets",
    shapes.RuleSet,
    who=Who.OPERATING,
    body=schemas.NewRuleSet(),
    query=schemas.DryRun(),
    problems=("name-taken",),
    whole_service=True,
    example={"name": "friday-club", "rules": {"base": "actionpoker", "last_card": "forced"}},
)
def publish_ruleset(call: Call) -> Response:
    """Publish a rule set, or the next version of one; versions never change"""
    rulesets = call.services.rulesets

    def wanted() -> Wanted:
        body = call.body.read()
        return Wanted(body["name"], body["rules"])

    name: str | None = call.body.valid.get("name")
    if call.query["dry_run"]:
        return would_be(rulesets.publication(name, wanted))
    outcome = rulesets.publish(call.command, name, wanted)
    made = _published(outcome.events[0])
    return written(201, made, repeat=outcome.repeat, location=f"/v1/rulesets/{made.reference}")


def _order(rules: shapes.RuleSet) -> tuple[str, int]:
    """By name, then version; presets have none."""
    return rules.name, rules.version or 0


def _presets(known: RuleSets) -> list[shapes.RuleSet]:
    return [_preset(name, ruleset_to_mapping(preset)) for name, preset in sorted(known.presets.items())]


def _preset(name: str, rules: dict[str, Any]) -> shapes.RuleSet:
    return shapes.RuleSet(
        name=name, version=None, reference=name, rules=rules, digest=ruleset_digest(rules), published_at=None
    )


def _published(r: Recorded) -> shapes.RuleSet:
    assert isinstance(r.event, RuleSetPublished)
    return shapes.RuleSet(
        name=r.event.name,
        version=r.event.version,
        reference=f"{r.event.name}@{r.event.version}",
        rules=r.event.ruleset,
        digest=r.event.digest,
        published_at=r.at,
        as_of=r.position,
    )
