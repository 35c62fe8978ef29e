"""Rule sets by name, from a file or from standard input, as the `big2 rules` commands take them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from big2.errors import MalformedError, RuleSetError
from big2.form import Node, parse_json
from big2.quoted import meant
from big2.rulesets import RuleSet, ruleset_from_mapping, ruleset_problems
from big2.switch_table import SWITCHES
from workers.files import UnreadableError, read_text
from workers.toml_text import NotTomlError, read_toml

LARGEST_RULES = 64 * 1024
"""Bytes: as much as the API takes."""
MOST_MISSING = 5
"""So many missing switches are told one by one; with more of them a preset to start from is what is missing."""


class WrongRulesError(UnreadableError):
    """A file that can be read, but is no rule set; `problems` has everything that is wrong with it."""

    def __init__(self, name: str, problems: list[RuleSetError]) -> None:
        super().__init__("\n".join([f"{name} is no rule set:", *(f"  {problem}" for problem in problems)]))
        self.problems = problems


def rules_of(name: str, presets: Mapping[str, RuleSet]) -> RuleSet:
    """The preset of a name, or the rule set in a TOML or JSON file, in whole or over a `base` preset.

    `-` is standard input: JSON where it begins with `{`, else TOML.

    Raises WrongRulesError where the file is no rule set, UnreadableError where there is none, or no TOML or JSON.
    """
    if name in presets:
        return presets[name]
    written = _mapping(name, presets)
    problems = _problems(written, presets)
    if problems:
        raise WrongRulesError(name, problems)
    return ruleset_from_mapping(written, presets)


def _problems(written: Mapping[str, object], presets: Mapping[str, RuleSet]) -> list[RuleSetError]:
    if set(written) == {"name", "rules"} and isinstance(written["rules"], Mapping):
        body = "this is a body for POST /v1/rulesets; check what is under `rules`"
        return [RuleSetError("rules", body)]
    problems = ruleset_problems(written, presets)
    missing = {switch.name for switch in SWITCHES if switch.required} - set(written)
    if "base" in written or len(missing) <= MOST_MISSING:
        return problems
    base = f"is missing, as are {len(missing)} switches: name the preset that they come from"
    told = RuleSetError("base", f"{base} ({', '.join(sorted(presets))})")
    return [told, *(problem for problem in problems if problem.field not in missing)]


def _mapping(name: str, presets: Mapping[str, RuleSet]) -> Mapping[str, object]:
    path = Path(name)
    if name != "-" and not _is_there(path):
        known = f"presets are {', '.join(sorted(presets))}{meant(path.stem, presets)}"
        raise UnreadableError(f"{name}: no such file, and no preset; {known}")
    text = read_text(name, LARGEST_RULES)
    try:
        if path.suffix.lower() == ".toml" or (name == "-" and not text.lstrip().startswith("{")):
            return read_toml(text)
        node = Node(parse_json(text))
        node.refuse_problem()
        return node.members()
    except NotTomlError as error:
        raise UnreadableError(f"{name}: {error}") from error
    except MalformedError as error:
        remedy = "" if name == "-" or path.suffix.lower() == ".json" else " (a TOML file is named .toml)"
        raise UnreadableError(f"{name}: {error.reason}{remedy}") from error


def _is_there(path: Path) -> bool:
    """Whether there is such a file; one that can't even be looked at is there, for whoever reads it to say why."""
    try:
        return path.exists()
    except OSError:
        return True
