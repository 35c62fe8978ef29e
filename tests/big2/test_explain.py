"""Explanations: what cards are, whether they may be played, by which clause; never other than `play` itself."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from big2.automatic import automatic_pass
from big2.card_sets import Kind, classify, legal_plays
from big2.cards import PACK, card_text, cards_in, mask_of, mask_text
from big2.errors import IllegalPlay, RefusalCode
from big2.explain import (
    duty_reason,
    explain,
    explain_automatic,
    explain_pass,
    explain_turn,
    write_explanation,
)
from big2.hand import Duty, duty, may_pass, options, play
from big2.position import ASKING, position, position_problems
from big2.state import apply
from tests.big2.play import PRESETS, after, cards, dealt, mask, random_hand, rules, taken

RULE_SETS = [
    *PRESETS.values(),
    rules("high-low", last_card="forced"),
    rules(quads_kicker=False, quads_beat_any=True, opening_play="it_alone", pass_locks_trick=True),
]
ONE_LEFT = {1: "6D 6S 7D JS", 2: "9D", 3: "8D 8C TC"}


def told(hand, text, seat=1):
    return explain(hand, seat, cards(text))


def test_a_play_that_beats_is_told_with_what_it_beats():
    found = told(position(rules(), mask("3D 7D 7S"), classify(rules(), cards("6C 6H"))), "7s 7d")
    assert (found.cards, found.kind, found.playable, found.breach) == ("7D 7S", Kind.PAIR, True, False)
    assert (found.clause, found.code) == (None, None)
    assert found.reason == "7D 7S (a pair) beats 6C 6H (a pair)."


def test_r12_cards_are_told_in_the_rule_sets_order_of_suits():
    house = rules(suits="CDHS")
    found = told(position(house, mask("3D 7C 7D"), classify(house, cards("6C 6D"))), "7D 7C")
    assert (found.cards, found.reason) == ("7C 7D", "7C 7D (a pair) beats 6C 6D (a pair).")


def test_a_lead_is_told_as_one():
    assert told(position(rules(), mask("3D 7D 7S")), "3D").reason == "3D (a single) may be led."


@pytest.mark.parametrize(
    ("text", "kind", "clause", "code"),
    [
        ("7D 7D", None, "R2.1", RefusalCode.DUPLICATE_CARD),
        ("9D", Kind.SINGLE, "R2.1", RefusalCode.CARD_NOT_HELD),
        ("3D 7D", None, "R3.1", RefusalCode.NOT_A_CARD_SET),
        ("", None, "R3.1", RefusalCode.NOT_A_CARD_SET),
        ("7D", Kind.SINGLE, "R4.1", RefusalCode.WRONG_CARD_COUNT),
        ("3D 3C", Kind.PAIR, "R4.1", RefusalCode.DOES_NOT_BEAT),
    ],
)
def test_a_refusal_is_told_with_its_clause_its_code_and_what_the_cards_are(text, kind, clause, code):
    hand = position(rules(), mask("3D 3C 7D 7S"), classify(rules(), cards("6C 6H")))
    found = told(hand, text)
    assert (found.playable, found.kind, found.clause, found.code) == (False, kind, clause, code)
    assert found.reason.endswith(f"({clause}).")
    assert found.reason[0].isupper() or found.reason[0].isdigit()


def test_r5_2_a_first_play_without_the_opening_card():
    hand = position(rules(), mask("3D 4D 7S"), must_include=cards("3D")[0])
    assert (told(hand, "7S").clause, told(hand, "3D").playable) == ("R5.2", True)


def test_r4_1_off_turn_and_r4_4_after_the_end_nothing_else_is_told():
    hand = dealt(rules(), ONE_LEFT, leader=1)
    assert told(hand, "9D 8D", seat=2).reason == "It is the turn of seat 1 (R4.1)."
    over = after(dealt(rules(), ONE_LEFT, leader=2), "9D")
    assert told(over, "6D").reason == "The hand is over (R4.4)."
    assert duty_reason(over) is None


def test_r7_3_a_breach_is_allowed_and_told_with_the_duty():
    hand = position(rules("high-low"), mask("5H 9C 9D"), next_has_one=True)
    assert duty(hand) is Duty.EITHER
    breach, better, highest = told(hand, "5H"), told(hand, "9C 9D"), told(hand, "9C")
    assert (breach.playable, breach.breach, better.breach, highest.breach) == (True, True, False, False)
    assert breach.reason == (
        "5H (a single) may be led. But it would be a breach (R7.3). The next player has one card left (R7.1): "
        "play more than one card, or the highest single (R7.2)."
    )


def test_r7_2_a_forced_duty_is_a_refusal():
    hand = position(rules(last_card="forced"), mask("5H 9C 9D"), next_has_one=True)
    found = told(hand, "5H")
    assert (found.playable, found.breach, found.code) == (False, False, RefusalCode.ASSISTANT_RULE)


@pytest.mark.parametrize(
    ("base", "holding", "to_beat", "owed"),
    [
        ("actionpoker", "6D 6S 7D", None, "play more than one card (R7.2)."),
        ("actionpoker", "6D 7D", "4D", "play the highest single (R7.2)."),
        ("high-low", "6D 6S 7D", None, "or the highest single (R7.2)."),
    ],
)
def test_r7_2_the_duty_in_a_sentence(base, holding, to_beat, owed):
    beaten = to_beat and classify(rules(base), cards(to_beat))
    sentence = duty_reason(position(rules(base), mask(holding), beaten, next_has_one=True))
    assert sentence.startswith("The next player has one card left (R7.1): ")
    assert sentence.endswith(owed)
    assert duty_reason(position(rules(base), mask(holding), beaten)) is None


def test_a_pass_is_told_like_a_play():
    hand = position(rules(), mask("6D 7D"), classify(rules(), cards("4D")))
    allowed = explain_pass(hand, ASKING)
    assert (allowed.cards, allowed.kind, allowed.reason) == ("", None, "It may pass.")
    leads = position(rules(), mask("6D 7D"))
    refused = explain_pass(leads, ASKING)
    assert (refused.playable, refused.code) == (False, RefusalCode.LEADER_CANNOT_PASS)
    owing = position(rules(), mask("6D 7D"), classify(rules(), cards("4D")), next_has_one=True)
    assert (explain_pass(owing, ASKING).breach, explain_pass(owing, ASKING).playable) == (True, True)


@pytest.mark.parametrize(("lead", "clause"), [("2S", "R6.1"), ("9D 9C 9H", "R6.2")])
def test_r6_who_passes_by_itself_is_not_asked(lead, clause):
    hand = dealt(rules(), {1: lead + " 4S", 2: "5D 5C", 3: "6D 6C"}, leader=1)
    hand = apply(hand, taken(hand, lead)[0])
    due = automatic_pass(hand)
    alone, instead = explain_automatic(hand, due, None), explain_automatic(hand, due, cards("5C 5D"))
    assert (alone.playable, alone.breach, alone.cards) == (True, False, "")
    assert (instead.playable, instead.clause, instead.kind) == (False, clause, Kind.PAIR)
    assert explain_automatic(hand, due, cards("5C 6D")).kind is None
    assert all(f"({clause})." in found.reason for found in (alone, instead))
    assert (instead.cards, instead.breach, instead.code) == ("5D 5C", False, None)


def test_r6_why_a_seat_passes_by_itself_is_told():
    hand = dealt(rules(suits="CDHS"), {1: "2S 4S", 2: "5D 5C", 3: "6D 6C"}, leader=1)
    hand = apply(hand, taken(hand, "2S")[0])
    due = automatic_pass(hand)
    assert explain_automatic(hand, due, None).reason == (
        "It passes by itself: nothing follows the highest card (R6.1)."
    )
    instead = explain_automatic(hand, due, cards("5D 5C"))
    assert instead.cards == "5C 5D"
    assert instead.reason == (
        "The seat is not asked, it passes by itself: nothing follows the highest card (R6.1)."
    )


def tried(rng, hand):
    held = cards_in(hand.holdings[hand.turn]) if hand.turn else list(PACK)
    yield from (cards_in(card_set.mask) for card_set, _ in options(hand))
    for size in (1, 2, 3, 4, 5, 5):
        yield rng.sample(held, min(len(held), size))
        yield rng.choices(PACK, k=size)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(RULE_SETS))
def test_an_explanation_and_a_play_never_differ(seed, rule_set):
    rng = random.Random(seed)
    states, _ = random_hand(rng, rule_set)
    for hand in rng.sample(states, min(6, len(states))):
        for named in tried(rng, hand):
            for seat in hand.seats:
                assert_agrees(hand, seat, named)
        assert explain_pass(hand, hand.turn or 1).playable == may_pass(hand)


def assert_agrees(hand, seat, named):
    found = explain(hand, seat, named)
    card_set = classify(hand.rules, named)
    assert found.kind == (card_set and card_set.kind)
    assert sorted(found.cards.split()) == sorted(card_text(card) for card in named)
    verdict = verdict_of(hand, seat, named)
    assert (found.playable, found.clause, found.code, found.breach) == verdict


def verdict_of(hand, seat, named):
    try:
        return True, None, None, play(hand, seat, named)[0].breach
    except IllegalPlay as refusal:
        return False, refusal.clause, refusal.code, False


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(RULE_SETS))
def test_an_explanation_tells_of_no_other_holding(seed, rule_set):
    """The same turn over other hidden cards is explained in the same words."""
    rng = random.Random(seed)
    hand = rng.choice(random_hand(rng, rule_set)[0][:-1])
    others = [seat for seat in hand.seats if seat != hand.turn]
    hidden = cards_in(mask_of(PACK) & ~hand.holdings[hand.turn])
    rng.shuffle(hidden)
    holdings = list(hand.holdings)
    for seat in others:
        size = holdings[seat].bit_count()
        holdings[seat] = mask_of(hidden[:size])
        del hidden[:size]
    other = hand._replace(holdings=tuple(holdings))
    for named in tried(rng, hand):
        assert explain(hand, hand.turn, named) == explain(other, hand.turn, named)
    assert duty_reason(hand) == duty_reason(other)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(RULE_SETS))
def test_a_position_offers_what_the_rule_set_lists(seed, rule_set):
    rng = random.Random(seed)
    pack = rng.sample(PACK, 52)
    held = mask_of(pack[: rng.randrange(1, 14)])
    choices = [None, *legal_plays(rule_set, mask_of(pack[13:26]))]
    to_beat = rng.choice(choices)
    hand = position(rule_set, held, to_beat, next_has_one=rng.random() < 0.5)
    listed = {mask_text(play.mask) for play in legal_plays(rule_set, held, to_beat)}
    offered = {mask_text(play.mask) for play, _ in options(hand)}
    assert offered == listed if rule_set.last_card != "forced" else offered <= listed
    assert hand.turn == ASKING


@pytest.mark.parametrize(("next_has_one", "left"), [(False, [2, 2, 2]), (True, [2, 1, 2])])
@pytest.mark.parametrize("beaten", [None, "7D"])
def test_a_position_has_two_others_who_hold_what_is_left_over(next_has_one, left, beaten):
    to_beat = beaten and classify(rules(), cards(beaten))
    hand = position(rules(), mask("3D 4D"), to_beat, next_has_one=next_has_one)
    held = [hand.holdings[seat] for seat in hand.seats]
    assert [mask.bit_count() for mask in held] == left
    assert held[0] == mask("3D 4D")


def test_a_card_is_not_held_and_on_the_table():
    with pytest.raises(AssertionError, match=r"^a card is held and on the table$"):
        position(rules(), mask("3D 4D"), classify(rules(), cards("3D")))


def test_r12_a_position_that_is_a_dragon_is_over():
    dragon = mask("3D 4D 5D 6D 7D 8D 9D TS JS QS KS AS 2S")
    for beaten in (None, classify(rules(), cards("3C"))):
        found = told(position(rules(dragon=True), dragon, beaten), "4D")
        assert (found.clause, found.code) == ("R4.4", RefusalCode.HAND_OVER)
        assert found.reason == "The hand is over: a dragon won it at once, by R12 (R4.4)."
    assert told(position(rules(), dragon), "4D").playable


def test_r12_a_hand_that_somebody_played_out_is_over_without_a_dragon():
    out = after(
        dealt(rules(dragon=True), {1: "3S 6D 6S", 2: "9D 9C", 3: "8D 8C"}, leader=1),
        "3S",
        "pass",
        "pass",
        "6D 6S",
    )
    assert told(out, "8D", seat=3).reason == "The hand is over (R4.4)."


def test_what_is_wrong_with_a_position_is_told_by_its_part():
    pair, six = classify(rules(), cards("6C 6H")), cards("6C")[0]
    assert list(position_problems(cards("3D 4D"), pair, None)) == []
    assert list(position_problems(cards("3D 6C"), None, six)) == []
    for many in ("", "3D 3D", "3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD 2D 2S"):
        assert list(position_problems(cards(many), None, None)) == [
            ("holding", "must be 1–13 cards, none twice")
        ]
    assert list(position_problems(cards("3D 6C"), pair, cards("4D")[0])) == [
        ("to_beat", "has a card of the holding"),
        ("must_include", "is no card of the holding"),
        ("must_include", "binds a lead only (R5.2), so there is no set to beat"),
    ]


def test_an_explanation_as_json_has_it():
    hand = position(rules(last_card="forced"), mask("5H 9C 9D"), next_has_one=True)
    assert write_explanation(told(hand, "9D 9C")) == {
        "cards": ["9D", "9C"], "kind": "pair", "playable": True, "clause": None, "code": None,
        "reason": "9D 9C (a pair) may be led.", "breach": False,
    }  # fmt: skip
    refused = write_explanation(told(hand, "5H"))
    assert (refused["kind"], refused["code"], refused["clause"]) == ("single", "assistant-rule", "R7.2")
    assert write_explanation(explain_pass(hand, ASKING))["kind"] is None


def test_r6_a_turn_is_explained_as_what_the_seat_is_asked():
    few = position(rules(), mask("5D 5C"), classify(rules(), cards("9D 9C 9H")))
    assert explain_turn(few, ASKING, None) == explain_automatic(few, automatic_pass(few), None)
    assert explain_turn(few, ASKING, cards("5D")) == explain_automatic(few, automatic_pass(few), cards("5D"))
    assert explain_turn(few, 2, None) == explain_pass(few, 2)
    led = position(rules(), mask("5D 5C"))
    assert explain_turn(led, ASKING, cards("5D")) == explain(led, ASKING, cards("5D"))
    assert explain_turn(led, ASKING, None) == explain_pass(led, ASKING)
