"""A cancellation: refunds before the money; in the money the pool by chips, for who is left, to the unit."""

from itertools import pairwise
from operator import attrgetter

import hypothesis.strategies as st
from hypothesis import given as for_all
from hypothesis import settings
from msgspec.structs import replace

from domain.cancellation import Seated, cancel, in_the_money, share
from domain.errors import Conflicting
from domain.ids import hand_id
from domain.payments import owed
from domain.placing import Out, Tally
from domain.table_events import Vacated
from domain.tournament import TOURNAMENT as AGGREGATE
from domain.tournament_events import (
    Cancelled,
    Correction,
    Imposed,
    PenaltiesImposed,
    Placed,
    PlayerReinstated,
    PoolDissolved,
    PoolFormed,
    PrizesAwarded,
    ResultCorrected,
)
from tests.domain.given import ALICE, BOB, CAROL, DAVE, TABLE, TOURNAMENT, fold, players, refused, steady
from tests.domain.test_director import Hall, place

BUY_IN = {"amount": 1000, "fee": 100, "currency": "EUR"}
POOL = PoolFormed(tournament_id=TOURNAMENT, entrants=4, buy_ins=4000, overlay=1, currency="EUR")
THREE = [5000, 3000, 2000]
EVERYBODY = (ALICE, BOB, CAROL, DAVE)


def hall(*stacks, formed=POOL, **others):
    """Four players at a table; those with a stack of 0 are out, the last of them first, and in one hand."""
    its = Hall(
        [place(seat, p, s) for seat, (p, s) in enumerate(zip(EVERYBODY, stacks, strict=True), 1)], **others
    )
    if formed:
        its.happened(formed)
    for seat, (player, stack) in reversed(list(enumerate(zip(EVERYBODY, stacks, strict=True), 1))):
        if not stack:
            its.happened(out(player, 10 * (5 - seat)))
            its.at(1, Vacated(seat=seat, player_id=player, stack=0, reason="out"))
    return its


def out(player, stack):
    return Placed(
        player_id=player,
        table_id=TABLE,
        hand_id=hand_id(TABLE, 1),
        stack=stack,
        no_show=False,
        hand_for_hand=None,
        place=0,
    )


def cancelled(its):
    return cancel(its.t, list(its.tables.values()), "fire", 4)


def shares(its):
    awarded, end = cancelled(its)
    assert isinstance(end, Cancelled)
    return {prize.player_id: (prize.place, prize.tied, prize.amount) for prize in awarded.prizes}


def paid(its):
    t = fold(AGGREGATE, cancelled(its), its.t)
    return [(p.player_id, p.booking.kind, p.booking.amount) for p in owed(t, EVERYBODY)]


def test_before_the_money_the_pool_is_dissolved_and_everything_refunded():
    its = hall(100, 60, 40, 0, buy_in=BUY_IN)
    assert not in_the_money(its.t)
    assert [type(event) for event in cancelled(its)] == [PoolDissolved, Cancelled]
    assert paid(its) == [(player, "refund", 1100) for player in EVERYBODY]


def test_in_the_money_who_is_left_shares_the_pool_by_chips_to_the_unit():
    its = hall(150, 50, 0, 0, buy_in=BUY_IN)
    assert in_the_money(its.t)
    assert shares(its) == {ALICE: (1, False, 3001), BOB: (2, False, 1000)}
    assert paid(its) == [(ALICE, "prize", 3001), (BOB, "prize", 1000)]


def test_who_has_a_place_in_the_money_keeps_its_prize():
    its = hall(150, 50, 0, 0, buy_in=BUY_IN, prizes_bp=THREE)
    assert shares(its) == {ALICE: (1, False, 2401), BOB: (2, False, 800), CAROL: (3, False, 800)}


def test_equal_stacks_share_a_place_and_the_odd_unit_goes_by_lot():
    made = shares(hall(100, 100, 0, 0, buy_in=BUY_IN))
    assert {(place, tied) for place, tied, _ in made.values()} == {(1, True)}
    assert sorted(amount for _, _, amount in made.values()) == [2000, 2001]


def test_who_has_lost_everything_in_a_hand_that_is_over_is_out():
    its = hall(50, 50, 100, 0, buy_in=BUY_IN, prizes_bp=THREE).hand(1, {1: 50, 2: -50})
    made = shares(its)
    assert made[BOB] == (3, False, 800)
    assert {made[ALICE][:2], made[CAROL][:2]} == {(1, True)}


def test_a_running_hand_leaves_everybody_what_he_had_at_its_deal():
    its = hall(150, 50, 0, 0, buy_in=BUY_IN).begun(1)
    assert shares(its) == {ALICE: (1, False, 3001), BOB: (2, False, 1000)}


def test_what_a_ruling_has_still_to_give_and_take_counts():
    its = hall(150, 50, 0, 0, buy_in=BUY_IN)
    changes = (Correction(ALICE, Tally(), -110), Correction(BOB, Tally(), 110))
    its.happened(ResultCorrected(hand_id=hand_id(TABLE, 1), table_id=TABLE, changes=changes, stacks=True))
    assert shares(its) == {BOB: (1, False, 3201), ALICE: (2, False, 800)}


def test_who_is_reinstated_and_has_no_seat_yet_owes_too_what_a_ruling_takes():
    its = hall(150, 50, 0, 0, buy_in=BUY_IN, prizes_bp=THREE)
    its.happened(PlayerReinstated(player_id=CAROL, hand_id=hand_id(TABLE, 1), number=1, chips=100))
    due = (Imposed(player_id=CAROL, penalty="chips", amount=90),)
    its.happened(PenaltiesImposed(hand_id=hand_id(TABLE, 1), table_id=TABLE, penalties=due))
    assert shares(its)[CAROL] == (3, False, 190)


def test_without_a_buy_in_basis_points_go_by_chips():
    awarded, _ = cancelled(hall(150, 50, 0, 0, formed=None))
    assert type(awarded) is PrizesAwarded
    assert (awarded.pool, [prize.amount for prize in awarded.prizes]) == (10_000, [7500, 2500])


def test_as_long_as_anybody_may_enter_everything_is_refunded():
    its = hall(
        50, 50, 50, 50, formed=None, late_entry_levels=2, buy_in=BUY_IN, prizes_bp=[4000, 3000, 2000, 1000]
    )
    assert its.t.players_left == its.t.paid_places
    assert [type(event) for event in cancelled(its)] == [Cancelled]


def test_who_is_disqualified_and_has_not_gone_yet_does_not_keep_the_others_out_of_the_money():
    its = hall(50, 50, 50, 0, prizes_bp=[6000, 4000])
    assert not in_the_money(its.t)
    gone = (Imposed(CAROL, "disqualification", None),)
    its.happened(PenaltiesImposed(hand_id=hand_id(TABLE, 1), table_id=TABLE, penalties=gone))
    assert in_the_money(its.t)
    assert {player: place for player, (place, _, _) in shares(its).items()} == {ALICE: 1, BOB: 1}


def test_what_is_over_is_not_cancelled_again():
    its = hall(150, 50, 0, 0)
    its.happened(*cancelled(its))
    with refused(Conflicting, "tournament-over"):
        cancelled(its)


@settings(steady)
@for_all(st.data())
def test_the_whole_pool_is_shared_and_more_chips_never_get_less(data):
    entrants, size = data.draw(st.integers(2, 24)), data.draw(st.integers(1, 10**7))
    left = data.draw(st.integers(1, entrants))
    chips = data.draw(st.lists(st.integers(1, 500), min_size=left, max_size=left))
    people = players(entrants)
    formed = PoolFormed(tournament_id=TOURNAMENT, entrants=entrants, buy_ins=size, overlay=0, currency="EUR")
    outs = [Out(p, hand_id(TABLE, n // 3), data.draw(st.integers(1, 2))) for n, p in enumerate(people[left:])]
    t = replace(hall(50, 50, 50, 50, buy_in=BUY_IN).t, entrant_count=entrants, outs=outs, pool=formed)
    seated = [Seated(p, c, Out(p, None, c)) for p, c in zip(people[:left], chips, strict=True)]
    made = share(t, seated)
    won = {prize.player_id: prize.amount for prize in made.prizes}
    assert sum(won.values()) == made.pool == size
    ranked = [won.get(s.player_id, 0) for s in sorted(seated, key=attrgetter("chips"))]
    assert all(fewer <= more + 1 for fewer, more in pairwise(ranked))
    whole = sum(won.get(s.player_id, 0) for s in seated)
    assert all(abs(won.get(s.player_id, 0) - whole * s.chips / sum(chips)) < 1 for s in seated)


def test_where_nobody_has_any_chips_left_the_places_decide_alone():
    its = hall(50, 50, 0, 0, buy_in=BUY_IN)
    nobody = [
        Seated(player, 0, Out(player, hand_id(TABLE, 9), stack)) for player, stack in ((ALICE, 5), (BOB, 9))
    ]
    made = share(its.t, nobody)
    assert [(prize.player_id, prize.place, prize.amount) for prize in made.prizes] == [
        (BOB, 1, 2601),
        (ALICE, 2, 1400),
    ]
