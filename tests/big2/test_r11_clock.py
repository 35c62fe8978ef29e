"""R11.2: the clock acts for a player whose deadline has passed."""

import random

from big2.hand import By, Passed, PassReason, Played, clock_action, duty, play
from tests.big2.play import PRESETS, after, cards, dealt, mask, random_hand, rules


def test_r11_2_it_passes():
    hand = after(dealt(rules(), {1: "3D 5D", 2: "4D 2S"}, leader=1), "3D")
    assert clock_action(hand) == (Passed(2, PassReason.CLOCK),)


def test_r11_2_as_leader_it_plays_his_lowest_legal_single():
    hand = dealt(rules(), {1: "5D 4S 4H", 2: "6D 2S"}, leader=1)
    assert clock_action(hand)[0] == Played(1, mask("4H"), By.CLOCK)


def test_r11_2_by_the_rule_sets_suits():
    hand = dealt(rules(suits="CSHD"), {1: "5D 4S 4H", 2: "6D 2S"}, leader=1)
    assert clock_action(hand)[0] == Played(1, mask("4S"), By.CLOCK)


def test_r11_2_the_opening_card_where_it_must_be_included():
    hand = dealt(rules(opening_card="3S"), {1: "3S 3D 5D", 2: "6D 2S"})
    assert clock_action(hand)[0] == Played(1, mask("3S"), By.CLOCK)


def test_r11_2_automatic_passes_follow():
    hand = after(dealt(rules(), {1: "3D 3S 9D 9S", 2: "6D 6S 7S", 3: "TD"}, leader=1), "3D 3S")
    assert clock_action(hand) == (Played(2, mask("6D 6S"), By.CLOCK), Passed(3, PassReason.TOO_FEW_CARDS))


def test_r11_2_where_a_duty_binds_the_smallest_set_of_more_than_one_card():
    hand = dealt(rules(), {1: "7D 7S 6D 6S 9S 9H 9D", 2: "TD", 3: "8D 8C"}, leader=1)
    assert clock_action(hand)[0] == Played(1, mask("6D 6S"), By.CLOCK)


def test_r11_2_equal_strength_by_the_cards_lowest_first():
    lead = {1: "9S 9H 9C JD JC 9D", 2: "TD", 3: "8D 8C"}
    pairs_with_the_nine_of_spades = dealt(rules(), lead, leader=1)
    assert clock_action(pairs_with_the_nine_of_spades)[0].mask == mask("9D 9C")
    over = {1: "9S 9D 9C", 2: "TD", 3: "8H 8S 8D"}
    assert clock_action(after(dealt(rules(), over, leader=3), "8H 8S"))[0].mask == mask("9D 9C")
    over = {1: "9S 9H 9C", 2: "TD", 3: "9D 8S 8D"}
    led = after(dealt(rules(suits="SCHD"), over | {3: "8H 8S 9D"}, leader=3), "8H 8S")
    assert clock_action(led)[0].mask == mask("9S 9C")
    houses = {1: "9S 9H 9C JD JC 4S 4H 6D", 2: "TD", 3: "8H 8S 8D 3D 3S 5D"}
    assert clock_action(after(dealt(rules(), houses, leader=3), "8H 8S 8D 3D 3S"))[0].mask == mask(
        "4S 4H 9S 9H 9C"
    )


def test_r11_2_equal_strength_in_the_rule_sets_order_of_suits():
    houses = {1: "9D 9C 9H 3D 3C 3S", 2: "TD", 3: "8H 8S 8D 4D 4S 5D"}
    led = after(dealt(rules(suits="SHCD"), houses, leader=3), "8H 8S 8D 4D 4S")
    assert clock_action(led)[0].mask == mask("3S 3C 9D 9C 9H")


def test_r11_2_who_acted_is_said():
    hand = dealt(rules(), {1: "7D 7S 6D", 2: "TD 3D", 3: "5D 8C"}, leader=1)
    assert [play(hand, 1, cards("7D"), by)[0].by for by in By] == [By.PLAYER, By.CLOCK]


def test_r11_2_else_the_highest_legal_single():
    hand = after(dealt(rules(), {1: "7D 7S 6D", 2: "TD", 3: "5D 8C"}, leader=3), "5D")
    assert clock_action(hand)[0] == Played(1, mask("7S"), By.CLOCK)


def test_r11_2_else_it_passes():
    hand = after(dealt(rules(), {1: "7D 7S 6D", 2: "TD", 3: "JD 8C"}, leader=3), "JD")
    assert clock_action(hand)[0] == Passed(1, PassReason.CLOCK)


def test_r11_2_in_high_low_too_it_plays_more_than_one_card():
    hand = dealt(rules("high-low"), {1: "7D 7S JD", 2: "TD", 3: "8D 8C"}, leader=1)
    assert clock_action(hand)[0] == Played(1, mask("7D 7S"), By.CLOCK)


def test_r11_2_it_never_makes_a_breach():
    for seed in range(40):
        rule_set = list(PRESETS.values())[seed % 4]
        states, _ = random_hand(random.Random(seed), rule_set)
        for hand in states[:-1]:
            assert not clock_action(hand)[0].breach
            if duty(hand) is not None:
                assert isinstance(clock_action(hand)[0], Played)
