"""Who comes to a ring table and who goes, with how much money."""

import pytest

from big2.ring import MOST_MONEY
from domain.errors import Conflicting, Refused
from domain.ring_events import (
    CloseAsked,
    LeaveAsked,
    RingClosed,
    SatDown,
    SatIn,
    SatOut,
    SeatKept,
    StoodUp,
    ToppedUp,
)
from domain.ring_hands import look
from domain.ring_seats import Movement, Wish, close, may_take, movements, stand_up, take_seat, wants_in
from tests.domain.given import ALICE, BOB, CAROL, DAVE, NOW, refused
from tests.domain.ringed import after, dealt, folded, opened, seated


def sits(ring, number, **wish):
    return folded(take_seat(ring, number, Wish(**wish)), ring)


def errors(ring, number, **wish):
    with pytest.raises(Refused) as caught:
        take_seat(ring, number, Wish(**wish))
    assert caught.value.code == "validation"
    return caught.value.errors


# sitting down


def test_r10_1_a_player_sits_down_with_the_buy_in_or_more():
    ring = sits(seated(), 2, player_id=ALICE, buy_in=5000)
    assert (ring.seats[2].player_id, ring.seats[2].stack, ring.seats[2].buy_in) == (ALICE, 5000, 5000)
    assert sits(ring, 1, player_id=BOB, buy_in=70_000).seats[1].stack == 70_000
    too_little = errors(ring, 1, player_id=BOB, buy_in=4999)
    assert too_little == {"/buy_in": "must be 5000 at least (R10.1)"}


def test_seats_stand_in_their_order_whoever_comes_first():
    ring = sits(sits(seated(), 4, player_id=ALICE, buy_in=5000), 2, player_id=BOB, buy_in=5000)
    assert list(ring.seats) == [2, 4]


def test_a_free_seat_takes_a_player_and_a_buy_in():
    assert sorted(errors(seated(), 1, sitting_out=True)) == ["/buy_in", "/player_id"]
    assert sorted(errors(seated(), 1, player_id=ALICE)) == ["/buy_in"]


def test_whoever_wants_to_wait_sits_down_and_out_at_once():
    events = take_seat(seated(), 1, Wish(ALICE, 5000, True))
    assert events == [
        SatDown(seat=1, player_id=ALICE, buy_in=5000),
        SatOut(seat=1, player_id=ALICE, reason="asked"),
    ]
    assert len(take_seat(seated(), 1, Wish(ALICE, 5000, False))) == 1


def test_a_seat_has_one_player_and_a_player_one_seat_of_a_table():
    ring = seated(5000, 5000)
    with refused(Conflicting, "seat-taken"):
        take_seat(ring, 1, Wish(CAROL, 5000))
    with refused(Conflicting, "already-seated"):
        take_seat(ring, 3, Wish(BOB, 5000))
    may_take(ring, 3, CAROL)
    may_take(ring, 3, None)
    may_take(ring, 1, None)


def test_no_more_money_lies_on_a_table_than_json_has_integers_for():
    ring = seated(5000, MOST_MONEY - 10_000)
    most = "is more than may lie on one table: he may bring {} at most"
    assert errors(ring, 3, player_id=CAROL, buy_in=5001) == {"/buy_in": most.format(5000)}
    assert errors(ring, 1, player_id=ALICE, buy_in=10_001) == {"/buy_in": most.format(10_000)}
    assert sits(ring, 1, player_id=ALICE, buy_in=10_000).seats[1].stack == 10_000
    assert (
        sum(seat.stack for seat in sits(ring, 3, player_id=CAROL, buy_in=5000).seats.values()) == MOST_MONEY
    )


def test_a_wish_for_a_taken_seat_names_whose_it_is_so_that_it_never_costs_the_next():
    ring = seated(5000, 5000)
    for wish in ({"buy_in": 9000}, {"sitting_out": False}, {"sitting_out": True}, {}):
        assert errors(ring, 1, **wish) == {
            "/player_id": "is missing: name who sits there, for his money is meant"
        }
    assert sorted(errors(ring, 1, buy_in=10, unread={"/top_up": "?"})) == ["/buy_in", "/player_id", "/top_up"]


def test_who_rests_or_keeps_his_seat_does_not_want_in():
    ring = seated(5000)
    assert not wants_in(ring, 1, Wish(ALICE))
    assert not wants_in(ring, 1, Wish(ALICE, sitting_out=True))
    assert wants_in(ring, 1, Wish(ALICE, 9000, True))
    assert wants_in(ring, 1, Wish(ALICE, sitting_out=False))
    assert wants_in(ring, 2, Wish(BOB, 5000, True))


# topping up


def test_a_greater_buy_in_tops_up_by_the_difference_and_the_same_again_by_nothing():
    ring = seated(5000, 5000)
    events = take_seat(ring, 1, Wish(ALICE, 7000))
    assert events == [ToppedUp(seat=1, player_id=ALICE, amount=2000)]
    ring = folded(events, ring)
    assert (ring.seats[1].stack, ring.seats[1].buy_in) == (7000, 7000)
    assert take_seat(ring, 1, Wish(ALICE, 7000)) == [SeatKept(seat=1, player_id=ALICE)]
    assert folded(take_seat(ring, 1, Wish(ALICE, 7000)), ring) == ring


def test_money_leaves_a_table_with_its_player_only():
    assert "less than the 5000" in errors(seated(5000, 5000), 1, player_id=ALICE, buy_in=4000)["/buy_in"]


def test_r10_4_what_is_topped_up_during_a_hand_counts_from_the_next_one_on():
    ring, hand = dealt(seated(5000, 5000))
    ring = sits(ring, 1, player_id=ALICE, buy_in=9000)
    assert ring.seats[1].stack == 4970 + 4000
    assert {s.seat: s.stack for s in hand.terms.seats} == {1: 4970, 2: 4970}


# sitting out and in


def test_a_player_sits_out_and_in_again():
    ring = seated(5000, 5000, 5000)
    out = sits(ring, 2, player_id=BOB, sitting_out=True)
    assert (out.playing, out.seats[2].sitting_out) == ([1, 3], True)
    assert take_seat(out, 2, Wish(BOB, sitting_out=True)) == [SeatKept(seat=2, player_id=BOB)]
    assert take_seat(out, 2, Wish(BOB, sitting_out=False)) == [SatIn(seat=2, player_id=BOB)]
    assert sits(out, 2, player_id=BOB, sitting_out=False).playing == [1, 2, 3]
    assert take_seat(ring, 2, Wish(BOB, sitting_out=False)) == [SeatKept(seat=2, player_id=BOB)]


def test_r10_4_who_cannot_pay_unit_and_ante_tops_up_before_he_sits_in_again():
    ring = folded([SatOut(seat=1, player_id=ALICE, reason="short")], seated(129, 5000, 5000))
    told = errors(ring, 1, player_id=ALICE, sitting_out=False)
    assert told == {
        "/sitting_out": "a player needs 130, one unit and the ante, to be dealt in: top up (R10.4)"
    }
    assert sits(ring, 1, player_id=ALICE, sitting_out=False, buy_in=130).playing == [1, 2, 3]
    assert sorted(errors(ring, 1, player_id=ALICE, sitting_out=False, buy_in=100)) == [
        "/buy_in",
        "/sitting_out",
    ]


def test_what_could_not_be_read_is_told_with_the_rest():
    unread = {"/sitting_out": "must be true or false"}
    assert sorted(errors(seated(), 1, player_id=ALICE, buy_in=10, unread=unread)) == [
        "/buy_in",
        "/sitting_out",
    ]
    assert sorted(errors(seated(), 1, player_id=ALICE, buy_in=5000, unread=unread)) == ["/sitting_out"]
    assert sorted(errors(seated(5000), 1, player_id=ALICE, buy_in=10, unread=unread)) == [
        "/buy_in",
        "/sitting_out",
    ]
    assert errors(seated(), 1, player_id=ALICE, unread={"/buy_in": "no"}) == {"/buy_in": "no"}


# standing up


def test_between_hands_a_player_stands_up_at_once_with_his_stack():
    ring = after(seated(5000, 5000))
    stack = ring.seats[2].stack
    events = stand_up(ring, 2)
    assert events == [StoodUp(seat=2, player_id=BOB, stack=stack)]
    assert list(folded(events, ring).seats) == [1]


def test_whoever_was_dealt_in_stands_up_after_the_hand_and_anybody_else_at_once():
    ring, _ = dealt(seated(5000, 5000))
    ring = sits(ring, 3, player_id=CAROL, buy_in=5000)
    assert stand_up(ring, 3) == [StoodUp(seat=3, player_id=CAROL, stack=5000)]
    assert stand_up(ring, 1) == [LeaveAsked(seat=1, player_id=ALICE)]
    ring = folded(stand_up(ring, 1), ring)
    assert ring.seats[1].leaving
    assert stand_up(ring, 1) == [SeatKept(seat=1, player_id=ALICE)], "he does so already"
    with refused(Conflicting, "standing-up"):
        take_seat(ring, 1, Wish(buy_in=9000))
    with refused(Conflicting, "seat-taken"):
        take_seat(ring, 1, Wish(DAVE, 5000))
    with refused(Conflicting, "already-seated"):
        take_seat(ring, 4, Wish(ALICE, 5000))


# closing


def test_a_table_closes_at_once_between_hands_and_everybody_stands_up():
    ring = seated(5000, 6000)
    events = close(ring)
    assert events == [
        StoodUp(seat=1, player_id=ALICE, stack=5000),
        StoodUp(seat=2, player_id=BOB, stack=6000),
        RingClosed(),
    ]
    closed = folded(events, ring)
    assert (closed.closed, closed.seats) == (True, {})
    for decide in (lambda: close(closed), lambda: take_seat(closed, 1, Wish(ALICE, 5000))):
        with refused(Conflicting, "table-closed"):
            decide()


def test_during_a_hand_a_table_closes_after_it_and_takes_nobody_meanwhile():
    ring, _ = dealt(seated(5000, 5000))
    assert close(ring) == [CloseAsked()]
    closing = folded(close(ring), ring)
    for decide in (
        lambda: close(closing),
        lambda: take_seat(closing, 3, Wish(CAROL, 5000)),
        lambda: take_seat(closing, 1, Wish(buy_in=6000)),
    ):
        with refused(Conflicting, "table-closed"):
            decide()
    assert look(closing, NOW).events == []


# money


def test_what_goes_between_wallets_and_stacks():
    events = [
        *opened(),
        SatDown(seat=1, player_id=ALICE, buy_in=5000),
        ToppedUp(seat=1, player_id=ALICE, amount=10),
        StoodUp(seat=1, player_id=ALICE, stack=77),
        StoodUp(seat=2, player_id=BOB, stack=0),
        SatIn(seat=3, player_id=CAROL),
    ]
    assert list(movements(events)) == [Movement(ALICE, 5000), Movement(ALICE, 10), Movement(ALICE, -77)]
