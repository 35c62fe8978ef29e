"""A published rule set: a name, and versions that never change once published."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from domain.aggregate import Aggregate
from domain.events import Event, Public


class RuleSetPublished(Event, frozen=True, kw_only=True):
    name: Public[str]
    version: Public[int]
    ruleset: Public[dict[str, Any]]
    digest: Public[str]


class PublishedRuleSet(msgspec.Struct, frozen=True):
    name: str
    versions: tuple[RuleSetPublished, ...]


def evolve(published: PublishedRuleSet | None, event: Event) -> PublishedRuleSet:
    match event:
        case RuleSetPublished():
            earlier = published.versions if published else ()
            return PublishedRuleSet(event.name, (*earlier, event))
    raise AssertionError(f"{type(event).__name__} is no event of a rule set")


RULE_SET = Aggregate("ruleset", evolve)


def publish(published: PublishedRuleSet | None, name: str, ruleset: dict[str, Any]) -> list[Event]:
    """The next version of `name`; `ruleset` is a whole, validated rule set."""
    version = len(published.versions) + 1 if published else 1
    return [RuleSetPublished(name=name, version=version, ruleset=ruleset, digest=ruleset_digest(ruleset))]


def ruleset_digest(ruleset: dict[str, Any]) -> str:
    """SHA-256 of the rule set as canonical JSON (RFC 8785), in hexadecimal."""
    return hashlib.sha256(msgspec.json.encode(ruleset, order="sorted")).hexdigest()
