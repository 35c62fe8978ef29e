"""A house player: never a breach, twos kept, long and low first; whatever he chooses is legal."""

from __future__ import annotations

from random import Random

import pytest

from big2.cards import card_text, cards_in, parse_stored_card
from big2.hand import apply, duty, may_pass, options, pass_turn, play
from tests.big2.play import PRESETS, random_start, rules
from workers.strategy import FEW_CARDS, choose


class Steady(Random):
    """Without whims."""

    def random(self) -> float:
        return 1.0


class Whimsical(Random):
    """With nothing but whims."""

    def random(self) -> float:
        return 0.0


def legal(*plays: str, passes: bool = True, owed: str | None = None, breaches: tuple[str, ...] = ()):
    """The API's answer on legal plays, with these card sets."""
    items = [{"cards": cards.split(), "breach": cards in breaches} for cards in (*plays, *breaches)]
    return {"turn": 1, "may_pass": passes, "duty": owed, "items": items}


def chosen(answer, own_left=13, fewest_left=13, random=None):
    cards = choose(answer, own_left, fewest_left, random or Steady())
    return " ".join(cards) if cards else None


def test_with_nothing_to_play_he_passes():
    assert chosen(legal()) is None


def test_he_leads_long_then_low():
    assert chosen(legal("3D", "4D 4C", "3D 4C 5H 6S 7D", "9D TC JH QS KD", passes=False)) == "3D 4C 5H 6S 7D"


def test_he_leads_without_twos_as_long_as_he_can():
    assert chosen(legal("2S", "AS", "2S 2D", passes=False)) == "AS"
    assert chosen(legal("2S", "2S 2D", passes=False)) == "2S"
    assert chosen(legal("2D 3C 4H 5S 6D", "7H", passes=False)) == "7H"


def test_he_follows_with_the_lowest():
    assert chosen(legal("9D", "JC", "2S")) == "9D"


def test_he_keeps_his_twos_until_somebody_is_about_to_go_out():
    only_twos = legal("2D", "2S")
    assert chosen(only_twos) is None
    assert chosen(only_twos, fewest_left=FEW_CARDS) == "2D"
    assert chosen(only_twos, own_left=FEW_CARDS) == "2D"
    assert chosen(legal("AS", "2D"), fewest_left=1) == "AS"


@pytest.mark.parametrize("random", [Steady(), Whimsical()])
def test_he_never_chooses_a_breach(random):
    assert chosen(legal("2S", owed="highest_single", breaches=("3D", "AS")), random=random) == "2S"
    assert chosen(legal("3D 3C", owed="multi_card", breaches=("2S",)), random=random) == "3D 3C"
    assert chosen(legal(breaches=("3D",)), random=random) is None


def test_under_a_duty_he_plays_what_he_owes_even_if_it_is_a_two():
    assert chosen(legal("2S", owed="highest_single"), own_left=13, fewest_left=13) == "2S"


def test_a_whim_is_one_of_the_plays():
    plays = ["9D", "JC", "2S"]
    assert {chosen(legal(*plays), random=Random(seed)) for seed in range(300)} == set(plays)


@pytest.mark.parametrize("preset", [*PRESETS, "forced"])
@pytest.mark.parametrize("seed", range(6))
def test_whole_hands_of_house_players_are_legal_and_without_a_breach(preset, seed):
    random = Random(seed)
    hand = random_start(random, rules(last_card="forced") if preset == "forced" else PRESETS[preset])
    turns = 0
    while hand.turn is not None:
        left = [mask.bit_count() for mask in hand.holdings]
        others = [count for seat, count in enumerate(left) if count and seat != hand.turn]
        cards = choose(as_answered(hand), left[hand.turn], min(others), random)
        parsed = [parse_stored_card(card) for card in cards or ()]
        actions = play(hand, hand.turn, parsed) if parsed else pass_turn(hand, hand.turn)
        assert not actions[0].breach
        for action in actions:
            hand = apply(hand, action)
        turns += 1
    assert turns < 300


def as_answered(hand):
    items = [
        {"cards": [card_text(card) for card in cards_in(each.mask)], "breach": breach}
        for each, breach in options(hand)
    ]
    return {"turn": 1, "may_pass": may_pass(hand), "duty": duty(hand), "items": items}
