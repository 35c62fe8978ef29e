"""R12: a rule set is data. Every choice that the rulebook leaves to a room is a switch of `RuleSet`.

A preset is a rule set that comes with the service; an inline rule set is `{"base": preset, …}` and the
switches that differ. Reading checks every switch: an unknown one, a wrong type, a value that is not offered,
values that contradict each other. Nothing is ignored. `switch_table` says what there is to choose.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import Any

from big2.actions import PassReason
from big2.cards import Card, card_text
from big2.errors import RuleSetError
from big2.quoted import meant
from big2.switch_forms import LOWEST_DEALT, MOST_CARDS
from big2.switch_table import BY_NAME, SWITCHES
from big2.switches import (
    Comparison,
    DirectionRule,
    DutyRule,
    FlushOrder,
    LastCard,
    Liability,
    OpeningPlay,
    OpeningScope,
    SettlementOrder,
    StakeCap,
    StraightFlushOrder,
    StraightTie,
    TwosRule,
)

__all__ = [
    "MOST_CARDS",
    "RuleSet",
    "Written",
    "ruleset_from_mapping",
    "ruleset_on_record",
    "ruleset_problems",
    "ruleset_to_mapping",
]

Written = str | bool | list[str | list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """All choices of R1–R12 as one value. Immutable: a change is a new version (R12).

    `opening_card` is None for the lowest card dealt. A tier `(cards, factor)` of `point_tiers` multiplies the
    points of whoever has at least so many cards left. The two `quads_` switches are met in other programs:
    with `quads_kicker` four of a kind is five cards, without it the four alone; with `quads_beat_any` it also
    beats every card set of another number of cards.
    """

    suits: str
    straights: tuple[str, ...]
    straight_tie: StraightTie
    flush: FlushOrder
    straight_flush: StraightFlushOrder
    triples: bool
    opening_card: Card | None
    opening_play: OpeningPlay
    opening_scope: OpeningScope
    direction: DirectionRule
    pass_locks_trick: bool
    auto_pass: tuple[PassReason, ...]
    duty: DutyRule
    last_card: LastCard
    liability: Liability
    point_tiers: tuple[tuple[int, int], ...]
    twos: TwosRule
    comparison: Comparison
    settlement_order: SettlementOrder
    stake_cap: StakeCap
    dragon: bool
    quads_kicker: bool = True
    quads_beat_any: bool = False


def ruleset_from_mapping(mapping: Mapping[str, object], presets: Mapping[str, RuleSet]) -> RuleSet:
    """Read a rule set, written in whole or as a base preset and what differs; raise the first `RuleSetError`."""
    return _made(*_read(mapping, presets))


def ruleset_problems(mapping: Mapping[str, object], presets: Mapping[str, RuleSet]) -> list[RuleSetError]:
    """Everything that is wrong with a rule set as written, all at once."""
    return _read(mapping, presets)[1]


def ruleset_on_record(mapping: Mapping[str, object]) -> RuleSet:
    """A rule set that was accepted once, from its whole writing; whether it would be today is not asked again."""
    return _made(*_readings(mapping, {}))


def _made(readings: dict[str, Any], problems: list[RuleSetError]) -> RuleSet:
    if problems:
        raise problems[0]
    return RuleSet(**readings)


def ruleset_to_mapping(rules: RuleSet) -> dict[str, Written]:
    """The whole rule set as it is written; reading it gives the same rule set."""
    return {name: _written(name, value) for name, value in asdict(rules).items()}


def _written(name: str, value: object) -> Written:
    match value:
        case None:
            return LOWEST_DEALT
        case int() if name == "opening_card":
            return card_text(Card(value))
        case tuple():
            return [list(item) if isinstance(item, tuple) else str(item) for item in value]
        case bool():
            return value
        case _:
            return str(value)


def _read(
    mapping: Mapping[str, object], presets: Mapping[str, RuleSet]
) -> tuple[dict[str, object], list[RuleSetError]]:
    readings, problems = _readings(mapping, presets)
    return readings, [*problems, *_contradictions(readings)]


def _contradictions(readings: Mapping[str, Any]) -> Iterator[RuleSetError]:
    """Values that are offered, but cannot be meant together. A switch without effect is none of them."""
    falls = [
        f"factor {less} from {more} cards on is less than {factor} from {fewer} on"
        for (fewer, factor), (more, less) in pairwise(readings.get("point_tiers", ()))
        if less < factor
    ]
    if falls:
        why = "who has more cards left never has fewer points (R8.1)"
        yield RuleSetError("point_tiers", f"{', '.join(falls)}: {why}")


def _readings(
    mapping: Mapping[str, object], presets: Mapping[str, RuleSet]
) -> tuple[dict[str, object], list[RuleSetError]]:
    readings: dict[str, object] = {}
    problems: list[RuleSetError] = []
    try:
        readings = _base(mapping, presets)
    except RuleSetError as problem:
        problems.append(problem)
    for name, written in mapping.items():
        if name != "base":
            _read_switch(name, written, readings, problems)
    if "base" not in mapping:
        missing = [switch.name for switch in SWITCHES if switch.required and switch.name not in mapping]
        problems += [RuleSetError(name, "is missing") for name in missing]
    return readings, problems


def _base(mapping: Mapping[str, object], presets: Mapping[str, RuleSet]) -> dict[str, object]:
    if "base" not in mapping:
        return {}
    base = mapping["base"]
    if not isinstance(base, str) or base not in presets:
        near = meant(base, presets) if isinstance(base, str) else ""
        raise RuleSetError("base", f"is not a preset; presets are {', '.join(sorted(presets))}{near}")
    return {field.name: getattr(presets[base], field.name) for field in fields(RuleSet)}


def _read_switch(
    name: str, written: object, readings: dict[str, object], problems: list[RuleSetError]
) -> None:
    switch = BY_NAME.get(name)
    if switch is None:
        problems.append(RuleSetError(name, "is not a switch of a rule set" + meant(name, BY_NAME)))
        return
    try:
        readings[name] = switch.form.read(written)
    except ValueError as error:
        problems.append(RuleSetError(name, str(error)))
