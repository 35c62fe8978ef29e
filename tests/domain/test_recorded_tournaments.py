"""Recorded tournaments of chips from the start to the end: levels, balancing and places as where cards are dealt."""

from __future__ import annotations

from itertools import pairwise

import pytest

from domain.director import Facts, look
from domain.hand_events import Committed
from domain.ids import hand_id
from domain.results import Result
from domain.table import HandBegun, HandEnded, RecordedHandEnded, RecordedTableOpened
from domain.tournament import LevelRaised, Placed, PlayerMoved, State, TableBroken, TablesDrawn, TablesHeld
from tests.domain import given as g
from tests.domain.recorded import Hall, chips

TERMS = {"stack_points": 20, "hands_per_level": 2}


@pytest.mark.parametrize("entrants", [3, 5, 8, 13, 22])
@pytest.mark.parametrize("seed", range(3))
def test_a_recorded_freezeout_goes_to_its_end(entrants, seed):
    hall = Hall(entrants, seed, **TERMS)
    in_play = 20 * entrants
    while hall.tournament.state is State.RUNNING:
        free = hall.free_tables()
        assert free, "every table is held"
        assert all(len(table.seats) > 1 for table in free)
        hall.result(hall.random.choice(free))
        assert sum(map(chips, hall.open_tables())) == (in_play if hall.open_tables() else 0)
    t = hall.tournament
    assert (t.state, t.players_left) == (State.FINISHED, 1)
    assert sorted(s.player_id for s in t.standings) == sorted(g.players(entrants))
    assert [s.place for s in t.standings] == sorted(s.place for s in t.standings)
    assert sum(prize.amount for prize in t.prizes) == 10_000
    assert hall.events(LevelRaised)
    assert not hall.events(Committed)


@pytest.mark.parametrize("entrants", [2, 3, 4, 8, 16])
def test_a_recorded_sit_and_go_goes_to_its_end(entrants):
    terms = {"format_": "sit_and_go", "capacity": entrants, "seats_per_table": 4}
    hall = Hall(entrants, 7, **TERMS, **terms).play_on()
    assert hall.tournament.state is State.FINISHED


def test_its_tables_are_opened_for_results_and_end_their_hands_with_cards_left():
    hall = Hall(8, **TERMS).play_on(lambda hall: len(hall.events(HandEnded)) > 3)
    assert all(
        type(event) is RecordedTableOpened and not event.points for event in hall.events(RecordedTableOpened)
    )
    for ended in hall.events(HandEnded):
        assert type(ended) is RecordedHandEnded
        assert ended.acted == tuple(ended.cards_left)
        assert ended.absent == ()
        assert not any(taken.absent_hands for table in hall.open_tables() for taken in table.seats.values())


def test_players_move_only_between_tables_that_wait():
    hall = Hall(22, 3, **TERMS)
    while hall.tournament.state is State.RUNNING:
        table = hall.random.choice(hall.free_tables())
        waits = {*hall.tournament.held, table.number}
        before = len(hall.log)
        hall.result(table)
        for event in hall.log[before:]:
            if isinstance(event, PlayerMoved):
                assert {event.from_table, event.to_table} <= waits
            if isinstance(event, TableBroken):
                assert event.number in waits
    assert hall.events(PlayerMoved)
    assert hall.events(TableBroken)


def test_a_table_that_is_out_of_balance_waits_for_the_other_one_and_then_both_go_on():
    hall = Hall(8, **TERMS)
    first, second = hall.open_tables()
    hall.result(first, all_in(first))  # two of the four lose everything
    assert len(hall.tables[first.table_id].seats) == 2
    assert hall.tournament.held == (1,)
    hall.result(second, even(second))
    assert hall.tournament.held == ()
    assert [len(table.seats) for table in hall.open_tables()] == [3, 3]


def test_before_the_money_the_tables_play_hand_for_hand():
    hall = Hall(6, seats_per_table=3, prizes_bp=[2500, 2500, 2500, 2500], **TERMS)
    first, second = hall.open_tables()
    out = first.seats[3].player_id
    hall.result(first, Result({1: 0, 2: 1, 3: 13}, 1))
    assert [event.player_id for event in hall.events(Placed)] == [out]
    assert hall.tournament.on_the_bubble
    assert hall.tournament.held == (1,)  # five are left: the next one out is the last without a prize
    hall.result(second, even(second))
    assert hall.tournament.held == ()  # the round is over, and both tables begin the next one
    hall.result(second := hall.tables[second.table_id], even(second))
    assert hall.tournament.held == (2,)
    assert len(hall.events(Placed)) == 1


def test_the_final_table_is_drawn_once_all_tables_wait_for_it():
    hall = Hall(8, seats_per_table=4, **TERMS)
    hall.play_on(lambda hall: len(hall.events(TablesDrawn)) > 1)
    final = hall.events(TablesDrawn)[1]
    assert final.final
    [table] = hall.open_tables()
    assert (table.recorded, table.number) == (True, 3)
    assert hall.tournament.held == ()


def test_a_level_holds_from_each_tables_next_hand_and_not_for_one_that_is_being_played():
    hall = Hall(8, stack_points=100, hands_per_level=3)
    first, second = hall.open_tables()
    for _ in range(3):
        hall.result(hall.tables[first.table_id], even(first))
    assert hall.tournament.level == 2
    for _ in range(2):
        hall.result(hall.tables[second.table_id], even(second))
        hall.result(hall.tables[first.table_id], even(first))
    begun = hall.events(HandBegun)
    assert [e.level for e in begun if e.hand_id in hands_of(second)] == [1, 2]
    assert [e.level for e in begun if e.hand_id in hands_of(first)] == [1, 1, 1, 2, 2]
    assert all(e.unit == e.level for e in begun)


def test_no_draw_is_named_by_what_an_operator_can_change_and_no_two_alike():
    hall = Hall(22, 3, **TERMS)
    hall.play_on()
    draws = [event.draw for event in hall.log if isinstance(event, PlayerMoved | TablesDrawn)]
    moves = 0
    for event in hall.log:
        if isinstance(event, PlayerMoved):
            assert int(event.draw.removeprefix("moves/")) <= moves
            moves += 1
    by_look = [name for name, before in zip(draws, [None, *draws], strict=False) if name != before]
    assert len(by_look) == len(set(by_look)) > 3
    final = hall.events(TablesDrawn)[1]
    assert final.draw == f"final/{final.tables[0].number}"


def test_nothing_is_held_twice_in_a_row():
    hall = Hall(22, 5, **TERMS).play_on()
    held = [event.numbers for event in hall.events(TablesHeld)]
    assert held
    assert all(one != following for one, following in pairwise(((), *held)))


def test_a_look_without_a_result_changes_nothing():
    hall = Hall(8, **TERMS)
    hall.result(hall.open_tables()[0])
    steps = look(hall.tournament, [Facts(table, 0) for table in hall.open_tables()], g.NOW)
    assert (steps.tournament, steps.tables, steps.deals) == ([], {}, [])


def hands_of(table):
    return {hand_id(table.table_id, number) for number in range(1, 9)}


def all_in(table):
    """Two players lose their 20 points and more to the two others."""
    return Result({1: 0, 2: 1, 3: 13, 4: 13}, 1)


def even(table):
    """Nobody loses much."""
    return Result({seat: int(seat != min(table.seats)) for seat in table.seats}, min(table.seats))
