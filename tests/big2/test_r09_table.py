"""R9: dealer and direction; the order of the deal."""

from big2.table import deal_order, first_ring_dealer, next_dealer, next_direction
from tests.big2.play import CLOCKWISE, COUNTERCLOCKWISE, PRESETS, rules


def test_r9_1_the_button_goes_to_the_next_seat_dealt_in_clockwise():
    assert [next_dealer(seat, {1, 2, 3, 4}) for seat in (1, 2, 3, 4)] == [2, 3, 4, 1]
    assert next_dealer(1, {1, 4}) == 4
    assert next_dealer(4, {2, 3}) == 2


def test_r9_1_from_the_seat_number_that_had_it_dealt_in_or_not():
    assert next_dealer(3, {1, 2, 4}) == 4
    assert next_dealer(3, {1, 2}) == 1


def test_r9_1_in_ring_play_the_first_dealer_is_the_lowest_seat_dealt_in():
    assert first_ring_dealer({4, 2, 3}) == 2


def test_r9_2_in_actionpoker_the_direction_reverses_after_every_hand():
    directions = [next_direction(PRESETS["actionpoker"], None)]
    for _ in range(3):
        directions.append(next_direction(PRESETS["actionpoker"], directions[-1]))
    assert directions == [CLOCKWISE, COUNTERCLOCKWISE, CLOCKWISE, COUNTERCLOCKWISE]


def test_r9_2_elsewhere_it_is_always_clockwise():
    for name in ("english-harbour", "high-low", "dealer-puck"):
        for previous in (None, CLOCKWISE, COUNTERCLOCKWISE):
            assert next_direction(PRESETS[name], previous) is CLOCKWISE


def test_r12_always_counterclockwise():
    for previous in (None, CLOCKWISE, COUNTERCLOCKWISE):
        assert next_direction(rules(direction="counterclockwise"), previous) is COUNTERCLOCKWISE


def test_cards_are_dealt_from_the_seat_after_the_dealer_in_the_direction_of_play():
    assert deal_order(2, {1, 2, 3, 4}, CLOCKWISE) == (3, 4, 1, 2)
    assert deal_order(2, {1, 2, 3, 4}, COUNTERCLOCKWISE) == (1, 4, 3, 2)
    assert deal_order(2, {1, 3, 4}, CLOCKWISE) == (3, 4, 1)
