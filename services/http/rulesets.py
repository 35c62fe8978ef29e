"""Rule sets."""

from __future__ import annotations

from flask import Response

from services.application import lists
from services.application import resources as shapes
from services.application.rulesets import Wanted, published_rule_set, rule_set
from services.http import queries, schemas
from services.http.access import Who
from services.http.answers import key_of, listed, read, written
from services.http.calls import Call
from services.http.routing import Routes, command, get, listing
from services.http.wouldbe import would_be

blueprint = Routes("rule sets", "Built-in presets and published rule sets (R12)")


@listing(blueprint, "/rulesets", shapes.RuleSet, query=queries.Paged())
def list_rulesets(call: Call) -> Response:
    """List the presets and every version of the published rule sets, by name"""
    key = key_of(call.query.get("cursor"), str, int)
    after = (str(key[0]), int(key[1])) if key else None
    page = lists.rule_sets(call.database, call.services.rulesets, after, call.query["limit"])
    return listed(page, lists.newest(call.database, "rulesets"), call.query)


@get(blueprint, "/rulesets/<string:name>", shapes.RuleSet)
def get_ruleset(call: Call, name: str) -> Response:
    """Read a preset, or a published rule set: its newest version by `name`, any by `name@version`"""
    return read(rule_set(call.services.rulesets, name))


@command(
    blueprint,
    "POST",
    "/rulesets",
    shapes.RuleSet,
    who=Who.OPERATING,
    body=schemas.NewRuleSet(),
    query=queries.DryRun(),
    problems=("name-taken",),
    whole_service=True,
    located=True,
    example={"name": "friday-club", "rules": {"base": "actionpoker", "last_card": "forced"}},
)
def publish_ruleset(call: Call) -> Response:
    """Publish a rule set, or the next version of one; versions never change"""
    rulesets = call.services.rulesets
    sent = call.body.valid
    wanted = Wanted(sent.get("name"), sent.get("rules"), call.body.unread)
    if call.query["dry_run"]:
        return would_be(rulesets.publication(wanted))
    outcome = rulesets.publish(call.command, wanted)
    made = published_rule_set(outcome.events[0])
    return written(201, made, repeat=outcome.repeat, location=f"/v1/rulesets/{made.reference}")
