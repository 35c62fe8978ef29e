"""The event store, on PostgreSQL and in memory: what goes in comes out, in order, chained, all or nothing."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from enum import Enum
from threading import Thread
from typing import Any, get_args
from uuid import UUID, uuid4

import msgspec
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.aggregate import Aggregate
from domain.events import Event
from domain.topics import TOPICS
from services.envelope import GENESIS, Change, Codec, Command, Row, link, verify_chain
from services.errors import BrokenChain, Conflict, StoreError, Unavailable, UnknownTopic
from services.eventtable import CHANNEL
from services.store import Store

NOW = datetime(2026, 2, 3, 4, 5, 6, 789012, tzinfo=UTC)


class Colour(Enum):
    RED = "red"


class Part(msgspec.Struct, frozen=True):
    size: int
    owner: UUID | None = None


class Everything(Event, frozen=True, kw_only=True):
    number: int
    text: str
    flag: bool
    nothing: None
    cards: tuple[str, ...]
    pair: tuple[int, int]
    by_seat: dict[int, str]
    by_player: dict[UUID, int]
    seats: frozenset[int]
    colour: Colour
    at: datetime
    part: Part
    parts: tuple[Part, ...]
    seed: bytes


class Counted(Event, frozen=True, kw_only=True):
    n: int


class Weighed(Event, frozen=True, kw_only=True):
    kilos: float


OURS = {"list.everything.1": Everything, "list.counted.1": Counted, "list.weighed.1": Weighed}
EVERYTHING = Everything(
    number=2**53,
    text='Ünï\u2028 "鋤大弟" \\ \x00\x1f\x7f😀',
    flag=False,
    nothing=None,
    cards=("3D", "2S"),
    pair=(1, -2),
    by_seat={1: "a", 10: "b", 2: "c"},  # in the order of the stored keys, which are text
    by_player={UUID(int=5): 4, UUID(int=7): 3},
    seats=frozenset({3, 1, 2}),
    colour=Colour.RED,
    at=NOW,
    part=Part(3, UUID(int=9)),
    parts=(Part(1), Part(2)),
    seed=bytes(range(32)),
)


def listed(state: list[Event] | None, event: Event) -> list[Event]:
    return [*(state or []), event]


LIST = Aggregate("list", listed)


def command(actor: str = "test") -> Command:
    return Command(uuid4(), actor, "0" * 64)


def count(stream_id: UUID, after: int, many: int = 1) -> Change:
    return Change(stream_id, after, [Counted(n=n) for n in range(after + 1, after + many + 1)])


@pytest.fixture(params=["postgres", "memory"])
def store(request):
    if request.param == "memory":
        yield Store.in_memory(OURS)
    else:
        with_server = Store(request.getfixturevalue("database_url"), OURS)
        yield with_server
        with_server.close()


@pytest.fixture
def on_server(database_url):
    store = Store(database_url, OURS)
    yield store
    store.close()


def test_an_event_comes_back_equal_and_of_the_same_types(store):
    stream_id, told = uuid4(), command("player:x")
    [recorded] = store.append(told, [Change(stream_id, 0, [EVERYTHING])], NOW)
    [read] = store.events(stream_id)
    assert read == recorded
    assert repr(read) == repr(recorded)
    assert repr(read.event) == repr(EVERYTHING)
    assert (read.at, read.command, read.actor, read.digest) == (NOW, told.id, told.actor, told.digest)
    assert (read.stream, read.version, read.topic) == (stream_id, 1, "list.everything.1")


def test_what_is_stored_is_canonical_json(store):
    stream_id = uuid4()
    store.append(command(), [Change(stream_id, 0, [EVERYTHING])], NOW)
    [row] = store.stored(stream_id)
    told = json.loads(row.state)
    assert list(told) == ["actor", "at", "command", "digest", "event", "prev"]
    assert row.state == json.dumps(told, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    assert told["event"]["by_seat"] == {"1": "a", "10": "b", "2": "c"}


def some_dictionary(kind: type) -> st.SearchStrategy[dict[Any, Any]]:
    key, value = get_args(kind)
    values = st.just([1, "x", None]) if value is Any else st.from_type(value)
    return st.dictionaries(st.from_type(key), values, max_size=4)


@pytest.mark.parametrize("topic", TOPICS)
def test_every_event_of_the_product_survives_the_store(topic):
    st.register_type_strategy(dict, some_dictionary)
    st.register_type_strategy(int, st.integers(-(2**53), 2**53))
    st.register_type_strategy(datetime, st.datetimes(timezones=st.just(UTC)))
    codec = Codec(TOPICS)

    @settings(max_examples=10, suppress_health_check=list(HealthCheck), deadline=None, database=None)
    @given(st.builds(TOPICS[topic]))
    def survives(event):
        state = codec.encode(command(), NOW, event)[:-1] + b',"prev":""}'
        assert codec.decode(Row(uuid4(), 1, topic, state, 1)).event == event

    survives()


def test_a_float_is_never_stored(store):
    with pytest.raises(ValueError, match="not an integer"):
        store.append(command(), [Change(uuid4(), 0, [Weighed(kilos=1.5)])], NOW)


def test_a_stream_that_does_not_exist_is_empty(store):
    stream = store.load(LIST, uuid4())
    assert (stream.version, stream.position, stream.state, stream.commands) == (0, 0, None, {})
    assert abs(stream.read_at - store.now()) < timedelta(seconds=60)


def test_a_stream_is_folded_and_knows_its_commands(store):
    stream_id, first, second = uuid4(), command(), command()
    store.append(first, [count(stream_id, 0, 3)], NOW)
    [last] = store.append(second, [count(stream_id, 3)], NOW)
    stream = store.load(LIST, stream_id)
    assert stream.version == 4
    assert stream.position == last.position
    assert [event.n for event in stream.state] == [1, 2, 3, 4]
    assert stream.commands == {first.id: (1, 3, first.digest), second.id: (4, 4, second.digest)}
    assert stream.recorded == tuple(store.events(stream_id))
    assert [event.n for event in store.load(LIST, stream_id, upto=2).state] == [1, 2]
    assert [r.version for r in store.events(stream_id, first=2, last=3)] == [2, 3]


def test_several_streams_are_loaded_in_the_order_asked_for(store):
    one, two, none = uuid4(), uuid4(), uuid4()
    store.append(command(), [count(one, 0, 2), count(two, 0, 1)], NOW)
    assert [(s.id, s.version) for s in store.load_many([(LIST, two), (LIST, none), (LIST, one)])] == [
        (two, 1),
        (none, 0),
        (one, 2),
    ]


def test_changes_of_several_streams_are_stored_together_or_not_at_all(store):
    one, two = uuid4(), uuid4()
    recorded = store.append(command(), [count(one, 0, 2), count(two, 0, 1)], NOW)
    assert [(r.stream, r.version) for r in recorded] == [(one, 1), (one, 2), (two, 1)]
    assert [r.position for r in recorded] == list(range(recorded[0].position, recorded[0].position + 3))
    with pytest.raises(Conflict):
        store.append(command(), [count(one, 2), count(two, 0)], NOW)
    assert (store.load(LIST, one).version, store.load(LIST, two).version) == (2, 1)


def test_an_expected_version_that_is_passed_or_not_reached_is_a_conflict(store):
    stream_id = uuid4()
    store.append(command(), [count(stream_id, 0, 2)], NOW)
    for expected in (0, 1, 3, 9):
        with pytest.raises(Conflict):
            store.append(command(), [count(stream_id, expected)], NOW)
    assert store.load(LIST, stream_id).version == 2


def test_the_log_is_every_stream_in_order_of_position(store):
    before = store.head()
    one, two = uuid4(), uuid4()
    for version in range(3):
        store.append(command(), [count(one, version), count(two, version)], NOW)
    log = store.log(before, 100)
    assert [r.position for r in log] == sorted(r.position for r in log)
    assert [(r.stream, r.version) for r in log] == [(s, v) for v in (1, 2, 3) for s in (one, two)]
    assert store.log(before, 2) == log[:2]
    assert store.log(log[1].position, 100) == log[2:]
    assert store.head() == log[-1].position
    assert store.log(store.head(), 10) == []


def test_the_library_s_own_log_reads_the_same_events(store):
    before = store.head()
    store.append(command("player:x"), [count(uuid4(), 0, 2)], NOW)
    library = store._log
    notifications = library.notification_log.select(before + 1, 10)
    facts = [library.mapper.to_domain_event(notification) for notification in notifications]
    assert [
        (n.id, f.originator_id, f.originator_version, f.command.id, f.at, f.event)
        for n, f in zip(notifications, facts, strict=True)
    ] == [(r.position, r.stream, r.version, r.command, r.at, r.event) for r in store.log(before, 10)]


def test_an_append_without_events_is_a_mistake(store):
    with pytest.raises(ValueError, match="needs an event"):
        store.append(command(), [Change(uuid4(), 0, [])], NOW)


def test_each_event_carries_the_link_of_its_predecessor(store):
    stream_id = uuid4()
    store.append(command(), [count(stream_id, 0, 2)], NOW)
    store.append(command(), [count(stream_id, 2)], NOW)
    rows = store.stored(stream_id)
    prevs = [json.loads(row.state)["prev"] for row in rows]
    by_hand = [
        hashlib.sha256(f"{r.stream}\n{r.version}\n{r.topic}\n".encode() + r.state).hexdigest() for r in rows
    ]
    assert prevs == [GENESIS, *by_hand[:2]]
    assert verify_chain(rows) == by_hand[2] == link(*rows[2][:4])


def test_a_store_that_has_not_seen_the_stream_goes_on_with_its_chain(on_server, database_url):
    stream_id = uuid4()
    on_server.append(command(), [count(stream_id, 0, 2)], NOW)
    other = Store(database_url, OURS)
    other.append(command(), [count(stream_id, 2)], NOW)
    on_server.append(command(), [count(stream_id, 3)], NOW)
    other.close()
    verify_chain(on_server.stored(stream_id))


@pytest.mark.parametrize(
    "tamper",
    [
        lambda rows: rows[:1] + rows[2:],
        lambda rows: [rows[0], rows[2], rows[1], rows[3]],
        lambda rows: rows[1:],
        lambda rows: [
            *rows[:1],
            rows[1]._replace(state=rows[1].state.replace(b'"n":2', b'"n":3')),
            *rows[2:],
        ],
        lambda rows: [*rows[:1], rows[1]._replace(topic="list.everything.1"), *rows[2:]],
        lambda rows: [row._replace(stream=UUID(int=1)) for row in rows],
    ],
)
def test_a_tampered_stream_breaks_the_chain(tamper):
    store, stream_id = Store.in_memory(OURS), uuid4()
    store.append(command(), [count(stream_id, 0, 4)], NOW)
    rows = store.stored(stream_id)
    verify_chain(rows)
    with pytest.raises(BrokenChain):
        verify_chain(tamper(rows))


def test_an_unknown_topic_fails_loudly(on_server, database_url):
    stream_id = uuid4()
    on_server.append(command(), [count(stream_id, 0)], NOW)
    older = Store(database_url, {"list.everything.1": Everything})
    for read in (
        lambda: older.load(LIST, stream_id),
        lambda: older.log(0, 1000),
        lambda: older.events(stream_id),
    ):
        with pytest.raises(UnknownTopic, match=r"counted\.1"):
            read()
    with pytest.raises(UnknownTopic, match="Counted"):
        older.append(command(), [count(stream_id, 1)], NOW)
    older.close()


def test_an_id_of_another_kind_names_nothing(store):
    stream_id = uuid4()
    store.append(command(), [count(stream_id, 0)], NOW)
    elsewhere = store.load(Aggregate("ledger", listed), stream_id)
    assert (elsewhere.version, elsewhere.state, elsewhere.commands) == (0, None, {})


def test_two_names_for_one_event_are_refused():
    with pytest.raises(UnknownTopic, match="two topics"):
        Store.in_memory({"list.counted.1": Counted, "counted.2": Counted})


def test_a_field_nobody_knows_is_not_skipped():
    state = (
        b'{"actor":"","at":"2026-01-01T00:00:00Z","command":"%b","digest":"","event":{"n":1},"prev":"","x":1}'
    )
    with pytest.raises(msgspec.ValidationError):
        Codec(OURS).decode(Row(uuid4(), 1, "list.counted.1", state % str(uuid4()).encode(), 1))


def test_other_statements_share_the_transaction(on_server, database_url):
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute("CREATE TABLE claims (name text PRIMARY KEY)")

        def claim(cursor):
            cursor.execute("INSERT INTO claims VALUES ('x')")

        def claims():
            return conn.execute("SELECT count(*) FROM claims").fetchone()

        stream_id = uuid4()
        on_server.append(command(), [count(stream_id, 0)], NOW)
        with pytest.raises(Conflict):
            on_server.append(command(), [count(stream_id, 0)], NOW, claim)
        assert claims() == (0,)
        on_server.append(command(), [count(stream_id, 1)], NOW, claim)
        assert claims() == (1,)
        with pytest.raises(psycopg.errors.UniqueViolation):
            on_server.append(command(), [count(stream_id, 2)], NOW, claim)
        assert on_server.load(LIST, stream_id).version == 2


def test_a_store_in_memory_refuses_other_statements():
    with pytest.raises(StoreError, match="no tables"):
        Store.in_memory(OURS).append(command(), [count(uuid4(), 0)], NOW, lambda _: None)


def test_an_append_is_announced(on_server, database_url):
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute(f"LISTEN {CHANNEL}")
        on_server.append(command(), [count(uuid4(), 0)], NOW)
        assert [notice.channel for notice in conn.notifies(timeout=5, stop_after=1)] == [CHANNEL]


def test_a_follower_never_passes_a_gap_that_is_filled_later(on_server):
    """Four writers at once, on streams of their own; a reader that goes on from the last position misses nothing."""
    start, writers, each = on_server.head(), 4, 40

    def write(_):
        stream_id = uuid4()
        for version in range(each):
            on_server.append(command(), [count(stream_id, version)], NOW)

    seen: list[int] = []

    def follow():
        position = start
        while len(seen) < writers * each:
            for recorded in on_server.log(position, 7):
                seen.append(recorded.position)
                position = recorded.position

    reader = Thread(target=follow, daemon=True)
    reader.start()
    with ThreadPoolExecutor(writers) as pool:
        list(pool.map(write, range(writers)))
    reader.join(30)
    assert seen == [r.position for r in on_server.log(start, 1000)]
    assert len(set(seen)) == writers * each


def test_a_connection_that_the_server_has_closed_is_replaced_unnoticed(on_server, database_url):
    stream_id = uuid4()
    on_server.append(command(), [count(stream_id, 0)], NOW)
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'big2' AND datname = current_database()"
        )
    assert on_server.load(LIST, stream_id).version == 1
    on_server.append(command(), [count(stream_id, 1)], NOW)


def test_a_connection_lost_during_an_append_is_unavailable(on_server):
    def kill(cursor):
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    stream_id = uuid4()
    with pytest.raises(Unavailable):
        on_server.append(command(), [count(stream_id, 0)], NOW, kill)
    assert on_server.load(LIST, stream_id).version == 0


def test_a_server_that_is_not_there_is_unavailable_soon(tmp_path):
    store = Store(f"postgresql://big2@/big2?host={tmp_path}", OURS)
    with pytest.raises(Unavailable, match="did not answer"):
        store.load(LIST, uuid4())
    store.close()


def test_an_append_waits_only_so_long_for_the_table(database_url, monkeypatch):
    monkeypatch.setattr("services.database.LOCK_TIMEOUT_MS", 50)
    store = Store(database_url, OURS)
    with psycopg.connect(database_url) as conn:
        conn.execute("LOCK TABLE big2_events IN EXCLUSIVE MODE")
        with pytest.raises(Unavailable):
            store.append(command(), [count(uuid4(), 0)], NOW)
    store.close()
