"""The clock on the real agenda and a real Valkey: what is due is enqueued once, and again; it never hangs."""

from __future__ import annotations

import os
import re
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

import psycopg
import pytest
from redis import Redis
from redis.exceptions import RedisError
from rq import SimpleWorker
from rq.job import Job
from rq.serializers import JSONSerializer

from domain.errors import Conflicting
from domain.hand_events import ClockStarted
from domain.ids import PlayerId, TableId, TournamentId, wallet_id
from domain.wallet import WALLET, Credited
from services.application import hands
from services.bootstrap import settings
from services.embedded import Valkey, start
from services.errors import Unavailable
from tests.services.projections.house import House
from tests.services.projections.ring_house import RingHouse
from workers import clock as module
from workers import jobs
from workers import queue as queueing
from workers.clock import Clock, Look, jump
from workers.queue import JOB_RETRIES, JOB_TIMEOUT_SECONDS, QUEUE, queue, redis_client

HOUR = timedelta(hours=1)
Happened: TypeAlias = Callable[[], object]
"""Whether what was due has been done."""


@pytest.fixture
def house(database_url) -> Iterator[RingHouse]:
    house = RingHouse(database_url)
    with house.store.database.connection() as conn:
        conn.execute("DELETE FROM projections.agenda; DELETE FROM projections.agenda_tables")
        conn.execute("UPDATE projections.hands SET state = 'final'")  # those of other tests still run
    yield house
    house.close()


@pytest.fixture
def redis(redis_url) -> Iterator[Redis]:
    runner = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    client = redis_client(f"{redis_url}?db={5 + int(runner) % 8}")  # one of this run's own
    client.flushdb()
    yield client
    client.close()


def clock(house: House, client: Redis) -> Clock:
    return Clock(house, client)


def queued(client: Redis) -> list[Job]:
    return queue(client).get_jobs()


def due_now(house: House) -> str:
    """A tournament that waits for its tables to be drawn."""
    t = house.started(2)
    house.project()
    return str(t)


# what is enqueued


def test_what_is_due_is_enqueued_with_its_ids(house, redis):
    t = due_now(house)
    later = house.publish(starts_at=house.store.now() + HOUR)
    house.project()
    assert clock(house, redis).tick() == 1
    [job] = queued(redis)
    assert (job.func_name, job.args, job.kwargs) == ("workers.jobs.draw", [t], {})
    assert re.fullmatch(rf"draw-{t}-\d+", job.id)
    assert str(later) not in job.id


def test_jobs_are_json_with_limits(house, redis):
    due_now(house)
    clock(house, redis).tick()
    [job] = queued(redis)
    stored = redis.hgetall(job.key)
    assert job.serializer is JSONSerializer
    assert job.timeout == JOB_TIMEOUT_SECONDS
    assert job.result_ttl == 0
    assert job.failure_ttl == queueing.FAILURE_TTL_SECONDS
    assert job.retries_left == JOB_RETRIES
    assert not any(b"pickle" in value or value.startswith(b"\x80") for value in stored.values())


def test_what_is_still_due_is_enqueued_again_but_not_at_once(house, redis, monkeypatch):
    due_now(house)
    mine = clock(house, redis)
    assert [mine.tick(), mine.tick(), mine.tick()] == [1, 0, 0]
    [mark] = redis.keys("tick:*")
    assert 0 < redis.pttl(mark) <= module.AGAIN_MS
    redis.delete(mark)  # as after two seconds
    monkeypatch.setattr(module, "AGAIN_MS", 1)
    eventually(mine.tick)
    assert len({job.id for job in queued(redis)}) == 2


def test_what_stays_due_hides_nothing_behind_it(house, redis, monkeypatch):
    monkeypatch.setattr(module, "MOST_DUE", 2)
    for _ in range(5):
        due_now(house)
    mine = clock(house, redis)
    assert [mine.tick(), mine.tick(), mine.tick(), mine.tick()] == [2, 2, 1, 0]


def test_all_tables_of_a_tournament_ask_for_one_look(house, redis):
    t = house.started(8)
    house.work(t)
    house.project()
    assert len([item for item in house.due(t) if item[0] == "deal"]) == 2
    assert clock(house, redis).tick() == 1


def test_nothing_is_enqueued_while_nobody_takes_what_is(house, redis, monkeypatch):
    monkeypatch.setattr(module, "MOST_QUEUED", 1)
    due_now(house)
    mine = clock(house, redis)
    assert mine.tick() == 1
    due_now(house)
    assert mine.tick() == 0
    queue(redis).empty()
    assert mine.tick() == 1


def test_a_job_that_waits_for_too_long_is_dropped(house, redis, monkeypatch):
    monkeypatch.setattr(queueing, "JOB_TTL_SECONDS", 1)
    due_now(house)
    clock(house, redis).tick()
    [job] = queued(redis)
    eventually(lambda: not redis.exists(job.key))


def test_again_is_two_seconds():
    assert module.AGAIN_MS == 2000
    assert module.LOOK_SECONDS <= 0.2


def test_two_clocks_enqueue_it_once(house, redis):
    for _ in range(5):
        due_now(house)
    clocks = [clock(house, redis) for _ in range(2)]
    together, counts = threading.Barrier(2), []

    def look(mine: Clock) -> None:
        together.wait(10)
        counts.extend([mine.tick(), mine.tick()])

    threads = [threading.Thread(target=look, args=(mine,)) for mine in clocks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sum(counts) == 5 == len(queued(redis))


def test_one_look_enqueues_a_limited_number_and_the_next_goes_on(house, redis, monkeypatch):
    monkeypatch.setattr(module, "MOST_DUE", 2)
    for _ in range(3):
        due_now(house)
    mine = clock(house, redis)
    assert mine.tick() == 2
    for job, args in house.due()[:2]:
        house.do(job, *args)
    house.project()
    assert mine.tick() == 2  # the third draw, and a deal


def test_every_kind_of_work_on_the_agenda_has_its_job():
    kinds = {"start", "draw", "deal", "turn", "level", "pause", "close", "finalise", "pay", "ring"}
    assert kinds | {"checkpoint"} == set(module.JOBS)
    for path in module.JOBS.values():
        assert callable(getattr(jobs, path.removeprefix("workers.jobs.")))


def test_a_checkpoint_that_is_due_is_asked_for_where_there_is_a_key(house, redis, monkeypatch):
    monkeypatch.setattr(module.checkpoints, "due", lambda _conn: 41)
    without, signing = clock(house, redis), Clock(house, redis, signing=True)
    without.tick()
    assert queued(redis) == []
    signing.tick()
    assert [(job.id[:14], job.func_name, job.args) for job in queued(redis)] == [
        ("checkpoint-41-", "workers.jobs.checkpoint", [])
    ]
    redis.flushdb()
    signing.tick()
    assert queued(redis) == []  # it has asked, and waits for what it has asked for
    monkeypatch.setattr(signing, "_checkpoint_at", 0.0)
    monkeypatch.setattr(signing, "_asked", {})
    signing.tick()
    assert len(queued(redis)) == 1
    monkeypatch.setattr(signing, "_checkpoint_at", 0.0)
    monkeypatch.setattr(module.checkpoints, "due", lambda _conn: None)
    redis.flushdb()
    signing.tick()
    assert queued(redis) == []


# Redis is away


@pytest.fixture
def valkey() -> Iterator[Any]:
    """A Valkey of one's own, to be hurt."""
    data = Path(tempfile.mkdtemp(prefix="b2-", dir="/tmp"))
    server = Valkey(data)
    running = SimpleNamespace(url=server.url, child=start(server), server=server)
    yield running
    running.child.send_signal(signal.SIGCONT)
    running.child.kill()
    running.child.wait()
    shutil.rmtree(data)


def test_a_redis_that_is_paused_costs_half_a_second_and_no_job(house, valkey):
    due_now(house)
    client = redis_client(valkey.url)
    mine = clock(house, client)
    assert client.ping()
    valkey.child.send_signal(signal.SIGSTOP)
    begun = time.monotonic()
    with pytest.raises(RedisError):
        mine.tick()
    assert time.monotonic() - begun < 2
    valkey.child.send_signal(signal.SIGCONT)
    eventually(lambda: mine.tick() or queued(client))
    assert queued(client)


def test_a_redis_that_is_gone_is_waited_for(house, valkey):
    due_now(house)
    client = redis_client(valkey.url)
    mine = clock(house, client)
    valkey.child.kill()
    valkey.child.wait()
    for _ in range(2):
        begun = time.monotonic()
        with pytest.raises(RedisError):
            mine.tick()
        assert time.monotonic() - begun < 2
    valkey.child = start(valkey.server)
    assert mine.tick() == 1


def test_an_emptied_redis_gets_everything_again_within_two_seconds(house, redis):
    due_now(house)
    mine = clock(house, redis)
    assert mine.tick() == 1
    redis.flushdb()
    assert queued(redis) == []
    eventually(mine.tick)
    assert len(queued(redis)) == 1


def test_running_it_waits_for_whatever_is_away_and_goes_on(house, redis, monkeypatch, caplog):
    due_now(house)
    mine, looks = clock(house, redis), []
    whole = Clock.tick

    class Enough(BaseException):
        pass

    def tick(self):
        looks.append(1)
        if len(looks) == 1:
            raise Unavailable("the database did not answer")
        if len(looks) == 2:
            raise RedisError("gone")
        if len(looks) == 4:
            raise Enough
        return whole(self)

    monkeypatch.setattr(Clock, "tick", tick)
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.01)
    with pytest.raises(Enough):
        mine.run()
    assert len(queued(redis)) == 1
    assert [record.getMessage() for record in caplog.records] == [
        "the clock waits: the database did not answer",
        "the clock waits: gone",
    ]


def test_a_database_whose_connections_were_cut_is_asked_again(house, redis, database_url):
    due_now(house)
    mine = clock(house, redis)
    mine.tick()
    redis.flushdb()
    with psycopg.connect(database_url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )
    eventually(lambda: _ticks(mine))


def _ticks(mine: Clock) -> int:
    try:
        return mine.tick()
    except Unavailable:
        return 0


# a step of the database's clock


class Stepped(Clock):
    """A clock that looks at a database whose time is `ahead`."""

    def __init__(self, house: House, client: Redis) -> None:
        super().__init__(house, client)
        self._house = house

    def _look(self) -> Look:
        look = super()._look()
        due = [module.Due(f"{job}-x", job, args) for job, args in self._house.due()]
        return look._replace(now=look.now + self._house.store.ahead, due=due)


@pytest.mark.parametrize("step", [HOUR, timedelta(seconds=40), -HOUR, timedelta(seconds=-20)])
def test_running_turns_get_their_time_back_once_even_with_two_clocks(house, redis, step):
    t = house.started(8)
    house.play_on(t, until=lambda: len(house.running(t)) == 2)
    before = {hand: house.hand(hand).deadline for hand in house.running(t)}
    clocks = [Stepped(house, redis) for _ in range(2)]
    for mine in clocks:
        mine.tick()
    head = house.store.head()
    house.pass_time(step)
    for mine in (*clocks, *clocks):
        house.project()
        mine.tick()
    started = [r for r in house.store.log(head, 100) if isinstance(r.event, ClockStarted)]
    assert {r.stream for r in started} == before.keys()
    assert len(started) == len(before) == len(house.store.log(head, 100))
    for hand, deadline in before.items():
        assert abs(house.hand(hand).deadline - deadline - step) < timedelta(seconds=1)
    assert not any(job.func_name == module.JOBS["turn"] for job in queued(redis))
    house.pass_time(-step)


def test_a_second_jump_before_the_projections_have_seen_the_first_is_given_back_too(house, redis):
    t = house.started(4)
    house.play_on(t, until=lambda: house.running(t))
    house.project()
    [hand] = house.running(t)
    before = house.hand(hand).deadline
    mine = Stepped(house, redis)
    mine.tick()
    for step in (HOUR, 2 * HOUR):
        house.pass_time(step)
        mine.tick()
    assert abs(house.hand(hand).deadline - before - 3 * HOUR) < timedelta(seconds=1)
    house.pass_time(-3 * HOUR)


def test_a_turn_that_began_between_the_last_look_and_the_step_keeps_its_time_too(house, redis):
    t = house.started(2)
    house.play_on(t, until=lambda: house.running(t))
    clocks = [Stepped(house, redis) for _ in range(2)]
    for mine in clocks:
        mine.tick()
    [hand] = house.running(t)
    house.act(hand)
    deadline = house.hand(hand).deadline
    house.project()
    house.pass_time(HOUR)
    for mine in clocks:
        house.project()
        mine.tick()
    assert abs(house.hand(hand).deadline - deadline - HOUR) < timedelta(seconds=1)
    house.pass_time(-HOUR)


def test_a_turn_that_began_after_the_step_is_left_alone(house, redis):
    t = house.started(2)
    house.play_on(t, until=lambda: house.running(t))
    mine = Stepped(house, redis)
    mine.tick()
    [hand] = house.running(t)
    house.pass_time(HOUR)
    house.act(hand)
    deadline, head = house.hand(hand).deadline, house.store.head()
    house.project()
    mine.tick()
    assert house.hand(hand).deadline == deadline
    assert house.store.head() == head
    house.pass_time(-HOUR)


def test_two_steps_after_each_other_are_given_back_each(house, redis):
    t = house.started(2)
    house.play_on(t, until=lambda: house.running(t))
    [hand] = house.running(t)
    mine, deadline = Stepped(house, redis), house.hand(hand).deadline
    mine.tick()
    for step in (HOUR, -HOUR, HOUR, HOUR):
        house.pass_time(step)
        mine.tick()
        house.project()
    assert abs(house.hand(hand).deadline - deadline - 2 * HOUR) < timedelta(seconds=1)
    house.pass_time(-2 * HOUR)


def test_a_database_that_goes_away_while_time_is_given_back_is_tried_again(house, redis, monkeypatch):
    t = house.started(8)
    house.play_on(t, until=lambda: len(house.running(t)) == 2)
    before = {hand: house.hand(hand).deadline for hand in house.running(t)}
    mine = Stepped(house, redis)
    mine.tick()
    house.pass_time(HOUR)
    shift, calls = hands.shift_clock, []

    def second_fails(*args):
        calls.append(args)
        if len(calls) == 2:
            raise Unavailable("gone")
        shift(*args)

    monkeypatch.setattr(hands, "shift_clock", second_fails)
    with pytest.raises(Unavailable):
        mine.tick()
    house.project()
    assert mine.tick() == 0
    for hand, deadline in before.items():
        assert abs(house.hand(hand).deadline - deadline - HOUR) < timedelta(seconds=1)
    house.pass_time(-HOUR)


def test_a_hand_in_which_somebody_plays_meanwhile_is_no_obstacle(house, redis, monkeypatch):
    t = house.started(2)
    house.play_on(t, until=lambda: house.running(t))
    mine = Stepped(house, redis)
    mine.tick()
    house.pass_time(HOUR)

    def conflicts(*_):
        raise Conflicting("conflict", "others were faster each time")

    monkeypatch.setattr(hands, "shift_clock", conflicts)
    assert mine.tick() == 0
    house.pass_time(-HOUR)


def at(seconds: float, before: float, after: float) -> Look:
    """A look at a database's clock that says so many seconds, between two readings of our own."""
    return Look(before, datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds), after, 7, [])


@pytest.mark.parametrize(
    ("last", "look", "by"),
    [
        (at(0, 0, 0), at(10, 10, 10), None),
        (at(0, 0, 0), at(12, 10, 10), None),  # two seconds are none
        (at(0, 0, 0), at(12.1, 10, 10), 2.1),
        (at(0, 0, 0), at(7.5, 10, 10), -2.5),
        (at(0, 0, 5), at(10, 10, 10), None),  # a look that took long: the clock was read early in it
        (at(0, 0, 5), at(5, 10, 10), None),  # or late
        (at(0, 0, 5), at(14, 10, 10), 6.5),  # even so it jumped
        (at(0, 0, 0), at(10, 10, 20), None),
        (at(0, 0, 0), at(20, 10, 20), None),
        (at(0, 0, 0), at(3610, 10, 10.2), 3599.9),
    ],
)
def test_a_jump_is_what_a_slow_look_does_not_explain(last, look, by):
    found = jump(last, look)
    assert (found and found.by) == (by and timedelta(seconds=by))


def test_after_a_blind_time_longer_than_the_jump_only_what_was_seen_counts():
    assert jump(at(0, 0, 0), at(63, 60, 60)).until is None
    seen = jump(at(0, 0, 0), at(3660, 60, 60))
    assert seen.until == at(60, 0, 0).now
    assert seen.position == 7


# what is due though the database's clock was set

HOURS = timedelta(hours=2)
WAIT = 30
"""Seconds of a wait that would go on for long after this test."""
PAID = [5000, 3000, 2000]
"""Prizes of which four players are on the bubble."""


def a_draw(house: House) -> Happened:
    t = house.started(2)
    return lambda: house.tournament(t).tables_drawn


def a_full_sit_and_go(house: House) -> Happened:
    t = house.started(2, format="sit_and_go", capacity=2, seats_per_table=2)
    return lambda: house.tournament(t).state == "running"


def a_first_deal(house: House) -> Happened:
    t = house.started(2)
    house.work(t)
    return lambda: house.running(t)


def a_next_deal(house: House) -> Happened:
    t = played(house, between_hands_seconds=WAIT)
    return lambda: house.running(t)


def deals_hand_for_hand(house: House) -> Happened:
    t = house.started(4, seats_per_table=3, between_hands_seconds=WAIT, stack_points=200, prizes_bp=PAID)
    house.play_on(t, until=lambda: len(house.running(t)) == 2)
    for hand in house.running(t):
        house.play_out(hand)
    assert house.tournament(t).on_the_bubble
    return lambda: len(house.running(t)) == 2


def a_look_at_who_is_out(house: House) -> Happened:
    t = played(house, between_hands_seconds=WAIT, stack_points=1)
    assert any(name.startswith("look-") for name in house.agenda(t).values())
    return lambda: house.tournament(t).outs


def a_late_entrant_s_seat(house: House) -> Happened:
    t = house.started(2, late_entry_levels=5, between_hands_seconds=WAIT)
    house.work(t)
    house.enter(t, *house.enrol(1))
    assert f"seat/{t}" in house.agenda(t)
    return lambda: not house.tournament(t).coming


def a_pause(house: House) -> Happened:
    t, table = seated(house)
    house.pause(t)
    return lambda: house.table(table).paused


def the_end_of_a_pause(house: House) -> Happened:
    t, table = seated(house)
    house.pause(t)
    house.work(t)
    house.resume(t)
    return lambda: not house.table(table).paused


def the_close_of_a_cancelled_table(house: House) -> Happened:
    t, table = seated(house)
    house.cancel(t)
    return lambda: house.table(table).closed


def a_protest_window(house: House) -> Happened:
    t = house.started(2, protest_seconds=WAIT, between_hands_seconds=WAIT)
    house.play_on(t, until=lambda: house.running(t))
    [hand] = house.running(t)
    house.play_out(hand)
    assert house.hand(hand).state == "settled"
    return lambda: house.hand(hand).state == "final"


def refunds(house: House) -> Happened:
    t, who = bought_in(house)
    house.cancel(t)
    return lambda: house.store.load(WALLET, wallet_id(who, "EUR")).state.balance == 1100


def prizes(house: House) -> Happened:
    t, _ = bought_in(house, 2, stack_points=1)
    house.start(t)
    house.play_on(t, until=lambda: house.tournament(t).state == "finished")
    assert f"pay/{t}" in house.agenda(t)
    return lambda: any(
        (e.journal.kind, e.journal.tournament_id) == ("prize", t) for e in house.events(Credited)
    )


def a_first_ring_deal(house: RingHouse) -> Happened:
    table = at_a_ring(house)
    return lambda: house.ring(table).hand_id


def a_next_ring_deal(house: RingHouse) -> Happened:
    table = in_a_ring_hand(house)
    house.play_out(house.ring(table).hand_id)
    return lambda: house.ring(table).hand_id


def somebody_who_stands_up(house: RingHouse) -> Happened:
    table = in_a_ring_hand(house)
    house.stand_up(table, 1)
    house.play_out(house.ring(table).hand_id)
    return lambda: 1 not in house.ring(table).seats


def the_close_of_a_ring_table(house: RingHouse) -> Happened:
    table = in_a_ring_hand(house)
    house.close_ring(table)
    house.play_out(house.ring(table).hand_id)
    return lambda: house.ring(table).closed


def at_a_ring(house: RingHouse) -> TableId:
    table = house.open_ring(house.publish_stakes("set"), between_hands_seconds=WAIT)
    for seat, player in enumerate(house.rich(3), 1):
        house.sit(table, seat, player)
    return table


def in_a_ring_hand(house: RingHouse) -> TableId:
    table = at_a_ring(house)
    house.play_ring(table, lambda: house.ring(table).hand_id)
    return table


def bought_in(house: House, many: int = 1, **terms: Any) -> tuple[TournamentId, PlayerId]:
    """A tournament with a buy-in, and one of those who have entered."""
    t = house.publish(buy_in={"amount": 1000, "fee": 100, "currency": "EUR"}, **terms)
    who = house.rich(many)
    house.enter(t, *who)
    return t, who[0]


def played(house: House, **terms: Any) -> TournamentId:
    """A tournament whose table has played a hand."""
    t = house.started(3, **terms)
    house.play_on(t, until=lambda: house.running(t))
    for hand in house.running(t):
        house.play_out(hand)
    return t


def seated(house: House) -> tuple[TournamentId, TableId]:
    t = house.started(2)
    house.play_on(t, until=lambda: house.running(t))
    return t, house.tournament(t).table_id(1)


KINDS = (
    a_draw,
    a_full_sit_and_go,
    a_first_deal,
    a_next_deal,
    deals_hand_for_hand,
    a_look_at_who_is_out,
    a_late_entrant_s_seat,
    a_pause,
    the_end_of_a_pause,
    the_close_of_a_cancelled_table,
    a_protest_window,
    refunds,
    prizes,
    a_first_ring_deal,
    a_next_ring_deal,
    somebody_who_stands_up,
    the_close_of_a_ring_table,
)


@pytest.mark.parametrize("jump", [-HOURS, HOURS], ids=["back", "ahead"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_what_is_due_is_done_though_the_database_s_clock_was_set(house, redis, monkeypatch, kind, jump):
    """What is due was made so by a clock that went otherwise; PostgreSQL's own is the one that was set."""
    monkeypatch.setattr(jobs, "services", lambda: house)
    house.pass_time(-jump)
    has_happened = kind(house)
    house.store.ahead = timedelta()
    assert not has_happened()
    house.project()
    assert clock(house, redis).tick()
    work_off(redis)
    assert has_happened()


@pytest.mark.parametrize(
    ("kind", "job"),
    [(a_next_deal, "deal"), (a_next_ring_deal, "ring"), (a_protest_window, "finalise")],
)
def test_a_wait_is_not_cut_short_by_a_clock_that_goes_on(house, redis, kind, job):
    has_happened = kind(house)
    house.store.ahead = timedelta()
    house.project()
    clock(house, redis).tick()
    assert module.JOBS[job] not in {asked.func_name for asked in queued(redis)}
    house.work()
    assert not has_happened()


def test_a_scheduled_start_and_a_level_go_by_the_clock_wherever_it_is_set(house, redis):
    house.pass_time(HOURS)
    house.publish(starts_at=house.store.now() + timedelta(seconds=WAIT))
    seated_at = house.started(2, minutes_per_level=1)
    house.play_on(seated_at, until=lambda: house.running(seated_at))
    house.store.ahead = timedelta()
    house.project()
    assert clock(house, redis).tick() == 0


# a worker


def test_a_worker_does_what_the_clock_has_enqueued(house, redis, monkeypatch):
    """A whole hand of a tournament of absent players, by clock and worker alone."""
    monkeypatch.setattr(jobs, "services", lambda: house)
    t = house.started(3, turn_seconds=0, stack_points=1, unit_levels=[50], seats_per_table=3)
    mine = clock(house, redis)
    give_up = time.monotonic() + 60
    while house.tournament(t).state != "finished":
        assert time.monotonic() < give_up
        house.project()
        mine.tick()
        work_off(redis)
    assert queued(redis) == []
    house.project()
    assert house.agenda(t) == {}


def work_off(client: Redis) -> None:
    """What is queued, by a worker like the service's."""
    worker = queueing.worker(client)
    worker.work(burst=True, logging_level="ERROR")


def test_a_job_that_fails_is_tried_again_so_many_times_and_kept_for_an_hour(house, redis, monkeypatch):
    calls = []

    def fails() -> None:
        calls.append(1)
        raise Unavailable("the database did not answer")

    monkeypatch.setattr(jobs, "services", fails)
    due_now(house)
    clock(house, redis).tick()
    work_off(redis)
    assert len(calls) == 1 + JOB_RETRIES
    failed = queue(redis).failed_job_registry.get_job_ids()
    assert len(failed) == 1
    assert 0 < redis.ttl(f"rq:job:{failed[0]}") <= queueing.FAILURE_TTL_SECONDS


def test_a_job_that_succeeds_leaves_nothing_in_redis(house, redis, monkeypatch):
    monkeypatch.setattr(jobs, "services", lambda: house)
    due_now(house)
    clock(house, redis).tick()
    work_off(redis)
    left = {key.decode() for key in redis.keys("rq:job:*")}
    assert left == set()


def test_workers_have_names_of_their_own_and_the_limits_that_make_a_dead_one_forgotten(redis):
    one, other = queueing.worker(redis), queueing.worker(redis)
    assert one.name != other.name
    assert one.serializer is JSONSerializer
    assert [q.name for q in one.queues] == [QUEUE]
    assert one.worker_ttl == queueing.WORKER_TTL_SECONDS
    assert isinstance(one, SimpleWorker)


def test_the_jobs_use_the_settings_of_the_process(monkeypatch, database_url, tmp_path):
    monkeypatch.setenv("DATABASE_URL", database_url)
    jobs.services.cache_clear()
    made = jobs.services()
    assert made is jobs.services()
    assert made.settings == settings(os.environ)
    made.close()
    jobs.services.cache_clear()


def eventually(happens: Callable[[], object], seconds: float = 10) -> None:
    give_up = time.monotonic() + seconds
    while True:
        try:
            if happens():
                return
        except RedisError:
            pass
        assert time.monotonic() < give_up
        time.sleep(0.05)


def test_the_clock_puts_old_heartbeats_away_once_a_minute(house, redis, monkeypatch):
    def beat() -> None:
        with house.store.database.connection() as conn:
            conn.execute(
                "INSERT INTO heartbeats VALUES (gen_random_uuid(), gen_random_uuid(), 0, now() - interval '2 hours')"
            )

    its = clock(house, redis)
    beat()
    assert its.tidy() == 1
    beat()
    assert its.tidy() == 0
    monkeypatch.setattr(its, "_tidy_at", time.monotonic())
    assert its.tidy() == 1
