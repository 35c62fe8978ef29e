"""A player: enrolled, barred, reinstated."""

import pytest

from domain.errors import Conflicting
from domain.player import PLAYER, Barred, Enrolled, Reinstated, bar, enrol, evolve, may_enter, reinstate
from domain.table import Closed
from tests.domain.given import ALICE, given, refused

ENROLLED = Enrolled(player_id=ALICE)
BARRED = Barred(reason="threats")
REINSTATED = Reinstated(reason="apology")


def test_enrolling_makes_a_player_who_may_enter():
    assert enrol(ALICE) == [ENROLLED]
    player = given(PLAYER, ENROLLED)
    assert (player.player_id, player.barred) == (ALICE, False)
    may_enter(player)


def test_a_barred_player_may_not_enter():
    assert bar(given(PLAYER, ENROLLED), "threats") == [BARRED]
    with refused(Conflicting, "player-barred"):
        may_enter(given(PLAYER, ENROLLED, BARRED))


def test_nobody_is_barred_twice():
    with refused(Conflicting, "player-barred"):
        bar(given(PLAYER, ENROLLED, BARRED), "again")


def test_a_reinstated_player_may_enter_again():
    assert reinstate(given(PLAYER, ENROLLED, BARRED), "apology") == [REINSTATED]
    may_enter(given(PLAYER, ENROLLED, BARRED, REINSTATED))


@pytest.mark.parametrize("history", [(ENROLLED,), (ENROLLED, BARRED, REINSTATED)])
def test_only_a_barred_player_is_reinstated(history):
    with refused(Conflicting, "player-not-barred"):
        reinstate(given(PLAYER, *history), "why not")


def test_another_streams_event_is_a_bug():
    with pytest.raises(AssertionError):
        evolve(given(PLAYER, ENROLLED), Closed())
