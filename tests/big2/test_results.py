"""What the rules can say against the result of a hand that nobody typed (R2.1, R4.4, R7, R12)."""

from __future__ import annotations

import pytest

from big2.results import result_problems
from big2.settlement import Outcome
from big2.table import Direction
from tests.big2.play import rules

COUNTED = {"twos": "double_each"}


def result(*cards_left, winner=1, liable=None, twos=(), direction="clockwise"):
    left = dict(enumerate(cards_left, 1))
    twos_left = dict.fromkeys(left, 0) | dict(enumerate(twos, 1))
    return Outcome(tuple(left), 1, Direction(direction), winner, left, twos_left, liable)


def problems(*cards_left, switches=None, **more):
    return result_problems(rules("actionpoker", **switches or {}), result(*cards_left, **more))


@pytest.mark.parametrize("cards_left", [(0, 13), (0, 1, 13), (0, 13, 13, 13)])
def test_a_result_that_can_be_has_no_problem(cards_left):
    assert problems(*cards_left) == {}


def test_r2_1_nobody_has_more_than_thirteen_cards():
    assert list(problems(0, 14, 20)) == ["/cards_left/2", "/cards_left/3"]
    assert list(problems(0, -1, 2)) == ["/cards_left/2"]


def test_r4_4_somebody_went_out():
    found = problems(3, 5)
    assert list(found) == ["/cards_left", "/winner"]
    assert found["/cards_left"].startswith("nobody went out")
    assert "R4.4" in found["/cards_left"]


def test_r4_4_no_more_than_one_went_out():
    assert problems(0, 5, 0) == {
        "/cards_left": "seats 1 and 3 went out: a hand ends the moment one seat has no cards (R4.4)"
    }


@pytest.mark.parametrize(("left", "said"), [(1, "has 1 card left"), (5, "has 5 cards left")])
def test_r4_4_the_winner_is_who_went_out(left, said):
    assert problems(0, left, winner=2)["/winner"] == f"{said}: the winner has none (R4.4)"


def test_r4_4_the_winner_was_dealt_in():
    assert problems(0, 5, winner=4) == {"/winner": "is no seat that was dealt in"}


@pytest.mark.parametrize(
    ("direction", "liable"),
    [("clockwise", 4), ("counterclockwise", 2)],
    ids=["clockwise", "counterclockwise"],
)
def test_r7_4_only_who_acts_just_before_the_winner_is_liable(direction, liable):
    for seat in (1, 2, 3, 4):
        found = problems(0, 5, 2, 7, liable=seat, direction=direction)
        said = f"must be seat {liable}, which acts just before the winner (R7.4)"
        assert found == ({} if seat == liable else {"/liable": said})


def test_r7_1_with_two_players_nobody_is_liable():
    told = "must be null: the assistant's duty does not apply with two players (R7.1)"
    assert problems(0, 5, liable=2) == {"/liable": told}


@pytest.mark.parametrize("last_card", ["off", "forced"])
def test_r7_3_nobody_is_liable_where_the_rule_set_has_it_otherwise(last_card):
    found = problems(0, 5, 2, liable=3, switches={"last_card": last_card})
    assert found == {
        "/liable": f"must be null: under this rule set's last_card, {last_card}, nobody is (R7.3)"
    }


def test_who_is_liable_to_nobody_is_not_judged():
    for winner in (4, 2):  # not dealt in; not out
        assert list(problems(0, 5, 2, winner=winner, liable=2)) == ["/winner"]


def test_r7_4_whoever_is_liable_was_dealt_in():
    assert problems(0, 5, 2, winner=2, liable=4)["/liable"] == "is no seat that was dealt in"


def test_r12_twos_count_only_where_the_rule_set_says_so():
    told = "must be left out: this rule set does not count twos (R12)"
    assert problems(0, 5, twos=(0, 1)) == {"/twos_left": told}
    assert problems(0, 5, twos=(0, 1), switches=COUNTED) == {}


def test_r12_nobody_has_more_twos_than_cards():
    found = problems(0, 1, 2, twos=(1, 2, 2), switches=COUNTED)
    assert found == {
        "/twos_left/1": "has no more than 0 cards left",
        "/twos_left/2": "has no more than 1 card left",
        "/twos_left": "one pack has 4 twos (R2.1)",
    }


@pytest.mark.parametrize("twos", [-1, 5])
def test_r2_1_nobody_has_more_than_four_twos_or_fewer_than_none(twos):
    assert problems(0, 13, twos=(0, twos), switches=COUNTED)["/twos_left/2"] == "must be from 0 to 4 (R2.1)"


def test_r2_1_all_four_twos_may_be_left():
    assert problems(0, 1, 3, twos=(0, 1, 3), switches=COUNTED) == {}
    assert problems(0, 5, twos=(0, 4), switches=COUNTED) == {}
