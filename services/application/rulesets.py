"""Rule sets: the presets that come with the service, and what operators publish under a name, version by version."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from big2.quoted import meant
from big2.rulesets import (
    RuleSet,
    ruleset_from_mapping,
    ruleset_on_record,
    ruleset_problems,
    ruleset_to_mapping,
)
from domain.errors import Conflicting, Refused
from domain.events import Event
from domain.ids import ruleset_id
from domain.ruleset import RULE_SET, PublishedRuleSet, RuleSetPublished, publish, ruleset_digest
from services.application import resources as shapes
from services.application.errors import NotFound
from services.commands import Decision, Outcome, execute, on
from services.envelope import Command, Recorded, Stream
from services.store import Store


class Wanted(NamedTuple):
    """A rule set to be published: its name, and its switches in whole or over a `base` preset.

    What could not be read of it is null, and `unread` says what is wrong there, by JSON pointer.
    """

    name: str | None
    rules: dict[str, Any] | None
    unread: Mapping[str, str] = MappingProxyType({})


def rule_set(known: RuleSets, reference: str) -> shapes.RuleSet:
    """A preset or a published rule set as it is read: the newest version of `name`, or `name@version`."""
    name, at, version = reference.partition("@")
    if reference in known.presets:
        return _preset(known, reference)
    found = [published_rule_set(r) for r in known.recorded(name)]
    found = [each for each in found if not at or str(each.version) == version]
    if not found:
        raise NotFound("rule set")
    return found[-1]


def preset_rule_sets(known: RuleSets) -> list[shapes.RuleSet]:
    """The presets as they are read, by name."""
    return [_preset(known, name) for name in sorted(known.presets)]


def published_rule_set(r: Recorded) -> shapes.RuleSet:
    """A published version as it is read."""
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


def _preset(known: RuleSets, name: str) -> shapes.RuleSet:
    rules = dict(ruleset_to_mapping(known.presets[name]))
    return shapes.RuleSet(
        name=name, version=None, reference=name, rules=rules, digest=ruleset_digest(rules), published_at=None
    )


class RuleSets:
    """Every rule set that a tournament can be played under."""

    def __init__(self, store: Store, presets: Mapping[str, RuleSet]) -> None:
        self.presets = presets
        self._store = store
        self._resolved: dict[str, RuleSet] = {}

    def resolve(self, reference: str) -> RuleSet:
        """The rule set of a preset's name or a published `name@version`; NotFound if there is none."""
        if reference in self.presets:
            return self.presets[reference]
        if reference not in self._resolved:  # a published version never changes
            name, _, version = reference.partition("@")
            found = next((v for v in self.versions(name) if str(v.version) == version), None)
            if found is None:
                raise NotFound("rule set")
            self._resolved[reference] = ruleset_on_record(found.ruleset)
        return self._resolved[reference]

    def pinned(self, reference: str) -> str:
        """How a structure names it for good: a preset by its name, a published one as `name@version`.

        Without a version that is the newest. Raises Refused at `/rules` if there is no such rule set.
        """
        if reference in self.presets:
            return reference
        name, at, _ = reference.partition("@")
        versions = self.versions(name)
        known = {f"{name}@{v.version}" for v in versions}
        wanted = reference if at or not versions else f"{name}@{versions[-1].version}"
        if wanted not in known:
            presets = ", ".join(sorted(self.presets))
            wrong = f"is no rule set: name a preset ({presets}) or a published one{meant(name, self.presets)}"
            raise Refused("validation", "The rule set is not known.", {"/rules": wrong})
        return wanted

    def versions(self, name: str) -> tuple[RuleSetPublished, ...]:
        """The published versions of a name, oldest first; none for a preset."""
        published = self._load(name).state
        return published.versions if published else ()

    def recorded(self, name: str) -> tuple[Recorded, ...]:
        """The same as they stand in the log."""
        return self._load(name).recorded

    def publish(self, command: Command, wanted: Wanted) -> Outcome[PublishedRuleSet]:
        """Publish the next version of a name."""

        def decide(stream: Stream[PublishedRuleSet], _now: object) -> Decision:
            return Decision([on(stream, *self._next(stream.state, wanted))])

        named = ruleset_id(wanted.name or "")
        with self._store.lock(named):
            return execute(self._store, command, (RULE_SET, named), decide)

    def publication(self, wanted: Wanted) -> list[Event]:
        """The events that `publish` would store."""
        return self._next(self._load(wanted.name or "").state, wanted)

    def _load(self, name: str) -> Stream[PublishedRuleSet]:
        return self._store.load(RULE_SET, ruleset_id(name))

    def _next(self, published: PublishedRuleSet | None, wanted: Wanted) -> list[Event]:
        name, rules = wanted.name, wanted.rules
        if name in self.presets:
            raise Conflicting("name-taken", f"{name} is a preset: publish under another name.")
        errors = dict(wanted.unread) | ({} if rules is None else self._problems(rules))
        if errors or name is None or rules is None:
            raise Refused("validation", "The rule set cannot be.", errors)
        return publish(published, name, dict(ruleset_to_mapping(ruleset_from_mapping(rules, self.presets))))

    def _problems(self, rules: dict[str, Any]) -> dict[str, str]:
        found = ruleset_problems(rules, self.presets)
        return {"/rules/" + p.field.replace("~", "~0").replace("/", "~1"): p.reason for p in found}
