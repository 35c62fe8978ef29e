"""What a ring table deals, and when: R5.4, R9 and R10, hand after hand."""

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from big2.hand import options
from big2.switches import StakeCap
from big2.table import Direction
from domain import hand as hands
from domain.deal import commitment, hand_seed
from domain.hand_events import SeatDealt
from domain.ids import hand_id
from domain.ring_events import RingHandEnded, RingPaused, SatIn, SatOut, StoodUp
from domain.ring_hands import begin, ended, look, next_deal
from domain.ring_seats import Wish, close, stand_up, take_seat
from tests.big2.play import PRESETS
from tests.domain.given import ALICE, BOB, CAROL, MASTER, NOW, later, steady
from tests.domain.ringed import RING_TABLE, after, dealt, folded, played, seated

RULES = PRESETS["actionpoker"]


def deals(ring, now=NOW):
    return look(ring, now).deals


# when


def test_a_hand_is_dealt_when_two_or_more_can_play():
    assert not deals(seated())
    assert not deals(seated(5000))
    assert deals(seated(5000, 5000))
    assert deals(seated(5000, 5000, 5000, 5000))


def test_whoever_sits_out_does_not_count():
    ring = seated(5000, 5000)
    assert not deals(folded(take_seat(ring, 1, Wish(ALICE, sitting_out=True)), ring))


def test_r10_4_whoever_cannot_pay_unit_and_ante_does_not_count():
    assert deals(seated(130, 5000))
    assert not deals(seated(129, 5000))


def test_nothing_is_dealt_during_a_hand_a_pause_or_the_wait_between_hands():
    ring, hand = dealt(seated(5000, 5000))
    assert not deals(ring)
    over = folded(ended(played(hand), ring, NOW), ring)
    assert not deals(over, later(2))
    assert deals(over, later(3))
    assert not deals(folded([RingPaused()], over), later(3))


# the deal


def test_r5_4_the_lowest_card_leads_every_hand_and_r5_2_binds_it():
    ring = seated(5000, 5000, 5000)
    for _ in range(3):
        assert next_deal(ring, RULES).leader is None
        running, hand = dealt(ring)
        lowest = {seat: hand.game.holdings[seat] & -hand.game.holdings[seat] for seat in (1, 2, 3)}
        assert hand.game.turn == min(lowest, key=lowest.__getitem__)
        card = min(lowest.values())
        assert all(option.mask & card for option, _ in options(hand.game))
        ring = folded(ended(played(hand), running, NOW), running)


def test_r9_1_the_lowest_seat_deals_first_and_then_the_button_goes_on_clockwise():
    ring = folded(stand_up(seated(5000, 9000, 9000, 9000), 1), seated(5000, 9000, 9000, 9000))
    dealers = []
    for _ in range(5):
        dealers.append(next_deal(ring, RULES).dealer)
        ring = after(ring)
    assert dealers == [2, 3, 4, 2, 3]


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        ("actionpoker", [Direction.CLOCKWISE, Direction.COUNTERCLOCKWISE, Direction.CLOCKWISE]),
        ("high-low", [Direction.CLOCKWISE] * 3),
    ],
)
def test_r9_2_the_direction_is_the_rule_sets(preset, expected):
    ring = seated(50_000, 50_000, rules=preset)
    directions = []
    for _ in expected:
        directions.append(next_deal(ring, PRESETS[preset]).direction)
        ring = after(ring)
    assert directions == expected


def test_r10_1_each_player_dealt_in_pays_the_ante_and_r8_3_plays_for_what_is_left():
    ring = folded([SatOut(seat=2, player_id=BOB, reason="asked")], seated(5000, 6000, 130))
    deal = next_deal(ring, RULES)
    [begun] = begin(ring, deal)
    assert (begun.ante, begun.unit, begun.currency) == (30, 100, "USD")
    assert begun.players == {1: ALICE, 3: CAROL}
    assert begun.stacks == {1: 4970, 3: 100}
    running, hand = dealt(ring)
    assert hand.terms.seats == (SeatDealt(1, ALICE, 4970), SeatDealt(3, CAROL, 100))
    assert {number: seat.stack for number, seat in running.seats.items()} == {1: 4970, 2: 6000, 3: 100}
    assert running.dealt_in == {1, 3}


def test_a_ring_hands_seed_comes_from_the_tables_master_and_its_commitment_names_the_table():
    _, hand = dealt(seated(5000, 5000))
    first = hand_id(RING_TABLE, 1)
    seed = hand_seed(MASTER, str(first))
    assert (hand.hand_id, hand.seed) == (first, seed)
    assert hand.commitment == commitment(seed, str(RING_TABLE), str(first))
    assert (hand.tournament_id, hand.currency) == (None, "USD")


def test_a_ring_hand_stores_the_hash_of_its_tables_terms():
    ring = seated(5000, 5000)
    _, hand = dealt(ring)
    assert hand.terms.structure_hash == ring.terms_hash
    other = seated(5000, 5000, ante=31)
    assert other.terms_hash != ring.terms_hash


# the end of a hand


def test_stacks_are_what_they_were_and_what_the_hand_came_to():
    ring, hand = dealt(seated(5000, 5000, 5000))
    hand = played(hand)
    over = folded(ended(hand, ring, NOW), ring)
    net = hand.settlement.net
    assert {n: seat.stack for n, seat in over.seats.items()} == {n: 4970 + net[n] for n in net}
    assert (over.hand_id, over.last_hand_id, over.hands_ended) == (None, hand.hand_id, 1)
    assert over.deal_at == later(3)


def test_what_was_topped_up_meanwhile_stays_beside_it():
    ring, hand = dealt(seated(5000, 5000))
    ring = folded(take_seat(ring, 1, Wish(ALICE, buy_in=9000)), ring)
    hand = played(hand)
    over = folded(ended(hand, ring, NOW), ring)
    assert over.seats[1].stack == 4970 + 4000 + hand.settlement.net[1]


def test_whoever_sits_down_during_a_hand_keeps_what_he_brought():
    ring, hand = dealt(seated(5000, 5000))
    ring = folded(take_seat(ring, 3, Wish(CAROL, 6000)), ring)
    assert folded(ended(played(hand), ring, NOW), ring).seats[3].stack == 6000


def test_a_running_hand_and_another_tables_hand_end_nothing():
    ring, hand = dealt(seated(5000, 5000))
    assert ended(hand, ring, NOW) == []
    over = folded(ended(played(hand), ring, NOW), ring)
    assert ended(played(hand), over, NOW) == []


def test_a_voided_hand_ends_with_the_stacks_as_they_were_at_its_start():
    ring, hand = dealt(seated(5000, 5000))
    for event in hands.void(hand, "the lights went out"):
        hand = hands.evolve(hand, event)
    [over] = ended(hand, ring, NOW)
    assert (over.winner, over.net) == (None, {1: 0, 2: 0})
    assert folded([over], ring).seats[1].stack == 4970


def test_r10_4_whoever_cannot_pay_the_next_hand_sits_out():
    ring, hand = dealt(seated(130, 130, 5000))
    events = ended(played(hand), ring, NOW)
    over = folded(events, ring)
    short = {n for n, seat in over.seats.items() if seat.stack < 130}
    assert {e.seat for e in events if isinstance(e, SatOut)} == short
    assert {e.reason for e in events if isinstance(e, SatOut)} <= {"short"}
    assert short


def test_whoever_tops_up_in_time_plays_on():
    ring, hand = dealt(seated(130, 5000))
    ring = folded(take_seat(ring, 1, Wish(ALICE, buy_in=9000)), ring)
    assert not any(isinstance(e, SatOut) for e in ended(played(hand), ring, NOW))


def test_two_hands_on_end_that_the_clock_alone_plays_sit_a_player_out():
    ring = after(seated(50_000, 50_000), present=[1])
    assert (ring.seats[2].absent_hands, ring.playing) == (1, [1, 2])
    running, hand = dealt(ring)
    events = ended(played(hand, present=[1]), running, NOW)
    assert events[1:] == [SatOut(seat=2, player_id=BOB, reason="absent")]
    ring = folded(events, running)
    assert not deals(ring, later(3))
    assert folded([SatIn(seat=2, player_id=BOB)], ring).seats[2].absent_hands == 0


def test_whoever_acts_himself_has_been_there():
    ring = after(seated(50_000, 50_000), present=[1])
    ring = after(ring)
    assert ring.seats[2].absent_hands == 0


def test_whoever_does_not_act_at_all_is_neither_absent_nor_there():
    ring, hand = dealt(seated(5000, 5000))
    silent = RingHandEnded(
        hand_id=hand.hand_id, number=1, winner=1, net={1: 0, 2: 0}, acted=(), absent=(2,), deal_at=NOW
    )
    once = folded([silent], ring)
    assert [seat.absent_hands for seat in once.seats.values()] == [0, 1]


def test_whoever_stands_up_is_sat_out_no_more():
    ring, hand = dealt(seated(130, 5000))
    ring = folded(stand_up(ring, 1), ring)
    assert not any(isinstance(e, SatOut) for e in ended(played(hand), ring, NOW))


def test_who_sits_out_already_is_not_sat_out_again():
    ring, hand = dealt(seated(130, 5000))
    ring = folded(take_seat(ring, 1, Wish(ALICE, sitting_out=True)), ring)
    ring = folded(take_seat(ring, 2, Wish(BOB, sitting_out=True)), ring)
    assert len(ended(played(hand), ring, NOW)) == 1


# between hands


def test_whoever_asked_to_stand_up_does_so_after_the_hand_and_before_the_next_deal():
    ring, hand = dealt(seated(5000, 5000, 5000))
    ring = folded(stand_up(ring, 2), ring)
    over = folded(ended(played(hand), ring, NOW), ring)
    following = look(over, later(3))
    assert following.events == [StoodUp(seat=2, player_id=BOB, stack=over.seats[2].stack)]
    assert following.deals
    assert list(following.ring.seats) == [1, 3]
    early = look(over, NOW)
    assert early.events == following.events
    assert not early.deals


def test_a_table_that_is_to_close_does_so_after_its_hand():
    ring, hand = dealt(seated(5000, 5000))
    ring = folded(close(ring), ring)
    over = folded(ended(played(hand), ring, NOW), ring)
    following = look(over, later(3))
    assert [type(event).__name__ for event in following.events] == ["StoodUp", "StoodUp", "RingClosed"]
    assert not following.deals
    assert following.ring.closed
    assert look(following.ring, later(3)).events == []


# money


@pytest.mark.parametrize("preset", sorted(PRESETS))
@steady
@for_all(
    stacks=st.lists(st.integers(130, 3000), min_size=2, max_size=4),
    master=st.binary(min_size=32, max_size=32),
)
def test_r8_3_short_stacks_lose_and_gain_no_more_than_the_rule_set_lets_them(preset, stacks, master):
    running, hand = dealt(seated(*stacks, rules=preset, master=master))
    hand = played(hand)
    over = folded(ended(hand, running, NOW), running)
    assert sum(hand.settlement.net.values()) == 0
    before = {s.seat: s.stack for s in hand.terms.seats}
    for seat, net in hand.settlement.net.items():
        assert before[seat] + net >= 0
        if PRESETS[preset].stake_cap is StakeCap.LOSS_AND_GAIN:
            assert net <= before[seat]
    assert sum(seat.stack for seat in over.seats.values()) == sum(stacks) - 30 * len(stacks)
