"""Whole hands under any rule set, with 2, 3 and 4 seats: the engine and a slow table never differ."""

import pytest
from hypothesis import HealthCheck, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from big2.actions import By, Passed
from big2.cards import PACK, cards_in, mask_of
from big2.errors import IllegalPlay
from big2.hand import apply, clock_action, may_pass, options, pass_turn, play, start
from big2.settlement import settle
from big2.table import Direction
from tests.big2.play import PRESETS, rules
from tests.big2.rule_sets import CHANGED
from tests.big2.slow_hand import SlowHand

FEW_RANKS = [card for card in PACK if 5 <= card // 4 <= 9 or card // 4 == 12]


@st.composite
def rule_sets(draw):
    """A preset with any switches set otherwise."""
    changes = draw(st.lists(st.sampled_from(CHANGED), max_size=8))
    return rules(draw(st.sampled_from([*PRESETS])), **dict(changes))


@st.composite
def deals(draw):
    """Seats and what they hold: thirteen cards seldom, few of near ranks often, so that sets of five are met."""
    seats = sorted(draw(st.sets(st.integers(1, 4), min_size=2)))
    size = draw(st.sampled_from([2, 4, 6, 6, 8, 13]))
    pack = FEW_RANKS if size <= 6 else PACK
    shuffled = draw(st.permutations(pack))
    return {seat: shuffled[size * place : size * (place + 1)] for place, seat in enumerate(seats)}


def refusal(act):
    with pytest.raises(IllegalPlay) as refused:
        act()
    return refused.value


class Hands(RuleBasedStateMachine):
    """Each step is asked of both, and both must answer alike."""

    @initialize(
        rule_set=rule_sets(),
        holdings=deals(),
        dealer=st.integers(1, 4),
        direction=st.sampled_from(Direction),
        chosen=st.none() | st.integers(0, 3),
    )
    def deal(self, rule_set, holdings, dealer, direction, chosen):
        leader = None if chosen is None else sorted(holdings)[chosen % len(holdings)]
        masks = {seat: mask_of(cards) for seat, cards in holdings.items()}
        self.hand = start(rule_set, dealer=dealer, direction=direction, leader=leader, holdings=masks)
        self.slow = SlowHand(
            rule_set, dealer, 1 if direction is Direction.CLOCKWISE else -1, leader, holdings
        )

    def running(self):
        return self.slow.turn is not None

    def take(self, actions, automatic):
        """The engine's actions, of which those after the first are what the slow table passed by itself."""
        assert [(passed.seat, passed.reason) for passed in actions[1:]] == automatic
        for action in actions:
            self.hand = apply(self.hand, action)

    @precondition(running)
    @rule(data=st.data())
    def play_what_is_legal(self, data):
        legal = [cards for cards in self.slow.legal_by_r4_and_r5() if self.slow.refusal(cards) is None]
        assert {mask_of(cards) for cards in legal} == {card_set.mask for card_set, _ in options(self.hand)}
        if not legal:
            return
        cards = data.draw(st.sampled_from(legal))
        event(f"a play of {len(cards)}")
        breach = self.slow.fails_in_duty(cards)
        actions = play(self.hand, self.slow.turn, cards)
        assert (actions[0].mask, actions[0].breach) == (mask_of(cards), breach)
        self.take(actions, self.slow.play(cards))

    @precondition(running)
    @rule(data=st.data())
    def ask_for_anything(self, data):
        some = st.sampled_from(sorted(self.slow.holdings[self.slow.turn])) | st.sampled_from(PACK)
        cards = tuple(data.draw(st.lists(some, max_size=6)))
        clause = self.slow.refusal(cards)
        if clause is None:
            play(self.hand, self.slow.turn, cards)
        else:
            refused = refusal(lambda: play(self.hand, self.slow.turn, cards))
            assert refused.clause == clause

    @precondition(running)
    @rule(seat=st.integers(1, 4))
    def act_out_of_turn(self, seat):
        if seat == self.slow.turn:
            return
        for act in (lambda: play(self.hand, seat, ()), lambda: pass_turn(self.hand, seat)):
            assert refusal(act).code == "not-your-turn"

    @precondition(running)
    @rule()
    def pass_(self):
        assert may_pass(self.hand) == self.slow.may_pass()
        if self.slow.may_pass():
            breach = self.slow.fails_in_duty(())
            actions = pass_turn(self.hand, self.slow.turn)
            assert actions[0] == Passed(self.slow.turn, breach=breach)
            self.take(actions, self.slow.pass_())
            return
        refused = refusal(lambda: pass_turn(self.hand, self.slow.turn))
        assert refused.clause == ("R4.1" if self.slow.on_table is None else "R7.2")

    @precondition(running)
    @rule()
    def let_the_clock_act(self):
        actions = clock_action(self.hand)
        assert not actions[0].breach
        if isinstance(actions[0], Passed):
            assert actions[0].reason == By.CLOCK
            self.take(actions, self.slow.pass_())
            return
        assert actions[0].by is By.CLOCK
        cards = tuple(cards_in(actions[0].mask))
        assert self.slow.refusal(cards) is None
        assert not self.slow.fails_in_duty(cards)
        self.take(actions, self.slow.play(cards))

    @precondition(lambda self: not self.running())
    @rule(seat=st.integers(1, 4))
    def act_after_the_end(self, seat):
        acts = (
            lambda: play(self.hand, seat, ()),
            lambda: pass_turn(self.hand, seat),
            lambda: clock_action(self.hand),
        )
        assert [refusal(act).clause for act in acts] == ["R4.4"] * 3
        assert (options(self.hand), may_pass(self.hand)) == ([], False)

    @invariant()
    def they_agree(self):
        if not hasattr(self, "slow"):
            return
        hand, slow = self.hand, self.slow
        assert {seat: hand.holdings[seat] for seat in hand.seats} == {
            seat: mask_of(cards) for seat, cards in slow.holdings.items()
        }
        assert (hand.turn, hand.to_beat_seat, hand.winner, hand.liable) == (
            slow.turn, slow.played_by, slow.winner, slow.liable,
        )  # fmt: skip
        assert (hand.to_beat and hand.to_beat.mask) == (slow.on_table and mask_of(slow.on_table))
        assert hand.locked == sum(1 << seat for seat in slow.locked)

    def teardown(self):
        """To its end by the clock, and settled, short stacks and none."""
        if not hasattr(self, "slow"):
            return
        while self.running():
            self.let_the_clock_act()
        self.they_agree()
        for stacks in (dict.fromkeys(self.hand.seats), {seat: 3 * seat for seat in self.hand.seats}):
            settlement = settle(self.hand, 2, stacks)
            assert settlement.net == self.slow.nets(2, stacks)
            assert sum(settlement.net.values()) == 0
            assert settlement.cards_left == {seat: len(cards) for seat, cards in self.slow.holdings.items()}


TestHands = Hands.TestCase
TestHands.settings = settings(
    max_examples=100, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
