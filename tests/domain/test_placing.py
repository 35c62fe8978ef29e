"""Places: later is better, then the larger stack; ties share; no-shows below everybody who played."""

from uuid import UUID

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.ids import HandId
from domain.placing import Out, Standing, Tally, places_by_points, places_of_out
from tests.domain.given import ALICE, BOB, CAROL, DAVE, ERIN, FRANK, players, steady

FIRST, SECOND, THIRD = (HandId(UUID(int=n)) for n in (1, 2, 3))


def no_show(player, stack=10):
    return Out(player, None, stack, no_show=True)


def told(outs, left=1):
    return [(s.place, s.tied, s.player_id) for s in places_of_out(outs, left)]


def in_order(outs):
    """As the director records those who went in one hand: the smaller stack first."""
    return sorted(outs, key=lambda out: out.stack)


def test_later_is_better():
    outs = [Out(ALICE, FIRST, 50), Out(BOB, SECOND, 3)]
    assert told(outs) == [(2, False, BOB), (3, False, ALICE)]


def test_places_are_below_all_who_are_left():
    assert told([Out(ALICE, FIRST, 50)], left=7) == [(8, False, ALICE)]


def test_in_one_hand_the_larger_stack_at_its_start_is_better():
    outs = in_order([Out(ALICE, FIRST, 50), Out(BOB, FIRST, 20), Out(CAROL, FIRST, 30)])
    assert [out.player_id for out in outs] == [BOB, CAROL, ALICE]
    assert told(outs) == [(2, False, ALICE), (3, False, CAROL), (4, False, BOB)]


def test_equal_stacks_in_one_hand_share_the_place():
    outs = [*in_order([Out(CAROL, FIRST, 20)]), *in_order([Out(ALICE, SECOND, 20), Out(BOB, SECOND, 20)])]
    assert [(place, tied) for place, tied, _ in told(outs)] == [(2, True), (2, True), (4, False)]
    assert {player for place, _, player in told(outs) if place == 2} == {ALICE, BOB}


def test_equal_stacks_in_different_hands_share_nothing():
    outs = [Out(ALICE, FIRST, 20), Out(BOB, SECOND, 20)]
    assert told(outs) == [(2, False, BOB), (3, False, ALICE)]


def test_across_tables_the_order_of_the_hands_ends_decides():
    outs = [Out(ALICE, THIRD, 50), Out(BOB, FIRST, 1), Out(CAROL, SECOND, 50)]
    assert [player for _, _, player in told(outs)] == [CAROL, BOB, ALICE]


def test_no_shows_are_below_everybody_who_played():
    outs = [Out(ALICE, FIRST, 5), no_show(BOB), Out(CAROL, SECOND, 5), no_show(DAVE), Out(ERIN, THIRD, 5)]
    assert told(outs) == [
        (2, False, ERIN),
        (3, False, CAROL),
        (4, False, ALICE),
        (5, False, DAVE),
        (6, False, BOB),
    ]


def test_no_shows_share_no_place():
    assert [tied for _, tied, _ in told([no_show(BOB, 20), no_show(FRANK, 20)])] == [False, False]


def test_nobody_out_is_nobody_placed():
    assert places_of_out([], 4) == []


@pytest.mark.parametrize(
    ("ties", "places"),
    [
        ([1, 2, 1], [2, 3, 3, 5]),
        ([3], [2, 2, 2]),
        ([2, 2], [2, 2, 4, 4]),
        ([1, 1, 1], [2, 3, 4]),
    ],
)
def test_after_a_shared_place_as_many_are_left_out(ties, places):
    """1-2-2-4: `ties` are the sizes of the groups, best first."""
    people = iter(players(10))
    groups = [
        [Out(next(people), HandId(UUID(int=n)), 9) for _ in range(size)] for n, size in enumerate(ties, 1)
    ]
    outs = [out for group in reversed(groups) for out in group]
    assert [place for place, _, _ in told(outs)] == places


@steady
@for_all(st.lists(st.tuples(st.lists(st.integers(1, 3), min_size=1, max_size=3), st.booleans()), max_size=10))
def test_everybody_out_gets_a_place_and_no_place_is_lost(hands):
    outs = []
    people = iter(players(40))
    for number, (stacks, absent) in enumerate(hands, 1):
        if absent:
            outs.append(no_show(next(people)))
        else:
            hand = HandId(UUID(int=number))
            outs += in_order([Out(next(people), hand, stack) for stack in stacks])
    standings = places_of_out(outs, 1)
    assert sorted(s.player_id for s in standings) == sorted(out.player_id for out in outs)
    for rank, standing in enumerate(standings, 2):
        equals = [s for s in standings if s.place == standing.place]
        assert standing.tied == (len(equals) > 1)
        assert standing.place <= rank < standing.place + len(equals)


# by points


def test_places_go_by_points_then_hands_won_then_fewest_cards_left():
    tallies = {
        ALICE: Tally(points=5, hands=2, hands_won=1, cards_left=9),
        BOB: Tally(points=5, hands=2, hands_won=2, cards_left=9),
        CAROL: Tally(points=5, hands=2, hands_won=1, cards_left=8),
        DAVE: Tally(points=6, hands=2),
    }
    assert [s.player_id for s in places_by_points(tallies)] == [DAVE, BOB, CAROL, ALICE]


def test_equals_by_points_share_their_place():
    level = Tally(points=1, hands=3, hands_won=1, cards_left=4)
    places = places_by_points({ALICE: level, BOB: Tally(points=9, hands=3), CAROL: level})
    assert places == [Standing(1, False, BOB), Standing(2, True, ALICE), Standing(2, True, CAROL)]


def test_who_has_played_no_hand_ranks_below_everybody_who_has():
    places = places_by_points({ALICE: Tally(), BOB: Tally(points=-40, hands=1), CAROL: Tally()})
    assert places == [Standing(1, False, BOB), Standing(2, True, ALICE), Standing(2, True, CAROL)]
