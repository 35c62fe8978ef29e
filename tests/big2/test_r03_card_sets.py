"""R3: card sets and their order."""

import random
from itertools import combinations, pairwise

import pytest

from big2.book import book_of
from big2.card_sets import Kind, beats, classify, legal_plays
from big2.cards import PACK, RANKS, WHOLE_PACK, cards_in, mask_of, mask_text
from tests.big2.play import PRESETS, ROOMS, cards, mask, rules
from tests.big2.slow_referee import slow_classify, slow_legal_plays


def kind(text, rule_set=PRESETS["actionpoker"]):
    found = classify(rule_set, cards(text))
    return found and found.kind


def higher(play, over, rule_set=PRESETS["actionpoker"]):
    one, other = classify(rule_set, cards(play)), classify(rule_set, cards(over))
    assert one is not None
    assert other is not None
    assert not (beats(one, other) and beats(other, one))
    return beats(one, other)


@pytest.mark.parametrize("name", ROOMS)
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3D", Kind.SINGLE),
        ("3D 3S", Kind.PAIR),
        ("3D 3S 3H", Kind.THREE_OF_A_KIND),
        ("3D 4D 5D 6D 7S", Kind.STRAIGHT),
        ("3D 4D 5D 6D 8D", Kind.FLUSH),
        ("3D 3S 3H 4D 4C", Kind.FULL_HOUSE),
        ("3D 3S 3H 3C 4C", Kind.FOUR_OF_A_KIND),
        ("3D 4D 5D 6D 7D", Kind.STRAIGHT_FLUSH),
    ],
)
def test_r3_1_the_eight_kinds(name, text, found):
    assert kind(text, PRESETS[name]) is found


@pytest.mark.parametrize("name", ROOMS)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "3D 4D",
        "3D 3S 4D",
        "3D 3S 4D 4S",
        "3D 3C 3H 3S",
        "3D 3S 4D 4S 5D",
        "3D 4D 5D 6D 7D 8D",
        "3D 4C 5D 6D 8D",
    ],
)
def test_r3_1_nothing_else_is_a_card_set(name, text):
    assert kind(text, PRESETS[name]) is None


def test_r3_1_a_card_named_twice_makes_no_set():
    assert kind("3D 3D") is None


def test_r3_2_only_as_many_cards_compare():
    for small, large in combinations(("2S", "2H 2S", "2C 2H 2S", "TS JS QS KS AS"), 2):
        assert not higher(small, large)
        assert not higher(large, small)


def test_r3_2_among_five_cards_the_category_decides_first():
    ascending = (
        "9D TC JC QC KC", "3C 4C 5C 6C 8C", "3C 3H 3S 4D 4C", "3C 3D 3H 3S 4C", "3D 4D 5D 6D 7D",
    )  # fmt: skip
    for lower, upper in pairwise(ascending):
        assert higher(upper, lower)


def test_r3_3_rank_then_suit_then_for_pairs_the_higher_suit_of_the_two():
    assert higher("3S", "3H")
    assert higher("4D", "3S")
    assert higher("9D 9S", "9C 9H")
    assert not higher("9C 9H", "9D 9S")
    assert higher("2D 2C 2H", "AC AH AS")
    assert higher("4D 4C 4H 3D 3C", "3H 3S 3C 2D 2S")
    assert higher("4D 4C 4H 4S 3D", "3H 3S 3C 3D 2S")


def test_r3_4_f4_flushes_by_all_five_ranks_then_suit():
    assert higher("3D 4D 6D 9D JD", "4C 6C 7C 8C JC")
    assert higher("2S 5S 7S 9S KS", "2H 5H 7H 9H KH")
    assert higher("2D 3D 4D 5D 7D", "AS KS QS JS 9S")
    assert not higher("3C 4C 5C 6C 8C", "3H 4H 5H 6H 8H")


FIRST_LIST = ("34567", "45678", "56789", "6789T", "789TJ", "89TJQ", "9TJQK", "TJQKA", "23456", "A2345")
HIGH_LOW_LIST = (
    "A2345",
    "23456",
    "34567",
    "45678",
    "56789",
    "6789T",
    "789TJ",
    "89TJQ",
    "9TJQK",
    "TJQKA",
    "JQKA2",
)


def straight(ranks, top="C"):
    """Mixed suits: clubs, and a diamond where it decides nothing."""
    low = min(ranks, key=RANKS.index)
    return " ".join(rank + ("D" if rank == low else top) for rank in ranks)


@pytest.mark.parametrize("name", ROOMS)
def test_r3_5_straights_in_the_presets_own_order(name):
    listed = HIGH_LOW_LIST if name == "high-low" else FIRST_LIST
    for lower, upper in pairwise(listed):
        assert higher(straight(upper), straight(lower), PRESETS[name])
        assert higher(suited(upper, "D"), suited(lower, "S"), PRESETS[name])


@pytest.mark.parametrize("name", ROOMS)
def test_r3_5_f6_no_wrap_round_the_corner(name):
    assert kind("KD AC 2H 3S 4D", PRESETS[name]) is None
    assert kind("QD KC AH 2S 3D", PRESETS[name]) is None
    assert kind("KD AD 2D 3D 4D", PRESETS[name]) is Kind.FLUSH


def test_r3_5_jqka2_is_a_straight_in_high_low_alone():
    found = {name: kind("JD QC KH AS 2D", PRESETS[name]) for name in ROOMS}
    assert found.pop("high-low") is Kind.STRAIGHT
    assert set(found.values()) == {None}


def suited(ranks, suit):
    return " ".join(rank + suit for rank in ranks)


@pytest.mark.parametrize("name", ["actionpoker", "english-harbour", "dealer-puck"])
def test_r3_6_equal_straights_by_the_suit_of_the_highest_rank(name):
    preset = PRESETS[name]
    assert higher("AD 2S 3C 4C 5D", "AC 2H 3S 4S 5S", preset)
    assert higher("2S 3C 4C 5D 6D", "2H 3S 4S 5S 6S", preset)
    assert higher("3C 4C 5C 6C 7S", "3S 4S 5S 6S 7H", preset)


def test_r3_6_in_high_low_by_the_suit_of_the_last_card():
    preset = PRESETS["high-low"]
    assert higher("AC 2H 3D 4D 5S", "AS 2S 3C 4C 5H", preset)
    assert higher("2H 3D 4D 5D 6S", "2S 3C 4C 5C 6H", preset)
    assert higher("JD QD KD AD 2S", "JC QC KC AC 2H", preset)


def test_r3_6_f3_straight_flushes_by_sequence_then_suit():
    assert higher("6H 7H 8H 9H TH", "5H 6H 7H 8H 9H")
    assert higher("6D 7D 8D 9D TD", "5S 6S 7S 8S 9S")
    assert higher("6H 7H 8H 9H TH", "6D 7D 8D 9D TD")


def test_r12_straight_tie_suit_first():
    suit_first = rules(straight_tie="suit_first")
    assert higher("3D 4D 5D 6D 7S", "TS JS QS KS AH", suit_first)
    assert higher("4D 5D 6D 7D 8S", "3D 4D 5D 6D 7S", suit_first)
    assert higher("6D 7D 8D 9D TD", "5S 6S 7S 8S 9S", suit_first)


def test_r12_straight_flush_suit_then_sequence():
    by_suit = rules(straight_flush="suit_then_sequence")
    assert higher("5S 6S 7S 8S 9S", "6D 7D 8D 9D TD", by_suit)
    assert higher("6D 7D 8D 9D TD", "5D 6D 7D 8D 9D", by_suit)
    assert higher("4D 5D 6D 7D 8C", "3D 4D 5D 6D 7S", by_suit)


def test_r12_flush_suit_then_ranks():
    by_suit = rules(flush="suit_then_ranks")
    assert higher("3S 4S 5S 6S 8S", "2H AH KH QH TH", by_suit)
    assert higher("3S 4S 5S 7S 9S", "3S 4S 5S 6S 9S", by_suit)


def test_r12_flush_by_its_top_card():
    by_top_card = rules(flush="top_card")
    assert higher("3S 4S 5S 6S KS", "JH QH TH 8H KH", by_top_card)
    assert higher("3D 4D 5D 6D AD", "JS QS TS 8S KS", by_top_card)


def test_r12_no_flushes_but_straight_flushes():
    without = rules(flush="not_allowed")
    assert kind("3D 4D 5D 6D 8D", without) is None
    assert kind("3D 4D 5D 6D 7D", without) is Kind.STRAIGHT_FLUSH
    assert [play.kind for play in legal_plays(without, mask("3D 4D 5D 6D 8D 9D")) if play.size == 5] == []


def test_r12_no_straights():
    without = rules(straights=[])
    assert kind("3D 4D 5D 6D 7C", without) is None
    assert kind("3D 4D 5D 6D 7D", without) is Kind.FLUSH


def test_r12_triples_only_within_a_full_house():
    without = rules(triples=False)
    assert kind("3D 3C 3H", without) is None
    assert kind("3D 3C 3H 4D 4C", without) is Kind.FULL_HOUSE
    assert {play.size for play in legal_plays(without, mask("3D 3C 3H 4D 4C"))} == {1, 2, 5}
    assert legal_plays(without, mask("4D 4C 4H"), classify(rules(), cards("3D 3C 3H"))) == []


@pytest.mark.parametrize(("suits", "ascending"), [("CDHS", "3C 3D 3H 3S"), ("CSHD", "3C 3S 3H 3D")])
def test_r12_suits_in_another_order(suits, ascending):
    for lower, upper in pairwise(ascending.split()):
        assert higher(upper, lower, rules(suits=suits))


def test_r12_four_of_a_kind_without_a_kicker():
    alone = rules(quads_kicker=False)
    assert kind("3D 3C 3H 3S", alone) is Kind.FOUR_OF_A_KIND
    assert kind("3D 3C 3H 3S 4D", alone) is None
    assert higher("4D 4C 4H 4S", "3D 3C 3H 3S", alone)
    held = mask("3D 3C 3H 3S 4D")
    assert mask("3D 3C 3H 3S") in {play.mask for play in legal_plays(alone, held)}
    over = legal_plays(alone, mask("4D 4C 4H 4S 5D"), classify(alone, cards("3D 3C 3H 3S")))
    assert [play.mask for play in over] == [mask("4D 4C 4H 4S")]


def test_r12_four_of_a_kind_over_another_number_of_cards():
    bombs = rules(quads_beat_any=True)
    assert higher("3D 3C 3H 3S 4D", "2S", bombs)
    assert higher("3D 3C 3H 3S 4D", "2H 2S", bombs)
    assert not higher("2S", "3D 3C 3H 3S 4D", bombs)
    assert higher("3D 4D 5D 6D 7D", "3S 3C 3H 3D 4C", bombs)
    assert not higher("3D 4D 5D 6D 7D", "2S", bombs)
    over_a_pair = legal_plays(bombs, mask("4D 4C 4H 4S 3D"), classify(bombs, cards("3C 3H")))
    assert sorted(play.size for play in over_a_pair) == [2] * 6 + [5]


def test_f1_a_label_cannot_bless_a_lower_set():
    assert not higher("3D 3C 3H 3S 6D", "5D 5C 5H 5S 6C")


def test_f5_a_straight_and_a_flush_of_different_cards_are_no_straight_flush():
    held = mask("9C TH JH QH KH 2H 3H")
    found = legal_plays(PRESETS["actionpoker"], held)
    assert not [play for play in found if play.kind is Kind.STRAIGHT_FLUSH]
    assert {play.kind for play in found if play.size == 5} == {Kind.STRAIGHT, Kind.FLUSH}


def test_the_book_writes_every_card_set_once():
    counted = dict.fromkeys(Kind, 0)
    for card_set in book_of(PRESETS["actionpoker"]).by_mask.values():
        counted[card_set.kind] += 1
        assert card_set.size == card_set.mask.bit_count()
    assert list(counted.values()) == [52, 78, 52, 10 * 1020, 4 * 1287 - 40, 13 * 4 * 12 * 6, 13 * 48, 40]


def test_rule_sets_that_agree_on_card_sets_share_a_book():
    assert book_of(PRESETS["actionpoker"]) is book_of(PRESETS["dealer-puck"])
    assert book_of(PRESETS["actionpoker"]) is not book_of(PRESETS["high-low"])


VARIANTS = [
    *PRESETS.values(),
    rules(suits="CSHD", straight_tie="suit_first", flush="suit_then_ranks"),
    rules("high-low", flush="top_card", straight_flush="suit_then_sequence", triples=False),
    rules(flush="not_allowed", straights=["TJQKA", "A2345"], quads_kicker=False, quads_beat_any=True),
]


@pytest.mark.parametrize("rule_set", VARIANTS)
def test_five_card_sets_agree_with_a_slow_referee(rule_set):
    rng = random.Random(5)
    found = []
    for _ in range(1_500):
        five = _likely_five(rng)
        fast, slow = classify(rule_set, five), slow_classify(rule_set, five)
        assert (fast and fast.kind.value) == (slow and slow[0]), mask_text(mask_of(five))
        if fast is not None and fast.size == 5:
            found.append((fast, slow))
    assert len(found) > 200
    for (fast, slow), (other, other_slow) in zip(found, rng.sample(found, len(found)), strict=True):
        assert beats(fast, other) == (slow[1] > other_slow[1])


def _likely_five(rng):
    """Five cards that are a set more often than not: neighbours in rank, few suits, few ranks."""
    start = rng.randrange(13)
    choice = rng.randrange(4)
    if choice == 0:
        ranks = [(start + step) % 13 for step in range(5)]
        return [rank * 4 + rng.randrange(4) for rank in ranks]
    if choice == 1:
        suit = rng.randrange(4)
        return [rank * 4 + suit for rank in rng.sample(range(13), 5)]
    if choice == 2:
        other = (start + 1 + rng.randrange(12)) % 13
        return rng.sample([rank * 4 + suit for rank in (start, other) for suit in range(4)], 5)
    return rng.sample(PACK, 5)


@pytest.mark.parametrize("rule_set", VARIANTS)
def test_legal_plays_agree_with_a_slow_referee(rule_set):
    rng = random.Random(6)
    for size in (13, 9, 7, 5, 13):
        holding = mask_of(rng.sample(PACK, size))
        assert _masks(legal_plays(rule_set, holding)) == slow_legal_plays(rule_set, cards_in(holding), None)
        to_beat = rng.choice(legal_plays(rule_set, mask_of(rng.sample(PACK, 13))))
        over = _masks(legal_plays(rule_set, holding, to_beat))
        assert over == slow_legal_plays(rule_set, cards_in(holding), cards_in(to_beat.mask))


def _masks(plays):
    listed = [play.mask for play in plays]
    assert len(set(listed)) == len(listed), "a play is listed twice"
    return set(listed)


@pytest.mark.parametrize("rule_set", VARIANTS)
def test_r3_2_of_the_whole_pack_what_follows_a_set_is_all_that_is_higher(rule_set):
    few = [each for each in book_of(rule_set).by_mask.values() if each.size < 5]
    for to_beat in few:
        higher = {each.mask for each in few if beats(each, to_beat)}
        followers = [play for play in legal_plays(rule_set, WHOLE_PACK, to_beat) if play.size < 5]
        assert _masks(followers) == higher


@pytest.mark.parametrize("rule_set", VARIANTS)
def test_legal_plays_of_a_holding_rich_in_five_cards_agree_with_a_slow_referee(rule_set):
    """Quads, full houses, a flush and straights at once: on the lead, and over each of them."""
    holding = mask("5D 6D 7D 8D 9D TD 9C 9H 9S 6C 6H 2S")
    leads = legal_plays(rule_set, holding)
    assert _masks(leads) == slow_legal_plays(rule_set, cards_in(holding), None)
    for to_beat in random.Random(7).sample([play for play in leads if play.size == 5], 10):
        over = _masks(legal_plays(rule_set, holding, to_beat))
        assert over == slow_legal_plays(rule_set, cards_in(holding), cards_in(to_beat.mask))


@pytest.mark.parametrize("kicker", [True, False])
def test_r4_1_whatever_is_held_may_be_led_and_is_listed_once(kicker):
    rule_set, sets = up_to_four_cards(kicker)
    for suits in ("DCHS", "CH"):
        held = sum(1 << card for card in PACK if "DCHS"[card % 4] in suits)
        listed = [play.mask for play in legal_plays(rule_set, held) if play.size < 5]
        assert sorted(listed) == sorted(each.mask for each in sets if not each.mask & ~held)


def up_to_four_cards(kicker):
    rule_set = rules(suits="CSHD", quads_kicker=kicker)
    return rule_set, [card_set for card_set in book_of(rule_set).by_mask.values() if card_set.size < 5]
