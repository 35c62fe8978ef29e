"""Rule sets by name or from a file, as the `big2 rules` commands take them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from big2.errors import MalformedError, RuleSetError
from big2.form import Node, parse_json
from big2.rulesets import RuleSet, ruleset_from_mapping, ruleset_problems
from workers.files import UnreadableError, read_text

LARGEST_RULES = 64 * 1024
"""Bytes: as much as the API takes."""


class WrongRulesError(UnreadableError):
    """A file that can be read, but is no rule set; `problems` has everything that is wrong with it."""

    def __init__(self, name: str, problems: list[RuleSetError]) -> None:
        super().__init__("\n".join([f"{name} is no rule set:", *(f"  {problem}" for problem in problems)]))
        self.problems = problems


def rules_of(name: str, presets: Mapping[str, RuleSet]) -> RuleSet:
    """The preset of a name, or the rule set in a TOML or JSON file, in whole or over a `base` preset.

    Raises WrongRulesError where the file is no rule set, UnreadableError where there is none, or no TOML or JSON.
    """
    if name in presets:
        return presets[name]
    written = _mapping(name, presets)
    problems = ruleset_problems(written, presets)
    if problems:
        raise WrongRulesError(name, problems)
    return ruleset_from_mapping(written, presets)


def _mapping(name: str, presets: Mapping[str, RuleSet]) -> Mapping[str, object]:
    path = Path(name)
    if not path.exists():
        raise UnreadableError(
            f"{name}: no such file, and no preset; presets are {', '.join(sorted(presets))}"
        )
    text = read_text(name, LARGEST_RULES)
    try:
        if path.suffix.lower() == ".toml":
            return tomllib.loads(text)
        return Node(parse_json(text)).members()
    except tomllib.TOMLDecodeError as error:
        raise UnreadableError(f"{name}: is not TOML: {error}") from error
    except RecursionError as error:
        raise UnreadableError(f"{name}: is nested too deep") from error
    except MalformedError as error:
        remedy = "" if path.suffix.lower() == ".json" else " (a TOML file is named .toml)"
        raise UnreadableError(f"{name}: {error.reason}{remedy}") from error
