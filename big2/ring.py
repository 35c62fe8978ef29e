"""R10: ring play, the house's schedule of units, buy-ins and antes. In US cents."""

from dataclasses import dataclass
from typing import Final

from big2.errors import NoSuchStepError


@dataclass(frozen=True, slots=True)
class RingStep:
    """R10.1: what a ring table costs: `unit` a point, `buy_in` at least to sit down, `ante` a deal."""

    unit: int
    buy_in: int
    ante: int


@dataclass(frozen=True, slots=True)
class RingSchedule:
    """R10.3: a schedule is a version; a table keeps the one it was opened with."""

    name: str
    version: int
    currency: str
    steps: tuple[RingStep, ...]


ACTIONPOKER: Final = RingSchedule(
    "actionpoker",
    1,
    "USD",
    (
        RingStep(25, 1200, 10),
        RingStep(50, 2500, 15),
        RingStep(100, 5000, 30),
        RingStep(200, 5000, 60),
        RingStep(300, 11200, 70),
        RingStep(500, 12500, 90),
        RingStep(800, 20000, 120),
        RingStep(1000, 25000, 120),
        RingStep(1500, 30000, 180),
        RingStep(2000, 35000, 180),
    ),
)
"""R10.2. The source's row of antes has no figure at 1000 and 2000; the figure to the left spans both."""


def step_for(schedule: RingSchedule, unit: int) -> RingStep:
    """The step of a schedule with this unit, or `NoSuchStepError`."""
    for step in schedule.steps:
        if step.unit == unit:
            return step
    raise NoSuchStepError(unit)


def may_sit_down(step: RingStep, chips: int) -> bool:
    """R10.1: the buy-in is a minimum."""
    return chips >= step.buy_in


def may_be_dealt_in(step: RingStep, chips: int) -> bool:
    """R10.4: a player needs the ante and at least one unit behind it."""
    return chips >= step.unit + step.ante
