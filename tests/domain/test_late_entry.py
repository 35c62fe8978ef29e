"""Late entry and re-entry: whole tournaments with them, at random; and who may enter, when, and where he sits."""

from collections import Counter
from functools import cache
from itertools import groupby

import pytest
from msgspec.structs import replace

from domain.draws import draws_for
from domain.errors import Conflicting
from domain.ids import entry_id, hand_id, re_entry_id, table_id
from domain.journal import ISSUED, balances, chips_of
from domain.late_entry import close_entries, enter, may_withdraw, table_for
from domain.ledger import Where, journals
from domain.payments import owed
from domain.placing import Out
from domain.prizes import prize_table
from domain.roster import ReEntered, Registered, RosterClosed
from domain.seating import Sitting
from domain.table import TABLE as TABLE_AGGREGATE
from domain.table import Closed, HandBegun, HandEnded, Opened, Seated, Vacated, next_deal
from domain.tournament import TOURNAMENT as AGGREGATE
from domain.tournament import (
    Coming,
    Finished,
    Placed,
    State,
    TablesDrawn,
    cancel,
    pause,
    place,
    publish,
    raise_level,
    resume,
)
from domain.tournament_events import (
    EntriesClosed,
    EntryTaken,
    LateSeated,
    LevelRaised,
    MoneyPrizesAwarded,
    PlayerMoved,
    PoolFormed,
    TableBroken,
)
from tests.domain.given import (
    ACTIONPOKER,
    ALICE,
    BOB,
    CAROL,
    DAVE,
    DRAW_SEED,
    MASTER,
    NOW,
    TABLE,
    TOURNAMENT,
    fold,
    later,
    opened,
    players,
    refused,
    terms,
)
from tests.domain.latecomers import Latecomers

BUY_IN = {"buy_in": {"amount": 100, "fee": 10, "currency": "EUR"}}
TINY = {"stack_points": 8, "hands_per_level": 2, "unit": 3} | BUY_IN
SETTINGS = {
    "2 and whoever comes": (2, TINY, {"eager": 0.05}),
    "3 of threes": (3, TINY | {"seats_per_table": 3}, {"eager": 0.05}),
    "4 at a full table": (4, TINY, {"eager": 0.1}),
    "5 with absent players": (5, TINY | {"no_show_hands": 1}, {"absent": 3, "eager": 0.05}),
    "7 of threes, a late director": (7, TINY | {"seats_per_table": 3}, {"patience": 40, "eager": 0.03}),
    "9 and a crowd": (9, TINY, {"newcomers": 30, "eager": 0.2}),
    "16": (16, TINY | {"guarantee": 5_000}, {}),
    "33 by a late director": (33, TINY, {"patience": 60, "eager": 0.03, "newcomers": 20}),
    "12, until the bubble": (12, TINY | {"late_entry_levels": 10}, {"eager": 0.03}),
}
SEEDS = range(3)


@cache
def course(name, seed):
    entrants, structure, others = SETTINGS[name]
    structure = {"late_entry_levels": 3} | structure
    return Latecomers(terms(**structure), entrants, seed=seed, **others).play_on()


@pytest.fixture(params=[(name, seed) for name in SETTINGS for seed in SEEDS], ids=str)
def played(request):
    return course(*request.param)


def test_the_tournaments_have_seen_everything_that_is_tested_below():
    everything = [event for name in SETTINGS for seed in SEEDS for _, event in course(name, seed).log]
    seen = Counter(type(event) for event in everything)
    kinds = (EntryTaken, ReEntered, LateSeated, EntriesClosed, TableBroken, PlayerMoved, Placed)
    assert all(seen[kind] for kind in kinds)
    assert any(event.opens for event in everything if isinstance(event, LateSeated))
    assert any(event.no_show for event in everything if isinstance(event, Placed))


def test_every_tournament_ends_with_one_winner_and_everybody_placed_once(played):
    (finished,) = played.events(Finished)
    assert played.tournament.state is State.FINISHED
    everybody = {event.player_id for event in played.events(Registered)}
    assert Counter(s.player_id for s in finished.standings) == Counter(everybody)
    assert [s.place for s in finished.standings].count(1) == 1
    assert played.tournament.entrant_count == len(everybody)
    assert played.tournament.entry_count == len(everybody) + len(played.events(ReEntered))


def expected_places(played):
    """When each went out for the last time: later is better, equals of a hand share, and no-shows come last."""
    gone = {}
    for _, event in played.log:
        if isinstance(event, EntryTaken):
            gone.pop(event.player_id, None)
        elif isinstance(event, Placed):
            gone[event.player_id] = event
    played_on = [e for e in reversed(gone.values()) if not e.no_show]
    no_shows = [e for e in reversed(gone.values()) if e.no_show]
    groups = [
        list(group) for _, group in groupby(played_on, key=lambda e: (e.hand_for_hand or e.hand_id, e.stack))
    ]
    places, place = {}, 2
    for group in [*groups, *([e] for e in no_shows)]:
        places |= {e.player_id: (place, len(group) > 1) for e in group}
        place += len(group)
    return places


def test_places_go_by_when_somebody_goes_out_for_the_last_time(played):
    (finished,) = played.events(Finished)
    found = {s.player_id: (s.place, s.tied) for s in finished.standings}
    winner = finished.standings[0].player_id
    assert found == expected_places(played) | {winner: (1, False)}


def test_nobody_sits_twice_and_no_table_is_dealt_alone_or_above_its_seats(played):
    at, seats = {}, played.tournament.structure.seats_per_table
    ends = set(played.transactions)
    for number, (stream, event) in enumerate(played.log, 1):
        match event:
            case Opened():
                at[stream] = {place.player_id for place in event.places}
            case Seated():
                at[stream].add(event.place.player_id)
            case Vacated():
                at[stream].remove(event.player_id)
            case Closed():
                del at[stream]
            case HandBegun():
                assert 2 <= len(at[stream]) <= seats
        if number in ends:
            assert max(Counter(p for sitting in at.values() for p in sitting).values(), default=1) == 1
    assert played.looks
    assert max(played.spreads) <= 1


def test_chips_at_seats_and_in_the_void_are_those_that_were_issued(played):
    issued, void, at = 0, 0, {}
    ends = set(played.transactions)
    for number, (stream, event) in enumerate(played.log, 1):
        where = Where(stream=stream, version=number, tournament_id=TOURNAMENT)
        if isinstance(event, TablesDrawn | LateSeated):
            issued -= sum(
                line.amount for j in journals(event, where) for line in j.lines if line.account == ISSUED
            )
        match event:
            case Opened():
                at[stream] = {place.seat: place.stack for place in event.places}
            case Seated():
                at[stream][event.place.seat] = event.place.stack
            case Vacated():
                void += at[stream].pop(event.seat) if event.reason == "no_show" else 0
                at[stream].pop(event.seat, None)
            case HandEnded():
                at[stream] |= event.stacks
            case Closed():
                last = at.pop(stream)
        if (number in ends and not played.tournament.over) or (number in ends and at):
            assert issued == void + sum(sum(seats.values()) for seats in at.values())
    assert issued == played.tournament.entry_count * played.tournament.structure.stack
    assert void + sum(last.values()) == issued


def test_late_entry_ends_with_its_last_level_or_at_the_bubble_and_forms_the_pool(played):
    (closed,), (formed,) = played.events(EntriesClosed), played.events(PoolFormed)
    (awarded,), s = played.events(MoneyPrizesAwarded), played.tournament.structure
    assert len(played.events(RosterClosed)) == 1
    entries = closed.entries
    assert entries == played.tournament.entry_count == formed.entrants
    assert formed.buy_ins == 100 * entries
    assert sum(p.amount for p in awarded.prizes) == awarded.pool == formed.buy_ins + formed.overlay
    assert formed.buy_ins + formed.overlay == max(100 * entries, s.guarantee)
    assert not [
        e for e in played.log[played.log.index((TOURNAMENT, closed)) :] if isinstance(e.event, EntryTaken)
    ]
    level, left, outs, paid = 1, 0, 0, len(prize_table("standard", entries, closed.entrants))
    for _, event in played.log[: played.log.index((TOURNAMENT, closed))]:
        level = event.level if isinstance(event, LevelRaised) else level
        outs += isinstance(event, Placed) - (isinstance(event, EntryTaken) and event.re_entry)
        left = closed.entrants - outs
    assert level > s.late_entry_levels or left <= paid + 1


def test_the_log_folds_to_the_same_tournament(played):
    assert played.replayed() == played.tournament


# who may enter, and when


def running(entrants=5, **others):
    """A tournament with late entry, its first tables drawn."""
    structure = terms(**{"late_entry_levels": 2, **BUY_IN, **others})
    return Latecomers(structure, entrants, eager=0, newcomers=4)


def go_out(played, *who):
    """These players go out together, as the director records it."""
    hand = hand_id(TABLE, 1 + len(played.tournament.outs))
    outs = [place(Out(player, hand, 5), TABLE, 5) for player in who]
    played.record({TOURNAMENT: outs})


def test_a_newcomer_enters_with_an_entry_of_his_own_and_waits_for_a_seat():
    day = running()
    newcomer = day.newcomers[0]
    at_roster, at_tournament = enter(day.tournament, day.roster, newcomer, NOW)
    entry = entry_id(TOURNAMENT, newcomer)
    assert at_roster == [Registered(tournament_id=TOURNAMENT, entry_id=entry, player_id=newcomer)]
    assert at_tournament == [EntryTaken(player_id=newcomer, entry_id=entry, number=6, re_entry=False)]
    day.enter(newcomer)
    t = day.tournament
    assert (t.entrant_count, t.entry_count, t.players_left, t.coming) == (6, 6, 6, (Coming(newcomer, 6),))


def test_who_is_out_enters_again_and_gives_up_his_place():
    day = running()
    go_out(day, ALICE)
    day.enter(ALICE)
    t = day.tournament
    assert (t.entrant_count, t.entry_count, t.players_left, t.outs) == (5, 6, 5, [])
    assert day.roster.paid == [*players(5), ALICE]
    (again,) = day.events(ReEntered)
    assert again.entry_id == re_entry_id(TOURNAMENT, ALICE, 6) != day.roster.entries[ALICE]


def test_nobody_enters_who_is_in_play_or_about_to_be():
    day = running()
    with refused(Conflicting, "already-registered"):
        day.enter(ALICE)
    go_out(day, ALICE)
    day.enter(ALICE)
    with refused(Conflicting, "already-registered"):
        day.enter(ALICE)


def test_places_are_for_those_in_play_and_to_come_and_who_is_out_leaves_his_free():
    day = running(capacity=6)
    day.enter(day.newcomers.pop())
    with refused(Conflicting, "tournament-full"):
        day.enter(day.newcomers[-1])
    go_out(day, BOB)
    day.enter(day.newcomers.pop())
    with refused(Conflicting, "tournament-full"):
        day.enter(BOB)


def test_entries_in_all_are_ten_for_each_place_at_most():
    day = running(capacity=5)
    for _ in range(45):
        go_out(day, ALICE)
        day.enter(ALICE)
    go_out(day, ALICE)
    with refused(Conflicting, "tournament-full"):
        day.enter(ALICE)
    assert day.tournament.entry_count == 50


def test_entering_goes_on_in_a_pause_and_ends_with_the_tournament():
    day = running()
    day.record({TOURNAMENT: pause(day.tournament, NOW)})
    day.enter(day.newcomers.pop())
    assert day.tournament.entries_open
    day.record({TOURNAMENT: cancel(day.tournament, "rain", 0)})
    assert not day.tournament.entries_open
    assert close_entries(day.tournament) == []


def test_nobody_enters_after_the_last_level_of_late_entry():
    day = running()
    day.record({TOURNAMENT: raise_level(day.tournament, NOW)})
    assert close_entries(day.tournament) == [], "level 2 of 2"
    day.record({TOURNAMENT: raise_level(day.tournament, NOW)})
    closed, formed = close_entries(day.tournament)
    assert closed == EntriesClosed(entries=5, entrants=5)
    assert (formed.entrants, formed.buy_ins) == (5, 500)
    day.record({TOURNAMENT: [closed, formed]})
    assert close_entries(day.tournament) == []
    with refused(Conflicting, "registration-closed"):
        day.enter(day.newcomers[0])


def test_late_entry_ends_on_the_minute_whether_the_clock_has_raised_the_level_by_then_or_not():
    day = running(minutes_per_level=10)
    day.now = later(601)
    day.enter(day.newcomers.pop())  # level 1 of 2: only its unit is late
    day.record({TOURNAMENT: raise_level(day.tournament, day.now)})
    day.now = later(1200)
    day.enter(day.newcomers.pop())
    day.now = later(1201)
    with refused(Conflicting, "registration-closed"):
        day.enter(day.newcomers.pop())


def test_a_pause_keeps_the_minutes_that_late_entry_has_left():
    day = running(minutes_per_level=10, late_entry_levels=1)
    day.record({TOURNAMENT: pause(day.tournament, later(599))})
    day.now = later(5000)
    day.enter(day.newcomers.pop())
    day.record({TOURNAMENT: resume(day.tournament, day.now)})
    day.enter(day.newcomers.pop())
    day.now = later(5001)
    with refused(Conflicting, "registration-closed"):
        day.enter(day.newcomers.pop())


def test_a_pause_after_those_minutes_gives_none_back():
    day = running(minutes_per_level=10, late_entry_levels=1)
    day.record({TOURNAMENT: pause(day.tournament, later(600))})
    with refused(Conflicting, "registration-closed"):
        day.enter(day.newcomers.pop())


def test_the_bubble_ends_late_entry_and_only_then_tables_play_hand_for_hand():
    day = running()
    go_out(day, ALICE)
    assert close_entries(day.tournament) == []
    go_out(day, BOB)  # three are left, and two are paid
    assert not day.tournament.on_the_bubble
    closed, formed = close_entries(day.tournament)
    day.record({TOURNAMENT: [closed, formed]})
    assert day.tournament.on_the_bubble


def test_before_anybody_is_out_there_is_no_bubble():
    assert close_entries(running(2).tournament) == []


def test_the_pool_is_formed_at_the_start_only_where_nobody_can_enter_late():
    assert running().tournament.pool is None
    assert running(late_entry_levels=0).tournament.pool.entrants == 5


def test_nobody_withdraws_after_the_start_though_others_may_enter():
    with refused(Conflicting, "registration-closed"):
        may_withdraw(running().tournament)
    published = publish(TOURNAMENT, terms(late_entry_levels=2), MASTER, DRAW_SEED)
    may_withdraw(fold(AGGREGATE, published))


# where he sits


def test_he_sits_at_the_smallest_table_with_a_free_seat_of_equals_the_lowest_number():
    def sitting(number, size):
        return Sitting(number, False, dict(enumerate(players(size), 1)))

    assert table_for([sitting(3, 3), sitting(1, 3), sitting(2, 4)], 4).number == 1
    assert table_for([sitting(1, 3), sitting(2, 2)], 4).number == 2
    assert table_for([sitting(1, 4), sitting(2, 4)], 4) is None


def test_between_hands_he_sits_down_at_once_at_a_seat_that_is_drawn():
    day = running(3)
    day.enter(day.newcomers[0])
    day.look()
    (late,) = day.events(LateSeated)
    assert (late.number, late.opens, late.draw, late.place.stack) == (1, False, "entry/4", 50)
    assert late.place.seat == 4  # the only free one
    assert day.tournament.coming == ()
    (table,) = day.open_tables
    assert table.seat_of(day.newcomers[0]) == 4


def test_the_draw_of_his_seat_can_be_made_again():
    day = running(2)
    day.enter(day.newcomers[0])
    day.look()
    (late,) = day.events(LateSeated)
    draws = draws_for(day.tournament.draw_seed, TOURNAMENT, "entry/3")
    assert late.place.seat == [3, 4][draws.below(2)]


def test_where_a_hand_runs_he_waits_for_its_end_and_is_in_the_next():
    day = running(3)
    day.look()
    day.enter(day.newcomers[0])
    day.look()
    assert day.tournament.coming
    day.play_on(until=lambda day: not day.tournament.coming)
    (table,) = day.open_tables
    assert table.seat_of(day.newcomers[0])
    assert table.hand_id is None or len(day.hands[table.hand_id].terms.seats) == len(table.seats)


def test_with_no_free_seat_a_new_table_opens_and_waits_until_balancing_has_filled_it():
    day = running(4)
    day.look()
    newcomer = day.newcomers[0]
    day.enter(newcomer)
    day.look()
    (late,) = day.events(LateSeated)
    assert (late.number, late.opens, late.table_id) == (2, True, table_id(TOURNAMENT, 2))
    assert [len(table.seats) for table in day.open_tables] == [4, 1]
    assert day.tables[late.table_id].waiting
    day.play_on(until=lambda day: day.events(PlayerMoved))
    assert sorted(len(table.seats) for table in day.open_tables) in ([2, 2], [2, 3])


def test_two_who_come_for_the_same_running_table_count_there_before_they_sit():
    day = running(6)
    day.look()
    for newcomer in day.newcomers[:3]:
        day.enter(newcomer)
    day.look()  # a place at each of the two tables, and one more
    assert len(day.tournament.coming) == 2
    (late,) = day.events(LateSeated)
    assert late.opens


def test_a_button_drawn_to_a_free_seat_goes_to_the_next_who_is_dealt_in():
    table = fold(TABLE_AGGREGATE, [replace(opened(9, 9, 9), first_dealer=4)])
    assert next_deal(table, ACTIONPOKER, 1, 1).dealer == 1


def test_each_late_stack_is_issued_with_its_seat():
    day = running(3)
    day.enter(day.newcomers[0])
    day.look()
    (late,) = day.events(LateSeated)
    (made,) = journals(late, Where(stream=TOURNAMENT, version=9, tournament_id=TOURNAMENT))
    assert made.kind == "issued"
    assert balances([made]) == {ISSUED: -50, chips_of(day.newcomers[0]): 50}


# prizes and refunds


def test_a_re_entry_pays_like_an_entry():
    day = running(7)
    go_out(day, ALICE)
    day.enter(ALICE)
    assert day.tournament.paid_places == 3, "the table for 8 entries"
    assert prize_table("standard", 8, 2) == (7000, 3000), "what nobody can take goes to the first"


def test_a_cancellation_gives_every_entry_back():
    day = running(4)
    go_out(day, ALICE)
    day.enter(ALICE)
    day.record({TOURNAMENT: cancel(day.tournament, "rain", 4)})
    paid = {p.player_id: p.booking.amount for p in owed(day.tournament, day.roster.paid)}
    assert paid == {ALICE: 220, BOB: 110, CAROL: 110, DAVE: 110}
    assert day.tournament.entry_count == 5
