"""A season's leagues, and its table as text."""

from datetime import date

import pytest

from big2.errors import RuleSetError
from domain.scoresheet import read_sheet
from services.bootstrap import presets
from workers.season import NAMING, aligned, house_rules, leagues_of, season_totals, summary, tsv, wrong_name

SHEET = """\
2013-03-19
Ann Bob 鋤大弟
0 10 2
F=11
5 0 10
2013-03-20
Ann Bob
F=10
1 0
"""


def leagues(text: str = SHEET, name: str = "Club", base: str = "actionpoker"):
    sheet = read_sheet(text.encode(), NAMING, house_rules("actionpoker", 10, presets()), date.max)
    assert sheet.problems == ()
    return leagues_of(sheet.hands, name, base, presets())


def test_a_sheet_is_one_league():
    [league] = leagues(SHEET.replace("F=11", ""))
    assert (league.name, league.fry_cards, len(league.hands)) == ("Club", 10, 3)
    assert league.players == ("Ann", "Bob", "鋤大弟")
    assert [len(hands) for hands in league.tables] == [2, 1]
    assert league.rules.point_tiers == ((10, 2), (13, 3))


def test_a_league_has_one_rule_set_so_a_sheet_is_one_for_each_f():
    ten, eleven = leagues()
    assert [(each.name, len(each.hands)) for each in (ten, eleven)] == [
        ("Club (F=10)", 2),
        ("Club (F=11)", 1),
    ]
    assert eleven.rules.point_tiers == ((11, 2), (13, 3))
    assert [row.game_count for row in season_totals((ten, eleven))][-1] == 8


def test_another_preset_may_lie_below_the_sheets_rules():
    [league] = leagues("2013-03-19\nAnn Bob\n0 1", base="high-low")
    assert league.rules.straights == presets()["high-low"].straights
    assert (league.rules.liability, league.rules.direction) == ("takes_all", "clockwise")
    with pytest.raises(RuleSetError, match="base"):
        leagues("2013-03-19\nAnn Bob\n0 1", base="nonsense")


def test_comments_make_no_other_league():
    assert [each.digest for each in leagues()] == [each.digest for each in leagues(f"# a note\n\n{SHEET}")]


@pytest.mark.parametrize(
    "change", [("0 10 2", "0 9 2"), ("0 10 2", "0 10 2t"), ("Ann Bob\nF", "Bob Ann\nF"), ("03-20", "03-21")]
)
def test_whatever_else_differs_makes_another_league(change):
    assert leagues()[0].digest != leagues(SHEET.replace(*change))[0].digest


def test_so_do_its_name_its_preset_and_who_sat_down_anew():
    one = "2013-03-19\nAnn Bob\n0 1\n0 2"
    digest = leagues(one)[0].digest
    assert digest != leagues(one, name="Other")[0].digest
    assert digest != leagues(one, base="high-low")[0].digest
    assert digest != leagues("2013-03-19\nAnn Bob\n0 1\nAnn Bob\n0 2")[0].digest


def test_a_league_s_name_is_one_that_the_service_takes():
    assert wrong_name("Club (F=10)") is None
    assert wrong_name("C" * 100) is None
    assert wrong_name("C" * 101) == "must have at most 100 characters"
    assert wrong_name(" ") == "shows nothing"
    assert "control" in wrong_name("a\x07")


def test_the_table_is_tab_separated_for_programs():
    lines = tsv(season_totals(leagues("2013-03-19\nAnn Bob\n0 1"))).splitlines()
    assert lines[1].split("\t") == ["Ann", "True", "1", "1", "0", "0", "1", "1", "0", "0", "1"]
    assert lines[-1].startswith("*\tTrue\t2\t")


def test_a_name_that_a_spreadsheet_would_run_is_made_harmless():
    lines = tsv(season_totals(leagues("2013-03-19\n=Ann -Bob\n0 1"))).splitlines()
    assert [line.split("\t")[0] for line in lines[1:]] == ["'=Ann", "'-Bob", "*"]


def test_the_table_is_aligned_for_people():
    lines = aligned(season_totals(leagues())).splitlines()
    assert lines[0].startswith("name    is regular  game count")
    assert lines[-1].startswith("*              yes           8")
    assert "鋤大弟         yes           2" in lines[2] + lines[3]


def test_what_there_is_is_summed_up():
    assert summary(leagues()) == "hands: 3, tables: 3, players: 3, days: 2 (2013-03-19 to 2013-03-20)"
