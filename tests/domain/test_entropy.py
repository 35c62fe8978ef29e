"""Entropy: once a hand is committed to, each seat may send a nonce of its own, which goes into the deal."""

from datetime import timedelta

import pytest

from big2.cards import cards_text, parse_cards
from big2.table import deal_order
from domain import hand as hands
from domain.connection import Connection
from domain.deal import commitment, hand_seed, shuffled_deck
from domain.deal import dealt as dealt_cards
from domain.dealing import deal_opened, give_entropy
from domain.errors import Conflicting, NotAllowed, Refused
from domain.hand import HAND, State, act_for_absent, ended, finalise, pass_turn, play, void
from domain.hand_events import (
    ClockStarted,
    ClockStopped,
    Committed,
    EntropyDealt,
    EntropyGiven,
    EntropyOpened,
    Finalised,
    Settled,
    Voided,
)
from domain.structure import structure
from domain.table import TABLE, begin, next_deal
from tests.big2.play import rules
from tests.domain import given as g
from tests.domain.given import (
    ACTIONPOKER,
    ALICE,
    BOB,
    CAROL,
    ERIN,
    MASTER,
    NOW,
    TOURNAMENT,
    fold,
    given,
    later,
    opened,
    refused,
)
from tests.domain.test_hand import deals

SEED = hand_seed(MASTER, str(g.HAND))


def announced(*stacks, **others):
    """A hand that takes entropy for 5 seconds."""
    table = given(TABLE, opened(*(stacks or (50, 40, 30)), first_dealer=2))
    return given(HAND, *deals(table, **{"entropy_seconds": 5} | others))


def sent(hand, *nonces, now=NOW):
    """The hand after these nonces of players, in this order."""
    for player, nonce in nonces:
        hand = fold(HAND, give_entropy(hand, player, nonce, now), hand)
    return hand


# the window


def test_the_commitment_stands_before_any_entropy_and_the_terms_of_the_deal_with_it():
    table = given(TABLE, opened(50, 40, 30, first_dealer=2))
    committed, told = deals(table, entropy_seconds=5)
    assert isinstance(committed, Committed)
    assert committed.commitment == commitment(SEED, str(TOURNAMENT), str(g.HAND))
    assert isinstance(told, EntropyOpened)
    assert (told.entropy_seconds, told.closes_at) == (5, later(5))
    _, at_once = deals(table)
    assert all(
        getattr(told, name) == getattr(at_once, name)
        for name in ("rules", "unit", "dealer", "seats", "leader")
    )


def test_who_plays_before_the_deal_is_not_sent_to_give_entropy():
    """The time for it may be over, and the hand frozen."""
    with pytest.raises(Conflicting) as told:
        play(announced(), ALICE, 1, parse_cards("3D"), NOW)
    assert "entropy" not in told.value.detail


def test_until_the_deal_nobody_has_a_turn_and_nobody_plays():
    hand = announced()
    assert (hand.state, hand.turn_number, hand.play) == (State.RUNNING, 0, None)
    with refused(Conflicting, "hand-not-dealt"):
        play(hand, ALICE, 1, parse_cards("3D"), NOW)
    with refused(Conflicting, "hand-not-dealt"):
        pass_turn(hand, ALICE, 1, NOW)
    assert act_for_absent(hand, 0, later(60)) == act_for_absent(hand, 1, later(60)) == []
    assert finalise(hand) == []


def test_a_seat_sends_its_nonce_and_everybody_may_see_it():
    [given_] = give_entropy(announced(), BOB, "dice: 4 1 6", later(1))
    assert given_ == EntropyGiven(seat=2, nonce="dice: 4 1 6", closes_at=later(5))


def test_with_the_last_seats_nonce_the_hand_is_due():
    hand = sent(announced(), (CAROL, "c"), (ALICE, "a"))
    assert hand.deadline == later(5)
    [last] = give_entropy(hand, BOB, "b", later(2))
    assert last.closes_at == later(2)
    assert deal_opened(fold(HAND, [last], hand), {}, later(2)) != []


def test_each_seat_sends_once():
    with refused(Conflicting, "entropy-given"):
        give_entropy(sent(announced(), (ALICE, "a")), ALICE, "another", later(1))


def test_nobody_sends_entropy_for_a_seat_that_is_not_his():
    with refused(NotAllowed, "forbidden"):
        give_entropy(announced(), ERIN, "e", NOW)


@pytest.mark.parametrize("late", [5, 6])
def test_what_comes_when_the_time_is_over_comes_too_late_though_nothing_is_dealt_yet(late):
    with refused(Conflicting, "entropy-closed"):
        give_entropy(announced(), ALICE, "a", later(late))


def test_after_the_deal_it_is_too_late_too():
    hand = fold(HAND, deal_opened(announced(), {}, later(5)), announced())
    with refused(Conflicting, "entropy-closed"):
        give_entropy(hand, ALICE, "a", NOW)
    with refused(Conflicting, "entropy-closed"):
        give_entropy(given(HAND, *deals(given(TABLE, opened(50, 40)))), ALICE, "a", NOW)


# the deal


@pytest.mark.parametrize(
    "nonces",
    [(), ((BOB, "b"),), ((CAROL, "c"), (ALICE, "a")), ((BOB, "b"), (CAROL, "c"), (ALICE, "a"))],
    ids=["none", "one", "two", "all"],
)
def test_the_nonces_that_came_go_into_the_deal_in_the_order_of_the_seats(nonces):
    hand = sent(announced(), *nonces)
    [event] = deal_opened(hand, {BOB: Connection.POOR}, later(5))
    assert isinstance(event, EntropyDealt)
    in_order = sorted(nonce for _, nonce in nonces)  # named as their seats are
    assert list(event.nonces.values()) == in_order
    deck = shuffled_deck(SEED, str(TOURNAMENT), str(g.HAND), [nonce.encode() for nonce in in_order])
    holdings, stub = dealt_cards(deck, deal_order(2, (1, 2, 3), event.direction))
    assert event.cards == {seat: cards_text(holdings[seat]) for seat in (1, 2, 3)}
    assert event.stub == cards_text(stub)
    assert event.connections == {1: "not_connected", 2: "poor", 3: "not_connected"}
    assert event.next_turn.deadline == later(35)
    after = fold(HAND, [event], hand)
    assert (after.opened, after.turn_number, after.deadline) == (None, 1, later(35))


def test_without_a_nonce_the_deal_is_the_servers_alone():
    [event] = deal_opened(announced(), {}, later(5))
    _, alone = deals(given(TABLE, opened(50, 40, 30, first_dealer=2)))
    assert event.cards == alone.cards


def test_nothing_is_dealt_before_its_time_or_twice():
    hand = announced()
    assert deal_opened(hand, {}, later(4.9)) == []
    dealt = fold(HAND, deal_opened(hand, {}, later(5)), hand)
    assert deal_opened(dealt, {}, later(60)) == []


def test_a_dragon_wins_as_soon_as_it_is_dealt(monkeypatch):
    """R12; every seat gets 13 different ranks."""
    monkeypatch.setattr("domain.dealing.shuffled_deck", lambda *_: [*parse_cards(EACH_A_SUIT)])
    dragon = rules("actionpoker", dragon=True)
    table = given(TABLE, opened(50, 50, 50, 50))
    hand = given(HAND, *deals(table, dragon, entropy_seconds=5))
    events = deal_opened(hand, {}, later(5))
    assert [type(event) for event in events] == [EntropyDealt, Settled, Finalised]
    running = fold(TABLE, begin(next_deal(table, dragon, 1, 1)), table)
    [end] = ended(fold(HAND, events, hand), running, later(5))
    assert end.hand_id == g.HAND


EACH_A_SUIT = " ".join(rank + suit for rank in "3456789TJQKA2" for suit in "DCHS")


# what may come between


def test_a_pause_keeps_the_time_that_is_left():
    hand = announced()
    [stopped] = hands.stop_clock(hand, later(2))
    assert stopped == ClockStopped(turn=0, remaining_ms=3000)
    hand = fold(HAND, [stopped], hand)
    assert deal_opened(hand, {}, later(60)) == []
    [started] = hands.start_clock(hand, later(60))
    assert started == ClockStarted(turn=0, deadline=later(63))
    hand = fold(HAND, [started], hand)
    assert deal_opened(hand, {}, later(62)) == []
    assert deal_opened(hand, {}, later(63)) != []


def test_no_pause_gives_more_time_than_there_was():
    [stopped] = hands.stop_clock(announced(), NOW - timedelta(seconds=60))
    assert stopped.remaining_ms == 5000


def test_in_a_pause_entropy_is_taken_and_with_the_last_seats_the_deal_follows_the_pause_at_once():
    hand = announced()
    hand = fold(HAND, hands.stop_clock(hand, later(2)), hand)
    hand = sent(hand, (ALICE, "a"), (BOB, "b"), now=later(30))
    assert (hand.deadline, hand.stopped_ms) == (None, 3000)
    hand = sent(hand, (CAROL, "c"), now=later(30))
    assert (hand.deadline, hand.stopped_ms) == (None, 0)
    assert deal_opened(hand, {}, later(40)) == []
    hand = fold(HAND, hands.start_clock(hand, later(60)), hand)
    assert deal_opened(hand, {}, later(60)) != []


def test_after_a_jump_of_the_databases_clock_the_time_left_stays():
    hand = announced()
    [shifted] = hands.shift_clock(hand, later(5), timedelta(hours=2))
    assert shifted == ClockStarted(turn=0, deadline=later(5) + timedelta(hours=2))


def test_a_hand_that_is_voided_before_its_deal_reveals_its_seed_and_is_never_dealt():
    hand = announced()
    events = void(hand, "the tournament was cancelled")
    assert events == [Voided(reason="the tournament was cancelled"), Finalised(seed=SEED)]
    voided = fold(HAND, events, hand)
    assert deal_opened(voided, {}, later(60)) == []
    with refused(Conflicting, "hand-closed"):
        give_entropy(voided, ALICE, "a", NOW)
    with refused(Conflicting, "hand-closed"):
        play(voided, ALICE, 1, (), NOW)


def test_its_table_records_its_end_with_every_stack_as_it_was():
    table = given(TABLE, opened(50, 40, 30, first_dealer=2))
    hand = fold(HAND, void(announced(), "x"), announced())
    running = fold(TABLE, begin(next_deal(table, ACTIONPOKER, 1, 1)), table)
    [end] = ended(hand, running, NOW)
    assert (end.winner, end.net, end.points) == (
        None,
        dict.fromkeys((1, 2, 3), 0),
        dict.fromkeys((1, 2, 3), 0),
    )
    assert (end.stacks, end.acted, end.absent) == ({1: 50, 2: 40, 3: 30}, (), ())
    after = fold(TABLE, [end], running)
    following = next_deal(after, ACTIONPOKER, 1, 1)
    assert hand_seed(MASTER, str(following.hand_id)) != SEED


# the structure


def test_entropy_is_a_term_of_the_structure():
    made = structure({"name": "x", "format": "freezeout", "entropy_seconds": 5}, NOW)
    assert made.entropy_seconds == 5


def test_where_the_cards_are_real_there_is_nothing_to_send_it_for():
    with pytest.raises(Refused) as refusal:
        structure({"name": "x", "format": "freezeout", "entropy_seconds": 5, "recorded": True}, NOW)
    assert list(refusal.value.errors) == ["/entropy_seconds"]
