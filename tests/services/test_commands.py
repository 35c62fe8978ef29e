"""The kernel: a command happens once, and its answer is always the same."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from uuid import UUID, uuid4

import msgspec
import pytest

from domain.aggregate import Aggregate
from domain.errors import Conflicting, Refused
from domain.events import Event
from services.commands import ATTEMPTS, Decision, execute, on
from services.envelope import Change, Command, Stream
from services.errors import IdempotencyKeyReuse, Unavailable
from services.store import Store


class Added(Event, frozen=True, kw_only=True):
    amount: int


class Tally(msgspec.Struct):
    total: int = 0
    amounts: dict[str, int] = msgspec.field(default_factory=dict)


def evolve(tally: Tally | None, event: Event) -> Tally:
    tally = tally or Tally()
    assert isinstance(event, Added)
    tally.total += event.amount  # in place, as a fold may
    tally.amounts[str(len(tally.amounts))] = event.amount
    return tally


TALLY = Aggregate("tally", evolve)
OURS = {"tally.added.1": Added}


def command(digest: str = "a") -> Command:
    return Command(uuid4(), "test", digest * 64)


def add(*amounts: int):
    def decide(stream: Stream[Tally], now: datetime) -> Decision:
        assert now.tzinfo is UTC
        return Decision([on(stream, *(Added(amount=amount) for amount in amounts))])

    return decide


def never(stream, now):
    raise AssertionError("a repeat is not decided again")


@pytest.fixture(params=["postgres", "memory"])
def store(request):
    if request.param == "memory":
        yield Store.in_memory(OURS)
    else:
        store = Store(request.getfixturevalue("database_url"), OURS)
        yield store
        store.close()


@pytest.fixture
def on_server(database_url):
    store = Store(database_url, OURS)
    yield store
    store.close()


def told(outcome):
    """An outcome without `repeat`, which may differ."""
    return (outcome.events, outcome.state, outcome.version, outcome.position)


def test_a_command_is_decided_on_what_was_there_and_answered_with_what_is_there_now(store):
    stream_id = uuid4()
    execute(store, command(), (TALLY, stream_id), add(5))
    outcome = execute(store, command(), (TALLY, stream_id), add(1, 2))
    assert not outcome.repeat
    assert [r.event.amount for r in outcome.events] == [1, 2]
    assert (outcome.state.total, outcome.version) == (8, 3)
    assert outcome.position == outcome.events[-1].position == store.head()


def test_a_repeat_gets_the_same_answer_however_much_has_happened_since(store):
    stream_id, asked = uuid4(), command()
    first = execute(store, asked, (TALLY, stream_id), add(1, 2))
    soon = execute(store, asked, (TALLY, stream_id), never)
    for _ in range(3):
        execute(store, command(), (TALLY, stream_id), add(100))
    late = execute(store, asked, (TALLY, stream_id), never)
    assert soon.repeat
    assert late.repeat
    assert told(first) == told(soon) == told(late)
    assert store.load(TALLY, stream_id).version == 5


def test_the_same_command_with_another_body_is_refused(store):
    stream_id, asked = uuid4(), command("a")
    execute(store, asked, (TALLY, stream_id), add(1))
    with pytest.raises(IdempotencyKeyReuse) as refusal:
        execute(store, msgspec.structs.replace(asked, digest="b" * 64), (TALLY, stream_id), never)
    assert refusal.value.code == "idempotency-key-reuse"
    assert store.load(TALLY, stream_id).version == 1


def test_also_where_another_body_leads_to_another_stream(store):
    asked = command("a")
    before = execute(store, asked, (TALLY, uuid4()), add(1)).position
    other = msgspec.structs.replace(asked, digest="b" * 64)

    def refuse(stream, now):
        raise Refused("validation", "no")

    for decide in (add(1), refuse):
        with pytest.raises(IdempotencyKeyReuse):
            execute(store, other, (TALLY, uuid4()), decide)
    assert store.head() == before
    with pytest.raises(Refused, match="no"):  # another key is refused for what it is
        execute(store, command(), (TALLY, uuid4()), refuse)


def test_of_twenty_bodies_at_once_with_one_key_one_is_taken(on_server):
    asked = command()
    bodies = [msgspec.structs.replace(asked, digest=f"{n:064}") for n in range(20)]

    def send(body):
        try:
            return execute(on_server, body, (TALLY, uuid4()), add(1)).version
        except IdempotencyKeyReuse as refusal:
            return refusal.code

    with ThreadPoolExecutor(20) as pool:
        outcomes = list(pool.map(send, bodies))
    assert sorted(map(str, outcomes)) == ["1", *["idempotency-key-reuse"] * 19]
    assert sum(r.command == asked.id for r in on_server.log(0, 10_000)) == 1


def test_what_was_decided_on_another_stream_is_decided_anew_once_that_has_moved_on(store):
    stream_id, other, seen = uuid4(), uuid4(), []

    def decide(stream, now):
        read = store.load(TALLY, other)
        seen.append(read.version)
        if len(seen) == 1:
            execute(store, command(), (TALLY, other), add(10))
        return Decision([on(stream, Added(amount=read.version)), on(read)])

    outcome = execute(store, command(), (TALLY, stream_id), decide)
    assert seen == [0, 1]
    assert [r.event.amount for r in outcome.events] == [1]
    assert store.load(TALLY, other).version == 1


def test_a_refusal_leaves_no_trace_and_is_not_remembered(store):
    stream_id, asked = uuid4(), command()

    def refuse(stream, now):
        raise Refused("validation", "no")

    with pytest.raises(Refused, match="no"):
        execute(store, asked, (TALLY, stream_id), refuse)
    assert not execute(store, asked, (TALLY, stream_id), add(1)).repeat


def test_nothing_to_do_is_answered_with_what_is_there(store):
    stream_id = uuid4()
    execute(store, command(), (TALLY, stream_id), add(1))
    outcome = execute(store, command(), (TALLY, stream_id), add())
    assert (outcome.events, outcome.state.total, outcome.version) == ((), 1, 1)


def test_events_of_other_streams_go_with_it_and_are_not_in_the_answer(store):
    one, two = uuid4(), uuid4()

    def both(stream, now):
        return Decision([on(stream, Added(amount=1)), Change(two, 0, [Added(amount=2)])])

    outcome = execute(store, command(), (TALLY, one), both)
    assert [r.stream for r in outcome.events] == [one]
    assert store.load(TALLY, two).state.total == 2
    assert store.head() == outcome.position + 1


def test_after_a_conflict_the_command_is_decided_anew(store):
    stream_id, seen = uuid4(), []

    def slow(stream, now):
        seen.append(stream.version)
        if len(seen) < ATTEMPTS:
            execute(store, command(), (TALLY, stream_id), add(10))
        return add(stream.version)(stream, now)

    outcome = execute(store, command(), (TALLY, stream_id), slow)
    assert seen == [0, 1, 2]
    assert (outcome.version, outcome.events[0].event.amount) == (3, 2)


def test_whoever_is_always_late_is_told_so(store):
    stream_id = uuid4()

    def too_slow(stream, now):
        execute(store, command(), (TALLY, stream_id), add(10))
        return add(1)(stream, now)

    with pytest.raises(Conflicting) as refusal:
        execute(store, command(), (TALLY, stream_id), too_slow)
    assert refusal.value.code == "conflict"
    assert store.load(TALLY, stream_id).version == ATTEMPTS


@pytest.mark.parametrize("stored", [True, False])
def test_a_lost_reply_of_the_database_neither_loses_nor_doubles_the_command(on_server, monkeypatch, stored):
    stream_id, append, lost = uuid4(), on_server.append, []

    def flaky(*args, **more):
        if not lost:
            lost.append(append(*args, **more) if stored else True)
            raise Unavailable("gone")
        return append(*args, **more)

    monkeypatch.setattr(on_server, "append", flaky)
    outcome = execute(on_server, command(), (TALLY, stream_id), add(7))
    assert outcome.repeat is stored
    assert (outcome.state.total, outcome.version) == (7, 1)
    assert on_server.load(TALLY, stream_id).version == 1


def test_a_connection_lost_in_the_middle_is_survived(on_server):
    stream_id, tries = uuid4(), []

    def fatal_once(cursor):
        tries.append(True)
        if len(tries) == 1:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    def decide(stream, now):
        return Decision([on(stream, Added(amount=1))], fatal_once)

    assert execute(on_server, command(), (TALLY, stream_id), decide).version == 1
    assert len(tries) == 2


def test_a_database_that_stays_away_is_said_so(on_server, monkeypatch):
    def gone(*args, **more):
        raise Unavailable("gone")

    monkeypatch.setattr(on_server, "append", gone)
    with pytest.raises(Unavailable):
        execute(on_server, command(), (TALLY, uuid4()), add(1))


@pytest.mark.parametrize("others", [0, 20])
def test_fifty_parallel_repeats_are_one_event_and_fifty_equal_answers(on_server, others):
    stream_id, asked = UUID(int=uuid4().int), command()
    execute(on_server, command(), (TALLY, stream_id), add(1000))
    with ThreadPoolExecutor(25) as pool:
        repeats = [pool.submit(execute, on_server, asked, (TALLY, stream_id), add(1)) for _ in range(50)]
        for _ in range(others):  # others write to the same stream at the same time; they may come too late
            pool.submit(execute, on_server, command(), (TALLY, stream_id), add(10))
        outcomes = [repeat.result() for repeat in repeats]
    assert sum(r.command == asked.id for r in on_server.events(stream_id)) == 1
    assert all(told(outcome) == told(outcomes[0]) for outcome in outcomes)
