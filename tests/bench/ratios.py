"""What every bench has in common: a goal, a ratio measured within each round, and how both are shown.

A round times the floor and the product one after the other, so what else the machine does slows both alike; the median
of the rounds' ratios is what is held against the goal.
"""

import argparse
import json
import platform
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import NamedTuple

from rich.console import Console
from rich.progress import track
from rich.table import Table


class Goal(NamedTuple):
    """A bound of a ratio: `sign` is ≤ or ≥."""

    sign: str
    bound: float

    def met(self, measured: float) -> bool:
        return measured <= self.bound if self.sign == "≤" else measured >= self.bound

    def __str__(self) -> str:
        return f"{self.sign} {self.bound:g}"


class Task(NamedTuple):
    """What is measured against which floor; the figures of both are in `unit`. Without a goal it is to compare."""

    name: str
    floor: str
    unit: str
    goal: Goal | None = None


class Pair(NamedTuple):
    """One round's figures of a task."""

    floor: float
    product: float

    @property
    def ratio(self) -> float:
        return self.product / self.floor


Round = dict[Task, Pair]
"""What one round measured."""


class Result(NamedTuple):
    """A task's medians over the rounds."""

    task: Task
    floor: float
    product: float
    ratio: float
    least: float
    most: float


def results(rounds: Sequence[Round]) -> list[Result]:
    """The medians of every task, and the least and greatest ratio of a round."""
    found = []
    for task in dict.fromkeys(task for each in rounds for task in each):
        pairs = [each[task] for each in rounds if task in each]
        ratios = [pair.ratio for pair in pairs]
        floor, product = median(pair.floor for pair in pairs), median(pair.product for pair in pairs)
        found.append(Result(task, floor, product, median(ratios), min(ratios), max(ratios)))
    return found


Measure = Callable[[argparse.Namespace, Callable[[int], Iterable[int]]], list[Round]]
"""Measures all rounds; its second argument counts them out, with a bar for whoever waits."""


def main(
    doc: str | None,
    rounds: int,
    measure: Measure,
    add: Callable[[argparse.ArgumentParser], object] | None = None,
) -> None:
    """A bench's command line: `--rounds`, `--json`, and what `add` adds."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--rounds", type=int, default=rounds, help=f"rounds of floor and product in turn ({rounds})"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    if add:
        add(parser)
    asked = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    try:
        found = results(measure(asked, _counted))
    except KeyboardInterrupt:
        sys.exit("stopped")
    title = (doc or "").partition("\n")[0]
    show_json(found) if asked.json else show_table(title, found, asked.rounds)


def _stop(*_: object) -> None:
    """End with everything that was started; asked twice, it does so all the same."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _counted(rounds: int) -> Iterable[int]:
    return track(range(1, rounds + 1), "measuring", transient=True, console=Console(stderr=True))


def show_json(found: Sequence[Result]) -> None:
    """Print the results for a program."""
    lines = [
        {"task": task.name, "against": task.floor, "unit": task.unit}
        | {"goal": task.goal and str(task.goal), "met": task.goal and task.goal.met(figures[2])}
        | dict(zip(("floor", "product", "ratio", "least", "most"), figures, strict=True))
        for task, *figures in found
    ]
    json.dump(
        {"python": platform.python_version(), "results": lines}, sys.stdout, indent=2, ensure_ascii=False
    )
    sys.stdout.write("\n")


def show_table(title: str, found: Sequence[Result], rounds: int) -> None:
    """Print them for people."""
    table = Table("task\n  against its floor", title=title, title_justify="left")
    for column in ("floor", "product", "ratio", "of the rounds"):
        table.add_column(column, justify="right")
    table.add_column("goal")
    for task, floor, product, ratio, least, most in found:
        met = "" if task.goal is None else f"{task.goal} {'met' if task.goal.met(ratio) else 'missed'}"
        figures = f"{_short(floor)} {task.unit}", f"{_short(product)} {task.unit}"
        spread = f"{_short(least)}–{_short(most)}"
        table.add_row(f"{task.name}\n  {task.floor}", *figures, _short(ratio), spread, met)
    console = Console()
    console.print(table)
    console.print(f"Python {platform.python_version()}, {rounds} rounds; medians")


def _short(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.3g}"
