"""Recorded play on the real store: results at once, repeated, in the way of each other; none is lost, none is twice."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import timedelta
from threading import Barrier

import pytest

from domain.errors import Conflicting, Refused, Rejected
from domain.hand_events import Committed, Confirmed, HandRecorded
from domain.ids import roster_id
from domain.results import Result
from domain.roster import ROSTER
from domain.table import HandBegun, RecordedHandEnded, TablePaused
from domain.tournament import Finished, LevelRaised, TablesDrawn, TablesHeld
from services.application import director, hands, leagues, results
from services.application.results import Told, recorded_hand, would_record
from services.application.rulesets import Wanted
from services.audit import verify_log
from services.commands import ATTEMPTS
from services.projections.rebuild import compare
from tests.services.projections.house import House, nothing, staff

MACHINES = 3


@pytest.fixture(scope="module")
def machines(database_url) -> Iterator[list[House]]:
    """The same service on several machines: each has a store of its own."""
    houses = [House(database_url, seed) for seed in range(MACHINES)]
    yield houses
    for house in houses:
        house.close()


@pytest.fixture
def house(machines) -> House:
    return machines[0]


def together(machines, what, times=2):
    """What `what(house, n)` answers or raises, on each machine at once, so often on each."""
    everybody = Barrier(times * MACHINES)

    def work(n):
        everybody.wait(10)
        try:
            return what(machines[n % MACHINES], n)
        except Rejected as rejected:
            return rejected.code

    with ThreadPoolExecutor(times * MACHINES) as pool:
        return list(pool.map(work, range(times * MACHINES)))


def league(house: House, entrants: int = 4, **terms):
    """A running league, and its players."""
    who = house.enrol(entrants)
    t = house.publish(format="league", recorded=True, stack_points=0, **terms)
    house.enter(t, *who)
    house.start(t)
    return t, who


def sent(*cards_left: int, number: int | None = None, **more) -> Told:
    by_seat = dict(enumerate(cards_left, 1))
    return Told(number, Result(by_seat, 1 + cards_left.index(0), **more))


def drawn(house: House, entrants: int, **terms):
    t = house.started(entrants, recorded=True, **terms)
    while house.work(t):
        pass
    return t


# one at a time


def test_each_of_many_results_at_once_gets_a_number_of_its_own(house, machines):
    t, who = league(house)
    table = house.open_table(t, *who)
    together(machines, lambda house, _: house.record(table, 0, 1, 2, 3), times=4)
    stream = [r.event for r in house.store.events(table)]
    assert [e.number for e in stream if isinstance(e, RecordedHandEnded)] == list(range(1, 13))
    assert house.table(table).hands_ended == 12


def test_of_results_of_the_same_hand_one_is_taken(house, machines):
    t, who = league(house)
    table = house.open_table(t, *who)
    outcomes = together(
        machines,
        lambda house, _: (
            results.record(house, house.command(), staff(), table, sent(0, 1, 2, 3, number=1)).version
        ),
    )
    assert sorted(map(str, outcomes)) == sorted(["3", *["stale-hand"] * (2 * MACHINES - 1)])


def test_also_without_the_lock(house, machines, monkeypatch):
    """A lock can be lost with its connection: what is correct rests on versions alone."""
    for machine in machines:
        monkeypatch.setattr(machine.store, "lock", lambda *_, **__: nullcontext())
    t, who = league(house)
    table = house.open_table(t, *who)
    outcomes = together(machines, lambda house, _: house.record(table, 0, 1, 2, 3))
    taken = [outcome for outcome in outcomes if outcome != "conflict"]
    assert len(taken) >= ATTEMPTS
    stream = [r.event for r in house.store.events(table)]
    assert [e.number for e in stream if isinstance(e, HandBegun)] == list(range(1, len(taken) + 1))


def test_a_command_repeats_its_hand_as_it_was_right_after(house):
    t, who = league(house, protest_seconds=60)
    table = house.open_table(t, *who)
    command = house.command()
    first = results.record(house, command, staff(), table, sent(0, 1, 2, 3))
    seen = recorded_hand(house, command, first)
    assert (seen.version, seen.state.state) == (2, "settled")
    house.record(table, 0, 1, 2, 3)
    house.pass_time(timedelta(seconds=61))
    house.work()
    assert house.hand(seen.id).state == "final"
    again = results.record(house, command, staff(), table, sent(0, 1, 2, 3))
    assert (again.repeat, again.version) == (True, first.version)
    repeated = recorded_hand(house, command, again)
    assert (repeated.id, repeated.version, repeated.position) == (seen.id, 2, seen.position)


def test_a_dry_run_tells_the_events_and_stores_none(house):
    t, who = league(house)
    table = house.open_table(t, *who)
    before = house.store.head()
    told = would_record(house, staff(), table, sent(0, 1, 2, 3))
    assert [type(e).__name__ for e in told] == [
        "HandRecorded",
        "Settled",
        "Confirmed",
        "HandBegun",
        "RecordedHandEnded",
    ]
    assert house.store.head() == before


def test_a_dry_run_shows_no_draw(house):
    t = drawn(house, 8, stack_points=13, hands_per_level=9)
    first, second = (table.table_id for table in house.tables(house.tournament(t)))
    house.record(first, 0, 1, 13, 13)
    told = would_record(house, staff(), second, sent(0, 1, 13, 13))
    assert {type(e).__name__ for e in told} == {
        "HandRecorded", "Settled", "Confirmed", "HandBegun", "RecordedHandEnded",
    }  # fmt: skip
    house.record(second, 0, 1, 13, 13)
    assert house.events(TablesDrawn, t)[-1].final


# tournaments of chips


def test_a_result_brings_all_that_follows_from_it_in_the_same_transaction(house):
    t = drawn(house, 3, stack_points=13, seats_per_table=3, hands_per_level=1)
    [table] = house.tables(house.tournament(t))
    house.record(table.table_id, 0, 1, 2)
    assert house.tournament(t).level == 2
    before = house.store.head()
    house.record(table.table_id, 0, 13, 13)
    of_one = {r.command for r in house.store.log(before, 100)}
    assert len(of_one) == 1
    assert any(isinstance(r.event, Finished) for r in house.store.log(before, 100))
    assert house.table(table.table_id).closed


def test_nothing_is_ever_due_at_a_table_with_real_cards(house):
    t = drawn(house, 6, seats_per_table=3)
    assert house.agenda(t) == {}
    [first, _] = house.tables(house.tournament(t))
    house.record(first.table_id, 0, 1, 2)
    assert house.agenda(t) == {}
    house.pause(t)
    assert house.agenda(t) == {}
    house.resume(t)
    assert house.agenda(t) == {}
    assert house.events(TablePaused, first.table_id) == []


def test_the_director_s_jobs_do_nothing_there(house):
    t = drawn(house, 6, seats_per_table=3)
    of_points, who = league(house)
    house.open_table(of_points, *who)
    before = house.store.head()
    for tournament in (t, of_points):
        director.advance(house.store, house.rulesets.resolve, house.connections.at_tables, tournament)
        director.draw(house.store, tournament)
    assert house.store.head() == before


def test_levels_by_the_clock_rise_as_ever(house):
    t = drawn(house, 3, seats_per_table=3, minutes_per_level=1, stack_points=200)
    [table] = house.tables(house.tournament(t))
    house.pass_time(timedelta(seconds=61))
    assert house.work(t)
    assert len(house.events(LevelRaised, t)) == 1
    hands_of = [house.hand(house.record(table.table_id, 0, 1, 2)) for _ in range(2)]
    assert [(hand.terms.unit, hand.terms.level) for hand in hands_of] == [
        (1, 1),
        (2, 2),
    ]  # the first had begun


def test_a_level_holds_from_each_tables_next_hand(house):
    t = drawn(house, 8, hands_per_level=3, stack_points=200)
    first, second = (table.table_id for table in house.tables(house.tournament(t)))
    for _ in range(3):
        house.record(first, 0, 1, 2, 3)
    assert house.tournament(t).level == 2
    played = [house.hand(house.record(table, 0, 1, 2, 3)) for table in (second, first, second)]
    assert [(hand.terms.level, hand.terms.unit) for hand in played] == [(1, 1), (2, 2), (2, 2)]


@pytest.mark.parametrize("league_", [True, False], ids=["league", "chips"])
@pytest.mark.parametrize(("change", "code"), [("cancel", "table-closed"), ("pause", "table-paused")])
def test_no_result_is_taken_once_its_tournament_is_cancelled_or_paused(
    house, machines, monkeypatch, league_, change, code
):
    """Whatever comes between its decision and its append: here a change that no lock keeps away."""
    if league_:
        t, who = league(house)
        table = house.open_table(t, *who)
    else:
        t = drawn(house, 4, stack_points=200)
        table = house.tables(house.tournament(t))[0].table_id
    other, append, tries = machines[1], house.store.append, []

    def late(*args, **more):
        tries.append(True)
        if len(tries) == 1:
            getattr(other, change)(t)
        return append(*args, **more)

    for machine in machines:
        monkeypatch.setattr(machine.store, "lock", lambda *_, **__: nullcontext())
    monkeypatch.setattr(house.store, "append", late)
    with pytest.raises(Conflicting) as refusal:
        results.record(house, house.command(), staff(), table, sent(0, 1, 2, 3))
    assert refusal.value.code == code
    assert house.table(table).hands_ended == 0


def test_results_of_several_tables_at_once_hold_and_release_them_as_one_by_one(house, machines, monkeypatch):
    """Before the money every table waits for all: two that each saw the other playing would wait for ever."""
    for machine in machines:
        monkeypatch.setattr(machine.store, "lock", lambda *_, **__: nullcontext())
    for _ in range(4):
        t = drawn(house, 6, seats_per_table=3, prizes_bp=[2000] * 5, stack_points=200)
        ids = [table.table_id for table in house.tables(house.tournament(t))]
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda n, ids=ids: machines[n].record(ids[n], 0, 1, 2), range(2)))
        assert house.tournament(t).held == ()
        assert [e.numbers for e in house.events(TablesHeld, t)] in ([(1,), ()], [(2,), ()])


def test_a_whole_evening_of_recorded_tournaments_is_proved_and_rebuilt(house):
    for entrants, terms in (
        (4, {"format": "sit_and_go", "capacity": 4}),
        (11, {}),
        (7, {"seats_per_table": 3}),
    ):
        house.record_on(drawn(house, entrants, protest_seconds=0, **terms))
    t, who = league(house)
    house.record(house.open_table(t, *who[:3]), 0, 5, 5)
    house.finish(t)
    house.project()
    proof = verify_log(house.store)
    assert proof.by_topic["hand.recorded.1"] == proof.by_topic["hand.settled.1"]
    assert house.events(Committed) == []
    assert len(house.events(Confirmed)) <= len(house.events(HandRecorded))
    assert compare(house.store) == []


# a hand that is not played here


def test_nobody_acts_in_a_recorded_hand(house):
    t, who = league(house)
    hand = house.hand(house.record(house.open_table(t, *who), 0, 1, 2, 3))
    before = house.store.head()
    hands.act_for_absent(house, hand.hand_id, 1)
    hands.shift_clock(house, hand.hand_id, hands.ClockStep(timedelta(seconds=9), before, None))
    hands.finalise(house, hand.hand_id)
    assert house.store.head() == before


# leagues


def test_a_crowd_at_a_league_is_a_queue(house, machines):
    t, who = league(house, 36)
    opened = [house.open_table(t, *who[n : n + 2]) for n in range(0, 36, 2)]
    results_first = together(machines, lambda house, n: house.record(opened[n], 0, 5), times=6)
    assert len(set(results_first)) == len(opened)
    closed = together(machines, lambda house, n: house.close_table(opened[n]), times=6)
    assert closed == [None] * len(opened)
    assert house.tournament(t).open_tables == ()


def test_the_end_of_a_season_waits_its_turn_among_results(house, machines):
    t, who = league(house, 8)
    opened = [house.open_table(t, *who[n : n + 2]) for n in range(0, 8, 2)]
    house.record(opened[0], 0, 5)

    def at_once(house, n):
        if n == 0:
            return house.finish(t)
        return results.record(house, house.command(), staff(), opened[n % 4], sent(0, 5)).version

    outcomes = together(machines, at_once, times=6)
    assert outcomes[0] is None
    assert "conflict" not in outcomes


@pytest.mark.parametrize("seated_first", [True, False])
def test_nobody_withdraws_from_a_league_while_he_is_being_seated(house, machines, monkeypatch, seated_first):
    """Whichever comes first; no lock keeps them apart here."""
    t, who = league(house)
    acts = [lambda house: house.withdraw(t, who[0]), lambda house: house.open_table(t, *who[:2])]
    first, second = reversed(acts) if seated_first else acts
    append, tries = house.store.append, []

    def late(*args, **more):
        tries.append(True)
        if len(tries) == 1:
            first(machines[1])
        return append(*args, **more)

    for machine in machines:
        monkeypatch.setattr(machine.store, "lock", lambda *_, **__: nullcontext())
    monkeypatch.setattr(house.store, "append", late)
    with pytest.raises(Rejected):
        second(house)
    entered = house.store.load(ROSTER, roster_id(t)).state.entries
    assert (who[0] in entered) == (who[0] in house.tournament(t).sitting) == seated_first


def test_many_versions_of_a_rule_set_at_once_are_a_queue(house, machines):
    def publish(house, n):
        wanted = Wanted("crowded", {"base": "high-low"})
        return house.rulesets.publish(house.command(), wanted).version

    assert sorted(together(machines, publish, times=6)) == list(range(1, 19))


def test_one_player_is_seated_once_however_many_open_tables_for_him(house, machines):
    t, who = league(house, 6)
    outcomes = together(machines, lambda house, n: str(house.open_table(t, who[0], who[1 + n % 5])))
    assert sum(outcome not in ("player-seated", "conflict") for outcome in outcomes) == 1
    assert len(house.tournament(t).open_tables) == 1


def test_a_season_ends_once(house, machines):
    t, who = league(house)
    table = house.open_table(t, *who)
    house.record(table, 0, 1, 2, 3)
    outcomes = together(machines, lambda house, _: house.finish(t))
    assert sorted(map(str, outcomes)) == sorted(["None", *["tournament-over"] * (2 * MACHINES - 1)])
    assert len(house.events(Finished, t)) == 1
    assert house.table(table).closed
    with pytest.raises(Conflicting, match="closed"):
        results.record(house, house.command(), staff(), table, sent(0, 1, 2, 3))


def test_a_result_that_comes_while_the_season_ends_counts_or_is_refused(house, machines):
    for _ in range(3):
        t, who = league(house)
        table = house.open_table(t, *who)
        house.record(table, 0, 1, 2, 3)

        def at_once(house, n, t=t, table=table):
            if n == 0:
                return house.finish(t)
            return results.record(house, house.command(), staff(), table, sent(0, 1, 2, 3))

        if "conflict" in together(machines, at_once)[:1]:
            house.finish(t)  # the results were faster each time
        tally = house.table(table).tallies[who[0]]
        hands_of = [e for e in house.events(HandRecorded) if e.table_id == table]
        assert tally.hands == len(hands_of)
        assert house.tournament(t).over
        [finished] = house.events(Finished, t)
        assert finished.standings[0].player_id == who[0]


def test_a_body_without_a_league_is_told_what_is_wrong(house):
    wrong = {"/tournament_id": "is missing", "/seats/0/seat": "must be an integer"}
    with pytest.raises(Refused) as refusal:
        leagues.open_a_table(house, house.command(), staff(), leagues.Wanted(None, [(None, None)], wrong))
    assert refusal.value.errors == wrong


def test_closing_a_table_reads_an_empty_body_last(house):
    t, who = league(house)
    table = house.open_table(t, *who)
    house.close_table(table)
    with pytest.raises(Conflicting):
        leagues.close_a_table(house, house.command(), staff(), table, nothing)


def test_a_league_that_starts_by_the_clock_stays_open_for_newcomers(house):
    who = house.enrol(3)
    soon = house.store.now() + timedelta(minutes=5)
    t = house.publish(format="league", recorded=True, stack_points=0, starts_at=soon)
    house.enter(t, *who[:2])
    house.pass_time(timedelta(minutes=5))
    assert house.work(t)
    assert house.tournament(t).state == "running"
    assert house.agenda(t) == {}
    house.enter(t, who[2])
    assert house.record(house.open_table(t, *who), 0, 1, 2)
