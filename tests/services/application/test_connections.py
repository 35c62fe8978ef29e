"""Heartbeats on the real store: what is kept of them, by whom it is noted, and that the log knows nothing of it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from uuid import uuid4

import pytest

from domain.connection import Connection, Heartbeat, Limits
from domain.credential import Role
from domain.hand_events import ConnectedDealt
from domain.ids import CredentialId
from services.application import connections as connecting
from services.application import heartbeats
from services.application.credentials import Actor
from services.application.errors import NotFound
from services.application.heartbeats import SentHeartbeat
from services.database import Database
from tests.services.projections.house import House

GOOD, FAIR, POOR, LOST = Connection
AUDITOR = Actor(CredentialId(uuid4()), Role.AUDITOR, None, None)
AGO = timedelta(minutes=-2)


@pytest.fixture(scope="module")
def house(database_url) -> Iterator[House]:
    house = House(database_url)
    yield house
    house.close()


class Playing:
    """A tournament of two whose hand was dealt two minutes ago."""

    def __init__(self, house: House, **terms) -> None:
        self.house = house
        house.store.ahead = AGO
        self.t = house.started(2, format="sit_and_go", capacity=2, seats_per_table=2, **terms)
        while not house.running(self.t):
            assert house.work(self.t)
        [self.table] = house.tables(house.tournament(self.t))
        self.table_id, self.hand_id = self.table.table_id, self.table.hand_id
        self.dealt_at = next(r.at for r in house.store.events(self.hand_id))
        house.store.ahead = timedelta()
        self.seats = {seat: taken.player_id for seat, taken in self.table.seats.items()}
        (self.first, self.alice), (self.second, self.bob) = self.seats.items()

    def beat(self, player, rtt_ms: int = 40, **more):
        actor = Actor(CredentialId(uuid4()), Role.PLAYER, player, more.get("limited_to"))
        return heartbeats.beat(self.house, actor, self.table_id, SentHeartbeat(rtt_ms), self.house.project)

    def last_beat_at(self, player, at: datetime, rtt_ms: int = 40) -> None:
        """As if his last heartbeat had come then, without a note of what it changed."""
        self.sql(
            "INSERT INTO heartbeats VALUES (%s, %s, %s, %s) ON CONFLICT (table_id, player_id)"
            " DO UPDATE SET rtt_ms = EXCLUDED.rtt_ms, at = EXCLUDED.at",
            *(self.table_id, player, rtt_ms, at),
        )

    def since_the_deal(self, seconds: float) -> datetime:
        return self.dealt_at + timedelta(seconds=seconds)

    def changes(self, limit: int = 50, after=None):
        page, _ = heartbeats.changes_in_hand(self.house, AUDITOR, self.hand_id, after, limit)
        return [(i.seat, i.connection, round((i.at - self.dealt_at).total_seconds())) for i in page.items]

    def sql(self, statement: str, *values: object) -> list:
        with self.house.store.database.connection() as conn:
            found = conn.execute(statement, values)
            return found.fetchall() if found.description else []


@pytest.fixture
def playing(house) -> Playing:
    return Playing(house)


def test_a_deal_reads_the_connections_of_its_table_r11_1(house):
    playing = Playing(house, stack_points=200)
    playing.beat(playing.alice, 300)
    playing.beat(playing.bob, 40)
    playing.last_beat_at(playing.bob, house.store.now() - timedelta(seconds=10))
    house.play_on(playing.t, until=lambda: house.tables(house.tournament(playing.t))[0].hands_begun > 1)
    [table] = house.tables(house.tournament(playing.t))
    [dealt] = house.events(ConnectedDealt, table.hand_id)
    assert dealt.connections == {playing.first: FAIR, playing.second: POOR}


def test_the_changes_of_a_hand_begin_with_the_deal_and_have_each_silence_at_its_moment_r11_1(playing):
    playing.last_beat_at(playing.alice, playing.since_the_deal(20))
    playing.last_beat_at(playing.bob, playing.since_the_deal(22), 2000)
    deal = [(playing.first, "not_connected", 0), (playing.second, "not_connected", 0)]
    silence = [
        (playing.first, "poor", 25),
        (playing.first, "not_connected", 35),
        (playing.second, "not_connected", 37),
    ]
    assert playing.changes() == [*deal, *silence]
    playing.beat(playing.alice, 300)
    assert playing.changes()[:-1] == [*deal, *silence]
    assert playing.changes()[-1][:2] == (playing.first, "fair")


def test_looking_twice_notes_nothing_twice(playing):
    playing.last_beat_at(playing.alice, playing.since_the_deal(20))
    first = playing.changes()
    assert playing.changes() == first
    playing.beat(playing.alice)
    playing.beat(playing.alice)
    assert playing.changes()[:-1] == first


def test_a_page_goes_on_where_the_one_before_ended(playing):
    playing.last_beat_at(playing.alice, playing.since_the_deal(20))
    whole, after, paged = playing.changes(), None, []
    while True:
        page, _ = heartbeats.changes_in_hand(playing.house, AUDITOR, playing.hand_id, after, 1)
        paged += page.items
        if page.next is None:
            break
        after = page.next
    assert [(i.seat, i.connection) for i in paged] == [c[:2] for c in whole]
    assert len(whole) == 4


def test_what_comes_after_the_end_is_none_of_the_hand_s(house):
    playing = Playing(house, between_hands_seconds=3600)
    house.play_on(playing.t, until=lambda: not house.tables(house.tournament(playing.t))[0].hand_id)
    before = playing.changes()
    playing.beat(playing.alice)
    assert playing.changes() == before == [(1, "not_connected", 0), (2, "not_connected", 0)]


def test_who_left_the_table_has_no_changes_in_its_later_hands(playing):
    stranger = playing.house.enrol(1)[0]
    playing.last_beat_at(stranger, playing.since_the_deal(20))
    assert {seat for seat, _, _ in playing.changes()} == {playing.first, playing.second}


def test_a_second_holds_one_change_of_a_player_the_last(playing):
    """Whatever a client sends: a row a second is the most that it can make."""
    moment = playing.house.store.now().replace(microsecond=0)
    note = playing.house.connections.note
    before = None
    for n, rtt_ms in enumerate([0, 300, 2000, 0, 300, 2000]):
        after = Heartbeat(rtt_ms, moment + timedelta(milliseconds=100 * n))
        note(playing.table_id, playing.alice, before, after)
        before = after
    rows = playing.sql("SELECT state FROM connection_changes WHERE table_id = %s", playing.table_id)
    assert rows == [("poor",)]


def test_a_look_never_overrides_what_a_heartbeat_noted_in_the_same_second(playing):
    moment = playing.since_the_deal(30).replace(microsecond=900_000)
    connections = playing.house.connections
    playing.beat(playing.alice)
    playing.last_beat_at(playing.alice, moment.replace(microsecond=100_000) - timedelta(seconds=5))
    connections.note(playing.table_id, playing.alice, Heartbeat(2000, moment), Heartbeat(0, moment))
    connections.note_lapses(playing.table_id)
    rows = playing.sql("SELECT state FROM connection_changes WHERE at = %s", moment)
    assert rows == [("good",)]


def test_a_heartbeat_writes_one_row_however_many_come_at_once(playing):
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: playing.beat(playing.alice), range(20)))
    assert {answer.connection for answer in answers} == {"good"}
    assert playing.sql("SELECT count(*) FROM heartbeats WHERE table_id = %s", playing.table_id) == [(1,)]


def test_heartbeats_and_looks_leave_the_log_as_it_was(playing):
    before = playing.house.store.head()
    for n in range(20):
        playing.beat(playing.alice, n * 100)
    playing.changes()
    playing.house.connections.put_away()
    assert playing.house.store.head() == before


def test_the_table_of_heartbeats_is_written_to_no_log_at_all(playing):
    [(persistence,)] = playing.sql("SELECT relpersistence FROM pg_class WHERE relname = 'heartbeats'")
    assert persistence in ("u", b"u")
    [(kept,)] = playing.sql("SELECT relpersistence FROM pg_class WHERE relname = 'connection_changes'")
    assert kept in ("p", b"p")


def test_when_the_heartbeats_are_lost_everybody_is_not_connected_until_the_next_one(playing):
    playing.beat(playing.alice)
    playing.sql("TRUNCATE heartbeats")
    assert playing.house.connections.at(playing.table_id) == {}
    playing.beat(playing.alice)
    assert playing.house.connections.at(playing.table_id) == {playing.alice: GOOD}


def test_old_heartbeats_are_put_away_once_their_silence_is_noted(playing):
    playing.beat(playing.alice)
    playing.beat(playing.bob)
    playing.last_beat_at(playing.alice, playing.house.store.now() - timedelta(hours=2))
    assert playing.house.connections.put_away() == 1
    assert playing.house.connections.put_away() == 0
    assert playing.house.connections.at(playing.table_id) == {playing.bob: GOOD}
    noted = playing.sql(
        "SELECT state FROM connection_changes WHERE player_id = %s AND at < %s ORDER BY at",
        playing.alice,
        playing.house.store.now() - timedelta(hours=1),
    )
    assert noted == [("poor",), ("not_connected",)]


def test_changes_are_forgotten_after_ninety_days_the_oldest_first_and_the_deal_s_are_not(
    playing, monkeypatch
):
    playing.changes()
    now = playing.house.store.now()
    moments = [now - timedelta(days=days) for days in (91, 92, 89)]
    playing.sql(
        "INSERT INTO connection_changes SELECT %s, %s, at, 'poor' FROM unnest(%s::timestamptz[]) AS at",
        *(playing.table_id, playing.alice, moments),
    )
    connections = playing.house.connections
    monkeypatch.setattr(connecting, "MOST_FORGOTTEN", 1)
    kept = "SELECT at FROM connection_changes WHERE table_id = %s ORDER BY at"
    for left in ([moments[0], moments[2]], [moments[2]]):
        assert connections.forget() == 1
        assert [at for (at,) in playing.sql(kept, playing.table_id)] == left
    assert connections.forget() == 0
    assert playing.changes() == [
        (playing.first, "not_connected", 0),
        (playing.second, "not_connected", 0),
    ]


def test_a_look_needs_one_connection_at_a_time(playing):
    """Else all looks of a process might hold one, and wait for another."""
    playing.last_beat_at(playing.alice, playing.since_the_deal(20))
    database = Database(playing.house.store.database.url, size=1)
    connecting.Connections(database, Limits()).note_lapses(playing.table_id)
    database.close()
    noted = playing.sql(
        "SELECT state FROM connection_changes WHERE table_id = %s ORDER BY at", playing.table_id
    )
    assert noted == [("poor",), ("not_connected",)]


def test_a_longer_patience_keeps_heartbeats_longer(playing):
    patient = connecting.Connections(playing.house.store.database, Limits(lost_seconds=36_000))
    playing.beat(playing.alice)
    playing.last_beat_at(playing.alice, playing.house.store.now() - timedelta(hours=2))
    assert patient.put_away() == 0
    assert patient.at(playing.table_id)[playing.alice] is POOR
    assert playing.house.connections.put_away() == 1


def test_the_seat_is_looked_for_again_once_the_lists_have_caught_up(house):
    playing = Playing(house)
    calls = []
    stranger = Actor(CredentialId(uuid4()), Role.PLAYER, house.enrol(1)[0], None)
    with pytest.raises(NotFound):
        heartbeats.beat(house, stranger, uuid4(), SentHeartbeat(1), lambda: calls.append("caught up"))
    assert calls == ["caught up"]
    assert playing.beat(playing.alice).connection == "good"
