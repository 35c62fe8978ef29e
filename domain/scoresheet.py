"""A club's score sheet: how many cards each player had left after each hand. Read into values; nothing is settled here.

| a line | what it is |
|---|---|
| `2013-03-19` | the day of the hands below it |
| `F=11` | from so many cards left points count double, from here on; 10 where the sheet says nothing |
| `C S H Jj` | who plays the hands below: 2 to 4 players, seats 1, 2, … clockwise |
| `4 0 9t 7` | a hand: cards left by seat; `t` after those of the player who takes on all losses (liable) |
| `# …` | a comment, on a line of its own or at a line's end |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import NamedTuple

import msgspec

from big2.rulesets import MOST_CARDS, RuleSet
from big2.table import SEATS
from big2.told import shown
from domain.errors import Refused
from domain.sheet_checks import FEWEST_PLAYERS, LEFT, counted, date_in, wrong_day, wrong_hand, wrong_numbers

FRY_CARDS = 10
"""From so many cards left points count double where the sheet says nothing."""
SHOWN_CHARACTERS = 60
"""How much of a line is repeated to its writer."""
LONGEST_LINE = 1_000
"""Characters of a line before its comment; four players need 60."""
MOST_REMARKS = 200
"""With so many problems the rest of a sheet is not read, and so many warnings are told."""

_DAY = re.compile(r"[0-9]+[-/.][0-9]+[-/.][0-9]+")
_TIER = re.compile(r"[Ff]\s*=\s*(.*)")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UTF8_MARK = b"\xef\xbb\xbf"


class Naming(NamedTuple):
    """What a name may be.

    `clean` answers a name as it is kept, or raises Refused; names with one `skeleton` could be taken for one another.
    """

    clean: Callable[[str], str]
    skeleton: Callable[[str], str]


class SheetHand(msgspec.Struct, frozen=True):
    """One hand as the sheet tells it: players and cards left by seat, from seat 1; winner and liable as seats.

    `names_line` is the line of the players' names; from `fry_cards` cards left points count double.
    """

    line: int
    names_line: int
    played_on: date
    players: tuple[str, ...]
    fry_cards: int
    cards_left: tuple[int, ...]
    winner: int
    liable: int | None


class Remark(msgspec.Struct, frozen=True):
    """What is to be said of a line: its number, the day and players it stands under, what stands there, and why.

    >>> str(Remark(9, ("2013-03-19", "C S"), "4 6", "nobody went out"))
    'line 9, 2013-03-19, C S: 4 6: nobody went out'
    """

    line: int
    under: tuple[str, ...]
    text: str
    reason: str

    def __str__(self) -> str:
        where = ", ".join((f"line {self.line}", *filter(None, self.under)))
        return ": ".join(filter(None, (where, self.text, self.reason)))


class Sheet(msgspec.Struct, frozen=True):
    """A sheet as read: its hands in order, all its problems at once, and warnings, which stop nothing.

    A sheet with MOST_REMARKS problems was read up to the line `read_to`, which is None of all others.
    """

    hands: tuple[SheetHand, ...]
    problems: tuple[Remark, ...]
    warnings: tuple[Remark, ...]
    read_to: int | None = None


def read_sheet(raw: bytes, naming: Naming, rules: RuleSet, today: date) -> Sheet:
    """Read a sheet, in UTF-8; whatever the bytes are, the answer is a sheet, with problems where it has some.

    `rules` say which results there can be (R4.4, R7). A day after `today` is a problem: no hand was played in the
    future.
    """
    if raw.startswith(_UTF16_MARKS):
        return Sheet((), (Remark(1, (), "", "the sheet is in UTF-16: save it as UTF-8"),), ())
    text = raw.removeprefix(_UTF8_MARK).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    reading = _Reading(naming, rules, today)
    for number, line in enumerate(text.split(b"\n"), 1):
        reading.take(number, line)
        if reading.has_enough:
            return reading.sheet(read_to=number)
    return reading.finished()


class _Day(NamedTuple):
    """The day whose hands are being read: its line, what stands there, and the date where that is one."""

    line: int
    text: str
    date: date | None


class _Names(NamedTuple):
    line: int
    text: str
    players: tuple[str, ...]


class _Reading:
    """A sheet that is being read; a line with a problem counts as what it was meant to be, for the lines below it."""

    def __init__(self, naming: Naming, rules: RuleSet, today: date) -> None:
        self._naming = naming
        self._rules = rules
        self._today = today
        self._hands: list[SheetHand] = []
        self._problems: list[Remark] = []
        self._warnings: list[Remark] = []
        self._spelled: dict[str, tuple[str, int]] = {}  # by skeleton: the first spelling and its line
        self._line = 0
        self._day: _Day | None = None
        self._day_has_hands = True
        self._names: _Names | None = None
        self._fry_cards = FRY_CARDS

    def take(self, number: int, raw: bytes) -> None:
        """One line of the sheet."""
        self._line = number
        try:
            text = raw.decode("utf-8").partition("#")[0].strip()
        except UnicodeDecodeError as error:
            readable = raw.decode("utf-8", "replace")
            return self._wrong(readable, [f"byte {error.start + 1} is not UTF-8: save the sheet as UTF-8"])
        if len(text) > LONGEST_LINE:
            return self._wrong(text, [f"no line has more than {LONGEST_LINE} characters"])
        words = text.split()
        if not words:
            return None
        if _DAY.fullmatch(words[0]):
            return self._take_day(text)
        if tier := _TIER.fullmatch(text):
            return self._take_tier(text, tier[1])
        if 2 * sum(map(_is_like_a_number, words)) >= len(words):
            return self._take_hand(text, words)
        return self._take_names(text, words)

    @property
    def has_enough(self) -> bool:
        """Whether there are so many problems that nobody wants to read of more."""
        return len(self._problems) >= MOST_REMARKS

    def finished(self) -> Sheet:
        """The sheet after its last line."""
        self._leave_day()
        if not self._hands and not self._problems:
            self._problems.append(Remark(self._line, (), "", "the sheet ends without a hand"))
        return self.sheet()

    def sheet(self, read_to: int | None = None) -> Sheet:
        """All that was read."""
        return Sheet(tuple(self._hands), tuple(self._problems), tuple(self._warnings), read_to)

    def _wrong(self, text: str, reasons: Sequence[str], *under: str) -> None:
        self._problems += [
            Remark(self._line, under, shown(text, SHOWN_CHARACTERS), reason) for reason in reasons
        ]

    def _take_day(self, text: str) -> None:
        self._leave_day()
        day = date_in(text)
        self._wrong(text, list(wrong_day(text, day, self._day.date if self._day else None, self._today)))
        self._day, self._day_has_hands = _Day(self._line, shown(text, SHOWN_CHARACTERS), day), False

    def _leave_day(self) -> None:
        if self._day and not self._day_has_hands and len(self._warnings) <= MOST_REMARKS:
            more = ", and there may be more of them below" if len(self._warnings) == MOST_REMARKS else ""
            self._warnings.append(Remark(self._day.line, (), self._day.text, f"the day with no hands{more}"))

    def _take_tier(self, text: str, number: str) -> None:
        if re.fullmatch("[0-9]{1,2}", number) and 1 <= int(number) <= MOST_CARDS:
            self._fry_cards = int(number)
        else:
            self._wrong(text, [f"F is a number of cards, 1 to {MOST_CARDS}, such as F=11 (R12, point_tiers)"])

    def _take_names(self, text: str, words: list[str]) -> None:
        players = tuple(map(self._name, words))
        repeated = [player for player in dict.fromkeys(players) if players.count(player) > 1]
        reasons = [f"{shown(player)} stands there twice: each player has one seat" for player in repeated]
        if not FEWEST_PLAYERS <= len(players) <= len(SEATS):
            told = counted(len(players), "player")
            reasons.append(f"{told}: a hand has {FEWEST_PLAYERS} to {len(SEATS)} (R2.1)")
        self._wrong(text, reasons)
        self._names = _Names(self._line, shown(text, SHOWN_CHARACTERS), players)

    def _name(self, word: str) -> str:
        """The name as it is kept; one that cannot be stays as it is, and is told."""
        try:
            name = self._naming.clean(_allowed_here(word))
        except Refused as refused:
            self._wrong(word, [f"a name that {reason}" for reason in refused.errors.values()])
            return word
        first, line = self._spelled.setdefault(self._naming.skeleton(name), (name, self._line))
        if first != name:
            self._wrong(word, [f"looks like {first} of line {line}: write a player's name in one way"])
        return name

    def _take_hand(self, text: str, words: list[str]) -> None:
        self._day_has_hands = True
        left = [LEFT.fullmatch(word) for word in words]
        cards_left = tuple(int(found[1]) for found in left if found)
        takers = [seat for seat, found in enumerate(left, 1) if found and found[2]]
        players = self._names.players if self._names else ()
        reasons = [*self._missing(), *wrong_numbers(words)]
        if players and len(words) != len(players):
            reasons.append(f"{counted(len(words), 'number')} for {counted(len(players), 'player')}")
        if reasons or FEWEST_PLAYERS <= len(players) <= len(SEATS):
            reasons = reasons or list(wrong_hand(self._rules, players, cards_left, takers))
            self._judged(text, reasons, cards_left, takers)

    def _judged(
        self, text: str, reasons: Sequence[str], cards_left: tuple[int, ...], takers: Sequence[int]
    ) -> None:
        """Keep a hand; or what is wrong with it."""
        day, names = self._day, self._names
        self._wrong(text, reasons, day.text if day else "", names.text if names else "")
        if not reasons and names and day and day.date:
            played = (day.date, names.players, self._fry_cards, cards_left, cards_left.index(0) + 1)
            self._hands.append(SheetHand(self._line, names.line, *played, takers[0] if takers else None))

    def _missing(self) -> Iterator[str]:
        if self._day is None:
            yield "no date stands above this hand"
        if self._names is None:
            yield "no line of names stands above this hand"


def _allowed_here(word: str) -> str:
    """A name, as far as a sheet can have it; raises Refused."""
    if word[0].isdigit():
        raise Refused("validation", "This cannot be a name.", {"/name": "begins with a digit, like a number"})
    if "*" in word:
        raise Refused(
            "validation", "This cannot be a name.", {"/name": "has a *, which stands for all players"}
        )
    return word


def _is_like_a_number(word: str) -> bool:
    return word.lstrip("+-")[:1].isdigit()
