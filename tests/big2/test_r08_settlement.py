"""R8: settlement."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from big2.settlement import (
    Outcome,
    most_points,
    outcome_of,
    points_of,
    settle,
    settle_outcome,
    settlement_order,
)
from tests.big2.play import CLOCKWISE, COUNTERCLOCKWISE, PRESETS, after, dealt, rules

A, B, C, D = SEATS = (1, 2, 3, 4)
NO_STACKS = dict.fromkeys(SEATS)


def outcome(left, *, dealer=A, direction=CLOCKWISE, liable=None, twos=None):
    winner = next(seat for seat, count in left.items() if count == 0)
    no_twos = dict.fromkeys(left, 0)
    return Outcome(tuple(left), dealer, direction, winner, left, no_twos | (twos or {}), liable)


def settled(rule_set, ended, unit=1, stacks=NO_STACKS):
    settlement = settle_outcome(rule_set, ended, unit, stacks)
    assert sum(settlement.net.values()) == 0
    return settlement


def paid(settlement):
    return [(each.payer, each.receiver, each.points, each.due, each.paid) for each in settlement.transfers]


def pairs(settlement):
    return [{each.payer, each.receiver} for each in settlement.transfers]


def test_r8_1_each_pair_pays_the_difference_times_the_unit():
    settlement = settled(rules(), outcome({A: 5, B: 0, C: 3, D: 8}), unit=10)
    assert paid(settlement) == [
        (C, B, 3, 30, 30),
        (D, B, 8, 80, 80),
        (A, B, 5, 50, 50),
        (D, C, 5, 50, 50),
        (A, C, 2, 20, 20),
        (D, A, 3, 30, 30),
    ]
    assert settlement.net == {A: -40, B: 160, C: 40, D: -160}
    assert settlement.cards_left == {A: 5, B: 0, C: 3, D: 8}


def test_r8_1_equal_counts_pay_nothing_and_are_left_out():
    assert paid(settled(rules(), outcome({A: 0, B: 4, C: 4}))) == [(B, A, 4, 4, 4), (C, A, 4, 4, 4)]


LEFT = {A: 5, B: 0, C: 3, D: 8}


@pytest.mark.parametrize("name", ["actionpoker", "high-low"])
def test_r8_2_s0s_example_from_the_winner_in_the_direction_of_play(name):
    in_order = [{B, C}, {B, D}, {B, A}, {C, D}, {C, A}, {D, A}]
    assert pairs(settled(PRESETS[name], outcome(LEFT))) == in_order
    backwards = [{B, A}, {B, D}, {B, C}, {A, D}, {A, C}, {D, C}]
    assert pairs(settled(PRESETS[name], outcome(LEFT, direction=COUNTERCLOCKWISE))) == backwards


@pytest.mark.parametrize("name", ["english-harbour", "dealer-puck"])
@pytest.mark.parametrize("direction", [CLOCKWISE, COUNTERCLOCKWISE])
def test_r8_2_from_the_dealers_right_on_to_the_right_whatever_the_direction(name, direction):
    ended = outcome(LEFT, dealer=C, direction=direction)
    assert settlement_order(PRESETS[name], ended) == (B, A, D, C)
    assert pairs(settled(PRESETS[name], ended)) == [{B, A}, {B, D}, {B, C}, {A, D}, {A, C}, {D, C}]


def test_r8_2_the_next_seat_dealt_in_and_a_dealer_who_is_not():
    ended = outcome({A: 2, C: 0, D: 1}, dealer=B)
    assert settlement_order(PRESETS["dealer-puck"], ended) == (A, D, C)


def test_r8_3_f32_a_payment_is_cut_to_what_the_payer_has_at_that_moment():
    settlement = settled(rules(), outcome({A: 0, B: 5, C: 1}), stacks={A: 9, B: 7, C: 9})
    assert paid(settlement) == [(B, A, 5, 5, 5), (C, A, 1, 1, 1), (B, C, 4, 4, 2)]
    assert settlement.net == {A: 6, B: -7, C: 1}


def test_r8_3_what_he_has_includes_what_he_won_before():
    settlement = settled(rules(), outcome({A: 0, B: 3, C: 6}), stacks={A: 9, B: 1, C: 20})
    assert paid(settlement)[0] == (B, A, 3, 3, 1)
    winner_last = rules(settlement_order="right_of_dealer")
    settlement = settled(winner_last, outcome({A: 0, B: 3, C: 6}), stacks={A: 9, B: 1, C: 20})
    assert paid(settlement) == [(C, B, 3, 3, 3), (C, A, 6, 6, 6), (B, A, 3, 3, 3)]


def test_r8_3_those_cut_to_nothing_are_kept():
    settlement = settled(rules(), outcome({A: 0, B: 5, C: 1}), stacks={A: 9, B: 0, C: 9})
    assert paid(settlement)[0] == (B, A, 5, 5, 0)


@pytest.mark.parametrize("name", ["english-harbour", "dealer-puck"])
def test_r8_3_a_gain_never_passes_the_receivers_own_stack(name):
    settlement = settled(PRESETS[name], outcome({A: 0, B: 5, C: 9}, dealer=A), stacks={A: 6, B: 50, C: 50})
    assert settlement.net[A] == 6
    assert settled(rules(), outcome({A: 0, B: 5, C: 9}), stacks={A: 6, B: 50, C: 50}).net[A] == 14


def test_r12_stake_cap_none():
    settlement = settled(rules(stake_cap="none"), outcome({A: 0, B: 5}), stacks={A: 1, B: 1})
    assert settlement.net == {A: 5, B: -5}


def test_r8_4_comparisons_that_the_liable_would_win_pay_nothing_and_he_covers_net_losses():
    settlement = settled(rules(), outcome({A: 3, B: 0, C: 5, D: 9}, liable=A))
    assert paid(settlement) == [
        (C, B, 5, 5, 5),
        (D, B, 9, 9, 9),
        (A, B, 3, 3, 3),
        (D, C, 4, 4, 4),
        (A, C, None, 1, 1),
        (A, D, None, 13, 13),
    ]
    assert [each.covers for each in settlement.transfers] == [False] * 4 + [True] * 2
    assert settlement.net == {A: -17, B: 17, C: 0, D: 0}
    assert settlement.liable == A


def test_r8_4_whoever_lost_nothing_is_paid_nothing():
    """C owes 5 and has nothing, so his net is 0."""
    stacks = {A: 50, B: 50, C: 0}
    settlement = settled(rules(), outcome({A: 5, B: 0, C: 5}, liable=A), stacks=stacks)
    assert settlement.net == {A: -5, B: 5, C: 0}
    assert not [each for each in settlement.transfers if each.covers]


def test_r8_4_covering_stops_at_his_stack_and_the_rest_stays_unpaid():
    settlement = settled(rules(), outcome({A: 3, B: 0, C: 5}, liable=A), stacks={A: 5, B: 9, C: 9})
    assert paid(settlement)[-1] == (A, C, None, 5, 2)
    assert settlement.net == {A: -5, B: 8, C: -3}


def test_r8_4_covering_goes_in_the_order_of_comparisons():
    ended = outcome({A: 3, B: 0, C: 5, D: 5}, liable=A, dealer=A)
    settlement = settled(PRESETS["dealer-puck"], ended, stacks={A: 7, B: 50, C: 50, D: 50})
    assert paid(settlement)[-2:] == [(A, D, None, 5, 4), (A, C, None, 5, 0)]


def test_r8_4_nobody_gains_by_anothers_fault():
    settlement = settled(rules(), outcome({A: 1, B: 0, C: 2, D: 9}, liable=A))
    assert settlement.net[C] == 5
    assert settlement.net[D] == 0


def test_r12_liability_by_comparisons():
    settlement = settled(rules(liability="comparisons"), outcome({A: 3, B: 0, C: 5, D: 9}, liable=A))
    assert paid(settlement) == [(A, B, 5, 5, 5), (A, B, 9, 9, 9), (A, B, 3, 3, 3), (A, C, 4, 4, 4)]


def test_r12_liability_takes_all():
    settlement = settled(rules(liability="takes_all"), outcome({A: 3, B: 0, C: 5, D: 9}, liable=A))
    assert paid(settlement) == [(A, B, 17, 17, 17), (A, C, 17, 17, 17), (A, D, 17, 17, 17)]


def test_r12_without_a_liable_seat_liability_changes_nothing():
    ended = outcome({A: 3, B: 0, C: 5, D: 9})
    assert (
        len(
            {
                tuple(paid(settled(rules(liability=each), ended)))
                for each in ("net_losses", "comparisons", "takes_all")
            }
        )
        == 1
    )


def test_r12_point_tiers():
    tiers = rules(point_tiers=[[10, 2], [13, 3]])
    assert [points_of(tiers, left, 0) for left in (0, 1, 9, 10, 12, 13)] == [0, 1, 9, 20, 24, 39]


def test_r12_f28_twos_add_or_multiply():
    tiers = [[10, 2], [13, 3]]
    assert points_of(rules(point_tiers=tiers, twos="add_factor"), 11, 1) == 33
    assert points_of(rules(point_tiers=tiers, twos="double_each"), 11, 1) == 44
    assert points_of(rules(twos="double_each"), 5, 2) == 20
    assert points_of(rules(twos="add_factor"), 5, 2) == 15
    assert points_of(rules(), 5, 2) == 5


def test_r12_with_twos_the_one_with_more_points_pays():
    ended = outcome({A: 0, B: 4, C: 5}, twos={B: 1})
    assert paid(settled(rules(twos="double_each"), ended)) == [
        (B, A, 8, 8, 8),
        (C, A, 5, 5, 5),
        (B, C, 3, 3, 3),
    ]


@pytest.mark.parametrize("order", ["winner_first", "right_of_dealer"])
def test_r12_winner_takes(order):
    rule_set = rules(comparison="winner_takes", settlement_order=order)
    settlement = settled(rule_set, outcome({A: 3, B: 0, C: 5, D: 9}))
    assert settlement.net == {A: -3, B: 17, C: -5, D: -9}


def test_r8_a_hand_settles_from_what_is_left():
    hand = dealt(rules(twos="double_each"), {1: "3D 2S", 2: "4D 2C", 3: "5D 6D 7D"}, leader=1)
    ended = after(hand, "2S", "3D")
    assert outcome_of(ended).twos_left == {1: 0, 2: 1, 3: 0}
    settlement = settle(ended, 5, {1: 100, 2: 100, 3: 100})
    assert settlement.net == {1: 35, 2: -25, 3: -10}


def test_a_running_hand_is_not_settled():
    with pytest.raises(AssertionError):
        settle(dealt(rules(), {1: "3D", 2: "4D"}), 1, NO_STACKS)


@st.composite
def endings(draw):
    """A rule set, an end of a hand, a unit and stacks."""
    seats = tuple(sorted(draw(st.sets(st.sampled_from(SEATS), min_size=2))))
    winner = draw(st.sampled_from(seats))
    left = {seat: 0 if seat == winner else draw(st.integers(1, 13)) for seat in seats}
    liable = draw(st.sampled_from([None, *(seat for seat in seats if seat != winner)]))
    twos = {seat: draw(st.integers(0, min(4, left[seat]))) for seat in seats}
    rule_set = rules(
        liability=draw(st.sampled_from(["net_losses", "comparisons", "takes_all"])),
        twos=draw(st.sampled_from(["none", "double_each", "add_factor"])),
        comparison=draw(st.sampled_from(["every_pair", "winner_takes"])),
        settlement_order=draw(st.sampled_from(["winner_first", "right_of_dealer"])),
        stake_cap=draw(st.sampled_from(["loss", "loss_and_gain"])),
        point_tiers=draw(st.sampled_from([[], [[10, 2], [13, 3]]])),
    )
    ended = Outcome(
        seats,
        draw(st.sampled_from(SEATS)),
        draw(st.sampled_from([CLOCKWISE, COUNTERCLOCKWISE])),
        winner,
        left,
        twos,
        liable,
    )
    stacks = {seat: draw(st.integers(0, 60)) for seat in seats}
    return rule_set, ended, draw(st.integers(1, 9)), stacks


@given(endings())
def test_r8_5_nets_sum_to_0_and_nobody_pays_what_he_does_not_have(ending):
    rule_set, ended, unit, stacks = ending
    settlement = settled(rule_set, ended, unit, stacks)
    have = dict(stacks)
    for transfer in settlement.transfers:
        assert 0 <= transfer.paid <= transfer.due
        assert transfer.due > 0
        assert transfer.payer != transfer.receiver
        assert transfer.paid <= have[transfer.payer]
        have[transfer.payer] -= transfer.paid
        have[transfer.receiver] += transfer.paid
    assert settlement.net == {seat: have[seat] - stacks[seat] for seat in ended.seats}
    if rule_set.stake_cap == "loss_and_gain":
        assert all(net <= stacks[seat] for seat, net in settlement.net.items())


@given(endings())
def test_no_payment_is_for_more_points_than_a_rule_set_can_come_to(ending):
    rule_set, ended, _, _ = ending
    settlement = settled(rule_set, ended, 1, dict.fromkeys(ended.seats))
    assert all(transfer.due <= most_points(rule_set) for transfer in settlement.transfers)


@pytest.mark.parametrize(
    ("switches", "points"),
    [
        ({}, 3 * 13),
        ({"point_tiers": [[13, 3]]}, 3 * 13 * 3),
        ({"twos": "add_factor"}, 3 * 13 * (1 + 4)),
        ({"twos": "double_each", "point_tiers": [[10, 2], [13, 3]]}, 3 * 13 * 3 * 2**4),
    ],
)
def test_the_most_is_thirteen_cards_with_all_twos_of_three_seats(switches, points):
    assert most_points(rules(**switches)) == points


CLUB = Path(os.environ.get("BIG2_CLUB_SCORES", Path(__file__).parents[3] / "shared/cases/club-2013"))
"""A folder with `scores.txt` and `expected.tsv` of a club's year, 1,104 hands (github yawnoc/big-two-scorer)."""


@pytest.mark.skipif(
    not CLUB.is_dir(), reason=f"a club's score sheets are not here: {CLUB} (BIG2_CLUB_SCORES)"
)
def test_a_clubs_year_of_score_sheets_adds_up():
    totals = _club_totals((CLUB / "scores.txt").read_text(encoding="utf-8"))
    expected = [line.split("\t") for line in (CLUB / "expected.tsv").read_text(encoding="utf-8").splitlines()]
    column = {name: place for place, name in enumerate(expected[0])}
    assert len(expected) > 10
    for row in expected[1:-1]:
        wanted = int(row[column["game_count"]]), int(row[column["win_count"]]), int(row[column["net_score"]])
        assert totals[row[column["name"]]] == wanted


def _club_totals(sheets):
    """Each player's hands, wins and net: `4 12t 0 5` is one hand, `t` takes all losses, `F=11` sets the tier."""
    totals, names, tier = {}, [], 10
    for words in (line.split("#")[0].split() for line in sheets.splitlines()):
        if len(words) == 1 and words[0].startswith("F="):
            tier = int(words[0][2:])
        elif len(words) == 4 and words[0][0].isdigit():
            for name, count in zip(names, _club_hand(words, tier), strict=True):
                totals[name] = tuple(map(sum, zip(totals.get(name, (0, 0, 0)), count, strict=True)))
        elif len(words) == 4:
            names = words
    return totals


def _club_hand(words, tier):
    left = {seat: int(word.rstrip("t")) for seat, word in zip(SEATS, words, strict=True)}
    liable = next((seat for seat, word in zip(SEATS, words, strict=True) if word.endswith("t")), None)
    house = rules(point_tiers=[[tier, 2], [13, 3]], liability="takes_all")
    net = settled(house, outcome(left, liable=liable)).net
    return [(1, int(left[seat] == 0), net[seat]) for seat in SEATS]
