"""`make prove`: all 2,598,960 sets of five cards, classified and ordered as a slow reference does.

Once for each distinct list of straights, and each other way to order five cards, that a preset or another program's
tests use. The reference is `tests/big2/slow_referee.py`, written from the rulebook and nothing of `big2.book`.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import combinations, pairwise
from math import comb
from typing import NamedTuple

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from big2.book import book_of
from big2.cards import PACK, Card, mask_of, mask_text
from big2.rulesets import RuleSet
from tests.big2.play import CASES, PRESETS, rules
from tests.big2.slow_referee import slow_classify

ALL = comb(52, 5)
MOST_SHOWN = 10

_ORDERING = ("straights", "straight_tie", "flush", "straight_flush", "suits", "quads_kicker")


class Finding(NamedTuple):
    """What came of one rule set: how many sets there are of each kind, and every difference, as a sentence."""

    name: str
    straights: int
    kinds: Counter[str]
    differences: list[str]


def rule_sets() -> dict[str, RuleSet]:
    """By a name, each rule set that orders five cards in its own way."""
    distinct: dict[tuple[object, ...], tuple[str, RuleSet]] = {}
    for name, rule_set in _known():
        distinct.setdefault(tuple(getattr(rule_set, switch) for switch in _ORDERING), (name, rule_set))
    return dict(distinct.values())


def _known() -> Iterator[tuple[str, RuleSet]]:
    yield from PRESETS.items()
    lines = (CASES / "card-sets-elsewhere.jsonl").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        yield f"another program's, {number}", rules(**json.loads(line)["rules"])


def differences(rule_set: RuleSet, fives: Iterable[tuple[Card, ...]]) -> tuple[Counter[str], list[str]]:
    """How many of these sets are of each kind; and where the book and the reference differ, in kind or in order."""
    book = book_of(rule_set).by_mask
    found, kinds, graded = [], Counter[str](), {}
    for cards in fives:
        mask = mask_of(cards)
        written, told = book.get(mask), slow_classify(rule_set, cards)
        kind = None if told is None else told[0]
        if (written and written.kind) != kind:
            found.append(f"{mask_text(mask)}: {written and written.kind}, the reference says {kind}")
        elif written is not None:
            kinds[written.kind] += 1
            graded[mask] = (written.strength, told[1])
    return kinds, found + list(_disorders(graded))


def _disorders(graded: dict[int, tuple[int, tuple[int, ...]]]) -> Iterator[str]:
    """Sorted by strength, the reference's keys must rise where strength does, and be equal where it is."""
    by_strength = sorted(graded.items(), key=lambda item: item[1])
    for (mask, (strength, key)), (next_mask, (next_strength, next_key)) in pairwise(by_strength):
        if (strength < next_strength) != (key < next_key) or (strength == next_strength) != (key == next_key):
            yield f"{mask_text(mask)} and {mask_text(next_mask)}: the order differs"


def prove(name: str) -> Finding:
    """Look at every set of five cards under one rule set."""
    rule_set = rule_sets()[name]
    return Finding(name, len(rule_set.straights), *differences(rule_set, combinations(PACK, 5)))


def main() -> None:
    """Prove every rule set, two at a time, and exit with 1 if any set differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--processes", type=int, default=2, help="at a time (2); a rule set takes half a minute"
    )
    names = list(rule_sets())
    findings = {}
    with Progress() as progress, ProcessPoolExecutor(parser.parse_args().processes) as pool:
        task = progress.add_task(f"{ALL:,} sets of five cards, {len(names)} rule sets", total=len(names))
        for done in as_completed([pool.submit(prove, name) for name in names]):
            findings[done.result().name] = done.result()
            progress.advance(task)
    show([findings[name] for name in names])
    sys.exit(any(finding.differences for finding in findings.values()))


def show(findings: list[Finding]) -> None:
    """What was found, as a table; and the first differences."""
    kinds = ("straight", "flush", "full_house", "four_of_a_kind", "straight_flush")
    table = Table("rule set", "straights listed", *(kind.replace("_", " ") for kind in kinds), "differ")
    for finding in findings:
        counts = (f"{finding.kinds[kind]:,}" for kind in kinds)
        table.add_row(finding.name, str(finding.straights), *counts, str(len(finding.differences)))
    console = Console()
    console.print(table)
    for finding in findings:
        for difference in finding.differences[:MOST_SHOWN]:
            console.print(f"{finding.name}: {difference}")
    right = not any(finding.differences for finding in findings)
    console.print(f"{ALL:,} sets each: {'every one is as the reference says' if right else 'some differ'}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped")
