"""The director: from tables between hands to what is recorded and dealt. One look at a time."""

from datetime import timedelta

import pytest

from domain.director import Facts, look
from domain.draws import draws_for
from domain.ids import hand_id, table_id
from domain.placing import Standing, Tally
from domain.table import (
    TABLE,
    Closed,
    Place,
    Seated,
    TablePaused,
    TableResumed,
    Vacated,
    begin,
    next_deal,
)
from domain.table_events import StacksAdjusted, TableFrozen, TableReleased
from domain.tournament import (
    TOURNAMENT as AGGREGATE,
)
from domain.tournament import (
    DrawnTable,
    Finished,
    LevelRaised,
    Paused,
    Placed,
    PlayerMoved,
    PrizesAwarded,
    Resumed,
    Started,
    TableBroken,
    TablesDrawn,
    cancel,
    publish,
)
from domain.tournament_events import Correction, ResultCorrected, StacksCorrected
from tests.domain.given import (
    ACTIONPOKER,
    ALICE,
    BOB,
    CAROL,
    DAVE,
    DRAW_SEED,
    MASTER,
    NOW,
    TOURNAMENT,
    fold,
    given,
    hand_ended,
    later,
    opened,
    players,
    terms,
)


def place(seat, player, stack=50, **others):
    return Place(seat, player, stack, **{"seen": True, **others})


class Hall:
    """A running tournament whose tables are as stated: each a list of places; hands end at them in turn."""

    def __init__(self, *tables, **structure):
        people = sum(map(len, tables))
        drawn = tuple(
            DrawnTable(number, table_id(TOURNAMENT, number), 1, tuple(places))
            for number, places in enumerate(tables, 1)
        )
        self.t = given(
            AGGREGATE,
            *publish(TOURNAMENT, terms(**structure), MASTER, DRAW_SEED),
            Started(entrants=players(people), level_ends_at=None),
            TablesDrawn(tables=drawn, final=False, draw="tables"),
        )
        self.tables = {
            table.number: given(TABLE, opened(number=table.number, first_dealer=1)) for table in drawn
        }
        for table in drawn:
            for taken in table.places:
                self.at(table.number, Seated(place=taken))
        self.position = 0
        self.ended = dict.fromkeys(self.tables, 0)

    def at(self, number, *events):
        self.tables[number] = fold(TABLE, events, self.tables[number])
        return self

    def happened(self, *events):
        self.t = fold(AGGREGATE, events, self.t)
        return self

    def begun(self, *numbers):
        for number in numbers:
            self.at(number, *begin(next_deal(self.tables[number], ACTIONPOKER, self.t.level, self.t.unit)))
        return self

    def hand(self, number, net=None, winner=1, **others):
        """A hand at a table, from its deal to its end."""
        if self.tables[number].waiting:
            self.begun(number)
        self.at(number, hand_ended(self.tables[number], net, winner, **others))
        self.position += 1
        self.ended[number] = self.position
        return self

    def look(self, now=NOW):
        facts = [Facts(table, self.ended[number]) for number, table in self.tables.items()]
        return look(self.t, facts, now)


def told(agenda, kind):
    return [event for event in agenda.tournament if isinstance(event, kind)]


def at_table(agenda, number):
    return agenda.tables.get(table_id(TOURNAMENT, number), [])


def deals(agenda):
    numbers = {table_id(TOURNAMENT, number): number for number in range(1, 20)}
    return [numbers[table] for table in agenda.deals]


def full(first=1, stack=50, size=4):
    return [
        place(seat, player, stack) for seat, player in enumerate(players(first + size - 1)[first - 1 :], 1)
    ]


TWO_TABLES = (full(1), full(5))


# when there is nothing to do


def test_nothing_is_done_before_the_tables_are_drawn():
    events = [
        *publish(TOURNAMENT, terms(), MASTER, DRAW_SEED),
        Started(entrants=players(4), level_ends_at=None),
    ]
    agenda = look(given(AGGREGATE, *events), [], NOW)
    assert (agenda.tournament, agenda.tables, agenda.deals) == ([], {}, [])


def test_nothing_is_done_while_it_is_paused():
    hall = Hall(*TWO_TABLES).hand(1, {1: 50, 2: -50}).happened(Paused(number=1, at=NOW))
    agenda = hall.look()
    assert (agenda.tournament, agenda.tables, agenda.deals) == ([], {}, [])


def test_play_goes_on_after_the_pause():
    hall = (
        Hall(*TWO_TABLES)
        .hand(1, {1: 50, 2: -50})
        .happened(Paused(number=1, at=NOW), Resumed(level_ends_at=None))
    )
    agenda = hall.look()
    assert [e.player_id for e in told(agenda, Placed)] == [BOB]
    assert deals(agenda) == [1, 2]


def test_nothing_is_done_once_it_is_cancelled():
    hall = Hall(*TWO_TABLES).hand(1, {1: 50, 2: -50})
    hall.happened(*cancel(hall.t, "fire", 0))
    assert hall.look().tournament == []
    assert hall.look().deals == []


# deals


def test_every_table_between_hands_is_dealt():
    assert deals(Hall(*TWO_TABLES).look()) == [1, 2]
    assert deals(Hall(*TWO_TABLES).begun(1).look()) == [2]
    assert deals(Hall(*TWO_TABLES).begun(1, 2).look()) == []


def test_a_deal_waits_for_its_time():
    hall = Hall(*TWO_TABLES).hand(1, deal_at=later(3))
    assert deals(hall.look(later(3) - timedelta(microseconds=1))) == [2]
    assert deals(hall.look(later(3))) == [1, 2]


def test_nothing_is_dealt_at_a_table_that_is_still_paused():
    assert deals(Hall(*TWO_TABLES).at(1, TablePaused(number=1)).look()) == [2]


def test_looking_again_records_nothing_more():
    hall = Hall(*TWO_TABLES).hand(1, {1: 50, 2: -50})
    agenda = hall.look()
    again = look(agenda.state, [Facts(table, 0) for table in agenda.table_states.values()], NOW)
    assert (again.tournament, again.tables) == ([], {})
    assert again.deals == agenda.deals


def test_what_it_leaves_is_what_its_events_make():
    hall = Hall(*TWO_TABLES).hand(1, {1: 100, 2: -50, 3: -50}).hand(2, {1: 50, 4: -50})
    agenda = hall.look()
    assert fold(AGGREGATE, agenda.tournament, hall.t) == agenda.state
    for number, table in hall.tables.items():
        assert fold(TABLE, at_table(agenda, number), table) == agenda.table_states[table.table_id]


# who is out


def test_who_has_no_chips_is_out():
    hall = Hall(*TWO_TABLES).hand(1, {1: 50, 2: -50})
    agenda = hall.look()
    assert told(agenda, Placed) == [
        Placed(
            player_id=BOB,
            table_id=table_id(TOURNAMENT, 1),
            hand_id=hand_id(table_id(TOURNAMENT, 1), 1),
            stack=50,
            no_show=False,
            hand_for_hand=None,
            place=8,
        )
    ]
    assert at_table(agenda, 1) == [Vacated(seat=2, player_id=BOB, stack=0, reason="out")]


def test_who_has_one_chip_left_is_not():
    assert told(Hall(*TWO_TABLES).hand(1, {1: 49, 2: -49}).look(), Placed) == []


def test_who_owes_is_out_too():
    """Under a rule set without table stakes (`stake_cap = "none"`) a stack may end below nothing."""
    agenda = Hall(*TWO_TABLES).hand(1, {1: 60, 2: -60}).look()
    assert [(e.player_id, e.stack) for e in told(agenda, Placed)] == [(BOB, 50)]


def test_the_larger_stack_at_the_hands_start_ranks_higher():
    table = [place(1, ALICE, 80), place(2, BOB, 40), place(3, CAROL, 30), place(4, DAVE, 50)]
    agenda = Hall(table).hand(1, {1: 70, 2: -40, 3: -30}).look()
    assert [(e.player_id, e.place) for e in told(agenda, Placed)] == [(CAROL, 4), (BOB, 3)]


def test_equal_stacks_share_the_place():
    agenda = Hall(*TWO_TABLES).hand(1, {1: 100, 2: -50, 3: -50}).look()
    assert {(e.player_id, e.place) for e in told(agenda, Placed)} == {(BOB, 7), (CAROL, 7)}


@pytest.mark.parametrize(("first", "second", "order"), [(1, 2, [8, 7]), (2, 1, [7, 8])])
def test_across_tables_the_hand_that_ended_later_ranks_higher(first, second, order):
    hall = Hall(*TWO_TABLES).begun(1, 2)
    for number in (first, second):
        hall.hand(number, {1: 50, 2: -50})
    agenda = hall.look()
    by_table = {e.table_id: e.place for e in told(agenda, Placed)}
    assert [by_table[table_id(TOURNAMENT, number)] for number in (1, 2)] == order


def test_nobody_goes_in_the_middle_of_a_hand():
    hall = Hall(*TWO_TABLES).begun(1, 2).hand(2, {1: 50, 2: -50})
    assert [e.table_id for e in told(hall.look(), Placed)] == [table_id(TOURNAMENT, 2)]


# who never showed up


def absentee(seat, player, hands, stack=50):
    return place(seat, player, stack, seen=False, absent_hands=hands)


def test_who_let_the_clock_act_for_two_hands_is_removed_and_his_chips_are_void():
    table = [place(1, ALICE), place(2, BOB), place(3, CAROL), absentee(4, DAVE, 1, 40)]
    hall = Hall(table)
    assert told(hall.look(), Placed) == []
    agenda = hall.hand(1, acted=(1, 2, 3), absent=(4,)).look()
    (removed,) = told(agenda, Placed)
    assert (removed.player_id, removed.hand_id, removed.stack, removed.no_show) == (DAVE, None, 40, True)
    assert removed.place == 4
    assert at_table(agenda, 1) == [Vacated(seat=4, player_id=DAVE, stack=40, reason="no_show")]


def test_who_acted_once_stays_however_long_he_is_away():
    table = [place(1, ALICE), place(2, BOB, absent_hands=40)]
    assert told(Hall(table).look(), Placed) == []


def test_a_no_show_goes_between_hands_only():
    hall = Hall([place(1, ALICE), place(2, BOB), absentee(3, CAROL, 2)]).begun(1)
    assert told(hall.look(), Placed) == []


def test_nobody_is_removed_where_the_terms_say_so():
    hall = Hall([place(1, ALICE), absentee(2, BOB, 99)], no_show_hands=0)
    assert told(hall.look(), Placed) == []


def test_nobody_is_removed_while_nobody_at_all_has_played():
    hall = Hall([absentee(1, ALICE, 9), absentee(2, BOB, 9)])
    agenda = hall.look()
    assert told(agenda, Placed) == []
    assert deals(agenda) == [1]


def test_who_has_played_at_another_table_counts_as_somebody():
    hall = Hall([absentee(1, ALICE, 9), absentee(2, BOB, 9), absentee(3, CAROL, 9)], full(4)).begun(2)
    agenda = hall.look()
    assert [e.player_id for e in told(agenda, Placed)] == [ALICE, BOB, CAROL]
    assert deals(agenda) == []


def test_a_no_show_ranks_below_everybody_who_played():
    table = [place(1, ALICE), place(2, BOB), place(3, CAROL), absentee(4, DAVE, 1)]
    agenda = Hall(table).hand(1, {1: 50, 2: -50}, acted=(1, 2, 3), absent=(4,)).look()
    assert [(e.player_id, e.place) for e in told(agenda, Placed)] == [(BOB, 4), (DAVE, 4)]
    final = Hall([place(1, ALICE), place(2, BOB), absentee(3, CAROL, 1)])
    final.hand(1, {1: 50, 2: -50}, acted=(1, 2), absent=(3,))
    (finished,) = told(final.look(), Finished)
    assert [s.player_id for s in finished.standings] == [ALICE, BOB, CAROL]


def test_the_last_player_who_played_wins_when_the_rest_never_came():
    agenda = Hall([place(1, ALICE), absentee(2, BOB, 1)]).hand(1, acted=(1,), absent=(2,)).look()
    (finished,) = told(agenda, Finished)
    assert finished.standings == (Standing(1, False, ALICE), Standing(2, False, BOB))


# the level


def test_the_level_rises_once_some_table_has_played_its_hands():
    hall = Hall(*TWO_TABLES)
    for _ in range(2):
        hall.hand(1)
    assert told(hall.look(), LevelRaised) == []
    assert told(hall.hand(1).look(), LevelRaised) == [LevelRaised(level=2, unit=2, ends_at=None)]


def test_hands_of_different_tables_do_not_add_up():
    hall = Hall(*TWO_TABLES).hand(1).hand(1).hand(2).hand(2)
    assert told(hall.look(), LevelRaised) == []


def test_the_level_rises_for_all_tables_and_once():
    hall = Hall(*TWO_TABLES)
    for number in (1, 2, 1, 2, 1, 2):
        hall.hand(number)
    agenda = hall.look()
    assert [e.level for e in told(agenda, LevelRaised)] == [2]
    hall.happened(*agenda.tournament)
    assert told(hall.look(), LevelRaised) == []
    assert [hall.begun(n).tables[n].unit for n in (1, 2)] == [2, 2]


def test_a_hand_dealt_at_the_old_level_counts_for_the_old_level():
    hall = Hall(*TWO_TABLES).begun(2)
    for _ in range(3):
        hall.hand(1)
    hall.happened(*hall.look().tournament).hand(2)
    assert told(hall.look(), LevelRaised) == []


def test_the_last_level_stays():
    hall = Hall(full(), unit_levels=(1,))
    for _ in range(4):
        hall.hand(1)
    assert told(hall.look(), LevelRaised) == []


def test_levels_by_minutes_take_no_notice_of_hands():
    hall = Hall(full(), minutes_per_level=5)
    for _ in range(4):
        hall.hand(1)
    assert told(hall.look(), LevelRaised) == []


# the seats


def test_a_table_breaks_into_the_others():
    hall = Hall(full(1, size=3), full(4, size=3), [place(1, players(8)[6]), place(2, players(8)[7])])
    agenda = hall.look()
    assert told(agenda, TableBroken) == [TableBroken(number=3, table_id=table_id(TOURNAMENT, 3))]
    assert [e.from_table for e in told(agenda, PlayerMoved)] == [3, 3]
    assert [e.to_seat for e in told(agenda, PlayerMoved)] == [4, 4]
    assert [type(e) for e in at_table(agenda, 3)] == [Vacated, Vacated, Closed]
    assert deals(agenda) == [1, 2]
    assert agenda.state.open_tables == (1, 2)


def test_a_player_takes_his_chips_and_what_is_known_of_him_along():
    lone = place(2, players(5)[4], 70, absent_hands=3)
    hall = Hall(full(1), [lone, place(3, players(6)[5], 10)], full(7, size=2))
    agenda = hall.look()
    moved = {e.player_id: e for e in told(agenda, PlayerMoved)}
    assert len(moved) == 2
    arrivals = [e.place for number in (1, 2, 3) for e in at_table(agenda, number) if isinstance(e, Seated)]
    for arrival in arrivals:
        move = moved[arrival.player_id]
        before = hall.tables[move.from_table].seats[move.from_seat]
        assert arrival.seat == move.to_seat
        assert (arrival.stack, arrival.seen, arrival.absent_hands) == (
            before.stack,
            before.seen,
            before.absent_hands,
        )


def test_a_move_names_the_draw_by_which_it_can_be_made_again():
    agenda = Hall(full(1), full(5, size=2)).look()
    (moved,) = told(agenda, PlayerMoved)
    assert moved.draw == "moves/0"  # after no move, however often somebody has paused it
    assert moved.from_table == 1
    draws = draws_for(DRAW_SEED, TOURNAMENT, "moves/0")
    assert moved.from_seat == draws.shuffled([1, 2, 3, 4])[0]
    assert moved.to_seat == [3, 4][draws.below(2)]


def test_who_is_about_to_lead_stays():
    hall = Hall(full(1), full(5, size=2)).hand(1, winner=3)
    (moved,) = told(hall.look(), PlayerMoved)
    assert moved.player_id != CAROL


def test_a_table_waits_for_one_that_runs():
    hall = Hall(full(1), full(5, size=2), full(7, size=3)).begun(2)
    agenda = hall.look()
    assert agenda.tournament == []
    assert deals(agenda) == [3]


# the final table


def test_the_final_table_is_new_with_the_next_number_and_everybody_left():
    hall = Hall(full(1, size=3), full(4, size=2)).begun(1, 2).hand(2, {1: 50, 2: -50})
    agenda = hall.look()
    assert told(agenda, TablesDrawn) == []
    assert deals(agenda) == []
    hall.happened(*agenda.tournament).at(2, *at_table(agenda, 2)).hand(1)
    agenda = hall.look()
    (drawn,) = told(agenda, TablesDrawn)
    assert drawn.final
    assert drawn.draw == "final/3"
    assert [table.number for table in drawn.tables] == [3]
    draws = draws_for(DRAW_SEED, TOURNAMENT, drawn.draw)
    by_table_and_seat = [*players(3), players(4)[3]]
    assert [p.player_id for p in drawn.tables[0].places] == draws.shuffled(by_table_and_seat)
    assert drawn.tables[0].dealer == 1 + draws.below(4)
    assert at_table(agenda, 1) == at_table(agenda, 2) == [Closed()]
    assert deals(agenda) == [3]
    assert agenda.state.open_tables == (3,)
    assert told(agenda, PlayerMoved) == []


def test_the_final_tables_first_hand_is_the_lowest_cards():
    hall = Hall(full(1, size=2), full(3, size=2)).hand(1).hand(2)
    agenda = hall.look()
    table = agenda.table_states[table_id(TOURNAMENT, 3)]
    deal = next_deal(table, ACTIONPOKER, 1, 1)
    (drawn,) = told(agenda, TablesDrawn)
    assert (deal.leader, deal.direction, deal.dealer) == (None, "clockwise", drawn.tables[0].dealer)


# the end


def test_with_one_player_left_it_is_over():
    hall = Hall(full(1, size=2)).hand(1, {1: 50, 2: -50})
    agenda = hall.look()
    assert [type(e) for e in agenda.tournament] == [Placed, PrizesAwarded, Finished]
    assert told(agenda, Finished)[0].standings == (Standing(1, False, ALICE), Standing(2, False, BOB))
    assert at_table(agenda, 1)[-1] == Closed()
    assert agenda.deals == []
    assert agenda.state.over


def test_all_but_one_may_go_in_one_hand():
    agenda = Hall(full()).hand(1, {1: 150, 2: -50, 3: -50, 4: -50}).look()
    (finished,) = told(agenda, Finished)
    assert [(s.place, s.tied) for s in finished.standings] == [(1, False), (2, True), (2, True), (2, True)]


# hand for hand


def bubble(*, prizes=(5000, 3000, 1000, 500, 500), **structure):
    """Seven entrants at two tables, five places paid after the first is out: six left."""
    hall = Hall(full(1), full(5, size=3), prizes_bp=prizes, **structure)
    hall.hand(1, {1: 50, 4: -50})
    agenda = hall.look()
    hall.happened(*agenda.tournament)
    hall.tables = {table.number: table for table in agenda.table_states.values()}
    assert hall.t.on_the_bubble
    return hall


def test_before_the_money_a_table_waits_until_the_others_have_ended_their_hands():
    hall = bubble().begun(1, 2)
    assert deals(hall.hand(1).look()) == []
    assert deals(hall.hand(2).look()) == [1, 2]


def test_before_the_money_all_tables_deal_at_once():
    hall = bubble().hand(1).hand(2, deal_at=later(3))
    assert deals(hall.look(later(2))) == []
    assert deals(hall.look(later(3))) == [1, 2]


def test_before_the_money_no_table_deals_while_another_is_still_paused():
    hall = bubble().at(2, TablePaused(number=1))
    assert deals(hall.look()) == []
    assert deals(hall.at(2, TableResumed()).look()) == [1, 2]


def test_before_the_money_nobody_is_placed_until_the_round_is_over():
    hall = bubble().begun(1, 2).hand(1, {1: 50, 2: -50})
    assert told(hall.look(), Placed) == []
    assert [e.player_id for e in told(hall.hand(2).look(), Placed)] == [BOB]


def test_the_hands_of_a_round_count_as_one_hand():
    first, second = players(7)[1], players(7)[5]
    hall = bubble().hand(1, {1: 50, 2: -50}).hand(2, {1: 50, 2: -50})
    assert [(e.player_id, e.place) for e in told(hall.look(), Placed)] == [(first, 5), (second, 5)]


def test_in_a_round_the_larger_stack_ranks_higher_across_tables():
    hall = Hall(full(1), full(5, stack=40, size=3), prizes_bp=(5000, 3000, 1000, 500, 500))
    hall.hand(1, {1: 50, 4: -50})
    agenda = hall.look()
    hall.happened(*agenda.tournament)
    hall.tables = {table.number: table for table in agenda.table_states.values()}
    hall.hand(1, {1: 50, 2: -50}).hand(2, {1: 40, 2: -40})
    placed = told(hall.look(), Placed)
    assert [(e.stack, e.place) for e in placed] == [(40, 6), (50, 5)]


def test_a_single_table_needs_no_other():
    hall = Hall(full(1), prizes_bp=(5000, 3000, 2000))
    assert hall.t.on_the_bubble
    assert deals(hall.look()) == [1]
    assert [e.hand_for_hand for e in told(hall.hand(1, {1: 50, 2: -50}).look(), Placed)] == [None]


# what rulings correct


def owed(hand, **chips):
    """A hand as ruled: what it gives to each, by name."""
    changes = tuple(Correction(PEOPLE[name], Tally(), amount) for name, amount in chips.items())
    return ResultCorrected(hand_id=hand, table_id=table_id(TOURNAMENT, 1), changes=changes, stacks=True)


PEOPLE = {"alice": ALICE, "bob": BOB, "carol": CAROL, "dave": DAVE}
RULED = hand_id(table_id(TOURNAMENT, 1), 1)


def test_a_ruling_is_corrected_between_hands_and_before_anything_else():
    hall = Hall([place(1, ALICE, 100), place(2, BOB, 0), place(3, CAROL)])
    hall.happened(owed(RULED, alice=-40, bob=40))
    agenda = hall.look()
    assert agenda.tournament[0] == StacksCorrected(hand_id=RULED, changes={ALICE: -40, BOB: 40}, unpaid={})
    assert at_table(agenda, 1) == [StacksAdjusted(hand_id=RULED, changes={1: -40, 2: 40})]
    assert not told(agenda, Placed), "he has chips again before anybody looks at who is out"
    assert agenda.state.corrections == {}


def test_nobody_pays_a_ruling_with_more_than_he_has_and_who_is_given_gets_all_of_it():
    hall = Hall([place(1, ALICE, 10), place(2, BOB), place(3, CAROL)])
    hall.happened(owed(RULED, alice=-40, bob=40))
    agenda = hall.look()
    corrected = StacksCorrected(hand_id=RULED, changes={ALICE: -10, BOB: 40}, unpaid={ALICE: 30})
    assert agenda.tournament[0] == corrected
    [placed] = told(agenda, Placed)
    assert placed.player_id == ALICE


def test_whoever_is_in_a_hand_is_corrected_after_it():
    hall = Hall(*TWO_TABLES)
    hall.happened(owed(RULED, alice=-5))
    assert not told(hall.begun(1).look(), StacksCorrected)
    assert told(hall.hand(1).look(), StacksCorrected)


def test_players_of_one_hand_are_corrected_each_at_his_table_in_his_time():
    hall = Hall(full(1), full(5))
    other = players(5)[-1]
    changes = (Correction(ALICE, Tally(), -5), Correction(other, Tally(), 5))
    hall.happened(
        ResultCorrected(hand_id=RULED, table_id=table_id(TOURNAMENT, 1), changes=changes, stacks=True)
    )
    agenda = hall.begun(2).look()
    assert told(agenda, StacksCorrected) == [StacksCorrected(hand_id=RULED, changes={ALICE: -5}, unpaid={})]
    assert agenda.state.corrections == {RULED: {other: 5}}


def test_who_is_out_is_corrected_no_more_as_long_as_he_is_out():
    hall = Hall([place(1, ALICE), place(2, BOB)])
    hall.happened(owed(RULED, dave=5))
    agenda = hall.look()
    assert not told(agenda, StacksCorrected)
    assert deals(agenda) == [1]


def test_a_frozen_table_is_corrected_and_nothing_else_is_done_there():
    hall = Hall([place(1, ALICE, 100), place(2, BOB, 0), place(3, CAROL)])
    hall.at(1, TableFrozen(hand_id=RULED))
    agenda = hall.look()
    assert (agenda.tournament, agenda.deals) == ([], [])
    hall.happened(owed(RULED, alice=-40, bob=40))
    assert [type(event) for event in hall.look().tournament] == [StacksCorrected]
    hall.at(1, TableReleased(hand_id=RULED))
    assert deals(hall.look()) == [1]


def test_a_ruling_with_stacks_changes_no_tally_of_the_tournament():
    hall = Hall([place(1, ALICE), place(2, BOB)])
    assert hall.happened(owed(RULED, alice=0)).t.corrections == {RULED: {}}
    assert hall.t.tallies == {}
