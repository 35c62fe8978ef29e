"""A tournament's structure: its published terms, as data. Integers everywhere; chips = points × unit."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any, Literal

import msgspec

from big2.rulesets import RuleSet
from big2.settlement import most_points
from big2.switches import StakeCap
from domain.errors import Refused

DEFAULT_UNIT_LEVELS = (1, 2, 4, 8, 12, 20, 32, 40, 60, 80)  # R10.2's ladder
SIT_AND_GO_CAPACITIES = (2, 3, 4, 8, 16)
SIT_AND_GO_CAPACITY = 4
LARGEST_CAPACITY = 10_000
ENTRIES_PER_PLACE = 10
"""Late entry takes so many times the capacity in all, so that no sum passes what is held exactly."""
FEWEST = 2
WHOLE = 10_000  # basis points
LARGEST_AMOUNT = 2**53  # what every JSON reader holds exactly

SEASON_HANDS = 100_000
"""A player's sums over so many hands of a league stay below that, whatever he wins."""

CHIP_DEFAULTS: dict[str, Any] = {"stack_points": 50, "unit_levels": DEFAULT_UNIT_LEVELS}
LEAGUE_DEFAULTS: dict[str, Any] = {"stack_points": 0, "unit_levels": (1,)}
"""A league is played for points, at one unit."""

Format = Literal["sit_and_go", "freezeout", "league"]


class BuyIn(msgspec.Struct, frozen=True, kw_only=True):
    """What an entry costs, in minor units of `currency`: `amount` goes to the prize pool, `fee` to the house."""

    amount: int
    fee: int
    currency: str

    @property
    def price(self) -> int:
        """What the player pays in all."""
        return self.amount + self.fee


class Structure(msgspec.Struct, frozen=True, kw_only=True):
    """All terms of one tournament, defaults filled in; `rules` names a preset or a published `name@version`.

    `recorded`: it is played with real cards, and each hand's result is recorded. `guarantee` is what the prize pool
    holds at least, in the buy-in's currency. Until `late_entry_levels` levels are over players may
    enter, and enter again once they are out. For `entropy_seconds` before each deal players may send entropy for it.
    """

    name: str
    format: Format
    rules: str = "actionpoker"
    seats_per_table: int = 4
    capacity: int = LARGEST_CAPACITY
    min_entrants: int = FEWEST
    starts_at: datetime | None = None
    unit: int = 1
    stack_points: int = 50
    unit_levels: tuple[int, ...] = DEFAULT_UNIT_LEVELS
    hands_per_level: int = 3
    minutes_per_level: int | None = None
    turn_seconds: int = 30
    between_hands_seconds: int = 3
    protest_seconds: int = 0
    no_show_hands: int = 2
    prizes_bp: tuple[int, ...] | Literal["standard"] = "standard"
    recorded: bool = False
    buy_in: BuyIn | None = None
    guarantee: int = 0
    late_entry_levels: int = 0
    entropy_seconds: int = 0

    @property
    def for_points(self) -> bool:
        """Whether nobody has a stack, and nothing is cut (R8.3)."""
        return self.format == "league"

    @property
    def stack(self) -> int:
        """Chips that each entrant starts with."""
        return self.stack_points * self.unit

    @property
    def most_entries(self) -> int:
        """How many entries are taken in all, re-entries included."""
        return self.capacity * (ENTRIES_PER_PLACE if self.late_entry_levels else 1)

    def overlay(self, entries: int) -> int:
        """What the house adds to the buy-ins of so many entries."""
        return max(self.guarantee - self._buy_ins(entries), 0)

    def pool_of(self, entries: int) -> int | None:
        """What so many entries make to play for; null without a buy-in."""
        return self._buy_ins(entries) + self.overlay(entries) if self.buy_in else None

    def _buy_ins(self, entries: int) -> int:
        return self.buy_in.amount * entries if self.buy_in else 0

    def unit_at(self, level: int) -> int:
        """Chips per point at `level` (from 1); the last level stays."""
        return self.unit * self.unit_levels[min(level, len(self.unit_levels)) - 1]


def structure(terms: dict[str, Any], now: datetime) -> Structure:
    """The structure of well-typed `terms`, each format's defaults filled in.

    Raises Refused("validation") with every contradiction at once, by JSON pointer.
    """
    filled = {**format_defaults(terms["format"], terms.get("capacity")), **terms}
    for name in ("unit_levels", "prizes_bp"):
        if isinstance(filled.get(name), list):
            filled[name] = tuple(filled[name])
    if isinstance(filled.get("buy_in"), dict):
        filled["buy_in"] = BuyIn(**filled["buy_in"])
    made = Structure(**filled)
    errors: dict[str, str] = {}
    for pointer, reason in _contradictions(made, now):
        errors[pointer] = f"{errors[pointer]}; {reason}" if pointer in errors else reason
    if errors:
        raise Refused("validation", "The structure contradicts itself.", errors)
    return made


def misfits(terms: Structure, rules: RuleSet) -> dict[str, str]:
    """What makes the terms and their rule set no tournament together, by JSON pointer."""
    errors = {}
    if rules.stake_cap is StakeCap.NONE and not terms.for_points:
        errors["/rules"] = "has no table stakes (stake_cap none), and these formats are played for chips"
    payment = terms.unit_at(len(terms.unit_levels)) * most_points(rules)
    if payment >= LARGEST_AMOUNT:
        errors["/unit"] = "a payment could pass 2^53: lower unit or unit_levels"
    elif terms.for_points and payment * SEASON_HANDS >= LARGEST_AMOUNT:
        errors["/unit"] = "a season's payments could pass 2^53: lower unit"
    return errors


def structure_hash(published: Structure) -> str:
    """SHA-256 of the structure as canonical JSON (RFC 8785), in hexadecimal."""
    return hashlib.sha256(msgspec.json.encode(published, order="sorted")).hexdigest()


def format_defaults(format_: str, capacity: int | None) -> dict[str, Any]:
    """What follows from the format, and from the capacity where that is given."""
    if format_ == "sit_and_go":
        seats = capacity or SIT_AND_GO_CAPACITY
        return {"capacity": seats, "min_entrants": seats, **CHIP_DEFAULTS}
    terms = LEAGUE_DEFAULTS if format_ == "league" else CHIP_DEFAULTS
    return {"capacity": capacity or LARGEST_CAPACITY, "min_entrants": FEWEST, **terms}


def _contradictions(s: Structure, now: datetime) -> list[tuple[str, str]]:
    """Every contradiction as (JSON pointer, what is wrong and what would do)."""
    sit_and_go = s.format == "sit_and_go"
    several_tables = s.capacity > s.seats_per_table
    checks = [
        (
            sit_and_go and s.capacity not in SIT_AND_GO_CAPACITIES,
            "/capacity",
            f"a sit_and_go takes {_either(SIT_AND_GO_CAPACITIES)} entrants",
        ),
        (
            sit_and_go and s.min_entrants != s.capacity,
            "/min_entrants",
            f"a sit_and_go starts when full: {s.capacity}",
        ),
        (
            not s.for_points and s.stack_points == 0,
            "/stack_points",
            "must be 1 at least: it is played for chips",
        ),
        (
            s.format == "freezeout" and s.seats_per_table == 2,
            "/seats_per_table",
            "two-seat tables cannot be balanced: a freezeout has 3 or 4 seats",
        ),
        (
            sit_and_go and several_tables and s.seats_per_table == 2,
            "/seats_per_table",
            "two-seat tables cannot be balanced: use 3 or 4 seats, or capacity 2",
        ),
        (s.min_entrants > s.capacity, "/min_entrants", f"no more than the capacity, {s.capacity}"),
        (s.starts_at is not None and s.starts_at <= now, "/starts_at", "lies in the past"),
        (
            s.prizes_bp != "standard" and sum(s.prizes_bp) != WHOLE,
            "/prizes_bp",
            f"must sum to {WHOLE} basis points",
        ),
        (
            s.prizes_bp != "standard" and len(s.prizes_bp) > s.capacity,
            "/prizes_bp",
            f"has more places than the {s.capacity} entrants",
        ),
        (
            list(s.unit_levels) != sorted(set(s.unit_levels)),
            "/unit_levels",
            "must rise from level to level",
        ),
        (
            s.stack * s.most_entries >= LARGEST_AMOUNT,
            "/unit",
            "chips in all would pass 2^53: lower unit, stack_points or capacity",
        ),
    ]
    checks += _of_money(s) + _of_late_entry(s)
    checks.append(
        (
            s.recorded and s.entropy_seconds > 0,
            "/entropy_seconds",
            "with real cards nothing is shuffled here: leave it out",
        )
    )
    if s.for_points:
        checks += _not_of_a_league(s)
    return [(pointer, reason) for wrong, pointer, reason in checks if wrong]


def _of_money(s: Structure) -> list[tuple[bool, str, str]]:
    paid = s.buy_in.price * s.most_entries if s.buy_in else 0
    return [
        (
            s.guarantee > 0 and s.buy_in is None,
            "/guarantee",
            "needs a buy_in, whose currency it is in: add one, or leave it out",
        ),
        (
            paid >= LARGEST_AMOUNT,
            "/buy_in/amount",
            "all entries together would pass 2^53: lower amount, fee or capacity",
        ),
    ]


def _of_late_entry(s: Structure) -> list[tuple[bool, str, str]]:
    late, levels = s.late_entry_levels > 0, len(s.unit_levels)
    return [
        (
            late and s.format != "freezeout",
            "/late_entry_levels",
            "only a freezeout takes late entries: leave it out",
        ),
        (
            late and s.recorded,
            "/late_entry_levels",
            "with real cards late entry is not offered by this release: leave it out",
        ),
        (
            s.late_entry_levels > levels,
            "/late_entry_levels",
            f"no more than the {levels} levels of unit_levels",
        ),
    ]


def _not_of_a_league(s: Structure) -> list[tuple[bool, str, str]]:
    return [
        (not s.recorded, "/recorded", "a league of dealt events is not offered by this release: send true"),
        (s.stack_points != 0, "/stack_points", "a league is played for points, without stacks: leave it out"),
        (s.unit_levels != (1,), "/unit_levels", "a league has no levels: leave it out"),
        (s.minutes_per_level is not None, "/minutes_per_level", "a league has no levels: leave it out"),
    ]


def _either(numbers: tuple[int, ...]) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} or {last}"
