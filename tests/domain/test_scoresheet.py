"""Reading a score sheet: what each line means, and everything that can be wrong with one, told by its line."""

from datetime import date, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from big2.rulesets import ruleset_from_mapping
from domain.scoresheet import LONGEST_LINE, MOST_REMARKS, Naming, SheetHand, read_sheet
from domain.sheet_totals import sheet_switches
from services.people import clean_name, skeleton
from tests.big2.play import PRESETS

NAMING = Naming(clean_name, skeleton)
RULES = ruleset_from_mapping({"base": "actionpoker", **sheet_switches(10)}, PRESETS)
TODAY = date(2013, 12, 31)

SHEET = """\
# An evening
F=11

2013-03-19
Ann Bob Cat Dan   # the window table
4 0 9 7
11 9 13t 0 # Cat again

Dan Ann
F=13
0 3

2013-03-20
2 0
"""


def read(text: str | bytes):
    return read_sheet(text if isinstance(text, bytes) else text.encode(), NAMING, RULES, TODAY)


def told(text: str | bytes) -> list[str]:
    return [str(problem) for problem in read(text).problems]


def below(*lines: str) -> str:
    """Lines below a day and four names, from line 3 on."""
    return "\n".join(("2013-03-19", "Ann Bob Cat Dan", *lines))


def test_a_sheet_is_read_into_hands():
    sheet = read(SHEET)
    evening, next_day = date(2013, 3, 19), date(2013, 3, 20)
    four = ("Ann", "Bob", "Cat", "Dan")
    assert sheet.hands == (
        SheetHand(6, 5, evening, four, 11, (4, 0, 9, 7), 2, None),
        SheetHand(7, 5, evening, four, 11, (11, 9, 13, 0), 4, 3),
        SheetHand(11, 9, evening, ("Dan", "Ann"), 13, (0, 3), 1, None),
        SheetHand(14, 9, next_day, ("Dan", "Ann"), 13, (2, 0), 2, None),
    )
    assert (sheet.problems, sheet.warnings) == ((), ())


def test_points_count_double_from_ten_cards_where_the_sheet_says_nothing():
    assert read(below("0 1 2 3")).hands[0].fry_cards == 10


@pytest.mark.parametrize(
    "written",
    [
        b"\xef\xbb\xbf" + SHEET.encode(),
        SHEET.replace("\n", "\r\n").encode(),
        SHEET.replace("\n", "\r").encode(),
        SHEET.replace(" ", "\t").encode(),
        SHEET.rstrip("\n").encode(),
    ],
    ids=["a byte-order mark", "CRLF", "CR", "tabs", "no last line end"],
)
def test_how_an_editor_saves_it_makes_no_difference(written):
    assert read(written) == read(SHEET)


def test_a_name_is_kept_as_the_service_keeps_it():
    composed, taken_apart = "Ren\N{LATIN SMALL LETTER E WITH ACUTE}", "Rene\N{COMBINING ACUTE ACCENT}"
    sheet = read(f"2013-03-19\n{composed} Bob\n0 1\n{taken_apart} Bob\n0 1")
    assert {hand.players[0] for hand in sheet.hands} == {composed}
    assert sheet.problems == ()


# a hand


@pytest.mark.parametrize(
    ("hand", "reason"),
    [
        ("4 6 11 11", "nobody went out: exactly one player must have 0 (R4.4)"),
        ("0 6 0 11", "Ann and Cat went out: exactly one player must have 0 (R4.4)"),
        ("0 6 11", "3 numbers for 4 players"),
        ("0 6 11 2 9", "5 numbers for 4 players"),
        ("0", "1 number for 4 players"),
        ("0t 6 11 2", "only Dan, who acts just before the winner, can be liable (R7.4)"),
        ("0 6t 11 2t", "t stands there twice: one player is liable at most (R7.4)"),
        ("0 6t 11 2", "only Dan, who acts just before the winner, can be liable (R7.4)"),
    ],
)
def test_a_hand_that_cannot_be_is_told_with_its_line_day_and_players(hand, reason):
    assert told(below(hand)) == [f"line 3, 2013-03-19, Ann Bob Cat Dan: {hand}: {reason}"]


@pytest.mark.parametrize("word", ["14", "-1", "+1", "1.5", "3T", "t", "tt", "100", "O", "٣", "0x1"])
def test_r2_1_a_number_of_cards_left_is_0_to_13(word):
    [problem] = told(below(f"0 1 2 {word}"))
    assert f"{word} is no number of cards left: 0 to 13" in problem
    assert problem.endswith("(R2.1)")


@pytest.mark.parametrize(("hand", "liable"), [("0 1 2 3t", 4), ("3t 0 1 2", 1), ("1 2 3t 0", 3)])
def test_r7_4_the_liable_player_sits_just_before_the_winner(hand, liable):
    [found] = read(below(hand)).hands
    assert found.liable == liable


def test_r7_4_with_three_players_he_sits_there_too():
    sheet = read("2013-03-19\nAnn Bob Cat\n0 1 2t")
    assert [hand.liable for hand in sheet.hands] == [3]


def test_r7_of_a_hand_that_nobody_won_no_liable_player_is_told_but_with_two_players():
    assert told(below("1t 2 3 4")) == [
        "line 3, 2013-03-19, Ann Bob Cat Dan: 1t 2 3 4: nobody went out: exactly one player must have 0 (R4.4)"
    ]
    assert [line.partition("5t: ")[2][:16] for line in told("2013-03-19\nAnn Bob\n1 5t")] == [
        "nobody went out:", "with two players",
    ]  # fmt: skip


def test_r7_1_with_two_players_nobody_is_liable():
    [problem] = told("2013-03-19\nAnn Bob\n0 5t")
    assert problem.endswith("with two players nobody is liable (R7.1)")


def test_a_hand_needs_a_day_and_players():
    assert told("0 1 2 3") == [
        "line 1: 0 1 2 3: no date stands above this hand",
        "line 1: 0 1 2 3: no line of names stands above this hand",
    ]
    assert told("Ann Bob\n0 1") == ["line 2, Ann Bob: 0 1: no date stands above this hand"]


def test_all_that_is_wrong_is_told_at_once():
    lines = told(below("4 6 11 11", "", "14 0 1", "0 1 2 3", "0 0t 1 1t") + "\n2013-02-30\nAnn\n")
    assert [line.split(":")[0].split(",")[0] for line in lines] == [
        "line 3", "line 5", "line 5", "line 7", "line 7", "line 8", "line 9",
    ]  # fmt: skip


# a day


@pytest.mark.parametrize("day", ["2013-3-19", "19-03-2013", "2013/03/19", "2013-03-19 Friday", "19.3.2013"])
def test_a_date_is_written_in_one_way(day):
    assert told(f"{day}\nAnn Bob\n0 1") == [
        f"line 1: {day}: a date is year-month-day, alone on its line, such as 2013-03-19"
    ]


@pytest.mark.parametrize("day", ["2013-02-30", "2013-13-01", "0000-01-01"])
def test_a_date_is_a_day_of_the_calendar(day):
    assert told(f"{day}\nAnn Bob\n0 1") == [f"line 1: {day}: is no day of the calendar"]


def test_days_go_forward():
    sheet = "2013-03-20\nAnn Bob\n0 1\n2013-03-19\n0 1\n2013-03-19\n0 1\n2013-03-21\n0 1"
    assert told(sheet) == ["line 4: 2013-03-19: stands below 2013-03-20: days go forward"]


def test_a_day_after_one_that_cannot_be_is_taken_as_it_is():
    assert len(told("2013-02-30\nAnn Bob\n0 1\n2013-02-01\n0 1")) == 1


def test_no_day_lies_in_the_future():
    tomorrow = TODAY + timedelta(days=1)
    assert told(f"{TODAY}\nAnn Bob\n0 1\n{tomorrow}\n0 1") == [f"line 4: {tomorrow}: lies in the future"]


def test_a_day_with_no_hands_is_a_warning():
    sheet = read("2013-03-19\n2013-03-20\nAnn Bob\n0 1\n2013-03-21\n")
    assert list(map(str, sheet.warnings)) == [
        "line 1: 2013-03-19: the day with no hands",
        "line 5: 2013-03-21: the day with no hands",
    ]
    assert sheet.problems == ()
    assert len(sheet.hands) == 1


# F


@pytest.mark.parametrize("tier", ["F=1", "F=13", "F = 11", "f=10"])
def test_f_may_be_any_number_of_cards(tier):
    assert read(f"{tier}\n{below('0 1 2 3')}").hands[0].fry_cards == int(tier.split("=")[1])


@pytest.mark.parametrize("tier", ["F=0", "F=14", "F=", "F=ten", "F=-1", "F=1 1", "F=011"])
def test_f_is_nothing_else(tier):
    assert told(f"{tier}\n{below('0 1 2 3')}") == [
        f"line 1: {tier}: F is a number of cards, 1 to 13, such as F=11 (R12, point_tiers)"
    ]


# names


def test_r2_1_two_to_four_play():
    for names, count in (("Ann", "1 player"), ("Ann Bob Cat Dan Eve", "5 players")):
        problems = told(f"2013-03-19\n{names}\n0 {'1 ' * names.count(' ')}")
        assert problems == [f"line 2: {names}: {count}: a hand has 2 to 4 (R2.1)"]


def test_nobody_sits_twice():
    assert told("2013-03-19\nAnn Bob Ann\n0 1 2") == [
        "line 2: Ann Bob Ann: Ann stands there twice: each player has one seat"
    ]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Bo*b", "has a *, which stands for all players"),
        ("8ob", "begins with a digit, like a number"),
        ("Bo\x00b", "contains a control character"),
        ("\N{ZERO WIDTH JOINER}", "contains an invisible character"),
        ("B" * 41, "must have 1 to 40 characters"),
        ("--", "needs a letter or a digit"),
    ],
)
def test_a_name_that_the_service_cannot_keep_is_told(name, reason):
    [problem] = told(f"2013-03-19\nAnn {name} Cat\n0 1 2")
    assert problem.endswith(f": a name that {reason}")
    assert problem.isprintable()


@pytest.mark.parametrize("other", ["ann", "ANN", "\N{CYRILLIC CAPITAL LETTER A}nn", "\uff21nn"])
def test_two_names_that_look_alike_are_told(other):
    assert told(f"2013-03-19\nAnn Bob\n0 1\nBob {other}\n0 1") == [
        f"line 4: {other}: looks like Ann of line 2: write a player's name in one way"
    ]


# what is no sheet


@pytest.mark.parametrize("empty", ["", "\n\n", "# nothing\n", "F=11\n", "Ann Bob"])
def test_an_empty_sheet_is_told(empty):
    [problem] = told(empty)
    assert problem.endswith("the sheet ends without a hand")


def test_bytes_that_are_not_utf_8_are_told_with_their_line():
    assert told("2013-03-19\nAnn Jürg\n0 1".encode("latin-1"))[0] == (
        "line 2: Ann J\ufffdrg: byte 6 is not UTF-8: save the sheet as UTF-8"
    )


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_sheet_in_utf_16_is_told_once(encoding):
    assert told(("\ufeff" + SHEET).encode(encoding)) == ["line 1: the sheet is in UTF-16: save it as UTF-8"]


def test_a_long_line_is_cut_where_it_is_told():
    [problem] = told(below("7" * 1000))[-1:]
    assert len(problem) < 300


def test_no_line_is_longer_than_anybody_writes_but_for_its_comment():
    assert told(below("0 1 2 3 # " + "x" * 2_000)) == []
    longest = "Ann Bob Cat " + "D" * (LONGEST_LINE - 12)
    assert "must have 1 to 40 characters" in told(f"2013-03-19\n{longest}\n0 1 2 3")[0]
    [problem] = told(f"2013-03-19\n{longest}D")
    assert problem.endswith(f"no line has more than {LONGEST_LINE} characters")


def test_with_so_many_problems_the_rest_of_a_sheet_is_not_read():
    bad = ["4 6 11 11"] * MOST_REMARKS
    sheet = read(below(*bad[1:]))
    assert (len(sheet.problems), sheet.read_to) == (MOST_REMARKS - 1, None)
    sheet = read(below(*bad, "0 1 2 3", "4 6 11 11"))
    assert (len(sheet.problems), sheet.read_to, sheet.hands) == (MOST_REMARKS, MOST_REMARKS + 2, ())


def test_so_many_days_without_hands_are_told_and_the_last_says_so():
    days = [f"{year}-01-01" for year in range(1500, 1500 + MOST_REMARKS + 5)]
    sheet = read("\n".join([*days, "Ann Bob", "0 1"]))
    assert len(sheet.warnings) == MOST_REMARKS + 1
    assert str(sheet.warnings[-2]).endswith("the day with no hands")
    assert str(sheet.warnings[-1]).endswith("the day with no hands, and there may be more of them below")
    assert (sheet.problems, len(sheet.hands)) == ((), 1)


def test_a_line_of_too_many_names_is_told_and_not_its_hands():
    assert told("2013-03-19\nAnn Bob Cat Dan Eve\n0 1 2 3 4\nFay\n0") == [
        "line 2: Ann Bob Cat Dan Eve: 5 players: a hand has 2 to 4 (R2.1)",
        "line 4: Fay: 1 player: a hand has 2 to 4 (R2.1)",
    ]


@given(st.binary(max_size=200))
@example(b"\x00\x01\n\xff\n-")
@example(b"2013-03-19\na b\n0 1t")
def test_whatever_the_bytes_are_there_is_an_answer(raw):
    sheet = read(raw)
    assert sheet.hands or sheet.problems
    assert all(str(remark).isprintable() for remark in (*sheet.problems, *sheet.warnings))


@given(st.text("0123456789tF=- *#abAB\n", max_size=120))
def test_whatever_the_text_is_there_is_an_answer(text):
    sheet = read(below(text))
    assert sheet.hands or sheet.problems
