"""R4: turn, trick, pass."""

import random

import pytest

from big2.errors import IllegalPlay
from big2.hand import Passed, PassReason, Played, apply, clock_action, may_pass, options, pass_turn, play
from tests.big2.play import (
    CLOCKWISE,
    COUNTERCLOCKWISE,
    PRESETS,
    after,
    cards,
    dealt,
    mask,
    random_hand,
    rules,
    taken,
)

FOUR = {1: "3D 7D 9D JD", 2: "4D 7C 9C JC", 3: "5D 7H 9H JH", 4: "6D 7S 9S JS"}


def four(**switches):
    return dealt(rules(**switches), FOUR)


def refused(hand, move, seat=None):
    with pytest.raises(IllegalPlay) as refusal:
        play(hand, seat or hand.turn, cards(move)) if move != "pass" else pass_turn(hand, seat or hand.turn)
    return refusal.value.clause, refusal.value.code.value


def test_r4_1_a_play_has_as_many_cards_and_is_higher():
    hand = after(four(), "3D", "7C")
    assert refused(hand, "5D") == ("R4.1", "does-not-beat")
    assert after(hand, "7H").to_beat_seat == 3


def test_r4_1_a_pair_cannot_follow_a_single():
    hand = after(dealt(rules(), {1: "3D 4D", 2: "5D 5C 6S"}), "3D")
    assert refused(hand, "5D 5C") == ("R4.1", "wrong-card-count")
    single_on_pair = after(dealt(rules(), {1: "3D 3S 9D", 2: "4D 5C 6S"}), "3D 3S")
    assert refused(single_on_pair, "6S") == ("R4.1", "wrong-card-count")


def test_r4_1_the_leader_plays_any_set_and_may_not_pass():
    hand = four()
    assert not may_pass(hand)
    assert refused(hand, "pass") == ("R4.1", "leader-cannot-pass")
    led = dealt(rules("high-low"), {1: "3D 3S 4D", 2: "5D 5C 6S"})
    assert {len(cards_of(each)) for each, _ in options(led)} == {1, 2}


def cards_of(card_set):
    return [number for number in range(52) if card_set.mask >> number & 1]


def test_refusals_come_in_the_stated_order():
    hand = after(four(), "3D", "7C")
    assert refused(hand, "3S 3S", seat=4) == ("R4.1", "not-your-turn")
    assert refused(hand, "2S 2S") == ("R2.1", "duplicate-card")
    assert refused(hand, "2S 3S") == ("R2.1", "card-not-held")
    assert refused(hand, "5D 7H") == ("R3.1", "not-a-card-set")
    assert refused(hand, "") == ("R3.1", "not-a-card-set")
    assert refused(hand, "pass", seat=1) == ("R4.1", "not-your-turn")


def test_f8_a_card_of_another_player_is_refused_and_nothing_changes():
    hand = after(four(), "3D")
    assert refused(hand, "7D") == ("R2.1", "card-not-held")
    assert hand.holdings[1] == mask("7D 9D JD")


@pytest.mark.parametrize("direction_first", [(2, 3, 4), (4, 3, 2)])
def test_the_turn_goes_round_in_the_direction_of_play(direction_first):
    direction = COUNTERCLOCKWISE if direction_first[0] == 4 else CLOCKWISE
    hand = dealt(rules(), FOUR, direction=direction)
    seen = []
    for move in ("3D", "pass", "pass"):
        hand = after(hand, move)
        seen.append(hand.turn)
    assert tuple(seen) == direction_first


def test_the_turn_skips_seats_not_dealt_in():
    hand = dealt(rules(), {1: "3D 9D", 3: "4D 9H", 4: "5D 9S"})
    assert [after(hand, *moves).turn for moves in ((), ("3D",), ("3D", "4D"), ("3D", "4D", "5D"))] == [
        1,
        3,
        4,
        1,
    ]


def test_r4_2_f19_the_trick_ends_when_all_others_have_passed():
    hand = after(four(), "3D", "pass", "pass", "pass")
    assert (hand.turn, hand.to_beat, hand.to_beat_seat) == (1, None, None)
    assert refused(hand, "pass") == ("R4.1", "leader-cannot-pass")
    assert after(hand, "7D").turn == 2


def test_r4_2_whoever_made_the_last_play_leads():
    assert after(four(), "3D", "4D", "pass", "6D", "pass", "pass", "pass").turn == 4


def test_r4_3_f22_who_passed_may_play_later_in_the_trick():
    hand = after(four(), "3D", "pass", "5D", "pass", "pass")
    assert hand.turn == 2
    assert after(hand, "7C").to_beat_seat == 2


def test_r12_f22_pass_locks_trick_skips_who_has_passed():
    hand = after(four(pass_locks_trick=True), "3D", "pass", "5D", "pass")
    assert hand.turn == 1
    ended = after(hand, "pass")
    assert (ended.turn, ended.to_beat, ended.locked) == (3, None, 0)


def test_r12_a_lock_holds_over_plays_until_the_trick_ends():
    hand = after(four(pass_locks_trick=True), "3D", "pass", "5D", "pass", "7D")
    assert hand.turn == 3
    hand = after(hand, "7H")
    assert hand.turn == 1
    hand = after(hand, "pass")
    assert hand.turn == 3
    assert after(hand, "9H").turn == 4


def test_r12_a_locked_seat_makes_no_automatic_pass():
    hand = dealt(
        rules(pass_locks_trick=True), {1: "3D 2S 9D", 2: "4D 7C 9C", 3: "5D 7H 9H", 4: "6D 7S 9S"}, leader=1
    )
    hand = after(hand, "3D", "pass", "5D", "pass")
    assert [action.seat for action in taken(hand, "2S")] == [1, 3]
    assert after(hand, "2S").turn == 1


def test_r4_4_the_hand_ends_when_a_seat_has_no_cards():
    hand = dealt(rules(), {1: "3D 2S", 2: "4D 7C", 3: "5D 7H"})
    hand = after(hand, "3D", "pass", "pass")
    ending = taken(hand, "2S")
    assert ending == (Played(1, mask("2S")),)
    ended = after(hand, "2S")
    assert (ended.winner, ended.turn, ended.to_beat) == (1, None, None)
    assert options(ended) == []
    assert not may_pass(ended)
    assert refused(ended, "4D", seat=2) == ("R4.4", "hand-over")
    assert refused(ended, "pass", seat=2) == ("R4.4", "hand-over")
    with pytest.raises(IllegalPlay, match=r"R4\.4"):
        clock_action(ended)


def test_the_turn_number_grows_with_each_turn_to_take_and_not_with_automatic_passes():
    hand = dealt(rules(), {1: "3D 2S 9D", 2: "4D 7C 9C", 3: "5D 7H 9H"}, leader=1)
    assert hand.turn_number == 1
    assert after(hand, "2S").turn_number == 2
    assert after(hand, "3D", "4D", "pass").turn_number == 4
    assert after(hand, "2S", "3D").turn_number == 3


def test_refusals_are_sentences():
    hand = after(four(), "3D", "7C")
    with pytest.raises(IllegalPlay) as refusal:
        play(hand, 3, cards("5D"))
    assert refusal.value.reason == "5D does not beat 7C"
    assert str(refusal.value) == "R4.1: 5D does not beat 7C"
    with pytest.raises(IllegalPlay, match="it is the turn of seat 3"):
        pass_turn(hand, 1)
    with pytest.raises(IllegalPlay, match="seat 3 does not hold 2H 2S"):
        play(hand, 3, cards("2S 2H"))
    pair_led = after(dealt(rules(), {1: "3D 3S 9D", 2: "4D 5C 6S"}), "3D 3S")
    with pytest.raises(IllegalPlay, match="one card cannot follow 2 cards"):
        play(pair_led, 2, cards("6S"))
    with pytest.raises(IllegalPlay, match="no card is not a card set"):
        play(pair_led, 2, ())


def test_apply_never_judges():
    hand = four()
    odd = apply(hand, Played(3, mask("2S")))
    assert (odd.to_beat_seat, odd.turn, odd.holdings[3]) == (3, 4, hand.holdings[3])
    assert apply(hand, Passed(1)).turn == 2


def test_f1_a_stored_play_that_is_no_card_set_fails_loudly():
    with pytest.raises(AssertionError, match="no card set"):
        apply(four(), Played(1, mask("3D 7D")))


def test_a_hand_is_a_value():
    hand = four()
    with pytest.raises(AttributeError):
        hand.turn = 2
    assert hand == four()


def test_f39_replay_at_every_prefix_is_the_live_state():
    states, actions = random_hand(random.Random(39), PRESETS["high-low"])
    hand = states[0]
    for action, live in zip(actions, states[1:], strict=True):
        hand = apply(hand, action)
        assert hand == live


def test_automatic_reasons_are_passes():
    assert {reason.value for reason in PassReason} == {"player", "clock", "two_of_spades", "too_few_cards"}


def test_r3_1_what_is_on_record_as_a_play_is_a_card_set():
    with pytest.raises(AssertionError, match=r"^a play on record is no card set of its rule set$"):
        apply(four(), Played(1, mask("3D 7D")))
