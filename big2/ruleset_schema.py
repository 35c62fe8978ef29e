"""R12: what JSON Schema (draft 2020-12) can say of a rule set as it is written, made from the table of switches.

Beyond it: the numbers of cards of `point_tiers` rise, and its factors never fall. A number is written as a whole one,
`2` and not `2.0`.
"""

from collections.abc import Iterable
from typing import Any, Final

from big2.switch_forms import Schema
from big2.switch_table import SWITCHES, Switch

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
ID: Final = "urn:big2-ruleset:1"
_TEXT: Final = (
    "A rule set of Big 2: all its switches, or a `base` preset and the switches that differ. Beyond this schema: in "
    "`point_tiers` the numbers of cards rise and the factors never fall."
)


def ruleset_schema(presets: Iterable[str]) -> Schema:
    """The schema of a rule set, in whole or over one of the presets of these names."""
    return {"$schema": DIALECT, "$id": ID, "title": "big2-ruleset/1"} | ruleset_definition(presets)


def ruleset_definition(presets: Iterable[str]) -> Schema:
    """The same without a name and a dialect of its own, to stand within another schema."""
    base = {"description": "The preset from which this rule set differs.", "enum": sorted(presets)}
    required = [switch.name for switch in SWITCHES if switch.required]
    return {
        "description": _TEXT,
        "type": "object",
        "anyOf": [{"required": ["base"]}, {"required": required}],
        "properties": {"base": base} | {switch.name: _described(switch) for switch in SWITCHES},
        "additionalProperties": False,
    }


def _described(switch: Switch) -> Schema:
    meaning = switch.meaning[0].upper() + switch.meaning[1:]
    described: dict[str, Any] = {"description": f"{meaning} ({switch.clause})."}
    if switch.default is not None:
        described["default"] = switch.default
    return described | switch.form.schema
