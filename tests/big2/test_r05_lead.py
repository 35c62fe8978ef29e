"""R5: who leads the hand, and with what."""

import pytest

from big2.errors import IllegalPlay
from big2.hand import options, play
from big2.table import leader_after, lowest_card_leads
from tests.big2.play import CLOCKWISE, COUNTERCLOCKWISE, PRESETS, ROOMS, after, cards, dealt, mask, rules

TWO_HANDS = {2: "5D 5C 9D 9C", 4: "4C 4S 8D 8C TS"}


def led(hand):
    return {each.mask for each, _ in options(hand)}


@pytest.mark.parametrize("name", ROOMS)
def test_r5_1_the_lowest_card_dealt_leads_whichever_it_is(name):
    assert dealt(PRESETS[name], TWO_HANDS).turn == 4
    assert dealt(PRESETS[name], {1: "3C 2S", 2: "3D 2H"}).turn == 2


def test_r5_2_in_actionpoker_the_first_play_includes_it():
    hand = dealt(rules("actionpoker"), TWO_HANDS)
    assert led(hand) == {mask("4C"), mask("4C 4S")}
    with pytest.raises(IllegalPlay, match="must include 4C") as refusal:
        play(hand, 4, cards("8D 8C"))
    assert (refusal.value.clause, refusal.value.code) == ("R5.2", "must-include-lowest")
    assert after(hand, "4C 4S").must_include is None
    assert after(hand, "4C 4S", "5D 5C", "8D 8C").to_beat_seat == 4


@pytest.mark.parametrize("name", ["english-harbour", "high-low", "dealer-puck"])
def test_r5_2_elsewhere_it_is_any_card_set(name):
    hand = dealt(PRESETS[name], TWO_HANDS)
    assert mask("8D 8C") in led(hand)
    assert after(hand, "8D").to_beat_seat == 4


def test_r5_2_binds_no_hand_that_a_winner_leads():
    hand = dealt(rules("actionpoker"), TWO_HANDS, leader=2)
    assert (hand.turn, hand.must_include) == (2, None)
    assert after(hand, "9D").to_beat_seat == 2


def test_r12_it_alone():
    hand = dealt(rules(opening_play="it_alone"), TWO_HANDS)
    assert led(hand) == {mask("4C")}
    with pytest.raises(IllegalPlay, match="must be 4C"):
        play(hand, 4, cards("4C 4S"))
    assert after(hand, "4C").to_beat_seat == 4


def test_r12_an_opening_card_of_its_own():
    three_of_clubs = rules(opening_card="3C")
    hand = dealt(three_of_clubs, {1: "3D 9D", 2: "3C 9C"})
    assert (hand.turn, hand.must_include) == (2, cards("3C")[0])


def test_r12_if_nobody_was_dealt_it_the_lowest_dealt():
    hand = dealt(rules(opening_card="3C"), {1: "4D 9D", 2: "3S 9C"})
    assert (hand.turn, hand.must_include) == (2, cards("3S")[0])


def test_r12_lowest_by_the_rule_sets_suits():
    assert dealt(rules(suits="CDHS"), {1: "3D 9D", 2: "3C 9C"}).turn == 2


def test_r5_3_f14_the_lowest_card_leads_a_tables_first_hand_only():
    for name in ROOMS:
        assert lowest_card_leads(PRESETS[name], first_hand=True)
        assert not lowest_card_leads(PRESETS[name], first_hand=False)
    assert lowest_card_leads(rules(opening_scope="every_hand"), first_hand=False)


def test_r5_3_the_winner_of_the_last_settled_hand_leads():
    assert leader_after(3, True, {1, 2, 3}, CLOCKWISE) == 3


def test_r5_3_else_the_next_seat_dealt_in_in_the_new_hands_direction():
    assert leader_after(2, False, {1, 3, 4}, CLOCKWISE) == 3
    assert leader_after(2, False, {1, 3, 4}, COUNTERCLOCKWISE) == 1
    assert leader_after(2, False, {1, 4}, CLOCKWISE) == 4


def test_r5_3_a_newcomer_in_the_winners_seat_does_not_inherit_the_lead():
    assert leader_after(2, False, {1, 2, 3, 4}, CLOCKWISE) == 3
    assert leader_after(2, False, {1, 2}, CLOCKWISE) == 1
