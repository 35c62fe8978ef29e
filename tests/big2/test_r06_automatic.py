"""R6: automatic passes."""

import pytest

from big2.hand import Passed, PassReason
from tests.big2.play import after, dealt, rules, taken

TWO_OF_SPADES, TOO_FEW = PassReason.TWO_OF_SPADES, PassReason.TOO_FEW_CARDS
OTHERS = {2: "4D 4C 4H 7D 8D 9D", 3: "5D 5C 5H 7C 8C 9C"}


def automatic(leader, move, rule_set=None, others=OTHERS):
    hand = dealt(rule_set or rules(), {1: leader, **others}, leader=1)
    return [(passed.seat, passed.reason) for passed in taken(hand, move)[1:]]


@pytest.mark.parametrize("play", ["2S", "2H 2S", "2C 2H 2S"])
def test_r6_1_the_two_of_spades_alone_in_a_pair_or_in_three(play):
    assert automatic(play + " 3D", play) == [(2, TWO_OF_SPADES), (3, TWO_OF_SPADES)]


@pytest.mark.parametrize("play", ["2H", "2C 2H", "2D 2C 2H"])
def test_r6_1_f23_no_other_two(play):
    assert automatic(play + " 3D", play) == []


def test_r6_1_f23_not_in_a_five_card_set():
    assert automatic("3S 4S 5S 6S 2S 3D", "3S 4S 5S 6S 2S") == []


def test_r6_1_not_in_four_of_a_kind_where_that_is_four_cards():
    assert automatic("2D 2C 2H 2S 3D", "2D 2C 2H 2S", rules(quads_kicker=False)) == []


def test_r6_2_fewer_cards_than_the_set_to_beat():
    few = {2: "4D 4C", 3: "5D 5C 5H 6S 7S"}
    assert automatic("3D 3S 3H 9S", "3D 3S 3H", others=few) == [(2, TOO_FEW)]
    assert automatic("3D 3S 3H 9S", "3D 3S", others=few) == []


def test_r6_2_comes_when_the_turn_comes():
    hand = dealt(rules(), {1: "3D 3S 9S", 2: "4D 4C 9D", 3: "5D"}, leader=1)
    assert taken(hand, "3D 3S")[1:] == ()
    after_the_play = after(hand, "3D 3S")
    assert taken(after_the_play, "pass") == (Passed(2, breach=True), Passed(3, TOO_FEW))
    assert after(after_the_play, "pass").turn == 1


def test_r6_2_where_both_hold_r6_1_is_the_reason():
    assert automatic("2H 2S 3D", "2H 2S", others={2: "4D", 3: "5D 6D"}) == [
        (2, TWO_OF_SPADES),
        (3, TWO_OF_SPADES),
    ]


def test_r6_3_nobody_passes_because_he_holds_nothing_higher():
    assert automatic("2H AS 3D", "2H", others={2: "4D 5D", 3: "6D 7D"}) == []


def test_r6_1_f11_the_trick_of_a_two_of_spades_goes_on_to_its_player():
    hand = dealt(rules(), {1: "2S 3D", **OTHERS}, leader=1)
    assert after(hand, "2S").turn == 1


def test_r12_the_rule_sets_own_highest_card():
    pusoy_dos = rules(suits="CSHD")
    assert automatic("2D 3D", "2D", pusoy_dos) == [(2, TWO_OF_SPADES), (3, TWO_OF_SPADES)]
    assert automatic("2S 3D", "2S", pusoy_dos) == []


def test_r12_auto_pass_may_be_off():
    assert automatic("2S 3D", "2S", rules(auto_pass=[])) == []
    assert automatic("2S 3D", "2S", rules(auto_pass=["too_few_cards"])) == []
    few = {2: "4D", 3: "5D 6D 7D"}
    assert automatic("3D 3S 9S", "3D 3S", rules(auto_pass=["two_of_spades"]), few) == []


def test_r7_3_an_automatic_pass_is_never_a_breach():
    hand = dealt(rules(), {1: "2H 2S 9D", 2: "AD AS 9S", 3: "5D"}, leader=1)
    assert [passed.breach for passed in taken(hand, "2H 2S")[1:]] == [False, False]


def test_r12_who_may_hold_a_four_of_a_kind_that_beats_any_set_does_not_pass_by_itself():
    five, four, three = "4D 5D 6D 7D 8D", "4C 5C 6C 7C", "4H 5H 6H"
    with_kicker = rules(quads_beat_any=True)
    assert automatic("2S 3D", "2S", with_kicker, {2: five, 3: four}) == []
    assert automatic("2S 3D", "2S", with_kicker, {2: four, 3: five}) == [(2, TWO_OF_SPADES)]
    bare = rules(quads_beat_any=True, quads_kicker=False)
    assert automatic("2S 3D", "2S", bare, {2: four, 3: five}) == []
    assert automatic("2S 3D", "2S", bare, {2: three, 3: five}) == [(2, TWO_OF_SPADES)]
    straight = "3S 4S 5S 6S 7D"
    assert automatic(straight + " 9D", straight, bare, {2: three, 3: four}) == [(2, TOO_FEW)]
