"""R12: a whole rule set as TOML, and how two differ, in words."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from big2.rulesets import RuleSet, Written, ruleset_to_mapping
from big2.switch_table import SWITCHES, Switch


@dataclass(frozen=True, slots=True)
class Difference:
    """A switch in which two rule sets differ: how each writes it, and what that means."""

    switch: Switch
    first: Written
    first_words: str
    second: Written
    second_words: str

    @property
    def first_told(self) -> str:
        """The first one's value and its meaning; of a list, which says all by itself in words, the words alone."""
        return _told(self.first, self.first_words)

    @property
    def second_told(self) -> str:
        """The second one's value and its meaning, likewise."""
        return _told(self.second, self.second_words)


def _told(value: Written, words: str) -> str:
    return words if isinstance(value, list) else f"{toml_value(value)}, {words}"


def differences(first: RuleSet, second: RuleSet) -> Iterator[Difference]:
    """Each switch in which two rule sets differ, in the table's order."""
    one, other = ruleset_to_mapping(first), ruleset_to_mapping(second)
    for switch in SWITCHES:
        name = switch.name
        if one[name] != other[name]:
            words = (switch.form.words(getattr(rules, name)) for rules in (first, second))
            yield Difference(switch, one[name], next(words), other[name], next(words))


def ruleset_toml(rules: RuleSet) -> str:
    """A rule set in whole, one switch a line with its clause and its meaning; reading it gives the same rule set."""
    written = ruleset_to_mapping(rules)
    return "".join(_toml_lines(switch, written[switch.name]) for switch in SWITCHES)


def _toml_lines(switch: Switch, value: Written) -> str:
    return f"# {switch.clause}: {switch.meaning}\n{switch.name} = {toml_value(value)}\n"


def toml_value(value: Written) -> str:
    """A switch's value as TOML and JSON both write it.

    >>> toml_value(True), toml_value("DCHS"), toml_value([[10, 2]])
    ('true', '"DCHS"', '[[10, 2]]')
    """
    return json.dumps(value)
