"""Counts of legal plays, like chess programs' perft: a number tells of any change in what may be played."""

from collections import Counter
from copy import deepcopy

import pytest

from big2.card_sets import classify, legal_plays
from big2.cards import cards_in, parse_cards
from big2.hand import apply, may_pass, options, pass_turn, play_mask
from tests.big2.play import PRESETS, dealt, mask, rules
from tests.big2.slow_hand import SlowHand
from tests.big2.slow_referee import slow_classify

DEAL = {
    1: "3D 4D 4C 5H 6S 7D 7H 8C TD TS QH AS 2D",
    2: "3C 3H 5D 5C 5S 6D 8D 9C JH KD KC AC 2H",
    3: "3S 4H 6C 7C 8H 9D 9H TC JD QD KH AD 2C",
    4: "4S 6H 7S 8S 9S TH JC JS QC QS KS AH 2S",
}
PATHS = {
    "actionpoker": (10, 49, 195, 4_292),
    "english-harbour": (29, 160, 755, 10_328),
    "dealer-puck": (29, 160, 755, 10_328),
    "high-low": (29, 160, 803, 14_060),
    "hong-kong": (10, 50, 196, 4_539),
    "taiwan": (3, 17, 135, 583),
    "pusoy-dos": (4, 18, 184, 675),
}
"""By preset: in how many ways the first one, two, three and four turns of `DEAL` may be taken."""

KINDS = (
    "single",
    "pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
)


def paths(hand, turns):
    if turns == 0 or hand.turn is None:
        return 1
    moves = [play_mask(hand, hand.turn, card_set.mask) for card_set, _ in options(hand)]
    moves += [pass_turn(hand, hand.turn)] if may_pass(hand) else []
    return sum(paths(after(hand, actions), turns - 1) for actions in moves)


def after(hand, actions):
    for action in actions:
        hand = apply(hand, action)
    return hand


def slow_paths(slow, turns):
    if turns == 0 or slow.turn is None:
        return 1
    count = 0
    for cards in slow.legal_by_r4_and_r5():
        played = deepcopy(slow)
        played.play(cards)
        count += slow_paths(played, turns - 1)
    if slow.may_pass():
        passed = deepcopy(slow)
        passed.pass_()
        count += slow_paths(passed, turns - 1)
    return count


@pytest.mark.parametrize("preset", PRESETS)
def test_the_first_four_turns_may_be_taken_in_so_many_ways(preset):
    hand = dealt(PRESETS[preset], DEAL)
    assert tuple(paths(hand, turns) for turns in (1, 2, 3, 4)) == PATHS[preset]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_slow_table_counts_the_same(preset):
    holdings = {seat: parse_cards(text) for seat, text in DEAL.items()}
    slow = SlowHand(PRESETS[preset], 1, 1, None, holdings)
    assert tuple(slow_paths(slow, turns) for turns in (1, 2)) == PATHS[preset][:2]


@pytest.mark.parametrize(("holding", "to_beat", "counts"), [
    ("3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD 2D", None, (13, 0, 0, 0, 1_277, 0, 0, 10)),
    ("3D 3C 3H 3S 4D 4C 4H 4S 5D 5C 5H 5S 6D", None, (13, 18, 12, 0, 0, 144, 27, 0)),
    ("3D 4C 5H 6S 7D 8C 9H TS JD QC KH AS 2D", None, (13, 0, 0, 10, 0, 0, 0, 0)),
    ("2D 2C 2H 2S AD AC AH AS KD KC KH KS QD", "3D 3C 3H 4D 4C", (0, 0, 0, 0, 0, 144, 27, 0)),
    ("2D 2C 2H 2S AD AC AH AS KD KC KH KS QD", "AD AC AH AS 3D", (0, 0, 0, 0, 0, 0, 9, 0)),
    ("4D 4C 5H 5S 6D 6C 7H 7S 8D 8C 9H 9S 2S", "5D 5C", (0, 5, 0, 0, 0, 0, 0, 0)),
    ("4D 4C 5H 5S 6D 6C 7H 7S 8D 8C 9H 9S 2S", "7D", (7, 0, 0, 0, 0, 0, 0, 0)),
    ("4D 4C 5H 5S 6D 6C 7H 7S 8D 8C 9H 9S 2S", "3D 4S 5D 6S 7D", (0, 0, 0, 64, 0, 0, 0, 0)),
])  # fmt: skip
def test_a_holding_offers_so_many_plays_of_each_kind(holding, to_beat, counts):
    over = None if to_beat is None else classify(rules(), parse_cards(to_beat))
    plays = legal_plays(rules(), mask(holding), over)
    by_kind = Counter(play.kind for play in plays)
    assert tuple(by_kind[kind] for kind in KINDS) == counts
    assert all(slow_classify(rules(), cards_in(play.mask))[0] == play.kind for play in plays)
