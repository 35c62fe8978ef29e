"""A roster: who is entered, exactly as many as there is room for."""

import pytest

from domain.errors import Conflicting
from domain.ids import entry_id
from domain.roster import (
    ROSTER,
    Registered,
    Roster,
    RosterClosed,
    Withdrawn,
    close,
    evolve,
    register,
    withdraw,
)
from domain.table import Closed
from tests.domain.given import ALICE, BOB, CAROL, TOURNAMENT, given, players, refused


def registered(player):
    return Registered(tournament_id=TOURNAMENT, entry_id=entry_id(TOURNAMENT, player), player_id=player)


def withdrawn(player):
    return Withdrawn(tournament_id=TOURNAMENT, player_id=player)


CLOSED = RosterClosed(tournament_id=TOURNAMENT)


def test_a_player_enters_and_the_list_keeps_the_order():
    assert register(Roster(), TOURNAMENT, ALICE, 2) == [registered(ALICE)]
    assert list(given(ROSTER, registered(BOB), registered(ALICE)).entries) == [BOB, ALICE]


def test_nobody_enters_twice():
    with refused(Conflicting, "already-registered"):
        register(given(ROSTER, registered(ALICE)), TOURNAMENT, ALICE, 2)


def test_exactly_as_many_enter_as_there_is_room_for():
    roster = Roster()
    for player in players(16):
        for event in register(roster, TOURNAMENT, player, 16):
            roster = evolve(roster, event)
    with refused(Conflicting, "tournament-full"):
        register(roster, TOURNAMENT, players(17)[-1], 16)
    assert len(roster.entries) == 16


def test_who_is_entered_in_a_full_tournament_hears_that_he_is():
    with refused(Conflicting, "already-registered"):
        register(given(ROSTER, registered(ALICE)), TOURNAMENT, ALICE, 1)


def test_a_withdrawal_frees_the_place():
    full = given(ROSTER, registered(ALICE), registered(BOB))
    assert withdraw(full, TOURNAMENT, ALICE) == [withdrawn(ALICE)]
    freed = given(ROSTER, registered(ALICE), registered(BOB), withdrawn(ALICE))
    assert register(freed, TOURNAMENT, CAROL, 2) == [registered(CAROL)]


def test_who_withdrew_may_come_back_and_stands_last():
    back = given(ROSTER, registered(ALICE), registered(BOB), withdrawn(ALICE), registered(ALICE))
    assert list(back.entries) == [BOB, ALICE]


def test_only_who_is_entered_withdraws():
    with refused(Conflicting, "not-registered"):
        withdraw(given(ROSTER, registered(ALICE)), TOURNAMENT, BOB)


def test_nothing_changes_once_registration_is_closed():
    closed = given(ROSTER, registered(ALICE), CLOSED)
    with refused(Conflicting, "registration-closed"):
        register(closed, TOURNAMENT, BOB, 1)  # before tournament-full
    with refused(Conflicting, "registration-closed"):
        withdraw(closed, TOURNAMENT, ALICE)


def test_closing_it_twice_is_closing_it_once():
    assert close(given(ROSTER, registered(ALICE)), TOURNAMENT) == [CLOSED]
    assert close(given(ROSTER, CLOSED), TOURNAMENT) == []


def test_another_streams_event_is_a_bug():
    with pytest.raises(AssertionError):
        evolve(Roster(), Closed())
