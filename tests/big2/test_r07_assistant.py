"""R7: the assistant, while the next player has one card left."""

import pytest

from big2.errors import IllegalPlay
from big2.hand import Duty, Passed, duty, may_pass, options, pass_turn, play
from tests.big2.play import COUNTERCLOCKWISE, after, cards, dealt, mask, rules, taken

ONE_LEFT = {1: "6D 6S 7D JS", 2: "9D", 3: "8D 8C TC"}
THREE_PRESETS = ("actionpoker", "english-harbour", "dealer-puck")


def leads(base="actionpoker", **switches):
    return dealt(rules(base, **switches), ONE_LEFT, leader=1)


def follows(holding, to_beat, base="actionpoker", **switches):
    """Seat 1 follows seat 3's lead while seat 2 has one card."""
    lead = {1: holding, 2: "3D", 3: to_beat + " 3S 4S"}
    return after(dealt(rules(base, **switches), lead, leader=3), to_beat)


def marked(hand):
    return {each.mask: breach for each, breach in options(hand)}


def breach_of(hand, move):
    return taken(hand, move)[0].breach


def test_r7_1_it_binds_whoever_acts_before_a_seat_with_one_card():
    assert duty(leads()) is Duty.MULTI_CARD
    assert duty(dealt(rules(), ONE_LEFT | {2: "9D 9C"}, leader=1)) is None
    assert duty(dealt(rules(), ONE_LEFT, leader=2)) is None


def test_r7_1_f16_the_next_seat_is_the_next_in_the_direction_of_play():
    hand = dealt(rules(), ONE_LEFT, leader=1, direction=COUNTERCLOCKWISE)
    assert duty(hand) is None
    assert duty(dealt(rules(), ONE_LEFT, leader=3, direction=COUNTERCLOCKWISE)) is Duty.MULTI_CARD


def test_r7_1_the_next_seat_dealt_in():
    assert duty(dealt(rules(), {1: "6D 7D", 3: "9D", 4: "8D 8C"}, leader=1)) is Duty.HIGHEST_SINGLE


def test_r7_1_f26_not_with_two_players():
    assert duty(dealt(rules(), {1: "6D 6S 7D", 2: "9D"}, leader=1)) is None


def test_r7_1_no_duty_once_the_hand_is_over():
    assert duty(after(dealt(rules(), {1: "6D", 2: "9D", 3: "8D 8C"}, leader=1), "6D")) is None


@pytest.mark.parametrize("base", THREE_PRESETS)
def test_r7_2_more_than_one_card_if_any_such_set_is_legal(base):
    assert marked(leads(base)) == {
        mask("6D 6S"): False, mask("6D"): True, mask("6S"): True, mask("7D"): True, mask("JS"): True,
    }  # fmt: skip


@pytest.mark.parametrize("base", THREE_PRESETS)
def test_r7_2_else_the_highest_legal_single(base):
    hand = follows("6D 6S 7D JS", "5D", base)
    assert duty(hand) is Duty.HIGHEST_SINGLE
    assert marked(hand) == {mask("6D"): True, mask("6S"): True, mask("7D"): True, mask("JS"): False}
    assert breach_of(hand, "pass")
    assert not breach_of(hand, "JS")


@pytest.mark.parametrize("base", [*THREE_PRESETS, "high-low"])
def test_r7_2_else_he_is_free_to_pass(base):
    hand = follows("6D 6S 7D JS", "QD", base)
    assert duty(hand) is None
    assert not breach_of(hand, "pass")
    over_a_pair = follows("6D 6S 7D JS", "7C 7S", base)
    assert duty(over_a_pair) is None
    assert not breach_of(over_a_pair, "pass")


def test_r7_2_over_a_pair_he_owes_a_pair():
    hand = follows("6D 6S 7D JS", "5D 5C")
    assert duty(hand) is Duty.MULTI_CARD
    assert breach_of(hand, "pass")
    assert not breach_of(hand, "6D 6S")


def test_r7_2_in_high_low_either_as_he_likes():
    hand = leads("high-low")
    assert duty(hand) is Duty.EITHER
    assert marked(hand) == {
        mask("6D 6S"): False, mask("6D"): True, mask("6S"): True, mask("7D"): True, mask("JS"): False,
    }  # fmt: skip


def test_r7_2_in_high_low_over_a_single_or_a_pair_there_is_no_choice():
    assert duty(follows("6D 6S 7D JS", "5D", "high-low")) is Duty.HIGHEST_SINGLE
    assert duty(follows("6D 6S 7D JS", "5D 5C", "high-low")) is Duty.MULTI_CARD


def test_r7_2_a_single_of_another_kind_of_duty_is_no_breach_of_it():
    """A five-card set meets the duty too: the next player cannot follow it."""
    holding = {1: "3D 4D 5D 6D 7C JS", 2: "9D", 3: "8D 8C TC"}
    hand = dealt(rules(), holding, leader=1)
    assert not breach_of(hand, "3D 4D 5D 6D 7C")
    assert breach_of(hand, "JS")


def test_r7_3_a_breach_is_allowed_and_marked():
    assert play(leads(), 1, cards("7D"))[0].breach
    assert pass_turn(follows("6D 7D", "5D"), 1)[0] == Passed(1, breach=True)
    assert may_pass(follows("6D 7D", "5D"))


def test_r7_4_liable_if_the_next_seat_goes_out_on_the_turn_after_the_breach():
    ended = after(leads(), "7D", "9D")
    assert (ended.winner, ended.liable) == (2, 1)


def test_r7_4_liable_for_a_pass_too():
    hand = dealt(rules(), {1: "6D 7D TS", 2: "9D", 3: "8D 8C TC"}, leader=3)
    ended = after(hand, "8D", "pass", "9D")
    assert (ended.winner, ended.liable) == (2, 1)


def test_r7_4_nobody_is_liable_without_a_breach():
    ended = after(follows_and_loses(), "8S", "9D")
    assert (ended.winner, ended.liable) == (2, None)


def follows_and_loses():
    hand = dealt(rules(), {1: "6D 8S", 2: "9D", 3: "7D 8C TC"}, leader=3)
    return after(hand, "7D")


def test_r7_4_f25_only_his_latest_action_counts():
    holdings = {1: "6D 7D 8S 8H", 2: "9D", 3: "5D TC TS"}
    hand = after(dealt(rules(), holdings, leader=1), "6D", "pass", "TC")
    assert hand.turn == 1
    ended = after(hand, "pass", "pass", "5D", "8S", "9D")
    assert (ended.winner, ended.liable) == (2, None)


def test_r7_4_f25_the_seat_before_is_liable_not_who_played_last():
    holdings = {1: "6D 7D JS", 2: "9D", 3: "8D 8C TC"}
    ended = after(dealt(rules(), holdings, leader=3), "8D", "pass", "9D")
    assert (ended.to_beat_seat, ended.liable) == (None, 1)


def test_r7_4_f26_equal_counts_do_not_confuse_seats():
    holdings = {1: "6D JS", 2: "9D", 3: "TD", 4: "5D"}
    ended = after(dealt(rules(), holdings, leader=1), "6D", "9D")
    assert (ended.winner, ended.liable) == (2, 1)


def test_r12_last_card_forced_refuses_a_breach():
    hand = leads(last_card="forced")
    with pytest.raises(IllegalPlay, match="play more than one card") as refusal:
        play(hand, 1, cards("JS"))
    assert (refusal.value.clause, refusal.value.code) == ("R7.2", "assistant-rule")
    assert marked(hand) == {mask("6D 6S"): False}


def test_r12_last_card_forced_refuses_a_pass():
    hand = follows("6D 7D JS", "5D", last_card="forced")
    assert not may_pass(hand)
    with pytest.raises(IllegalPlay, match="play the highest single"):
        pass_turn(hand, 1)
    assert marked(hand) == {mask("JS"): False}
    assert may_pass(follows("6D 7D JS", "QD", last_card="forced"))
    either = leads("high-low", last_card="forced")
    with pytest.raises(IllegalPlay, match="more than one card, or the highest single"):
        play(either, 1, cards("7D"))


def test_r12_last_card_off():
    hand = leads(last_card="off")
    assert duty(hand) is None
    ended = after(hand, "7D", "9D")
    assert (ended.winner, ended.liable) == (2, None)


def test_r12_with_locks_a_skipped_seat_breaches_nothing():
    """Seat 1 passed before seat 2 came down to one card; it is skipped, and seat 2 goes out by its next turn."""
    holdings = {1: "6D 7D 8S 9C", 2: "9D TD", 3: "8D JC QC", 4: "5D 9S KS 3S"}
    hand = after(dealt(rules(pass_locks_trick=True), holdings, leader=4), "5D", "pass", "9D")
    assert (hand.turn, hand.holdings[2].bit_count()) == (3, 1)
    hand = after(hand, "JC", "KS")
    assert hand.turn == 2
    hand = after(hand, "pass", "pass", "9S")
    assert hand.turn == 1
    assert after(hand, "pass", "TD").liable is None


def test_r7_4_nobody_is_liable_where_another_than_the_next_seat_goes_out():
    holdings = {1: "3D 6D KD", 2: "4D", 3: "5D 9D"}
    hand = after(dealt(rules(pass_locks_trick=True), holdings, leader=1), "3D", "pass", "5D", "6D")
    assert hand.breach_by == 1
    over = after(hand, "9D")
    assert (over.winner, over.liable) == (3, None)
