"""Long streams are folded on, and never trusted further than the log."""

from __future__ import annotations

from uuid import uuid4

import pytest

from domain.aggregate import Aggregate
from domain.events import Event
from domain.hand import HAND
from domain.topics import TOPICS
from services import kept
from services.envelope import Change, Command
from services.postgres import migrate
from services.store import Store
from tests.services.projections.house import House


class Told(Event, frozen=True, kw_only=True):
    word: str


class Said(Told, frozen=True, kw_only=True):
    """The same, of another kind."""


TALE = Aggregate("tale", lambda state, event: (*(state or ()), event.word), values=True)
OTHER = Aggregate("other", TALE.evolve, values=True)
OURS = {"tale.told.1": Told, "other.said.1": Said}


@pytest.fixture
def store(database_url, monkeypatch):
    monkeypatch.setattr(kept, "LONG", 3)
    monkeypatch.setattr(kept, "MOST", 2)
    store = Store(database_url, OURS)
    yield store
    store.close()


def tell(store, tale, *words):
    stream = store.load(TALE, tale)
    command = Command(uuid4(), "test", "a" * 64)
    events = [Told(word=word) for word in words]
    return store.append(command, [Change(tale, stream.version, events)], stream.read_at)[0].command


def read(store, monkeypatch):
    """The first versions that the store asks for, from now on."""
    asked, rows = [], store._rows.read_few

    def spy(*wanted):
        asked.extend(each.first for each in wanted)
        return rows(*wanted)

    monkeypatch.setattr(store._rows, "read_few", spy)
    return asked


def test_of_a_long_stream_only_what_is_new_is_read(store, monkeypatch):
    tale = uuid4()
    commands = [tell(store, tale, "once", "upon", "a")]
    first = store.load(TALE, tale)
    asked = read(store, monkeypatch)
    commands.append(tell(store, tale, "time"))
    seen = store.load(TALE, tale)
    assert asked == [3, 3]
    assert (seen.state, seen.version, list(seen.commands)) == (("once", "upon", "a", "time"), 4, commands)
    assert [r.version for r in seen.recorded] == [1, 2, 3, 4]
    assert seen.position == seen.recorded[-1].position
    assert first.read_at < seen.read_at
    assert list(first.commands) == commands[:1]


def test_whoever_gets_a_stream_may_do_with_it_as_he_likes(store):
    tale = uuid4()
    tell(store, tale, "once", "upon", "a")
    for _ in range(2):
        store.load(TALE, tale).commands.clear()
    assert len(store.load(TALE, tale).commands) == 1


def test_an_earlier_version_and_another_kind_are_read_from_the_log(store):
    tale = uuid4()
    tell(store, tale, "once", "upon", "a")
    assert store.load(TALE, tale).version == 3
    assert store.load(TALE, tale, upto=2).state == ("once", "upon")
    assert store.load(OTHER, tale).version == 0


@pytest.mark.parametrize("again", ["", "there", "there was not"])
def test_a_log_that_was_put_back_to_an_earlier_day_is_read_from_the_start(store, again):
    tale = uuid4()
    tell(store, tale, "once", "upon", "a")
    assert store.load(TALE, tale).version == 3
    with store.database.connection() as conn:
        conn.execute("DELETE FROM big2_events WHERE originator_id = %s AND originator_version > 1", (tale,))
    if again:
        tell(store, tale, *again.split())
    assert store.load(TALE, tale).state == ("once", *again.split())


def test_streams_of_one_kind_displace_none_of_another(store, monkeypatch):
    """A wallet is read with each buy-in, and a table must be fast all the same."""
    tale, others = uuid4(), [uuid4() for _ in range(3)]
    tell(store, tale, "once", "upon", "a")
    store.load(TALE, tale)
    for other in others:
        store.append(
            Command(uuid4(), "test", "a" * 64),
            [Change(other, 0, [Said(word=word) for word in ("once", "upon", "a")])],
            store.now(),
        )
        store.load(OTHER, other)
    asked = read(store, monkeypatch)
    assert store.load(TALE, tale).state == ("once", "upon", "a")
    assert store.load(OTHER, others[-1]).state == ("once", "upon", "a")
    assert asked == [3, 3]


def test_a_hand_is_folded_on_from_its_deal(empty_url, monkeypatch):
    migrate(empty_url)
    house = House(empty_url)
    tournament = house.started(4)
    while not (running := house.running(tournament)):
        house.work(tournament)
    [hand_id] = running
    before = house.hand(hand_id)
    house.act(hand_id)
    asked = read(house.store, monkeypatch)
    after = house.hand(hand_id)
    fresh = Store(empty_url, TOPICS)
    assert after == fresh.load(HAND, hand_id).state
    assert after.game.turn_number > before.game.turn_number
    assert asked[0] > 1
    fresh.close()
    house.close()


def test_short_streams_and_those_that_nobody_reads_are_not_kept(store, monkeypatch):
    short, *tales = (uuid4() for _ in range(4))
    tell(store, short, "once", "upon")
    for tale in tales:
        tell(store, tale, "once", "upon", "a")
    for tale in (short, *tales):
        store.load(TALE, tale)
    asked = read(store, monkeypatch)
    for tale in (short, *reversed(tales)):
        store.load(TALE, tale)
    assert asked == [1, 3, 3, 1]
