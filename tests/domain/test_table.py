"""A table: its seats and stacks, and the terms of its next hand (R5.3, R9)."""

import pytest

from big2.table import Direction
from domain.errors import Conflicting
from domain.ids import hand_id
from domain.player import Enrolled
from domain.table import (
    TABLE,
    Closed,
    HandBegun,
    Place,
    Seated,
    TablePaused,
    TableResumed,
    Vacated,
    about_to_lead,
    begin,
    close,
    evolve,
    next_deal,
    places,
)
from domain.table_events import StacksAdjusted, TableFrozen, TableReleased
from tests.big2.play import PRESETS, rules
from tests.domain import given as g
from tests.domain.given import (
    ALICE,
    BOB,
    CAROL,
    DAVE,
    ERIN,
    NOW,
    fold,
    given,
    hand_ended,
    later,
    opened,
    refused,
)

ACTIONPOKER, HIGH_LOW = PRESETS["actionpoker"], PRESETS["high-low"]
CLOCKWISE, COUNTERCLOCKWISE = Direction


def played(table, winner=1, rule_set=ACTIONPOKER, level=1, unit=1, **ended):
    """One more hand of `table`, dealt and ended; `winner` None is a voided one."""
    table = fold(TABLE, begin(next_deal(table, rule_set, level, unit)), table)
    return evolve(table, hand_ended(table, winner=winner, **ended))


def vacated(table, seat, reason="moved"):
    taken = table.seats[seat]
    return evolve(table, Vacated(seat=seat, player_id=taken.player_id, stack=taken.stack, reason=reason))


def seated(table, seat, player, stack=50):
    return evolve(table, Seated(place=Place(seat, player, stack)))


def four(first_dealer=1):
    return given(TABLE, opened(50, 50, 50, 50, first_dealer=first_dealer))


def leads(table, rule_set=ACTIONPOKER):
    return next_deal(table, rule_set, 1, 1).leader


# its life


def test_it_opens_with_its_players_and_waits_for_the_first_deal():
    table = given(TABLE, opened(50, 40, 30))
    assert {seat: (taken.player_id, taken.stack) for seat, taken in table.seats.items()} == {
        1: (ALICE, 50),
        2: (BOB, 40),
        3: (CAROL, 30),
    }
    assert table.waiting
    assert (table.seat_of(BOB), table.seat_of(DAVE)) == (2, None)
    assert (table.hands_begun, table.hands_ended, table.deal_at) == (0, 0, NOW)


def test_a_hand_runs_until_it_ends():
    table = four()
    running = fold(TABLE, begin(next_deal(table, ACTIONPOKER, 2, 40)), table)
    assert not running.waiting
    assert (running.hand_id, running.hands_begun) == (hand_id(table.table_id, 1), 1)
    assert (running.level, running.unit) == (2, 40)
    ended = evolve(running, hand_ended(running, {1: 15, 2: -5, 3: -10}, winner=1, deal_at=later(3)))
    assert ended.waiting
    assert (ended.hand_id, ended.last_hand_id, ended.hands_ended) == (None, running.hand_id, 1)
    assert ended.deal_at == later(3)
    assert [(taken.stack, taken.net) for taken in ended.seats.values()] == [
        (65, 15),
        (45, -5),
        (40, -10),
        (50, 0),
    ]


def test_hands_of_a_level_are_counted_from_its_first():
    table = played(played(four(), level=1), level=1)
    assert table.hands_at_level == 2
    raised = played(table, level=2)
    assert (raised.level, raised.hands_at_level) == (2, 1)
    assert played(raised, winner=None, level=2).hands_at_level == 2


def test_who_has_acted_once_has_been_seen():
    table = played(four(), acted=(1,), absent=(2, 3))
    again = played(table, acted=(2,), absent=(1, 3))
    seen = [(taken.seen, taken.absent_hands) for taken in again.seats.values()]
    assert seen == [(True, 1), (True, 1), (False, 2), (False, 0)]


def test_a_player_leaves_and_another_takes_a_seat():
    table = seated(vacated(four(), 2), 2, ERIN, 70)
    assert list(table.seats) == [1, 2, 3, 4]
    assert (table.seats[2].player_id, table.seats[2].stack) == (ERIN, 70)


def test_who_was_not_dealt_in_keeps_what_he_has():
    table = given(TABLE, opened(50, 50))
    table = fold(TABLE, begin(next_deal(table, ACTIONPOKER, 1, 1)), table)
    ended = hand_ended(table, {1: 5, 2: -5}, winner=1)
    table = evolve(seated(table, 3, CAROL, 40), ended)
    assert (table.seats[3].stack, table.seats[3].net, table.seats[3].seen) == (40, 0, False)


def test_who_leaves_frees_his_seat():
    assert list(vacated(given(TABLE, opened(50, 50)), 1).seats) == [2]


def test_seats_stay_in_order_whoever_comes_when():
    table = seated(seated(given(TABLE, opened(50, 50)), 4, DAVE), 3, CAROL)
    assert list(table.seats) == [1, 2, 3, 4]


def test_what_is_known_of_a_player_goes_with_him():
    table = played(four(), acted=(1,), absent=(2,))
    assert places(table)[:2] == [Place(1, ALICE, 50, True, 0), Place(2, BOB, 50, False, 1)]
    there = given(TABLE, opened(50, 50, number=2), Seated(place=places(table)[1]))
    assert (there.seats[2].seen, there.seats[2].absent_hands, there.seats[2].net) == (False, 1, 0)


def test_a_closed_table_is_empty_and_no_longer_waits():
    table = evolve(four(), Closed())
    assert table.closed
    assert not table.waiting
    assert table.seats == {}


def test_another_streams_event_is_a_bug():
    with pytest.raises(AssertionError):
        evolve(four(), Enrolled(player_id=ALICE))


# pause, resume, close


def test_a_pause_and_its_end_are_kept_with_the_pauses_number():
    assert (given(TABLE, opened(50, 50), TablePaused(number=2)).paused, four().paused) == (True, False)
    resumed = given(TABLE, opened(50, 50), TablePaused(number=2), TableResumed())
    assert (resumed.paused, resumed.pauses) == (False, 2)


def test_closing_twice_is_closing_once():
    assert close(four()) == [Closed()]
    assert close(given(TABLE, opened(50, 50), Closed())) == []


# what is not dealt


def test_nothing_is_dealt_at_a_closed_table():
    with refused(Conflicting, "table-closed"):
        next_deal(evolve(four(), Closed()), ACTIONPOKER, 1, 1)


def test_nothing_is_dealt_while_a_hand_runs():
    running = fold(TABLE, begin(next_deal(four(), ACTIONPOKER, 1, 1)), four())
    with refused(Conflicting, "hand-running"):
        next_deal(running, ACTIONPOKER, 1, 1)


def test_nothing_is_dealt_at_a_paused_table():
    with refused(Conflicting, "table-paused"):
        next_deal(evolve(four(), TablePaused(number=1)), ACTIONPOKER, 1, 1)


@pytest.mark.parametrize("stacks", [(50,), ()])
def test_nothing_is_dealt_at_a_table_of_one(stacks):
    with refused(Conflicting, "not-enough-players"):
        next_deal(given(TABLE, opened(*stacks)), ACTIONPOKER, 1, 1)


# R9.1: the button


def test_the_first_dealer_is_the_drawn_one():
    assert next_deal(four(first_dealer=3), ACTIONPOKER, 1, 1).dealer == 3


def test_the_button_goes_clockwise_whatever_the_direction_of_play():
    table, dealers = four(first_dealer=3), []
    for _ in range(5):
        dealers.append(next_deal(table, ACTIONPOKER, 1, 1).dealer)
        table = played(table)
    assert dealers == [3, 4, 1, 2, 3]


def test_the_button_passes_over_empty_seats():
    table = played(four(first_dealer=1))
    assert next_deal(vacated(table, 2), ACTIONPOKER, 1, 1).dealer == 3


def test_the_button_goes_on_from_the_seat_that_had_it_though_its_player_left():
    table = vacated(played(four(first_dealer=2)), 2)
    assert next_deal(table, ACTIONPOKER, 1, 1).dealer == 3


def test_a_voided_hand_counts_for_the_button_and_the_direction():
    table = played(four(first_dealer=1), winner=None)
    deal = next_deal(table, ACTIONPOKER, 1, 1)
    assert (deal.dealer, deal.direction) == (2, COUNTERCLOCKWISE)


# R9.2: the direction of play


def test_actionpokers_direction_reverses_after_every_hand():
    table, directions = four(), []
    for _ in range(4):
        directions.append(next_deal(table, ACTIONPOKER, 1, 1).direction)
        table = played(table)
    assert directions == [CLOCKWISE, COUNTERCLOCKWISE, CLOCKWISE, COUNTERCLOCKWISE]


@pytest.mark.parametrize("name", sorted(set(PRESETS) & {"english-harbour", "high-low", "dealer-puck"}))
def test_the_other_rooms_play_clockwise(name):
    table = played(four(), rule_set=PRESETS[name])
    assert next_deal(table, PRESETS[name], 1, 1).direction is CLOCKWISE


def test_moves_do_not_reset_the_direction():
    table = seated(vacated(played(four()), 2), 2, ERIN)
    assert next_deal(table, ACTIONPOKER, 1, 1).direction is COUNTERCLOCKWISE


# R5.3: the lead


def test_the_lowest_card_leads_a_tables_first_hand():
    assert leads(four()) is None


def test_the_winner_leads_from_the_second_hand_on():
    table = played(four(), winner=3)
    assert (leads(table), about_to_lead(table)) == (3, CAROL)
    table = played(table, winner=2)
    assert (leads(table), about_to_lead(table)) == (2, BOB)


def test_a_voided_first_hand_is_dealt_again_under_the_lowest_card():
    table = played(four(), winner=None)
    assert (leads(table), about_to_lead(table)) == (None, None)


def test_after_a_voided_later_hand_the_last_settled_ones_winner_leads():
    assert leads(played(played(four(), winner=4), winner=None)) == 4


def test_without_the_winner_the_next_seat_in_the_new_hands_direction_leads():
    table = vacated(played(four(), winner=3), 3)  # the second hand goes counterclockwise
    assert (leads(table), about_to_lead(table)) == (2, None)
    table = vacated(played(played(four(), winner=1), winner=3), 3)  # the third goes clockwise
    assert leads(table) == 4
    assert leads(vacated(table, 4)) == 1


def test_a_newcomer_in_the_winners_seat_does_not_inherit_the_lead():
    table = seated(vacated(played(four(), winner=3), 3), 3, ERIN)
    assert (leads(table), about_to_lead(table)) == (2, None)


def test_the_winner_leads_from_whatever_seat_he_has():
    table = seated(vacated(vacated(played(four(), winner=3), 3), 1), 1, CAROL)
    assert (leads(table), about_to_lead(table)) == (1, CAROL)


def test_every_hand_may_be_the_lowest_cards():
    every_hand = rules(opening_scope="every_hand")
    assert leads(played(four(), winner=3), every_hand) is None


def test_the_rooms_that_are_silent_follow_the_winner_too():
    assert leads(played(four(), winner=2, rule_set=HIGH_LOW), HIGH_LOW) == 2


# the terms as a whole


def test_the_next_hand_has_the_next_number_and_the_id_that_goes_with_it():
    first = next_deal(four(), ACTIONPOKER, 3, 4)
    assert (first.number, first.hand_id) == (1, hand_id(g.TABLE, 1))
    assert (first.level, first.unit) == (3, 4)
    assert first.seats == tuple(places(four()))
    second = next_deal(played(four()), ACTIONPOKER, 3, 4)
    assert (second.number, second.hand_id) == (2, hand_id(g.TABLE, 2))


def test_beginning_records_the_terms():
    deal = next_deal(four(first_dealer=2), ACTIONPOKER, 3, 4)
    assert begin(deal) == [
        HandBegun(hand_id=deal.hand_id, number=1, dealer=2, direction=CLOCKWISE, level=3, unit=4)
    ]


def test_two_players_take_turns_with_the_button():
    table = given(TABLE, opened(50, 50))
    assert next_deal(played(table), ACTIONPOKER, 1, 1).dealer == 2


# freezes and corrections


def test_a_frozen_table_deals_nothing_until_every_dispute_is_over():
    first, second = hand_id(g.TABLE, 1), hand_id(g.TABLE, 2)
    table = given(TABLE, opened(50, 50), TableFrozen(hand_id=first), TableFrozen(hand_id=second))
    table = fold(TABLE, [TableReleased(hand_id=first)], table)
    with refused(Conflicting, "table-frozen"):
        next_deal(table, ACTIONPOKER, 1, 1)
    table = fold(TABLE, [TableReleased(hand_id=second)], table)
    assert next_deal(table, ACTIONPOKER, 1, 1).number == 1


def test_a_correction_changes_a_stack_and_not_what_it_was_at_the_last_hands_start():
    table = given(TABLE, opened(50, 50))
    table = fold(TABLE, begin(next_deal(table, ACTIONPOKER, 1, 1)), table)
    table = fold(TABLE, [hand_ended(table, {1: -20, 2: 20}, 2)], table)
    table = fold(TABLE, [StacksAdjusted(hand_id=hand_id(g.TABLE, 1), changes={1: 5})], table)
    assert [(taken.stack, taken.stack - taken.net) for taken in table.seats.values()] == [(35, 50), (70, 50)]
