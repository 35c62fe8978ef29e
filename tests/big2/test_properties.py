"""What must hold for every hand, whatever is played."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from big2.cards import PACK, cards_in, mask_of
from big2.errors import IllegalPlay
from big2.hand import apply, clock_action, may_pass, options, pass_turn, play, replay
from big2.history import (
    History,
    Seated,
    action_on_record,
    judged_replay,
    read_history,
    verify,
    write_history,
    write_settlement,
)
from big2.settlement import settle
from tests.big2.play import PRESETS, random_hand, rules

RULE_SETS = [
    *PRESETS.values(),
    rules(pass_locks_trick=True, suits="CSHD"),
    rules("high-low", last_card="forced", twos="double_each", auto_pass=[]),
    rules(
        quads_kicker=False, quads_beat_any=True, triples=False, liability="takes_all", opening_play="it_alone"
    ),
]
MOST_ACTIONS = 400
seeds = st.integers(0, 2**32)


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from(RULE_SETS))
def test_any_hand_ends_and_cards_are_conserved(seed, rule_set):
    states, actions = random_hand(random.Random(seed), rule_set)
    assert len(actions) < MOST_ACTIONS
    assert states[-1].winner in states[0].seats
    dealt_cards = sum(states[0].holdings)
    played = 0
    for hand, action in zip(states[1:], actions, strict=True):
        played |= getattr(action, "mask", 0)
        assert played & sum(hand.holdings) == 0
        assert played | sum(hand.holdings) == dealt_cards


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from(RULE_SETS))
def test_r8_5_the_nets_of_any_hand_sum_to_0(seed, rule_set):
    states, _ = random_hand(random.Random(seed), rule_set)
    rng = random.Random(seed)
    for stacks in (
        dict.fromkeys(states[0].seats),
        {seat: rng.randrange(200) for seat in states[0].seats},
    ):
        settlement = settle(states[-1], rng.randrange(1, 20), stacks)
        assert sum(settlement.net.values()) == 0


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from(RULE_SETS))
def test_a_play_is_accepted_if_and_only_if_it_is_an_option(seed, rule_set):
    rng = random.Random(seed)
    states, _ = random_hand(rng, rule_set)
    for hand in rng.sample(states, min(6, len(states))):
        offered = {card_set.mask for card_set, _ in options(hand)}
        assert accepted(pass_turn, hand) == may_pass(hand)
        for mask in tried(rng, hand, offered):
            assert accepted(play, hand, cards_in(mask)) == (mask in offered)


def tried(rng, hand, offered):
    """What is offered, and other choices of the cards held and of the pack."""
    held = cards_in(hand.holdings[hand.turn]) if hand.turn else list(PACK)
    guesses = [rng.sample(held, min(len(held), size)) for size in (1, 2, 2, 3, 4, 5, 5)]
    return [*offered, *(mask_of(guess) for guess in guesses), mask_of(rng.sample(PACK, rng.randrange(1, 6)))]


def accepted(decision, hand, *arguments):
    try:
        actions = decision(hand, hand.turn or 1, *arguments)
    except IllegalPlay:
        return False
    for action in actions:
        hand = apply(hand, action)
    return True


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from(RULE_SETS))
def test_history_to_replay_to_history_is_identity(seed, rule_set):
    written, states = on_record(seed, rule_set)
    published = {"house@1": rule_set}.get
    history = read_history(written, PRESETS, published)
    assert write_history(history) == written
    assert judged_replay(history) == states[-1]
    verdict = verify(written, PRESETS, published)
    assert verdict == {"verdict": "valid", "settlement": written["settlement"]}


def on_record(seed, rule_set):
    states, actions = random_hand(random.Random(seed), rule_set)
    dealt = states[0]
    history = History(
        named_rules="house@1",
        rules=rule_set,
        unit=5,
        seats=tuple(Seated(seat, f"player {seat}", 300) for seat in dealt.seats),
        dealer=dealt.dealer,
        direction=dealt.direction,
        leader=dealt.turn if dealt.must_include is None else None,
        deal={seat: dealt.holdings[seat] for seat in dealt.seats},
        actions=tuple(action_on_record(action) for action in actions),
        settlement=write_settlement(settle(states[-1], 5, dict.fromkeys(dealt.seats, 300))),
    )
    return write_history(history), states


@settings(max_examples=40, deadline=None)
@given(seeds, st.sampled_from(RULE_SETS))
def test_the_clock_alone_can_play_any_hand_to_its_end(seed, rule_set):
    states, _ = random_hand(random.Random(seed), rule_set)
    hand = states[0]
    for _ in range(MOST_ACTIONS):
        if hand.turn is None:
            break
        for action in clock_action(hand):
            hand = apply(hand, action)
    assert hand.winner is not None


@pytest.mark.parametrize("seed", range(20))
def test_f39_the_state_at_every_prefix_is_the_live_state(seed):
    states, actions = random_hand(random.Random(seed), RULE_SETS[seed % len(RULE_SETS)])
    for length, live in enumerate(states):
        assert replay(states[0], actions[:length]) == live
