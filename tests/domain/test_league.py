"""A league: its tables, its newcomers, and the end of its season."""

from __future__ import annotations

from uuid import UUID

import pytest

from domain.draws import draws_for
from domain.errors import Conflicting, Refused
from domain.ids import CommandId, TableId, hand_id, opened_table_id
from domain.league import close_table, finish, must_be_unseen, open_table
from domain.placing import Standing, Tally
from domain.results import Result, record
from domain.table import TABLE, Closed, RecordedTableOpened
from domain.tournament import (
    TOURNAMENT,
    Finished,
    Paused,
    PrizesAwarded,
    State,
    TableClosed,
    cancel,
    publish,
    start,
)
from domain.tournament import open_table as opened_at
from domain.tournament_events import Correction, ResultCorrected
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
    players,
    refused,
    terms,
)
from tests.domain.given import (
    TOURNAMENT as ID,
)

FIRST, SECOND = (opened_table_id(CommandId(UUID(int=n))) for n in (1, 2))


def league(*more, **others):
    t = given(TOURNAMENT, *publish(ID, terms("league", recorded=True, **others), MASTER, DRAW_SEED))
    return fold(TOURNAMENT, [*start(t, players(4), NOW), *more], t)


def seats(*who):
    return list(enumerate(who, 1))


class Season:
    """A running league."""

    def __init__(self, **terms):
        self.t = league(**terms)
        self.tables = {}

    def open(self, table: TableId, *who, entrants=PLAYERS):
        event = open_table(self.t, table, entrants, seats(*who), {})
        self.tables[table] = given(TABLE, opened_at(self.t, event.table, NOW))
        self.t = TOURNAMENT.evolve(self.t, event)
        return event

    def result(self, table: TableId, *cards_left):
        told = Result(dict(enumerate(cards_left, 1)), 1 + cards_left.index(0))
        hand = record(self.t, self.tables[table], ACTIONPOKER, told, NOW, 1)
        self.tables[table] = fold(TABLE, hand.table, self.tables[table])

    def close(self, table: TableId):
        at_tournament, at_table = close_table(self.t, self.tables[table])
        self.t = TOURNAMENT.evolve(self.t, at_tournament)
        self.tables[table] = TABLE.evolve(self.tables[table], at_table)

    def finish(self, entrants=PLAYERS[:4]):
        return finish(self.t, entrants, self.tables.values())


# tables


def test_a_table_gets_the_next_number_and_its_players():
    season = Season(unit=5)
    event = season.open(FIRST, ALICE, BOB, CAROL)
    assert (event.table.number, event.table.table_id, event.draw) == (1, FIRST, "table/1")
    assert [(p.seat, p.player_id, p.stack) for p in event.table.places] == [
        (1, ALICE, 0),
        (2, BOB, 0),
        (3, CAROL, 0),
    ]
    assert season.open(SECOND, DAVE, ERIN).table.number == 2
    assert season.t.open_tables == (1, 2)
    assert season.t.sitting == {ALICE: 1, BOB: 1, CAROL: 1, DAVE: 2, ERIN: 2}
    assert season.t.unit == 5


def test_r9_1_its_first_dealer_is_drawn_from_the_tournaments_seed():
    event = open_table(league(), FIRST, PLAYERS, [(4, ALICE), (2, BOB), (1, CAROL)], {})
    assert [p.seat for p in event.table.places] == [1, 2, 4]
    assert event.table.dealer == (1, 2, 4)[draws_for(DRAW_SEED, ID, "table/1").below(3)]


def test_it_is_opened_for_results_and_for_points():
    event = open_table(league(), FIRST, PLAYERS, seats(ALICE, BOB), {})
    opened = opened_at(league(), event.table, NOW)
    assert isinstance(opened, RecordedTableOpened)
    assert opened.points


@pytest.mark.parametrize(
    ("wanted", "pointers"),
    [
        (seats(ALICE), ["/seats"]),
        (seats(*PLAYERS[:4]), ["/seats", "/seats/3/seat"]),
        ([(4, ALICE), (3, BOB)], ["/seats/0/seat"]),
        ([(1, ALICE), (1, BOB)], ["/seats/1/seat"]),
        ([(1, ALICE), (2, ALICE)], ["/seats/1/player_id"]),
        (seats(ALICE, ERIN), ["/seats/1/player_id"]),
        ([(1, ERIN), (1, ERIN)], ["/seats/0/player_id", "/seats/1/seat", "/seats/1/player_id"]),
    ],
    ids=str,
)
def test_what_is_wrong_with_the_seats_is_told_at_once(wanted, pointers):
    with pytest.raises(Refused) as caught:
        open_table(league(seats_per_table=3), FIRST, PLAYERS[:4], wanted, {})
    assert sorted(caught.value.errors) == sorted(pointers)


def test_what_cannot_be_read_is_told_with_what_is_wrong_with_the_rest():
    unread = {"/seats/0/player_id": "must be a UUID", "/seats/1/seat": "must be an integer"}
    with pytest.raises(Refused) as caught:
        open_table(league(), FIRST, PLAYERS[:4], [(1, None), (None, ERIN), (1, ALICE)], unread)
    assert caught.value.errors == unread | {
        "/seats/1/player_id": "is not entered in this league",
        "/seats/2/seat": "is taken by another player",
    }


def test_nobody_sits_at_two_tables_at_once():
    season = Season()
    season.open(FIRST, ALICE, BOB)
    with refused(Conflicting, "player-seated"):
        season.open(SECOND, CAROL, BOB)
    season.close(FIRST)
    season.open(SECOND, CAROL, BOB)


def test_only_a_running_league_opens_tables():
    with refused(Conflicting, "not-running"):
        open_table(league(Paused(number=1, at=NOW)), FIRST, PLAYERS, seats(ALICE, BOB), {})
    t = given(TOURNAMENT, *publish(ID, terms(recorded=True), MASTER, DRAW_SEED))
    with refused(Conflicting, "not-a-league"):
        open_table(t, FIRST, PLAYERS, seats(ALICE, BOB), {})


def test_a_table_closes_once():
    season = Season()
    season.open(FIRST, ALICE, BOB)
    assert close_table(season.t, season.tables[FIRST]) == (
        TableClosed(number=1, table_id=FIRST, players=(ALICE, BOB)),
        Closed(),
    )
    season.close(FIRST)
    assert (season.t.open_tables, season.t.sitting) == ((), {})
    with refused(Conflicting, "table-closed"):
        season.close(FIRST)


def test_a_table_of_a_league_that_is_over_is_closed():
    season = Season()
    season.open(FIRST, ALICE, BOB)
    season.t = fold(TOURNAMENT, cancel(season.t, "rain", 5), season.t)
    assert season.t.entrant_count == 5
    with refused(Conflicting, "table-closed"):
        season.close(FIRST)


# who has a part in the season


def test_who_has_played_or_sits_at_a_table_has_a_part_in_the_season():
    season = Season()
    season.open(FIRST, ALICE, BOB)
    season.result(FIRST, 0, 5)
    with refused(Conflicting, "already-played"):
        must_be_unseen(ALICE, season.t, season.tables.values())
    season.close(FIRST)
    season.open(SECOND, CAROL, BOB)
    with refused(Conflicting, "player-seated"):
        must_be_unseen(CAROL, season.t, season.tables.values())
    must_be_unseen(DAVE, season.t, season.tables.values())


# the end


def test_the_season_ends_with_places_by_points_and_prizes():
    season = Season(prizes_bp=[7000, 3000])
    season.open(FIRST, ALICE, BOB, CAROL)
    season.result(FIRST, 0, 3, 4)
    season.close(FIRST)
    season.open(SECOND, CAROL, BOB)
    season.result(SECOND, 0, 13)
    prizes, finished = season.finish()
    assert isinstance(prizes, PrizesAwarded)
    assert [(p.player_id, p.amount) for p in prizes.prizes] == [(CAROL, 7000), (ALICE, 3000)]
    assert isinstance(finished, Finished)
    assert finished.standings == (
        Standing(1, False, CAROL),
        Standing(2, False, ALICE),
        Standing(3, False, BOB),
        Standing(4, False, DAVE),  # who has played no hand
    )
    after = fold(TOURNAMENT, [prizes, finished], season.t)
    assert (after.state, after.entrant_count, after.open_tables) == (State.FINISHED, 4, ())


def test_only_who_has_played_is_counted_for_the_prizes():
    season = Season()
    season.open(FIRST, ALICE, BOB)
    season.result(FIRST, 0, 3)
    prizes, finished = season.finish(PLAYERS)
    assert [(p.player_id, p.amount) for p in prizes.prizes] == [(ALICE, 10_000)]
    assert [s.place for s in finished.standings] == [1, 2, 3, 3, 3, 3]


def test_a_season_without_a_hand_has_no_end():
    season = Season()
    with refused(Conflicting, "no-hands"):
        season.finish()


def test_only_a_league_that_has_started_and_is_not_over_ends():
    t = given(TOURNAMENT, *publish(ID, terms("league", recorded=True), MASTER, DRAW_SEED))
    with refused(Conflicting, "not-running"):
        finish(t, PLAYERS, [])
    season = Season()
    season.open(FIRST, ALICE, BOB)
    season.result(FIRST, 0, 3)
    season.t = fold(TOURNAMENT, season.finish(), season.t)
    with refused(Conflicting, "tournament-over"):
        season.finish()
    with refused(Conflicting, "not-a-league"):
        finish(given(TOURNAMENT, *publish(ID, terms(), MASTER, DRAW_SEED)), PLAYERS, [])


def test_a_paused_league_can_end():
    season = Season()
    season.open(FIRST, ALICE, BOB)
    season.result(FIRST, 0, 3)
    season.t = TOURNAMENT.evolve(season.t, Paused(number=1, at=NOW))
    assert season.finish()


def test_the_end_of_a_season_with_a_buy_in_forms_the_pool_of_all_who_are_entered_and_awards_it():
    season = Season(buy_in={"amount": 1000, "fee": 100, "currency": "EUR"}, guarantee=4500)
    assert season.t.pool is None
    season.open(FIRST, ALICE, BOB)
    season.result(FIRST, 0, 3)
    formed, awarded, finished = season.finish()
    assert (formed.entrants, formed.buy_ins, formed.overlay) == (4, 4000, 500)
    assert [(p.player_id, p.amount) for p in awarded.prizes] == [(ALICE, 4500)]
    assert isinstance(finished, Finished)


def test_a_cancelled_league_counts_who_is_entered_then():
    season = Season()
    assert [event.entrants for event in cancel(season.t, "rain", 2)] == [2]


def test_a_season_is_ended_as_ruled():
    season = Season()
    season.open(FIRST, *players(2))
    season.result(FIRST, 0, 5)
    hand = hand_id(FIRST, 1)
    changes = (
        Correction(PLAYERS[0], Tally(-5, -1, -1, 0), -5),
        Correction(PLAYERS[1], Tally(5, -1, 0, -5), 5),
    )
    season.t = TOURNAMENT.evolve(
        season.t, ResultCorrected(hand_id=hand, table_id=FIRST, changes=changes, stacks=False)
    )
    with refused(Conflicting, "no-hands"):
        season.finish()
    season.result(FIRST, 3, 0)
    finished = season.finish()[-1]
    assert finished.standings[0].player_id == PLAYERS[1]
