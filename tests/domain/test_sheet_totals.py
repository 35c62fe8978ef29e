"""What a sheet comes to: its rules, and the totals; a club's year, where it is at hand, to the unit."""

import os
from datetime import date
from pathlib import Path

import pytest

from big2.rulesets import ruleset_from_mapping
from domain.scoresheet import Naming, read_sheet
from domain.sheet_totals import COLUMNS, settled, sheet_switches, totals
from services.people import clean_name, skeleton
from tests.big2.play import PRESETS

CLUB = Path(os.environ.get("BIG2_CLUB_SCORES", Path(__file__).parents[3] / "shared/cases/club-2013"))
"""A folder with `scores.txt` and `expected.tsv` of a club's year, 1,104 hands (github yawnoc/big-two-scorer)."""


def rules_of(hand):
    return ruleset_from_mapping({"base": "actionpoker", **sheet_switches(hand.fry_cards)}, PRESETS)


RULES = ruleset_from_mapping({"base": "actionpoker", **sheet_switches(10)}, PRESETS)


def hands(text: str | bytes):
    raw = text if isinstance(text, bytes) else f"2013-03-19\n{text}".encode()
    sheet = read_sheet(raw, Naming(clean_name, skeleton), RULES, date.max)
    assert sheet.problems == ()
    return sheet.hands


def nets(text: str) -> list[dict[int, int]]:
    return [dict(settled(hand, rules_of(hand)).net) for hand in hands(text)]


def rows(text: str | bytes) -> list[tuple[str, ...]]:
    return [row.texts() for row in totals(hands(text), rules_of)]


# a hand


def test_every_pair_is_compared():
    assert nets("Ann Bob Cat Dan\n0 1 2 4") == [{1: 7, 2: 3, 3: -1, 4: -9}]


def test_from_f_cards_left_points_count_double_and_thirteen_treble():
    assert nets("Ann Bob\n0 9\n0 10\n0 13") == [{1: 9, 2: -9}, {1: 20, 2: -20}, {1: 39, 2: -39}]


def test_f_holds_from_its_line_on():
    assert nets("Ann Bob\n0 10\nF=11\n0 10\n0 11\nF=13\n0 12") == [
        {1: 20, 2: -20}, {1: 10, 2: -10}, {1: 22, 2: -22}, {1: 12, 2: -12},
    ]  # fmt: skip


def test_the_liable_player_takes_all_losses():
    assert nets("Ann Bob Cat Dan\n0 10 2 1t") == [{1: 23, 2: 23, 3: 23, 4: -69}]


# the totals


def test_a_row_counts_a_player_s_hands():
    table = rows("Ann Bob Cat\n0 10 2\n5 0 3\n0 1 2t")
    assert table == [
        ("Ann", "True", "3", "2", "0", "5", "18", "0.6667", "0", "1.6667", "6"),
        ("Cat", "True", "3", "0", "0", "8", "9", "0", "0", "2.6667", "3"),
        ("Bob", "True", "3", "1", "1", "20", "-27", "0.3333", "0.3333", "6.6667", "-9"),
        ("*", "True", "9", "3", "1", "33", "0", "0.3333", "0.1111", "3.6667", "0"),
    ]
    assert len(COLUMNS) == len(table[0])


def test_regulars_have_played_a_quarter_of_the_hands_and_stand_first():
    table = rows("Ann Bob\n" + "0 3\n" * 6 + "Cat Dan\n0 1\n0 1\nEve Ann\n0 9\n")
    assert [(row[0], row[1]) for row in table] == [
        ("Ann", "True"), ("Bob", "True"), ("Cat", "False"), ("Eve", "False"), ("Dan", "False"), ("*", "True"),
    ]  # fmt: skip


def test_of_equals_who_appeared_first_stands_first():
    assert [row[0] for row in rows("Bob Ann\n0 3\n3 0")] == ["Bob", "Ann", "*"]


@pytest.mark.skipif(
    not CLUB.is_dir(), reason=f"a club's score sheets are not here: {CLUB} (BIG2_CLUB_SCORES)"
)
def test_a_club_s_year_comes_to_what_it_must():
    table = [COLUMNS, *rows((CLUB / "scores.txt").read_bytes())]
    assert "".join("\t".join(row) + "\n" for row in table) == (CLUB / "expected.tsv").read_text(
        encoding="utf-8"
    )
