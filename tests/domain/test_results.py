"""Recorded play: what a result must be, and the hand that it becomes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from big2.settlement import Outcome, settle_outcome
from big2.table import Direction
from domain.errors import Conflicting, Refused
from domain.hand import HAND, State, ended, finalise, pass_turn, play
from domain.hand_events import Confirmed, HandRecorded, Settled
from domain.ids import hand_id
from domain.placing import Tally
from domain.results import EARLIEST, Result, level_of_next_hand, may_record, record, settlement_of
from domain.table import (
    TABLE,
    Closed,
    HandBegun,
    Place,
    RecordedHandEnded,
    RecordedTableOpened,
    Seated,
    Vacated,
)
from domain.tournament import TOURNAMENT, LevelRaised, Paused, TablesHeld, cancel, publish, start
from tests.big2.play import PRESETS, rules
from tests.domain.given import (
    ACTIONPOKER,
    ALICE,
    BOB,
    CAROL,
    DAVE,
    DRAW_SEED,
    ERIN,
    MASTER,
    NOW,
    PLAYERS,
    fold,
    given,
    later,
    opened,
    players,
    refused,
    terms,
)
from tests.domain.given import TABLE as TABLE_ID
from tests.domain.given import TOURNAMENT as TOURNAMENT_ID

FOUR = {1: 0, 2: 5, 3: 2, 4: 7}


def at(*stacks, points=False, **more):
    """A table with real cards."""
    event = opened(*stacks, **more)
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    return given(TABLE, RecordedTableOpened(**fields, points=points))


def tournament(*more, **others):
    structure = terms(recorded=True, **others)
    events = publish(TOURNAMENT_ID, structure, MASTER, DRAW_SEED)
    t = given(TOURNAMENT, *events)
    return fold(TOURNAMENT, [*start(t, players(4), NOW), *more], t)


def recorded(table, result, rule_set=ACTIONPOKER, level=1, **others):
    return record(tournament(**others), table, rule_set, result, NOW, level)


def errors(table, rule_set=ACTIONPOKER, **result):
    with pytest.raises(Refused) as caught:
        record(tournament(), table, rule_set, Result(**({"cards_left": FOUR, "winner": 1} | result)), NOW, 1)
    assert caught.value.code == "validation"
    return caught.value.errors


# the hand


def test_a_result_becomes_a_hand_that_is_settled_and_final():
    told, settled, final = recorded(at(100, 100, 100, 100), Result(FOUR, 1)).hand
    assert isinstance(told, HandRecorded)
    assert (told.hand_id, told.number, told.rules) == (hand_id(TABLE_ID, 1), 1, "actionpoker")
    assert [(s.seat, s.player_id, s.stack) for s in told.seats] == [
        (seat, player, 100) for seat, player in enumerate(PLAYERS[:4], 1)
    ]
    assert (told.cards_left, told.winner, told.liable, told.twos_left) == (FOUR, 1, None, {})
    assert told.played_at == NOW
    assert settled.net == {1: 14, 2: -6, 3: 6, 4: -14}
    assert final == Confirmed()
    hand = given(HAND, told, settled, final)
    assert (hand.state, hand.recorded, hand.commitment, hand.seed) == (State.FINAL, told, None, None)
    assert hand.seat_of(CAROL) == 3


def test_with_a_protest_window_it_becomes_final_later():
    told, settled = recorded(at(100, 100), Result({1: 0, 2: 5}, 1), protest_seconds=60).hand
    hand = given(HAND, told, settled)
    assert (hand.state, told.timing.protest_seconds) == (State.SETTLED, 60)
    assert finalise(hand) == [Confirmed()]
    assert finalise(given(HAND, told, settled, Confirmed())) == []


def test_it_is_settled_by_the_rules_that_settle_any_hand():
    """R8 over what was recorded is R8 over a hand that was played to the same end."""
    result = Result(FOUR, 1, liable=4)
    told, settled, _ = recorded(at(10, 10, 10, 10), result).hand
    outcome = Outcome((1, 2, 3, 4), 1, Direction.CLOCKWISE, 1, FOUR, dict.fromkeys(FOUR, 0), 4)
    played = settle_outcome(ACTIONPOKER, outcome, 1, dict.fromkeys(FOUR, 10))
    assert (settled.net, settled.liable) == (dict(played.net), 4)
    assert [(t.payer, t.receiver, t.paid) for t in settled.transfers] == [
        (t.payer, t.receiver, t.paid) for t in played.transfers
    ]
    assert settlement_of(told) == settled


def test_the_table_begins_and_ends_the_hand_in_one_step():
    table = at(100, 100, 100, 100, first_dealer=3)
    begun, over = recorded(table, Result(FOUR, 1)).table
    assert isinstance(begun, HandBegun)
    assert (begun.dealer, begun.direction, begun.level, begun.unit) == (3, Direction.CLOCKWISE, 1, 1)
    assert isinstance(over, RecordedHandEnded)
    assert (over.winner, over.net, over.cards_left) == (1, {1: 14, 2: -6, 3: 6, 4: -14}, FOUR)
    assert over.stacks == {1: 114, 2: 94, 3: 106, 4: 86}
    assert (over.acted, over.absent, over.deal_at) == ((1, 2, 3, 4), (), NOW)
    after = fold(TABLE, [begun, over], table)
    assert (after.hand_id, after.hands_ended, after.last_hand_id) == (None, 1, begun.hand_id)
    assert all(taken.seen for taken in after.seats.values())
    assert after.tallies[ALICE] == Tally(14, 1, 1, 0)
    assert after.tallies[DAVE] == Tally(-14, 1, 0, 7)


def test_the_next_hand_has_the_next_dealer_and_direction_and_its_winner_leads():
    table = at(100, 100, 100, 100, first_dealer=4)
    table = fold(TABLE, recorded(table, Result({1: 3, 2: 0, 3: 2, 4: 7}, 2)).table, table)
    told = recorded(table, Result(FOUR, 1)).hand[0]
    assert (told.number, told.dealer, told.direction) == (2, 1, Direction.COUNTERCLOCKWISE)  # R9.1, R9.2
    assert told.leader == 2  # R5.3


def test_results_of_a_table_add_up():
    table = at(100, 100)
    for result in (Result({1: 0, 2: 5}, 1), Result({1: 3, 2: 0}, 2)):
        table = fold(TABLE, recorded(table, result).table, table)
    assert table.tallies == {ALICE: Tally(2, 2, 1, 3), BOB: Tally(-2, 2, 1, 5)}


def test_for_points_nobody_has_a_stack_and_nothing_is_cut():
    told, settled, _ = recorded(at(0, 0, points=True), Result({1: 0, 2: 13}, 1)).hand
    assert [s.stack for s in told.seats] == [None, None]
    assert settled.net == {1: 13, 2: -13}
    over = recorded(at(0, 0, points=True), Result({1: 0, 2: 13}, 1)).table[1]
    assert over.stacks == {}


def test_for_chips_payments_are_cut_to_the_stakes():
    over = recorded(at(5, 5), Result({1: 0, 2: 13}, 1)).table[1]
    assert (over.net, over.points, over.stacks) == ({1: 5, 2: -5}, {1: 13, 2: -13}, {1: 10, 2: 0})


def test_when_it_was_played_may_be_told():
    long_ago = NOW - timedelta(days=5000)
    assert recorded(at(9, 9), Result({1: 0, 2: 1}, 1, played_at=long_ago)).hand[0].played_at == long_ago
    assert recorded(at(9, 9), Result({1: 0, 2: 1}, 1, played_at=NOW)).hand[0].played_at == NOW


def test_twos_are_kept_for_every_seat_where_they_count():
    doubled = rules("actionpoker", twos="double_each")
    told, settled, _ = recorded(at(99, 99), Result({1: 0, 2: 3}, 1, twos_left={2: 1}), doubled).hand
    assert told.twos_left == {1: 0, 2: 1}
    assert settled.net == {1: 6, 2: -6}


# whoever sat down after the last hand


def with_newcomer():
    table = at(100, 100, 100)
    table = fold(TABLE, recorded(table, Result({1: 0, 2: 5, 3: 2}, 1)).table, table)
    return fold(TABLE, [Seated(place=Place(4, ERIN, 50))], table)


def test_who_sat_down_after_the_last_hand_may_have_been_left_out():
    table = with_newcomer()
    told, settled, _ = (hand := recorded(table, Result({1: 0, 2: 5, 3: 2}, 1))).hand
    assert [s.seat for s in told.seats] == [1, 2, 3]
    assert set(settled.net) == {1, 2, 3}
    after = fold(TABLE, hand.table, table)
    assert after.seats[4].stack == 50
    assert not after.seats[4].fresh
    assert errors(after, cards_left={1: 0, 2: 5, 3: 2}) == {
        "/cards_left/4": "is missing: this seat plays (R2.1)"
    }


def test_or_dealt_in():
    told = recorded(with_newcomer(), Result(FOUR, 1)).hand[0]
    assert [s.player_id for s in told.seats] == [ALICE, BOB, CAROL, ERIN]


def test_the_button_passes_over_who_was_left_out():
    table = with_newcomer()  # seat 1 dealt, so 2 deals now, then 3
    for _ in range(2):
        table = fold(TABLE, recorded(table, Result(FOUR, 1)).table, table)
    table = fold(TABLE, [Vacated(seat=4, player_id=ERIN, stack=1, reason="moved")], table)
    table = fold(TABLE, [Seated(place=Place(4, DAVE, 50))], table)
    assert table.dealer == 3
    assert recorded(table, Result({1: 0, 2: 5, 3: 2}, 1)).hand[0].dealer == 1  # R9.1
    assert recorded(table, Result(FOUR, 1)).hand[0].dealer == 4


def test_a_winner_who_is_left_out_does_not_lead():
    table = at(100, 100, 100)
    table = fold(TABLE, recorded(table, Result({1: 5, 2: 5, 3: 0}, 3)).table, table)
    again = [Vacated(seat=3, player_id=CAROL, stack=1, reason="moved"), Seated(place=Place(3, CAROL, 50))]
    table = fold(TABLE, again, table)
    told = recorded(table, Result({1: 0, 2: 5}, 1)).hand[0]
    assert (told.direction, told.leader) == (Direction.COUNTERCLOCKWISE, 2)  # R5.3


# the level of the next hand


def raised(level):
    return LevelRaised(level=level, unit=level, ends_at=None)


def held(*numbers):
    return TablesHeld(numbers=numbers)


@pytest.mark.parametrize(
    ("events", "stood", "level"),
    [
        ([], 0, 1),
        ([raised(2)], 0, 1),  # raised while the hand was played
        ([raised(2)], 1, 2),  # before it could begin
        ([raised(2), raised(3)], 1, 2),
        ([held(1), raised(2), held()], 1, 2),  # kept at the table until then
        ([held(1), raised(2), held(), raised(3)], 1, 2),
        ([held(1), held(1, 2), raised(2), held(1)], 1, 1),
        ([held(2), raised(2), held()], 0, 1),  # another table was
    ],
)
def test_a_level_holds_from_the_next_hand_that_the_table_could_begin(events, stood, level):
    assert level_of_next_hand(1, events, stood) == level


def test_the_unit_of_a_hand_is_that_of_its_level():
    told, settled, _ = recorded(at(100, 100), Result({1: 0, 2: 5}, 1), level=2).hand
    assert (told.level, told.unit, settled.net) == (2, 2, {1: 10, 2: -10})


# what is wrong with a result


def test_r2_1_exactly_the_seats_in_play_are_named():
    found = errors(at(9, 9, 9), cards_left={1: 0, 3: 5, 4: 6})
    assert found == {
        "/cards_left/4": "nobody sits there",
        "/cards_left/2": "is missing: this seat plays (R2.1)",
    }


def test_r2_1_two_seats_at_least_are_named():
    assert errors(at(9, 9), cards_left={1: 0})["/cards_left"] == "must name two seats at least (R2.1)"
    assert "/cards_left" in errors(at(9, 9), cards_left={}, winner=2, liable=1)


def test_everything_is_told_at_once():
    found = errors(
        at(9, 9, 9),
        cards_left={1: 3, 2: 3, 3: 1},
        winner=1,
        liable=4,
        twos_left={4: 1},
        played_at=later(1),
    )
    assert sorted(found) == ["/cards_left", "/liable", "/played_at", "/twos_left/4", "/winner"]


def test_who_is_next_to_whom_is_not_said_while_the_seats_are_wrong():
    assert list(errors(at(9, 9, 9), cards_left={1: 0, 2: 5}, liable=2)) == ["/cards_left/3"]


def test_what_cannot_be_read_is_told_with_all_that_can_be_said_beside_it():
    doubled = rules("actionpoker", twos="double_each")
    table = at(9, 9, 9)
    too_soon = {"played_at": later(1)}
    unread = {"/winner": "must be an integer"}
    assert sorted(errors(table, cards_left={1: 0, 2: 0, 3: 14}, winner=0, liable=2, unread=unread, **too_soon)) == [
        "/cards_left", "/cards_left/3", "/played_at", "/winner",
    ]  # fmt: skip
    unread = {"/cards_left/2": "must be an integer", "/nothing": "is not a member of this object"}
    assert errors(table, doubled, cards_left={1: 0, 4: 3}, liable=3, twos_left={3: 1}, unread=unread) == {
        **unread,
        "/cards_left/4": "nobody sits there",
        "/cards_left/3": "is missing: this seat plays (R2.1)",
    }
    unread = {"/cards_left": "is missing"}
    assert sorted(errors(table, doubled, cards_left={}, unread=unread, **too_soon)) == [
        "/cards_left",
        "/played_at",
    ]
    unread = {"": "must be an object"}
    assert errors(table, cards_left={}, unread=unread, **too_soon) == unread


def test_r7_4_who_acts_before_the_winner_is_not_said_of_a_winner_with_cards_left():
    table = at(9, 9, 9, 9)
    found = errors(table, winner=2, liable=2)
    assert found == {"/winner": "has 5 cards left: the winner has none (R4.4)"}
    assert errors(table, winner=1, liable=2) == {
        "/liable": "must be seat 4, which acts just before the winner (R7.4)"
    }


def test_no_hand_was_played_before_the_game_was():
    old = {"cards_left": {1: 0, 2: 1}, "played_at": EARLIEST - timedelta(seconds=1)}
    assert errors(at(9, 9), **old) == {"/played_at": "lies before 1950, and so before the game"}
    assert recorded(at(9, 9), Result({1: 0, 2: 1}, 1, played_at=EARLIEST)).hand


def test_a_hand_is_not_recorded_before_it_is_played():
    assert list(errors(at(9, 9), cards_left={1: 0, 2: 1}, played_at=later(0.001))) == ["/played_at"]


def test_r12_where_twos_count_they_are_told_even_if_nobody_had_one():
    doubled = rules("actionpoker", twos="double_each")
    found = errors(at(9, 9), doubled, cards_left={1: 0, 2: 1})
    assert list(found) == ["/twos_left"]
    assert "send {}" in found["/twos_left"]
    assert recorded(at(9, 9), Result({1: 0, 2: 1}, 1, twos_left={}), doubled).hand


def test_r12_where_they_do_not_count_none_are_told():
    assert list(errors(at(9, 9), cards_left={1: 0, 2: 1}, twos_left={2: 1})) == ["/twos_left"]
    assert recorded(at(9, 9), Result({1: 0, 2: 1}, 1, twos_left={2: 0})).hand


# when no result is taken


def test_a_table_whose_cards_are_dealt_takes_no_results():
    with refused(Conflicting, "not-recorded"):
        may_record(tournament(), given(TABLE, opened(9, 9)), None)


def test_a_closed_table_takes_none():
    closed = fold(TABLE, [Closed()], at(9, 9))
    with refused(Conflicting, "table-closed"):
        may_record(tournament(), closed, None)


def test_nor_one_whose_tournament_is_over():
    t = tournament()
    t = fold(TOURNAMENT, cancel(t, "rain", 4), t)
    with refused(Conflicting, "table-closed"):
        may_record(t, at(9, 9), None)


def test_nor_one_whose_tournament_is_paused():
    with refused(Conflicting, "table-paused"):
        may_record(tournament(Paused(number=1, at=NOW)), at(9, 9), None)


def test_nor_one_that_waits_for_others():
    with refused(Conflicting, "table-held"):
        may_record(tournament(TablesHeld(numbers=(1,))), at(9, 9), None)
    may_record(tournament(TablesHeld(numbers=(2,))), at(9, 9), None)


def test_a_result_of_another_hand_than_the_next_is_stale():
    table = at(9, 9)
    may_record(tournament(), table, 1)
    with refused(Conflicting, "stale-hand"):
        may_record(tournament(), table, 2)


# what a recorded hand is not


def test_nothing_is_played_in_a_recorded_hand():
    hand = given(HAND, *recorded(at(9, 9), Result({1: 0, 2: 1}, 1)).hand)
    for act in (
        lambda: play(hand, ALICE, 1, [], NOW),
        lambda: pass_turn(hand, ALICE, 1, NOW),
        lambda: hand.game,
    ):
        with refused(Conflicting, "hand-closed"):
            act()


def test_it_ends_at_its_table_once():
    table = at(9, 9)
    hand = recorded(table, Result({1: 0, 2: 1}, 1))
    assert ended(given(HAND, *hand.hand), fold(TABLE, hand.table, table), NOW) == []


def test_every_preset_settles_a_recorded_hand():
    for preset in PRESETS.values():
        told, settled, _ = recorded(at(50, 50, 50, 50), Result(FOUR, 1, twos_left={}), preset).hand
        assert isinstance(settled, Settled)
        assert sum(settled.net.values()) == 0
        assert settlement_of(told) == settled
