"""A hand played with real cards: nobody typed its plays, so all that is known is what it came to.

What the rules can say against such a result is said here, to whoever records it and to whoever verifies it.
"""

from collections.abc import Iterator

from big2.rulesets import MOST_CARDS, RuleSet
from big2.settlement import Outcome
from big2.switches import LastCard, TwosRule
from big2.table import seats_after

TWOS_IN_A_PACK = 4


def result_problems(rules: RuleSet, result: Outcome) -> dict[str, str]:
    """All that is wrong with a result, by JSON pointer into `cards_left`, `winner`, `liable` and `twos_left`.

    `cards_left` and `twos_left` name every seat dealt in; `winner` may name any seat.
    """
    problems: dict[str, str] = {}
    for check in (_cards_left, _winner, _liable, _twos_left):
        for pointer, reason in check(rules, result):
            problems.setdefault(pointer, reason)
    return problems


def seat_before(result: Outcome) -> int:
    """The seat that acts just before the winner: the only one that can be liable (R7.4)."""
    return seats_after(result.winner, result.seats, result.direction)[-2]


def _cards_left(_: RuleSet, result: Outcome) -> Iterator[tuple[str, str]]:
    for seat in result.seats:
        if not 0 <= result.cards_left[seat] <= MOST_CARDS:
            yield f"/cards_left/{seat}", f"must be from 0 to {MOST_CARDS} (R2.1)"
    out = [seat for seat in result.seats if not result.cards_left[seat]]
    if not out:
        yield "/cards_left", "nobody went out: a hand ends when one seat has no cards (R4.4)"
    if len(out) > 1:
        named = " and ".join(map(str, out))
        yield "/cards_left", f"seats {named} went out: a hand ends the moment one seat has no cards (R4.4)"


def _winner(_: RuleSet, result: Outcome) -> Iterator[tuple[str, str]]:
    left = result.cards_left.get(result.winner)
    if left is None:
        yield "/winner", "is no seat that was dealt in"
    elif left:
        yield "/winner", f"has {_counted(left, 'card')} left: the winner has none (R4.4)"


def _liable(rules: RuleSet, result: Outcome) -> Iterator[tuple[str, str]]:
    if result.liable is None:
        return
    if rules.last_card is not LastCard.LIABLE:
        yield "/liable", f"must be null: under this rule set's last_card, {rules.last_card}, nobody is (R7.3)"
    elif len(result.seats) < 3:
        yield "/liable", "must be null: the assistant's duty does not apply with two players (R7.1)"
    elif result.liable not in result.seats:
        yield "/liable", "is no seat that was dealt in"
    elif result.cards_left.get(result.winner) == 0 and result.liable != seat_before(result):
        yield "/liable", f"must be seat {seat_before(result)}, which acts just before the winner (R7.4)"


def _twos_left(rules: RuleSet, result: Outcome) -> Iterator[tuple[str, str]]:
    if rules.twos is TwosRule.NONE and any(result.twos_left.values()):
        yield "/twos_left", "must be left out: this rule set does not count twos (R12)"
        return
    for seat in result.seats:
        if not 0 <= result.twos_left[seat] <= TWOS_IN_A_PACK:
            yield f"/twos_left/{seat}", f"must be from 0 to {TWOS_IN_A_PACK} (R2.1)"
        elif result.twos_left[seat] > max(0, result.cards_left[seat]):
            yield f"/twos_left/{seat}", f"has no more than {_counted(result.cards_left[seat], 'card')} left"
    if sum(result.twos_left.values()) > TWOS_IN_A_PACK:
        yield "/twos_left", f"one pack has {TWOS_IN_A_PACK} twos (R2.1)"


def _counted(many: int, what: str) -> str:
    return f"{many} {what}{'' if many == 1 else 's'}"
