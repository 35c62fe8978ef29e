"""R2: the deal."""

import pytest

from tests.big2.play import CLOCKWISE, dealt, mask, rules, start


def test_r2_1_two_three_or_four_play():
    holdings = {1: "3D", 2: "4D", 3: "5D", 4: "6D"}
    for seats in ((1, 3), (1, 2, 4), (1, 2, 3, 4)):
        hand = dealt(rules(), {seat: holdings[seat] for seat in seats})
        assert hand.seats == seats
        assert hand.holdings == (0, *(mask(holdings[seat]) if seat in seats else 0 for seat in (1, 2, 3, 4)))


@pytest.mark.parametrize("seats", [(), (1,), (1, 2, 3, 4, 5)])
def test_r2_1_nobody_else_does(seats):
    with pytest.raises(AssertionError, match=r"R2\.1"):
        start(
            rules(), dealer=1, direction=CLOCKWISE, leader=None, holdings={seat: 1 << seat for seat in seats}
        )


def test_r2_1_no_card_is_dealt_twice():
    with pytest.raises(AssertionError, match="twice"):
        dealt(rules(), {1: "3D 4D", 2: "4D 5D"})
