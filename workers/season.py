"""A club's season from its score sheet: the leagues it makes, and its table as text."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from itertools import groupby

import msgspec
from marshmallow import ValidationError
from rich.cells import cell_len

from big2.rulesets import RuleSet, ruleset_from_mapping
from domain.scoresheet import Naming, SheetHand
from domain.sheet_totals import COLUMNS, Totals, sheet_switches, totals
from services.http.schemas import NewTournament
from services.people import clean_name, skeleton
from services.spreadsheet import harmless

NAMING = Naming(clean_name, skeleton)
"""What the service takes for a name, so that a sheet is refused before anything is stored."""


class SheetLeague(msgspec.Struct, frozen=True):
    """One league of recorded hands: a rule set, over the preset `base`, and the hands that are played under it.

    A league has one rule set, so a sheet makes one for each `F` that it has hands under.
    """

    name: str
    base: str
    fry_cards: int
    rules: RuleSet
    hands: tuple[SheetHand, ...]

    @property
    def players(self) -> tuple[str, ...]:
        """In order of first appearance."""
        return tuple(dict.fromkeys(player for hand in self.hands for player in hand.players))

    @property
    def tables(self) -> list[list[SheetHand]]:
        """The hands by line of names, in order."""
        return [list(hands) for _, hands in groupby(self.hands, key=lambda hand: hand.names_line)]

    @property
    def digest(self) -> str:
        """SHA-256 of all that makes the league what it is, in hexadecimal; comments and line numbers do not."""
        tables = [list(map(_content, hands)) for hands in self.tables]
        return hashlib.sha256(msgspec.json.encode([self.name, self.base, self.fry_cards, tables])).hexdigest()

    def totals(self) -> tuple[Totals, ...]:
        """The league's table, with its row of sums."""
        return totals(self.hands, lambda _: self.rules)


def house_rules(base: str, fry_cards: int, presets: Mapping[str, RuleSet]) -> RuleSet:
    """What a sheet's hands are played under (R12); raises RuleSetError if `base` is no preset."""
    return ruleset_from_mapping({"base": base, **sheet_switches(fry_cards)}, presets)


def leagues_of(
    hands: Sequence[SheetHand], name: str, base: str, presets: Mapping[str, RuleSet]
) -> tuple[SheetLeague, ...]:
    """The leagues of a sheet's hands, one for each `F`; raises RuleSetError if `base` is no preset."""
    by_tier: dict[int, list[SheetHand]] = {}
    for hand in hands:
        by_tier.setdefault(hand.fry_cards, []).append(hand)
    return tuple(
        SheetLeague(
            name if len(by_tier) == 1 else f"{name} (F={fry_cards})",
            base,
            fry_cards,
            house_rules(base, fry_cards, presets),
            tuple(found),
        )
        for fry_cards, found in by_tier.items()
    )


def wrong_name(name: str) -> str | None:
    """What the service has against a league's name, or None."""
    try:
        NewTournament().fields["name"].deserialize(name)
    except ValidationError as error:
        return "; ".join(map(str, error.messages))
    return None


def season_totals(leagues: Sequence[SheetLeague]) -> tuple[Totals, ...]:
    """The whole sheet's table."""
    rules = {league.fry_cards: league.rules for league in leagues}
    hands = sorted((hand for league in leagues for hand in league.hands), key=lambda hand: hand.line)
    return totals(hands, lambda hand: rules[hand.fry_cards])


def tsv(rows: Sequence[Totals]) -> str:
    """The table as tab-separated values, with a head; a name that a spreadsheet would run gets an apostrophe."""
    texts = [row.texts() for row in rows]
    lines = [COLUMNS, *((harmless(name), *numbers) for name, *numbers in texts)]
    return "".join("\t".join(line) + "\n" for line in lines)


def aligned(rows: Sequence[Totals]) -> str:
    """The table for people: names to the left, numbers to the right."""
    texts = [tuple(map(_spoken, COLUMNS)), *(_told(row) for row in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*texts, strict=True)]
    return "".join(_line(row, widths) + "\n" for row in texts)


def summary(leagues: Sequence[SheetLeague]) -> str:
    """What there is, in one line."""
    hands = [hand for league in leagues for hand in league.hands]
    days = {hand.played_on for hand in hands}
    tables = sum(len(league.tables) for league in leagues)
    players = {player for hand in hands for player in hand.players}
    span = f"{min(days)} to {max(days)}"
    return f"hands: {len(hands)}, tables: {tables}, players: {len(players)}, days: {len(days)} ({span})"


def _content(hand: SheetHand) -> list[object]:
    return [hand.played_on, hand.players, hand.cards_left, hand.liable]


def _spoken(column: str) -> str:
    return column.replace("_", " ")


def _told(row: Totals) -> tuple[str, ...]:
    name, is_regular, *numbers = row.texts()
    return (name, "yes" if is_regular == "True" else "no", *numbers)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    gaps = [" " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True)]
    first, *rest = [
        text + gap if place == 0 else gap + text
        for place, (text, gap) in enumerate(zip(row, gaps, strict=True))
    ]
    return "  ".join((first, *rest)).rstrip()
