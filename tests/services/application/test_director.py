"""The director's jobs on the real store: run twice, at once, late or early, each has one effect or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from datetime import timedelta
from threading import Barrier, Event, Thread
from uuid import uuid4

import pytest

from domain import hand as hands
from domain.errors import Conflicting, Rejected
from domain.hand_events import Committed, Dealt, Finalised, Settled, Voided
from domain.table import Closed, HandBegun, HandEnded, Opened, TablePaused, TableResumed
from domain.tournament import Cancelled, LevelRaised, Placed, Started, TablesDrawn
from services.application import director
from services.audit import verify_log
from services.commands import ATTEMPTS
from services.errors import Conflict
from services.projections.rebuild import compare
from tests.services.projections.house import House

MACHINES = 3
PAIR = {"format": "sit_and_go", "capacity": 2, "seats_per_table": 2}


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


@pytest.fixture
def at_once(machines) -> Callable[..., None]:
    """Run a job on every machine at the same time, twice on each."""

    def run(job: str, *args: object) -> None:
        everybody = Barrier(2 * MACHINES)

        def work(machine: House) -> None:
            machine.store.ahead = machines[0].store.ahead
            everybody.wait(10)
            machine.do(job, *(a if isinstance(a, int) else str(a) for a in args))

        with ThreadPoolExecutor(2 * MACHINES) as pool:
            for result in [pool.submit(work, machine) for machine in 2 * machines]:
                result.result(30)

    return run


def counted(house: House, before: int) -> Counter[str]:
    """The events since a position, by topic without its version."""
    return Counter(r.topic.rpartition(".")[0] for r in house.store.log(before, 10_000))


def elsewhere(command: Callable[..., None], *args: object) -> None:
    """In another thread, for the one that deals holds a lock."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(command, *args).result(30)


def running(house: House, entrants: int = 2, **terms):
    """A tournament with a hand running at each table."""
    t = house.started(entrants, **terms)
    while not house.running(t):
        assert house.work(t)
    return t


# the draw


def test_tables_are_drawn_once(house, at_once):
    t = house.started(7)
    before = house.store.head()
    at_once("draw", t)
    assert counted(house, before) == {"tournament.tables_drawn": 1, "table.opened": 2}
    before = house.store.head()
    house.do("draw", str(t))
    assert house.store.head() == before


def test_no_tables_are_drawn_for_a_tournament_that_is_not_running(house):
    open_one = house.publish()
    paused, cancelled = house.started(2), house.started(2)
    house.pause(paused)
    house.cancel(cancelled)
    before = house.store.head()
    for t in (open_one, paused, cancelled, uuid4()):
        house.do("draw", str(t))
    assert house.store.head() == before
    house.resume(paused)
    house.work(paused)
    assert house.tournament(paused).tables_drawn == 1


# deals


def test_each_hand_is_dealt_once(house, at_once):
    t = house.started(8)
    house.work(t)
    before = house.store.head()
    at_once("deal", t)
    assert counted(house, before) == {"hand.committed": 2, "hand.dealt": 2, "table.hand_begun": 2}
    before = house.store.head()
    at_once("deal", t)
    assert house.store.head() == before


def test_each_hand_is_dealt_once_even_without_the_lock(house, machines, at_once, monkeypatch):
    """A lock can be lost with its connection: what is correct rests on versions alone."""
    for machine in machines:
        monkeypatch.setattr(machine.store, "lock", lambda *_, **__: nullcontext())
    t = house.started(8)
    house.work(t)
    before = house.store.head()
    for _ in range(3):  # who conflicts each time leaves the rest to whoever was faster
        at_once("deal", t)
    assert counted(house, before) == {"hand.committed": 2, "hand.dealt": 2, "table.hand_begun": 2}


def test_nothing_is_dealt_before_its_time(house):
    t = running(house, between_hands_seconds=5)
    [hand] = house.running(t)
    house.play_out(hand)
    before = house.store.head()
    house.do("deal", str(t))
    assert house.store.head() == before
    house.pass_time(timedelta(seconds=6))
    house.do("deal", str(t))
    assert house.running(t)


def test_a_deal_that_meets_a_conflict_does_not_stop_the_others(house, monkeypatch):
    t = house.started(8)
    house.work(t)
    first, second = (house.tournament(t).table_id(n) for n in (1, 2))
    append = house.store.append

    def first_is_taken(command, changes, *rest):
        if command.actor == f"job/deal-{first}-1":
            raise Conflict("somebody was faster")
        return append(command, changes, *rest)

    monkeypatch.setattr(house.store, "append", first_is_taken)
    house.do("deal", str(t))
    assert [house.table(table).hand_id is not None for table in (first, second)] == [False, True]
    monkeypatch.undo()
    house.do("deal", str(t))
    assert house.table(first).hand_id is not None


def test_one_job_deals_a_limited_number_and_the_next_goes_on(house, monkeypatch):
    monkeypatch.setattr(director, "DEALS", 2)
    t = house.started(20)
    house.work(t)
    assert house.tournament(t).tables_drawn == 5
    for expected in (2, 4, 5, 5):
        house.do("deal", str(t))
        assert len(house.running(t)) == expected


def test_who_always_comes_second_gives_up_quietly(house, monkeypatch):
    t = running(house)
    monkeypatch.setattr(director, "_advance", always_second := Second())
    house.do("deal", str(t))
    assert always_second.calls == ATTEMPTS
    monkeypatch.setattr(director, "_close_table", always_second := Second())
    house.do("close", str(uuid4()))
    assert always_second.calls == ATTEMPTS


class Second:
    """Somebody else is faster each time."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, *_: object) -> None:
        self.calls += 1
        raise Conflict("somebody was faster")


def test_a_job_for_something_that_does_not_exist_does_nothing(house):
    before = house.store.head()
    for job in ("start", "draw", "deal", "level", "pause", "close", "turn", "finalise"):
        house.do(job, str(uuid4()), 2)
    assert house.store.head() == before


# who is out


def test_players_are_placed_once_and_seats_balanced_once(house, at_once):
    t = running(house, 6, stack_points=1, seats_per_table=3)
    for hand in house.running(t):
        house.play_out(hand)
    before = house.store.head()
    at_once("deal", t)
    happened = counted(house, before)
    outs = [r.event.player_id for r in house.store.log(before, 1000) if isinstance(r.event, Placed)]
    assert happened["tournament.placed"] == len(set(outs)) == happened["table.vacated"]
    assert happened["tournament.placed"] >= 2
    assert house.tournament(t).players_left == 6 - len(outs)


def test_a_tournament_finishes_once(house, at_once):
    t = running(house, 2, **PAIR, stack_points=1)
    while not house.tournament(t).over:
        for hand in house.running(t):
            house.play_out(hand)
        before = house.store.head()
        at_once("deal", t)
    happened = counted(house, before)
    assert happened == {
        "tournament.placed": 1,
        "table.vacated": 1,
        "table.closed": 1,
        "tournament.prizes_awarded": 1,
        "tournament.finished": 1,
    }


# starts


def test_a_full_sit_and_go_starts_once(house, at_once):
    t = house.publish(format="sit_and_go", capacity=3)
    house.enter(t, *house.enrol(3))
    before = house.store.head()
    at_once("start", t)
    assert counted(house, before) == {
        "tournament.started": 1,
        "tournament.deals_committed": 1,
        "roster.closed": 1,
    }


def test_a_sit_and_go_that_is_not_full_any_more_waits(house):
    t = house.publish(**PAIR)
    a, b = house.enrol(2)
    house.enter(t, a, b)
    [due] = [item for item in house.due(t) if item[1] == [str(t)]]
    house.withdraw(t, b)
    before = house.store.head()
    house.do(due[0], *due[1])
    assert house.store.head() == before


def test_by_hand_and_by_the_clock_at_once_it_starts_once(machines):
    house = machines[0]
    for _ in range(4):
        t = house.publish(starts_at=house.store.now() + timedelta(hours=1))
        house.enter(t, *house.enrol(3))
        ahead = house.store.ahead + timedelta(hours=2)
        for machine in machines:
            machine.store.ahead = ahead
        together = Barrier(2)

        def by_hand(t=t, together=together):
            together.wait(10)
            machines[1].start(t)

        def by_the_clock(t=t, together=together):
            together.wait(10)
            machines[2].do("start", str(t))

        with ThreadPoolExecutor(2) as pool:
            hand, clock = pool.submit(by_hand), pool.submit(by_the_clock)
            clock.result(30)
            try:
                hand.result(30)
            except Conflicting as refusal:
                assert refusal.code == "already-started"  # noqa: PT017 - either may be first
        assert len(house.events(Started, t)) == 1


@pytest.mark.parametrize(("entrants", "event"), [(1, Cancelled), (0, Cancelled), (2, Started)])
def test_a_scheduled_tournament_starts_at_its_time_or_is_cancelled_for_want_of_players(
    house, at_once, entrants, event
):
    t = house.publish(starts_at=house.store.now() + timedelta(hours=1))
    house.enter(t, *house.enrol(entrants))
    before = house.store.head()
    house.do("start", str(t))
    assert house.store.head() == before
    house.pass_time(timedelta(hours=1))
    at_once("start", t)
    happened = [r.event for r in house.store.log(before, 100)]
    names = {type(e).__name__ for e in happened} - {"DealsCommitted"}
    assert (names, len(happened)) == ({event.__name__, "RosterClosed"}, 3 if event is Started else 2)
    if event is Cancelled:
        [cancelled] = house.events(Cancelled, t)
        assert str(entrants) in cancelled.reason
        assert cancelled.entrants == entrants


# levels


def test_a_level_rises_by_the_clock_once_and_not_before_its_time(house, at_once):
    t = running(house, minutes_per_level=1, unit_levels=[1, 2, 3])
    before = house.store.head()
    at_once("level", t, 2)
    assert house.store.head() == before
    house.pass_time(timedelta(seconds=61))
    at_once("level", t, 3)
    assert house.store.head() == before
    at_once("level", t, 2)
    assert counted(house, before) == {"tournament.level_raised": 1}
    house.pass_time(timedelta(seconds=61))
    at_once("level", t, 2)
    at_once("level", t, 3)
    assert [e.level for e in house.events(LevelRaised, t)] == [2, 3]
    house.pass_time(timedelta(hours=1))
    at_once("level", t, 4)
    assert house.tournament(t).level == 3


def test_a_level_gets_the_time_of_a_pause_back(house):
    t = running(house, minutes_per_level=1)
    house.pass_time(timedelta(seconds=30))
    house.pause(t)
    house.pass_time(timedelta(minutes=10))
    house.do("level", str(t), 2)
    house.resume(t)
    house.do("level", str(t), 2)
    assert house.tournament(t).level == 1
    house.pass_time(timedelta(seconds=31))
    assert ("level", [str(t), 2]) in house.due(t)
    house.do("level", str(t), 2)
    assert house.tournament(t).level == 2


# the clock


def test_the_clock_acts_once_and_only_past_the_deadline(house, at_once):
    t = running(house)
    [hand] = house.running(t)
    before = house.store.head()
    at_once("turn", hand, 1)
    assert house.store.head() == before
    house.pass_time(timedelta(seconds=30))
    at_once("turn", hand, 1)
    happened = counted(house, before)
    assert happened["hand.played"] == 1
    assert house.hand(hand).game.turn_number == 2


def test_a_late_job_never_touches_the_next_turn(house, at_once):
    t = running(house)
    [hand] = house.running(t)
    house.act(hand)
    number = house.hand(hand).game.turn_number
    house.pass_time(timedelta(hours=1))
    before = house.store.head()
    at_once("turn", hand, number - 1)
    at_once("turn", hand, number + 1)
    assert house.store.head() == before


def test_a_player_and_the_clock_at_once_act_once(machines):
    house = machines[0]
    t = running(house)
    for _ in range(6):
        [hand_id] = house.running(t)
        hand = house.hand(hand_id)
        house.pass_time(timedelta(seconds=31))
        machines[1].store.ahead = machines[2].store.ahead = house.store.ahead
        together, before = Barrier(2), house.store.head()

        def player(hand=hand, together=together):
            together.wait(10)
            machines[1].act_in(hand)

        def clock(hand=hand, together=together):
            together.wait(10)
            machines[2].do("turn", str(hand.hand_id), hand.game.turn_number)

        with ThreadPoolExecutor(2) as pool:
            played, clocked = pool.submit(player), pool.submit(clock)
            clocked.result(30)
            try:
                played.result(30)
            except Rejected as refusal:
                assert refusal.code in ("stale-turn", "hand-closed")  # noqa: PT017 - either may be first
        commands = {r.command for r in house.store.log(before, 100) if r.stream == hand_id}
        assert len(commands) == 1
        if not house.running(t):
            return


def test_the_clock_does_not_act_while_the_tournament_is_paused(house):
    t = running(house)
    [hand] = house.running(t)
    house.pause(t)
    house.pass_time(timedelta(minutes=5))
    before = house.store.head()
    house.do("turn", str(hand), 1)  # the table's own pause is still to come
    assert house.store.head() == before
    house.work(t)
    house.do("turn", str(hand), 1)
    assert [r.topic for r in house.store.log(before, 100)] == ["table.paused.1", "hand.clock_stopped.1"]


# hand for hand


BUBBLE = {"prizes_bp": [5000, 1000, 1000, 1000, 1000, 1000]}
"""Six of seven are paid, so the first to go is the last without a prize: hand for hand from the start."""


def test_a_hand_for_hand_round_is_dealt_in_one_transaction(house):
    t = running(house, 7, **BUBBLE)
    deals = [r for table in house.tournament(t).open_tables for r in begun(house, t, table)]
    assert len(deals) == 2
    assert len({r.command for r in deals}) == 1
    assert abs(deals[0].position - deals[1].position) == 3


def test_a_hand_for_hand_round_that_meets_a_conflict_is_dealt_whole_all_the_same(house, monkeypatch):
    t = house.started(7, **BUBBLE)
    house.work(t)
    append, refused = house.store.append, []

    def first_is_taken(*args):
        if not refused:
            refused.append(args)
            raise Conflict("somebody was faster")
        return append(*args)

    with monkeypatch.context() as patched:
        patched.setattr(house.store, "append", first_is_taken)
        house.do("deal", str(t))
    assert refused
    assert len(house.running(t)) == 2


def begun(house, t, number):
    return [
        r for r in house.store.events(house.tournament(t).table_id(number)) if isinstance(r.event, HandBegun)
    ]


# pauses


def test_the_clock_does_not_act_once_a_pause_is_recorded(house, monkeypatch):
    """Also where the pause comes between the clock's look and its act."""
    t = running(house)
    [hand] = house.running(t)
    turn = house.hand(hand).game.turn_number
    house.pass_time(timedelta(hours=1))
    append, tries = house.store.append, []

    def late(*args, **more):
        tries.append(True)
        if len(tries) == 1:
            house.pause(t)
        return append(*args, **more)

    with monkeypatch.context() as patched:
        patched.setattr(house.store, "append", late)
        house.do("turn", str(hand), turn)
    assert house.hand(hand).game.turn_number == turn


def test_a_table_is_paused_once_and_resumed_once_and_its_turn_keeps_its_time(house, at_once):
    t = running(house)
    [hand] = house.running(t)
    table = house.tournament(t).table_id(1)
    deadline = house.hand(hand).deadline
    house.pass_time(timedelta(seconds=10))
    house.pause(t)
    left = deadline - house.tournament(t).pauses[-1]
    before = house.store.head()
    at_once("pause", table)
    assert counted(house, before) == {"table.paused": 1, "hand.clock_stopped": 1}
    assert abs(timedelta(milliseconds=house.hand(hand).stopped_ms) - left) < timedelta(milliseconds=2)
    house.pass_time(timedelta(minutes=3))
    house.resume(t)
    before = house.store.head()
    resumed_at = house.store.now()
    at_once("pause", table)
    assert counted(house, before) == {"table.resumed": 1, "hand.clock_started": 1}
    gained = house.hand(hand).deadline - resumed_at - left
    assert timedelta(milliseconds=-2) < gained < timedelta(seconds=5)


def test_a_pause_that_is_over_before_the_job_ran_gives_its_time_back_all_the_same(house):
    t = running(house, 8)
    left = {hand: house.hand(hand).deadline - house.store.now() for hand in house.running(t)}
    house.pause(t)
    house.pass_time(timedelta(minutes=10))
    house.resume(t)
    assert len([item for item in house.due(t) if item[0] == "pause"]) == 2
    before = house.store.head()
    for hand in left:
        house.do("turn", str(hand), 1)
    assert house.store.head() == before, "the clock waits until the tables have followed"
    house.work(t)
    for hand, had in left.items():
        assert abs(house.hand(hand).deadline - house.store.now() - had) < timedelta(seconds=10)
    assert not any(table.paused for table in house.tables(house.tournament(t)))
    assert [item for item in house.due(t) if item[0] == "pause"] == []


def test_a_table_that_pauses_after_the_resumption_is_resumed_again(house, monkeypatch):
    t = running(house)
    [hand] = house.running(t)
    table = house.tournament(t).table_id(1)
    house.pause(t)
    stop_clock = hands.stop_clock

    def resumed_meanwhile(*args, **named):
        house.resume(t)
        return stop_clock(*args, **named)

    with monkeypatch.context() as patched:
        patched.setattr(hands, "stop_clock", resumed_meanwhile)
        house.do("pause", str(table))
    assert house.table(table).paused
    assert house.tournament(t).state == "running"
    assert ("pause", [str(table)]) in house.due(t)
    house.work(t)
    assert not house.table(table).paused
    assert house.hand(hand).deadline
    assert house.agenda(t).keys() == {f"turn/{hand}"}


def test_no_hand_is_dealt_once_its_tournament_is_paused(house, monkeypatch):
    t = house.started(2)
    house.work(t)
    deal = director._deal

    def paused_meanwhile(*args):
        if house.tournament(t).state == "running":
            house.pause(t)
        return deal(*args)

    with monkeypatch.context() as patched:
        patched.setattr(director, "_deal", paused_meanwhile)
        house.do("deal", str(t))
    assert house.running(t) == []
    house.resume(t)
    while not house.running(t):
        assert house.work(t)


def test_a_table_that_pauses_first_gets_no_deal(house, monkeypatch):
    t = house.started(2)
    house.work(t)
    table = house.tournament(t).table_id(1)
    deal = director._deal

    def paused_meanwhile(*args):
        house.pause(t)
        house.do("pause", str(table))
        return deal(*args)

    with monkeypatch.context() as patched:
        patched.setattr(director, "_deal", paused_meanwhile)
        house.do("deal", str(t))
    assert house.running(t) == []
    house.resume(t)
    house.project()
    house.work(t)
    house.work(t)
    assert len(house.running(t)) == 1


def test_a_hand_that_ends_as_its_table_pauses_is_settled_and_the_table_paused(house, monkeypatch):
    t = running(house)
    [hand] = house.running(t)
    table = house.tournament(t).table_id(1)
    house.pause(t)
    stop_clock, calls = hands.stop_clock, []

    def ends_meanwhile(*args, **named):
        calls.append(args)
        if len(calls) == 1:
            house.play_out(hand)
        return stop_clock(*args, **named)

    with monkeypatch.context() as patched:
        patched.setattr(hands, "stop_clock", ends_meanwhile)
        house.do("pause", str(table))
    assert house.table(table).paused
    assert house.table(table).hand_id is None
    house.do("deal", str(t))
    assert house.table(table).hand_id is None


# cancellation


def test_a_cancellation_voids_what_runs_and_closes_each_table_once(house, at_once):
    t = running(house, 8)
    first, second = house.running(t)
    house.act(first)
    tables = [table.table_id for table in house.tables(house.tournament(t))]
    stacks = {table: {s: taken.stack for s, taken in house.table(table).seats.items()} for table in tables}
    house.cancel(t)
    before = house.store.head()
    for table in tables:
        at_once("close", table)
    assert counted(house, before) == {
        "hand.voided": 2,
        "hand.finalised": 2,
        "table.hand_ended": 2,
        "table.closed": 2,
    }
    for hand in (first, second):
        assert house.hand(hand).state == "voided"
    ended = [r.event for r in house.store.log(before, 100) if isinstance(r.event, HandEnded)]
    assert all(e.winner is None and e.stacks == stacks[tables[n]] for n, e in enumerate(ended))
    house.work(t)
    assert house.agenda(t) == {}


def test_no_hand_is_dealt_once_its_tournament_is_cancelled(house, monkeypatch):
    t = house.started(2)
    house.work(t)
    deal = director._deal

    def cancelled_meanwhile(*args):
        elsewhere(house.cancel, t)
        return deal(*args)

    with monkeypatch.context() as patched:
        patched.setattr(director, "_deal", cancelled_meanwhile)
        house.do("deal", str(t))
    table = house.tournament(t).table_id(1)
    assert house.events(HandBegun, table) == []
    while house.work(t):
        pass
    assert house.table(table).closed
    assert house.agenda(t) == {}


def test_a_table_that_closes_first_gets_no_deal(house, monkeypatch):
    t = house.started(2)
    house.work(t)
    table = house.tournament(t).table_id(1)
    deal = director._deal

    def closed_meanwhile(*args):
        elsewhere(house.cancel, t)
        house.do("close", str(table))
        return deal(*args)

    with monkeypatch.context() as patched:
        patched.setattr(director, "_deal", closed_meanwhile)
        house.do("deal", str(t))
    assert house.table(table).closed
    assert house.events(HandBegun, table) == []


def test_a_hand_that_ends_as_the_tournament_is_cancelled_is_settled_or_voided_but_not_both(machines):
    house = machines[0]
    for _ in range(4):
        t = running(house)
        [hand] = house.running(t)
        table = house.tournament(t).table_id(1)
        while _cards_left(house, hand) > 2:
            house.act(hand)
        house.cancel(t)
        together = Barrier(2)

        def close(table=table, together=together):
            together.wait(10)
            machines[1].do("close", str(table))

        def play_out(hand=hand, together=together):
            together.wait(10)
            try:
                machines[2].play_out(hand)
            except Conflicting as refusal:
                assert refusal.code in ("hand-closed", "stale-turn")  # noqa: PT017 - either may be first

        with ThreadPoolExecutor(2) as pool:
            for result in (pool.submit(close), pool.submit(play_out)):
                result.result(30)
        house.do("close", str(table))
        assert house.table(table).closed
        assert len(house.events((Settled, Voided), hand)) == 1
        assert len(house.events(HandEnded, table)) == 1
        assert len(house.events(Finalised, hand)) == 1


def _cards_left(house: House, hand) -> int:
    game = house.hand(hand).game
    return 0 if game.turn is None else min(mask.bit_count() for mask in game.holdings if mask)


# the end of the protest window


def test_a_hand_is_final_once_and_not_before_its_protest_window_is_over(house, at_once):
    t = running(house, protest_seconds=60)
    [hand] = house.running(t)
    before = house.store.head()
    house.do("finalise", str(hand))
    assert house.store.head() == before
    house.play_out(hand)
    before = house.store.head()
    at_once("finalise", hand)
    assert house.store.head() == before
    house.pass_time(timedelta(seconds=61))
    at_once("finalise", hand)
    assert counted(house, before) == {"hand.finalised": 1}


# all of it


def test_a_whole_tournament_on_three_machines_at_once(machines):
    """Every machine does everything that is due, at random moments, and plays for everybody."""
    house = machines[0]
    t = house.started(9, stack_points=4, seats_per_table=3)
    over, errors = Event(), []

    def work(machine: House) -> None:
        machine.store.ahead = house.store.ahead
        try:
            while not machine.tournament(t).over and not over.is_set():
                machine.work()
                for hand in machine.running(t):
                    play(machine, hand)
        except BaseException as error:  # noqa: BLE001 - the test tells it
            errors.append(error)

    def play(machine: House, hand) -> None:
        with suppress(Conflicting):  # somebody else was faster
            machine.act(hand)

    threads = [Thread(target=work, args=(machine,)) for machine in machines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    over.set()
    assert errors == []
    assert house.tournament(t).state == "finished"
    house.project()
    assert house.agenda(t) == {}
    tournament = house.tournament(t)
    mine = [tournament.table_id(n + 1) for n in range(tournament.tables_drawn)]
    begun = [e.hand_id for table in mine for e in house.events(HandBegun, table)]
    ended = [e.hand_id for table in mine for e in house.events(HandEnded, table)]
    assert len(begun) == len(set(begun))
    assert begun == ended
    assert len(house.events(Placed, t)) == 8
    assert len(house.events(TablesDrawn, t)) == 2
    assert len(mine) == len(set(mine)) == sum(len(house.events(Opened, m)) for m in mine)
    assert all(len(house.events(Closed, m)) == 1 for m in mine)
    assert all(len(house.events(kind, hand)) == 1 for hand in begun for kind in (Committed, Dealt, Settled))


def test_after_all_that_the_log_is_whole_and_the_projections_are_true(house):
    house.project()
    assert verify_log(house.store).events == len(house.log())
    assert compare(house.store) == []
    assert house.events(TablePaused)
    assert house.events(TableResumed)
