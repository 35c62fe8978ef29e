"""R10: ring play. What its tables cost, by a schedule of the house; amounts are in a currency's minor units."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from big2.errors import NoSuchStepError

MOST_UNIT: Final = 1_000_000_000
"""The greatest unit: what a hand's points come to stays an integer that every reader of JSON holds."""
MOST_MONEY: Final = 2**53 - 1
"""The most money that may lie on one table, for the same reason."""


@dataclass(frozen=True, slots=True)
class RingStep:
    """R10.1: what a ring table costs: `unit` a point, `buy_in` at least to sit down, `ante` a deal."""

    unit: int
    buy_in: int
    ante: int


def step_for(steps: Sequence[RingStep], unit: int) -> RingStep:
    """The step of a schedule with this unit, or `NoSuchStepError`."""
    for step in steps:
        if step.unit == unit:
            return step
    raise NoSuchStepError(unit)


def may_sit_down(step: RingStep, chips: int) -> bool:
    """R10.1: the buy-in is a minimum."""
    return chips >= step.buy_in


def may_be_dealt_in(step: RingStep, chips: int) -> bool:
    """R10.4: a player needs the ante and at least one unit behind it."""
    return chips >= step.unit + step.ante


def schedule_problems(steps: Sequence[RingStep]) -> Iterator[tuple[str, str]]:
    """Everything that is wrong with a schedule, each as a JSON pointer into its steps and a reason with its clause.

    >>> list(schedule_problems([RingStep(100, 129, 30)]))
    [('/0/buy_in', 'must be 130 at least: a player needs one unit and the ante to be dealt in (R10.4)')]
    """
    for place, step in enumerate(steps):
        if any(step.unit == before.unit for before in steps[:place]):
            yield f"/{place}/unit", "stands there twice: a unit has one buy-in and one ante (R10.1)"
        if not may_be_dealt_in(step, step.buy_in):
            least = step.unit + step.ante
            yield (
                f"/{place}/buy_in",
                f"must be {least} at least: a player needs one unit and the ante to be dealt in (R10.4)",
            )
