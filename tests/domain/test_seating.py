"""Seating: what TOURNAMENTS.md calls always true, over random busts and hand ends at tables of 2 to 4 seats."""

from collections import Counter
from uuid import UUID

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.draws import draws_for
from domain.ids import PlayerId
from domain.seating import Seating, Sitting, balance, draw_tables, tables_needed
from tests.domain.given import DRAW_SEED, TOURNAMENT, players, steady


def draws(purpose="x"):
    return draws_for(DRAW_SEED, TOURNAMENT, purpose)


def tables(*sizes, running=(), leaders=()):
    """Tables 1, 2, … with so many players each, at the first seats; a leader sits at his table's last seat."""
    result, first = [], 1
    for number, size in enumerate(sizes, 1):
        seated = {seat: PlayerId(UUID(int=first + seat)) for seat in range(1, size + 1)}
        leader = seated[size] if number in leaders else None
        result.append(Sitting(number, number in running, seated, leader))
        first += size
    return result


def sizes(sittings):
    return [table.size for table in sittings]


def balanced(sittings, seats=4, moved=None):
    return balance(sittings, seats, moved or {}, draws())


# one look


@pytest.mark.parametrize(
    ("people", "seats", "needed"),
    [(1, 4, 1), (4, 4, 1), (5, 4, 2), (8, 4, 2), (9, 4, 3), (7, 3, 3), (5, 2, 3)],
)
def test_as_many_tables_are_needed_as_hold_everybody(people, seats, needed):
    assert tables_needed(people, seats) == needed


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("people", [2, 3, 4, 5, 6, 7, 9, 13, 16, 17, 50, 64])
def test_the_first_draw_seats_everybody_once_at_tables_of_equal_size(people, seats):
    drawn = draw_tables(players(people), seats, draws())
    assert sorted(player for table in drawn for player in table) == sorted(players(people))
    assert len(drawn) == tables_needed(people, seats)
    assert max(map(len, drawn)) - min(map(len, drawn)) <= 1
    assert max(map(len, drawn)) <= seats


def test_the_first_draw_is_the_seeds_alone():
    first, again = (draw_tables(players(9), 4, draws("tables")) for _ in range(2))
    assert first == again != draw_tables(players(9), 4, draws("other"))


def test_tables_in_balance_are_left_alone():
    assert balanced(tables(3, 4, 3)) == Seating()


def test_the_smallest_table_breaks_and_of_equals_the_highest_number():
    sittings = tables(2, 3, 2, 3, 2)  # 12 players: three tables are enough
    seating = balanced(sittings)
    assert seating.close == (5, 4)
    assert sizes(sittings) == [4, 4, 4, 0, 0]
    assert [move.to_table for move in seating.moves] == [1, 3, 1, 2, 3]  # each to the then smallest


def test_a_broken_tables_players_go_in_a_drawn_order_to_a_drawn_free_seat():
    orders, seats = set(), set()
    for occasion in range(30):
        seating = balance(tables(3, 2, 3, 4), 4, {}, draws(str(occasion)))
        orders.add(tuple(move.from_seat for move in seating.moves))
        seats.add(seating.moves[0].to_seat)
    assert orders == {(1, 2), (2, 1)}
    assert seats == {4}
    free = {balance(tables(1, 2, 4), 4, {}, draws(str(n))).moves[0].to_seat for n in range(30)}
    assert free == {3, 4}


def test_the_largest_table_gives_to_the_smallest():
    sittings = tables(4, 1, 4, 4, 4)  # of equals the highest number gives
    seating = balanced(sittings)
    assert [(move.from_table, move.to_table) for move in seating.moves] == [(5, 2), (4, 2)]
    assert sizes(sittings) == [4, 3, 4, 3, 3]
    assert seating.hold == frozenset()


def test_who_is_about_to_lead_stays():
    for occasion in range(30):
        sittings = tables(2, 4, leaders=(2,))
        (move,) = balance(sittings, 4, {}, draws(str(occasion))).moves
        assert move.from_seat != 4


def test_he_stays_even_if_he_has_moved_least():
    sittings = tables(2, 4, leaders=(2,))
    moved = {player: 5 for seat, player in sittings[1].players.items() if seat != 4}
    assert balanced(sittings, moved=moved).moves[0].from_seat != 4


def test_who_moved_least_moves():
    for occasion in range(30):
        sittings = tables(2, 4)
        moved = {player: 1 for seat, player in sittings[1].players.items() if seat != 3}
        (move,) = balance(sittings, 4, moved, draws(str(occasion))).moves
        assert move.from_seat == 3


def test_equals_move_by_draw():
    moves = {balance(tables(2, 4), 4, {}, draws(str(n))).moves[0].from_seat for n in range(60)}
    assert moves == {1, 2, 3, 4}


def test_a_table_that_must_break_waits_until_there_is_room():
    sittings = tables(2, 3, 4, running=(2, 3))  # 9 players need three tables
    assert balanced(sittings) == Seating(hold=frozenset({1}))  # its player comes from table 3
    sittings = tables(2, 2, 4, running=(2, 3))  # 8 players need two
    assert balanced(sittings) == Seating(hold=frozenset({1}))


def test_a_table_with_room_for_a_breaking_one_waits_with_it():
    sittings = tables(2, 3, 3, running=(3,))  # table 1 breaks into 2 and 3
    assert balanced(sittings) == Seating(hold=frozenset({1, 2}))


def test_a_full_table_does_not_wait_for_a_breaking_one():
    assert balanced(tables(3, 4, 3, 3, 3, running=(3, 4, 5))) == Seating(hold=frozenset({1}))


def test_a_table_that_must_give_waits_for_the_one_that_gets():
    assert balanced(tables(2, 4, 3, running=(1,))).hold == frozenset({2})
    assert balanced(tables(2, 4, 3, running=(2,))).hold == frozenset({1})


def test_a_table_with_one_player_left_waits():
    assert balanced(tables(1, 4, 4, 4, running=(2, 3, 4))).hold == frozenset({1})
    assert balanced(tables(1, 2), seats=2).hold == frozenset({1})


def test_an_empty_table_closes():
    sittings = tables(0, 4, 4, 4, running=(2, 3, 4))
    assert balanced(sittings) == Seating(close=(1,))


def test_tables_wait_for_the_final_table_until_every_hand_is_over():
    assert balanced(tables(2, 2, 1, running=(1,))) != Seating(hold=frozenset({2, 3}), final_table=True)
    assert balanced(tables(2, 1, 1, running=(1,))) == Seating(hold=frozenset({2, 3}), final_table=False)
    assert balanced(tables(2, 1, 1)) == Seating(hold=frozenset({1, 2, 3}), final_table=True)


def test_one_table_needs_no_final_table():
    assert balanced(tables(4)) == Seating()
    assert balanced(tables(2)) == Seating()


# any course of events


class Floor:
    """A tournament's tables, as far as seating goes: hands begin and end, players go, the policy looks."""

    def __init__(self, people, seats, choices):
        self.seats = seats
        self.choices = iter(choices)
        self.looks = 0
        self.moved = Counter()
        self.finals = 0
        drawn = draw_tables(players(people), seats, draws("tables"))
        self.first_tables = self.last_number = len(drawn)
        self.open = [Sitting(n, True, dict(enumerate(table, 1))) for n, table in enumerate(drawn, 1)]

    def choose(self, n):
        return next(self.choices, 1) % n

    @property
    def people(self):
        return [player for table in self.open for player in table.players.values()]

    @property
    def running(self):
        return [table for table in self.open if table.running]

    @property
    def waiting(self):
        return [table for table in self.open if not table.running]

    def end_hand(self, table, no_shows=False):
        """Up to all but one go; with `no_shows` all may go, if somebody is left elsewhere."""
        table.running = False
        everybody = len(self.people) == table.size
        most = table.size if no_shows and not everybody else table.size - 1
        for _ in range(self.choose(most + 1)):
            del table.players[sorted(table.players)[self.choose(table.size)]]
        seated = [*table.players.values(), None]
        table.leader = seated[self.choose(len(seated))]

    def look(self):
        self.looks += 1
        people = self.people
        leaders = {table.number: table.leader for table in self.open}
        running = {table.number: dict(table.players) for table in self.running}
        seating = balance(self.open, self.seats, self.moved, draws(str(self.looks)))
        self.open = [table for table in self.open if table.number not in seating.close]
        for move in seating.moves:
            self.moved[move.player_id] += 1
            assert move.from_table not in running
            assert move.to_table not in running
            assert move.player_id != leaders[move.from_table] or move.from_table in seating.close
        assert running == {table.number: table.players for table in self.running}
        self.check(people, final=tables_needed(len(people), self.seats) == 1)
        if seating.final_table:
            return self.draw_final(seating)
        dealt = [table for table in self.waiting if table.number not in seating.hold]
        assert all(table.size >= 2 for table in dealt)
        assert self.running or dealt, "every table waits"
        for table in dealt:
            table.running = True
        return None

    def draw_final(self, seating):
        assert not self.running
        assert not seating.moves
        assert self.first_tables > 1
        self.finals += 1
        self.last_number += 1
        self.open = [Sitting(self.last_number, True, dict(enumerate(self.people, 1)))]
        self.check(self.people, final=True)

    def check(self, before, final):
        assert sorted(self.people) == sorted(before)
        assert len(set(self.people)) == len(self.people)
        assert all(table.size <= self.seats for table in self.open)
        assert all(set(table.players) <= set(range(1, self.seats + 1)) for table in self.open)
        assert len({table.number for table in self.open}) == len(self.open)
        sizes_waiting = sizes(self.waiting) or [0]
        assert final or max(sizes_waiting) - min(sizes_waiting) <= 1

    def play_on(self, no_shows=False):
        for _ in range(10_000):
            if len(self.people) == 1:
                return self
            if running := self.running:
                self.end_hand(running[self.choose(len(running))], no_shows)
            if len(self.people) > 1 and (not self.running or self.choose(3)):
                self.look()
        raise AssertionError("it does not end")


courses = st.lists(st.integers(0, 59), max_size=120)


@steady
@for_all(st.integers(2, 40), st.integers(2, 4), courses)
def test_it_is_always_true_of_any_course_of_busts_and_hand_ends(people, seats, choices):
    floor = Floor(people, seats, choices).play_on()
    assert floor.finals <= 1


@steady
@for_all(st.integers(2, 40), st.integers(3, 4), courses)
def test_it_is_always_true_with_no_shows_that_leave_tables_empty(people, seats, choices):
    floor = Floor(people, seats, choices).play_on(no_shows=True)
    assert floor.finals <= 1


@steady
@for_all(st.integers(5, 40), courses)
def test_the_final_table_is_drawn_anew_once_and_as_the_next_number(people, choices):
    floor = Floor(people, 4, choices)
    most = floor.last_number
    for _ in range(10_000):
        if len(floor.people) == 1 or floor.finals:
            break
        if floor.running:
            floor.end_hand(floor.running[floor.choose(len(floor.running))])
        if len(floor.people) > 1:
            floor.look()
    if floor.finals:
        assert [table.number for table in floor.open] == [most + 1]
        assert floor.open[0].size <= 4
    floor.play_on()
    assert floor.finals <= 1


@steady
@for_all(st.lists(st.integers(0, 4), min_size=1, max_size=8), st.integers(0, 255), st.integers(0, 255))
def test_any_tables_whatsoever_come_into_balance(table_sizes, running, leaders):
    """Also from sizes that no course of events leads to."""
    chosen = [n for n, size in enumerate(table_sizes, 1) if running >> n & 1 and size >= 2]
    leading = [n for n, size in enumerate(table_sizes, 1) if leaders >> n & 1 and size]
    sittings = tables(*table_sizes, running=chosen, leaders=leading)
    if sum(table_sizes) < 2:
        return
    seating = balanced(sittings)
    left = [table for table in sittings if table.number not in seating.close]
    waiting = [table for table in left if not table.running]
    assert sum(table_sizes) == sum(sizes(left))
    if tables_needed(sum(table_sizes), 4) > 1 and len(waiting) > 1:
        assert max(sizes(waiting)) - min(sizes(waiting)) <= 1
    dealt = [table for table in waiting if table.number not in seating.hold]
    assert all(table.size >= 2 for table in dealt)
    assert chosen or dealt or seating.final_table
    assert all(
        move.player_id not in [table.leader for table in left if table.number == move.from_table]
        for move in seating.moves
    )


@steady
@for_all(st.lists(st.integers(0, 4), min_size=2, max_size=8), st.integers(0, 255))
def test_the_same_facts_give_the_same_moves_in_whatever_order_they_come(table_sizes, running):
    chosen = [n for n, size in enumerate(table_sizes, 1) if running >> n & 1 and size >= 2]
    if sum(table_sizes) < 2:
        return
    here, there = (tables(*table_sizes, running=chosen) for _ in range(2))
    for table in there:
        table.players = dict(reversed(table.players.items()))
    assert balanced(here) == balanced(there[::-1])


def test_a_thousand_entrants_move_little():
    """TOURNAMENTS.md: half a move to three quarters a player, eight at most."""
    floor = Floor(1000, 4, [pow(7, n, 9973) for n in range(40_000)]).play_on()
    assert floor.finals == 1
    assert sum(floor.moved.values()) <= 1000
    assert max(floor.moved.values()) <= 8
