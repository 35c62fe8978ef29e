"""The statistics that a million decks are put to: chance passes them, and what only looks like chance does not."""

from random import Random

import pytest

from tests.proof.decks import FARTHEST, decks, main, statistics

FEW = 1500


def beyond_chance(shuffled):
    return {each.name for each in statistics(shuffled) if abs(each.away) > FARTHEST}


def test_decks_of_the_scheme_fall_as_chance_has_it(capsys):
    assert main([str(FEW)]) == 0
    assert f"{FEW} decks" in capsys.readouterr().out


def swapped_with_any(random):
    """The well-known mistake: each place is swapped with any of the 52."""
    deck = list(range(52))
    for place in range(52):
        other = random.randrange(52)
        deck[place], deck[other] = deck[other], deck[place]
    return deck


def cut_only(random):
    place = random.randrange(52)
    return [(card + place) % 52 for card in range(52)]


def riffled_once(random):
    left, right = list(range(26)), list(range(26, 52))
    return [(left if right == [] or (left and random.random() < 0.5) else right).pop(0) for _ in range(52)]


@pytest.mark.parametrize(
    ("shuffle", "noticed"),
    [
        (swapped_with_any, "place of each card"),
        (cut_only, "neighbours"),
        (cut_only, "decks that came before"),
        (riffled_once, "neighbours still in order"),
        (riffled_once, "spades of a seat"),
        (riffled_once, "seat of the lowest card"),
    ],
)
def test_a_shuffle_that_is_none_is_noticed(shuffle, noticed):
    random = Random(1)
    assert noticed in beyond_chance(shuffle(random) for _ in range(5 * FEW))


def test_a_deck_that_comes_twice_is_counted():
    some = list(decks(20))
    again = next(each for each in statistics([*some, some[3]]) if each.name == "decks that came before")
    assert again.value == 1
