"""R12: a rule set is data. Every choice that the rulebook leaves to a room is a switch of `RuleSet`.

A preset is a rule set that comes with the service; an inline rule set is `{"base": preset, …}` and the
switches that differ. Reading checks every switch: an unknown one, a wrong type, a value that is not offered,
values that contradict each other. Nothing is ignored.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from itertools import pairwise
from typing import Final, TypeVar

from big2.actions import AUTOMATIC, PassReason
from big2.cards import RANKS, SUITS, Card, card_text, parse_stored_card
from big2.errors import NotationError, RuleSetError
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

MOST_CARDS: Final = 13
HIGHEST_FACTOR: Final = 1_000
"""A limit on a tier's factor: larger ones are slips of the pen."""

LOWEST_DEALT: Final = "lowest_dealt"
SEQUENCES: Final = tuple((RANKS[11:] + RANKS)[start : start + 5] for start in range(11))
"""R3.5: the straights that some room plays: A2345, 23456, 34567 … TJQKA, JQKA2; KA234 and QKA23 never are."""

Switch = str | bool | list[str | list[int]]


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
    readings, problems = _read(mapping, presets)
    if problems:
        raise problems[0]
    return RuleSet(**readings)  # type: ignore[arg-type]


def ruleset_problems(mapping: Mapping[str, object], presets: Mapping[str, RuleSet]) -> list[RuleSetError]:
    """Everything that is wrong with a rule set as written, all at once."""
    return _read(mapping, presets)[1]


def ruleset_to_mapping(rules: RuleSet) -> dict[str, Switch]:
    """The whole rule set as it is written; reading it gives the same rule set."""
    return {name: _written(name, value) for name, value in asdict(rules).items()}


def _written(name: str, value: object) -> Switch:
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
        problems += [RuleSetError(name, "is missing") for name in _REQUIRED if name not in mapping]
    return readings, problems


def _base(mapping: Mapping[str, object], presets: Mapping[str, RuleSet]) -> dict[str, object]:
    if "base" not in mapping:
        return {}
    base = mapping["base"]
    if not isinstance(base, str) or base not in presets:
        raise RuleSetError("base", f"is not a preset; presets are {', '.join(sorted(presets))}")
    return {field.name: getattr(presets[base], field.name) for field in fields(RuleSet)}


def _read_switch(
    name: str, written: object, readings: dict[str, object], problems: list[RuleSetError]
) -> None:
    reader = _READERS.get(name)
    if reader is None:
        problems.append(RuleSetError(name, "is not a switch of a rule set"))
        return
    try:
        readings[name] = reader(written)
    except ValueError as error:
        problems.append(RuleSetError(name, str(error)))


Chosen = TypeVar("Chosen", bound=StrEnum)


def _one_of(choices: type[Chosen]) -> Callable[[object], Chosen]:
    def read(written: object) -> Chosen:
        for choice in choices:
            if written == choice.value and isinstance(written, str):
                return choice
        raise ValueError(f"must be one of {', '.join(choices)}")

    return read


def _yes_or_no(written: object) -> bool:
    if not isinstance(written, bool):
        raise ValueError("must be true or false")  # noqa: TRY004 - one error for whatever is wrong with a switch
    return written


def _suits(written: object) -> str:
    if not isinstance(written, str) or sorted(written) != sorted(SUITS):
        raise ValueError("must name the four suits D, C, H and S, each once, low to high")
    return written


def _listed(written: object) -> Iterator[object]:
    if not isinstance(written, list | tuple):
        raise ValueError("must be a list")  # noqa: TRY004
    return iter(written)


def _straights(written: object) -> tuple[str, ...]:
    sequences = tuple(_sequence(text) for text in _listed(written))
    if len(set(sequences)) != len(sequences):
        raise ValueError("names a straight twice")
    return sequences


def _sequence(text: object) -> str:
    if not isinstance(text, str) or text not in SEQUENCES:
        raise ValueError(f"may only name {', '.join(SEQUENCES)}")
    return text


def _opening_card(written: object) -> Card | None:
    if written == LOWEST_DEALT:
        return None
    try:
        return parse_stored_card(written if isinstance(written, str) else "")
    except NotationError:
        raise ValueError(f"must be {LOWEST_DEALT} or a card such as 3D") from None


def _auto_pass(written: object) -> tuple[PassReason, ...]:
    named = list(_listed(written))
    reasons = tuple(reason for reason in AUTOMATIC if reason.value in named)
    if len(reasons) != len(named):
        raise ValueError(f"may only name {' and '.join(AUTOMATIC)}, each once")
    return reasons


def _point_tiers(written: object) -> tuple[tuple[int, int], ...]:
    tiers = tuple(_tier(tier) for tier in _listed(written))
    if any(low[0] >= high[0] for low, high in pairwise(tiers)):
        raise ValueError("must name rising numbers of cards")
    return tiers


def _tier(tier: object) -> tuple[int, int]:
    match tier:
        case [int(cards), int(factor)] if bool not in (type(cards), type(factor)):
            if 1 <= cards <= MOST_CARDS and 1 <= factor <= HIGHEST_FACTOR:
                return cards, factor
    raise ValueError(f"must hold pairs of cards (1–{MOST_CARDS}) and a factor (1–{HIGHEST_FACTOR})")


_READERS: Final[Mapping[str, Callable[[object], object]]] = {
    "suits": _suits,
    "straights": _straights,
    "straight_tie": _one_of(StraightTie),
    "flush": _one_of(FlushOrder),
    "straight_flush": _one_of(StraightFlushOrder),
    "triples": _yes_or_no,
    "quads_kicker": _yes_or_no,
    "quads_beat_any": _yes_or_no,
    "opening_card": _opening_card,
    "opening_play": _one_of(OpeningPlay),
    "opening_scope": _one_of(OpeningScope),
    "direction": _one_of(DirectionRule),
    "pass_locks_trick": _yes_or_no,
    "auto_pass": _auto_pass,
    "duty": _one_of(DutyRule),
    "last_card": _one_of(LastCard),
    "liability": _one_of(Liability),
    "point_tiers": _point_tiers,
    "twos": _one_of(TwosRule),
    "comparison": _one_of(Comparison),
    "settlement_order": _one_of(SettlementOrder),
    "stake_cap": _one_of(StakeCap),
    "dragon": _yes_or_no,
}

_REQUIRED: Final = tuple(name for name in _READERS if not name.startswith("quads_"))
