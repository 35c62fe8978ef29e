"""`make bench`: how fast the rules are, as ratios within one run on one core.

(a) plain combinations and (b) a bare loop on bitmasks are in `baselines`; (c) is the engine as everybody uses it: a
preset, every check, duties, automatic passes, the settlement. All three choose at random in the same way from the same
deals.
"""

import argparse
import json
import os
import platform
import random
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import track
from rich.table import Table

from big2.assistant import plays_of
from big2.card_sets import legal_plays
from big2.cards import mask_of
from big2.hand import apply, may_pass, pass_turn, play_mask, start
from big2.rulesets import RuleSet
from big2.settlement import settle
from big2.table import Direction
from services.bootstrap import presets
from tests.bench.baselines import mask_hand, mask_plays, plain_hand, plain_plays

DEALS = 40
PASSES = 3
STACKS = dict.fromkeys((1, 2, 3, 4), 50)


class Goal(NamedTuple):
    """What is to be reached: so many times a baseline."""

    task: str
    baseline: str
    ratio: float


FITTING = "a, fitting"
"""(a) when it looks only at combinations of as many cards as the set to beat; for comparison, without a goal."""

GOALS = (
    Goal("legal plays, 13 cards on the lead", "a", 500),
    Goal("whole random hands", "a", 60),
    Goal("whole random hands", "b", 0.6),
)


def full_hand(rules: RuleSet, rng: random.Random, holdings: list[int]) -> int:
    """Play a hand at random with (c), and settle it; the number of turns."""
    hand = start(
        rules,
        dealer=1,
        direction=Direction.CLOCKWISE,
        leader=None,
        holdings=dict(enumerate(holdings, 1)),
    )
    while hand.turn is not None:
        plays = plays_of(hand)
        choice = int(rng.random() * (len(plays) + may_pass(hand)))
        if choice < len(plays):
            mask = plays[choice].mask
            actions = play_mask(hand, hand.turn, mask)
        else:
            actions = pass_turn(hand, hand.turn)
        for action in actions:
            hand = apply(hand, action)
    settle(hand, 1, STACKS)
    return hand.turn_number


def rates(rules: RuleSet, seed: int) -> dict[tuple[str, str], float]:
    """One round: by task and contender, how many a second."""
    rng = random.Random(seed)
    deals = [_deal(rng) for _ in range(DEALS)]
    masks = [[mask_of(cards) for cards in deal] for deal in deals]
    lists = [holding for deal in deals for holding in deal]
    holdings = [holding for deal in masks for holding in deal]
    lead, hands = GOALS[0].task, GOALS[1].task
    return {
        (lead, "a"): _rate(lists, lambda holding, _: list(plain_plays(holding))),
        (lead, "b"): _rate(holdings, lambda holding, _: mask_plays(holding, 0)),
        (lead, "c"): _rate(holdings, lambda holding, _: legal_plays(rules, holding)),
        (hands, "a"): _rate(deals, lambda deal, rng: plain_hand(rng, [*deal])),
        (hands, FITTING): _rate(deals, lambda deal, rng: plain_hand(rng, [*deal], fitting=True)),
        (hands, "b"): _rate(masks, lambda deal, rng: mask_hand(rng, [*deal])),
        (hands, "c"): _rate(masks, lambda deal, rng: full_hand(rules, rng, deal)),
    }


def _deal(rng: random.Random) -> list[list[int]]:
    pack = rng.sample(range(52), 52)
    return [sorted(pack[first : first + 13]) for first in range(0, 52, 13)]


def _rate(items: list[Any], task: Callable[[Any, random.Random], object]) -> float:
    """The best of some passes over the same choices: what else the machine does can only slow a pass."""
    return max(_pass_rate(items, task) for _ in range(PASSES))


def _pass_rate(items: list[Any], task: Callable[[Any, random.Random], object]) -> float:
    rng = random.Random(0)
    began = perf_counter()
    for item in items:
        task(item, rng)
    return len(items) / (perf_counter() - began)


def main() -> None:
    """Time every contender, round by round, and print the ratios beside the goals."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=10, help="rounds of all contenders in turn (10)")
    parser.add_argument(
        "--rules", default="actionpoker", choices=sorted(presets()), help="a preset (actionpoker)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    _stay_on_one_core()
    rules = presets()[asked.rules]
    rates(rules, 0)  # to warm up: the rule set's book is written
    seeds = track(
        range(1, asked.rounds + 1), "timing, a minute or two", transient=True, console=Console(stderr=True)
    )
    rounds = [rates(rules, seed) for seed in seeds]
    show_json(rounds) if asked.json else show_table(rounds)


def _stay_on_one_core() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


Rounds = list[dict[tuple[str, str], float]]


def ratio(rounds: Rounds, goal: Goal) -> float:
    """The median over the rounds of how many times the baseline the engine does."""
    return median(each[goal.task, "c"] / each[goal.task, goal.baseline] for each in rounds)


def show_json(rounds: Rounds) -> None:
    """Print the medians and ratios for a program."""
    medians = {f"{task} ({who})": median(each[task, who] for each in rounds) for task, who in rounds[0]}
    ratios = [goal._asdict() | {"measured": ratio(rounds, goal)} for goal in GOALS]
    json.dump(
        {"python": platform.python_version(), "per_second": medians, "ratios": ratios}, sys.stdout, indent=2
    )
    sys.stdout.write("\n")


def show_table(rounds: Rounds) -> None:
    """Print them for people."""
    console = Console()
    speeds = Table(
        "task", "(a) plain", "(b) bitmasks", "(c) the engine", title="per second, median of the rounds"
    )
    for task in dict.fromkeys(goal.task for goal in GOALS):
        speeds.add_row(task, *(f"{median(each[task, who] for each in rounds):,.0f}" for who in "abc"))
    console.print(speeds)
    goals = Table(
        "task", "ratio", "goal", "measured", "", title="the engine against the baselines, within a round"
    )
    for goal in GOALS:
        measured = ratio(rounds, goal)
        met = "met" if measured >= goal.ratio else "missed"
        goals.add_row(goal.task, f"(c) / ({goal.baseline})", f"≥ {goal.ratio:g}", f"{measured:.4g}", met)
    console.print(goals)
    fitting = ratio(rounds, Goal(GOALS[1].task, FITTING, 0))
    console.print(
        f"(a) that looks only at as many cards as the set to beat: {fitting:.4g} times, in whole hands"
    )
    console.print(f"Python {platform.python_version()}, one core, {len(rounds)} rounds")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped")
