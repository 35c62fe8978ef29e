"""What can be wrong with a line of a score sheet: a day, the numbers of a hand, and what the rules have against it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from big2.results import result_problems, seat_before
from big2.rulesets import MOST_CARDS, RuleSet
from big2.settlement import Outcome
from big2.table import SEATS, Direction
from big2.told import shown

FEWEST_PLAYERS = 2  # R2.1

LEFT = re.compile(r"([0-9]{1,2})(t?)")
"""A number of cards left, and the `t` of who takes on all losses."""
_WHOLE_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def result_of(cards_left: Sequence[int], liable: int | None) -> Outcome:
    """A hand's result by seat, from seat 1: who has the fewest cards left won. Who dealt makes no difference here."""
    seats = SEATS[: len(cards_left)]
    return Outcome(
        seats,
        seats[0],
        Direction.CLOCKWISE,
        cards_left.index(min(cards_left)) + 1,
        dict(zip(seats, cards_left, strict=True)),
        dict.fromkeys(seats, 0),
        liable,
    )


def date_in(text: str) -> date | None:
    """The day that is written, or None."""
    try:
        return date.fromisoformat(text) if _WHOLE_DAY.fullmatch(text) else None
    except ValueError:
        return None


def wrong_day(text: str, day: date | None, before: date | None, today: date) -> Iterator[str]:
    """What is wrong with a line that begins like a day; `before` is the day above it, where that is one."""
    if day is None and _WHOLE_DAY.fullmatch(text):
        yield "is no day of the calendar"
    elif day is None:
        yield "a date is year-month-day, alone on its line, such as 2013-03-19"
    elif day > today:
        yield "lies in the future"
    elif before and day < before:
        yield f"stands below {before}: days go forward"


def wrong_numbers(words: list[str]) -> Iterator[str]:
    """R2.1: the words that are no number of cards left."""
    for word in words:
        found = LEFT.fullmatch(word)
        if found is None or int(found[1]) > MOST_CARDS:
            yield (
                f"{shown(word)} is no number of cards left: 0 to {MOST_CARDS}, and t after it for who takes "
                "on all losses (R2.1)"
            )


def wrong_hand(
    rules: RuleSet, players: Sequence[str], cards_left: Sequence[int], takers: Sequence[int]
) -> Iterator[str]:
    """What the rules have against a result, in a sheet's words: seats are players, the liable one has a `t`."""
    result = result_of(cards_left, takers[0] if takers else None)
    problems = result_problems(rules, result)
    out = [players[seat - 1] for seat in result.seats if not result.cards_left[seat]]
    if "/cards_left" in problems:
        told = f"{' and '.join(out)} went out" if out else "nobody went out"
        yield f"{told}: exactly one player must have 0 (R4.4)"
    if len(takers) > 1:
        yield "t stands there twice: one player is liable at most (R7.4)"
    elif "/liable" in problems and len(players) == FEWEST_PLAYERS:
        yield "with two players nobody is liable (R7.1)"
    elif "/liable" in problems and len(out) == 1:
        yield f"only {players[seat_before(result) - 1]}, who acts just before the winner, can be liable (R7.4)"


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "player"), counted(2, "player")
    ('1 player', '2 players')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
