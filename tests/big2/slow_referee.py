"""R3 once more, written to be slow and plain, from the rulebook's words and nothing of `big2.book`."""

from collections import Counter
from itertools import combinations

from big2.cards import RANKS, SUITS

CATEGORIES = ("straight", "flush", "full_house", "four_of_a_kind", "straight_flush")


def rank(card):
    return RANKS[card // 4]


def rank_height(card):
    return card // 4


def suit_height(rules, card):
    return rules.suits.index(SUITS[card % 4])


def slow_classify(rules, cards):
    """(kind, key) or None; keys of equally many cards compare."""
    cards = sorted(cards, key=lambda card: (rank_height(card), suit_height(rules, card)))
    counts = sorted(Counter(rank(card) for card in cards).values())
    if len(cards) == 1:
        return "single", (rank_height(cards[0]), suit_height(rules, cards[0]))
    if len(cards) == 2 and counts == [2]:
        return "pair", (rank_height(cards[0]), suit_height(rules, cards[1]))
    if len(cards) == 3 and counts == [3] and rules.triples:
        return "three_of_a_kind", (rank_height(cards[0]),)
    if len(cards) == 4 and counts == [4] and not rules.quads_kicker:
        return "four_of_a_kind", (rank_height(cards[0]),)
    if len(cards) == 5:
        return slow_five(rules, cards, counts)
    return None


def slow_five(rules, cards, counts):
    same_suit = len({card % 4 for card in cards}) == 1
    place = next(
        (i for i, text in enumerate(rules.straights) if set(text) == {rank(card) for card in cards}), None
    )
    if place is not None and counts == [1] * 5:
        name = "straight_flush" if same_suit else "straight"
        return name, (CATEGORIES.index(name), *straight_key(rules, cards, place, same_suit))
    if same_suit and rules.flush != "not_allowed":
        return "flush", (1, *flush_key(rules, cards))
    if counts == [2, 3]:
        return "full_house", (2, rank_height(cards[2]))
    if counts == [1, 4] and rules.quads_kicker:
        return "four_of_a_kind", (3, rank_height(cards[2]))
    return None


def straight_key(rules, cards, place, same_suit):
    if same_suit:
        key = (place, suit_height(rules, cards[0]))
        return key if rules.straight_flush == "sequence_then_suit" else key[::-1]
    deciding = cards[-1]
    if rules.straight_tie == "last_in_sequence":
        deciding = next(card for card in cards if rank(card) == rules.straights[place][-1])
    key = (place, suit_height(rules, deciding))
    return key[::-1] if rules.straight_tie == "suit_first" else key


def flush_key(rules, cards):
    ranks = tuple(rank_height(card) for card in reversed(cards))
    suit = (suit_height(rules, cards[0]),)
    if rules.flush == "top_card":
        return ranks[:1] + suit
    return suit + ranks if rules.flush == "suit_then_ranks" else ranks + suit


def slow_beats(rules, play, over):
    one, other = slow_classify(rules, play), slow_classify(rules, over)
    if one is None:
        return False
    if len(play) != len(over):
        return rules.quads_beat_any and one[0] == "four_of_a_kind"
    return one[1] > other[1]


def slow_legal_plays(rules, holding, to_beat):
    """The masks of all that a naive generator finds."""
    tried = [each for size in range(1, 6) for each in combinations(holding, size)]
    if to_beat is None:
        legal = [each for each in tried if slow_classify(rules, each)]
    else:
        legal = [each for each in tried if slow_beats(rules, each, to_beat)]
    return {sum(1 << card for card in each) for each in legal}
