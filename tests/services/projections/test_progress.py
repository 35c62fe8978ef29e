"""How far the projections are, and what they cannot get past, as the database tells it to anybody."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import psycopg
import pytest

from domain.ids import CommandId, player_id
from domain.player import Enrolled
from domain.topics import TOPICS
from services.envelope import Change, Command
from services.errors import Unavailable
from services.postgres import migrate
from services.projections import Projector, Stalled, directory, feed
from services.projections.progress import Stall, keep, progress
from services.projections.rebuild import compare
from services.store import Store

MOST = 1_000


@pytest.fixture
def store(empty_url):
    """A store of the test's own, with projections that are empty."""
    migrate(empty_url)
    store = Store(empty_url, TOPICS)
    Projector(store).create()
    yield store
    store.close()


def enrol(store, many, ago=timedelta()):
    """So many events of so long ago."""
    for _ in range(many):
        command = Command(CommandId(uuid4()), "test", "")
        change = Change(player_id(command.id), 0, [Enrolled(player_id=player_id(command.id))])
        store.append(command, [change], store.now() - ago)


def fail_at(monkeypatch, projection, position, error):
    """Make a projection fail at a position."""
    whole = projection.project

    def project(cur, r, context):
        if r.position == position:
            error(cur)
        whole(cur, r, context)

    monkeypatch.setattr(projection, "project", project)


def raises(_cur):
    raise ValueError("3D")


def found(store):
    return progress(store.database, MOST)


def test_what_is_projected_is_behind_by_nothing(store):
    assert found(store) == (0, 0, timedelta(), None)
    enrol(store, 3)
    Projector(store).catch_up()
    assert found(store) == (store.head(), 0, timedelta(), None)


def test_the_first_event_that_is_not_projected_says_since_when(store):
    enrol(store, 1, ago=timedelta(hours=3))
    Projector(store).catch_up()
    enrol(store, 1, ago=timedelta(hours=2))
    enrol(store, 4)
    now = found(store)
    assert (now.position, now.behind, now.stall) == (1, 5, None)
    assert timedelta(hours=2) <= now.oldest < timedelta(hours=2, minutes=10)
    assert progress(store.database, 3).behind == 3


def test_an_event_of_the_future_is_not_old(store):
    enrol(store, 1, ago=-timedelta(hours=1))
    assert found(store).oldest == timedelta()


def test_a_damaged_event_has_no_age(store):
    enrol(store, 1)
    with store.database.connection() as conn:
        conn.execute("UPDATE big2_events SET state = 'damaged'")
    assert found(store) == (0, 1, None, None)
    with pytest.raises(Stalled, match="position 1 cannot be projected: log fails"):
        Projector(store).step_alone()


def test_without_a_position_there_is_no_progress(store):
    with store.database.connection() as conn:
        conn.execute("TRUNCATE projections.tracking")
    assert found(store) is None


def test_a_stall_is_kept_from_its_first_time_on_until_its_event_is_projected(store):
    enrol(store, 3)
    keep(store.database, Stalled(2, "ledger", ValueError("3D")))
    first = found(store).stall
    assert first == Stall(2, "ledger", "ValueError", first.since)
    keep(store.database, Stalled(2, "ledger", ValueError("4D")))
    assert found(store).stall == first
    keep(store.database, Stalled(2, "ledger", KeyError("3D")))
    other = found(store).stall
    assert (other.reason, other.since > first.since) == ("KeyError", True)
    Projector(store).catch_up(upto=1)
    assert found(store).stall == other
    Projector(store).catch_up(upto=2)
    assert found(store).stall is None


@pytest.mark.parametrize("projection", [directory, feed])
@pytest.mark.parametrize(
    ("error", "reason"),
    [(raises, "ValueError"), (lambda cur: cur.execute("SELECT 1/0"), "DivisionByZero")],
)
def test_one_by_one_it_comes_as_far_as_the_event_that_cannot_be_projected(
    store, monkeypatch, projection, error, reason
):
    enrol(store, 5)
    mine = Projector(store)
    with monkeypatch.context() as patched:
        fail_at(patched, projection, 3, error)
        assert [mine.step_alone(), mine.step_alone()] == [1, 1]
        for _ in range(2):
            with pytest.raises(Stalled) as stalled:
                mine.step_alone()
            name = projection.__name__.rpartition(".")[2]
            assert str(stalled.value) == (
                f"the event at position 3 cannot be projected: {name} fails ({reason})"
            )
            assert found(store).position == mine.position == 2
    assert [mine.step_alone() for _ in range(4)] == [1, 1, 1, 0]
    assert compare(store) == []


def test_a_connection_that_is_cut_meanwhile_is_no_fault_of_the_event(store, empty_url, monkeypatch):
    def cut(cur):
        with psycopg.connect(empty_url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", (cur.connection.info.backend_pid,))
        cur.execute("SELECT 1")

    def away(_cur):
        raise Unavailable("away")

    enrol(store, 2)
    for error in (cut, away):
        with monkeypatch.context() as patched:
            fail_at(patched, directory, 1, error)
            with pytest.raises(Unavailable):
                Projector(store).step_alone()
    assert Projector(store).catch_up() == 2
