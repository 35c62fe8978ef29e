"""Heartbeats, and who sees how a player is connected: everybody, at the table and in the feed (R11.1, R11.3)."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from domain.connection import Connection
from services.application.connections import Seated
from services.http.calls import EXTENSION
from services.http.listener import Waiting
from services.http.watch import Told, Watch
from tests.services.http.driving import Api
from tests.services.http.playing import Game, until
from tests.services.http.test_feed import Feed


class Scene:
    """A game whose first hand runs, and its table."""

    def __init__(self, app, operator, services, **terms) -> None:
        self.services = services
        self.game = Game(app, operator, entrants=2, capacity=2, seats_per_table=2, **terms)
        self.hand_id = self.game.hand_id()
        self.hand = self.game.hand(self.hand_id)
        self.table_id = self.hand["table_id"]
        self.path = f"/v1/tables/{self.table_id}"
        self.seats = {s["player_id"]: s["seat"] for s in self.hand["seats"]}
        (self.alice, self.as_alice), (self.bob, self.as_bob) = self.game.players.items()

    def beat(self, player: Api, rtt_ms: object = 40):
        return player.post(f"{self.path}/heartbeat", {"rtt_ms": rtt_ms}, key=None)

    def let_pass(self, seconds: float, player: str | None = None) -> None:
        """As if the last heartbeat had come so much earlier."""
        with self.services.store.database.connection() as conn:
            conn.execute(
                "UPDATE heartbeats SET at = at - make_interval(secs => %s)"
                " WHERE table_id = %s AND player_id = COALESCE(%s, player_id)",
                (seconds, self.table_id, player),
            )

    def states(self, resource: dict) -> dict[str, str]:
        return {s["player_id"]: s["connection"] for s in resource["seats"]}

    def changes(self, reader: Api, hand_id: str | None = None, query: str = "") -> list[tuple[str, str]]:
        listed = reader.read(f"/v1/hands/{hand_id or self.hand_id}/connections{query}")
        return [(i["player_id"], i["connection"]) for i in listed["items"]]


@pytest.fixture
def scene(app, operator, services) -> Scene:
    return Scene(app, operator, services)


# heartbeats


@pytest.mark.parametrize(
    ("rtt_ms", "state", "advice"),
    [
        (0, "good", None),
        (249, "good", None),
        (250, "fair", "finish the hand and reconnect"),
        (1000, "poor", "finish the hand and reconnect"),
        (3_600_000, "poor", "finish the hand and reconnect"),
    ],
)
def test_a_heartbeat_is_answered_with_the_time_the_state_and_the_advice_r11_3(rtt_ms, state, advice, scene):
    answer = scene.beat(scene.as_alice, rtt_ms)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert (answer.json["connection"], answer.json["advice"]) == (state, advice)
    now = scene.services.store.now()
    assert timedelta() < now - datetime.fromisoformat(answer.json["server_time"]) < timedelta(seconds=5)


def test_a_heartbeat_needs_no_key_and_may_have_one(scene):
    assert scene.beat(scene.as_alice).status_code == 200
    for _ in range(2):
        answer = scene.as_alice.post(f"{scene.path}/heartbeat", {"rtt_ms": 1}, key="the same")
        assert answer.status_code == 200
        assert "Idempotency-Hit" not in answer.headers


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/rtt_ms"),
        ({"rtt_ms": None}, "/rtt_ms"),
        ({"rtt_ms": -1}, "/rtt_ms"),
        ({"rtt_ms": 3_600_001}, "/rtt_ms"),
        ({"rtt_ms": 1.5}, "/rtt_ms"),
        ({"rtt_ms": "40"}, "/rtt_ms"),
        ({"rtt_ms": True}, "/rtt_ms"),
        ({"rtt_ms": 40, "seat": 1}, "/seat"),
        ([], ""),
    ],
    ids=str,
)
def test_a_heartbeat_with_another_body_is_422_and_changes_nothing(body, pointer, scene, anybody):
    answer = scene.as_alice.post(f"{scene.path}/heartbeat", body)
    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, pointer)
    assert scene.states(anybody.read(scene.path))[scene.alice] == "not_connected"


def test_only_who_sits_at_the_table_sends_heartbeats_there(app, scene, operator, services, anybody):
    elsewhere = Scene(app, operator, services)
    stranger = Api(app, operator.made(f"/v1/players/{scene.alice}/tokens")["token"])
    assert scene.beat(stranger).status_code == 200
    limited = operator.made(f"/v1/players/{scene.alice}/tokens", {"tournament_id": elsewhere.game.id})
    for player in (elsewhere.as_alice, Api(app, limited["token"])):
        answer = scene.beat(player, "not even a number")
        assert (answer.status_code, answer.json["type"]) == (403, "/problems/forbidden")
    assert scene.beat(anybody).status_code == 401
    assert scene.beat(operator).status_code == 403


def test_a_heartbeat_at_no_table_is_404(scene):
    answer = scene.as_alice.post(f"/v1/tables/{scene.hand_id}/heartbeat", {"rtt_ms": 1})
    assert (answer.status_code, answer.json["type"]) == (404, "/problems/not-found")


def test_a_heartbeat_at_a_closed_table_is_409_before_what_is_wrong_with_it(scene, operator, anybody):
    operator.made(f"{scene.game.path}/cancel")
    until(lambda: anybody.read(scene.path)["state"] == "closed")
    for rtt_ms in (40, "forty"):
        answer = until(lambda rtt_ms=rtt_ms: closed(scene.beat(scene.as_alice, rtt_ms)))
        assert (answer.status_code, answer.json["type"]) == (409, "/problems/table-closed")


def closed(answer):
    """The answer, once the lists know that the table is closed."""
    return answer if answer.status_code != 200 else None


def test_a_seat_that_the_lists_do_not_show_yet_is_waited_for(app, operator, services, beside):
    with beside.paused():
        game = Game(app, operator, entrants=0, capacity=2, seats_per_table=2)
    with beside.paused():
        game.enter(app)
        game.enter(app)
    scene = Scene.__new__(Scene)
    until(lambda: game.anybody.read(f"{game.path}/tables")["items"])
    scene.path = f"/v1/tables/{game.anybody.read(f'{game.path}/tables')['items'][0]['table_id']}"
    for player in game.players.values():
        assert scene.beat(player).status_code == 200


def test_a_thousand_heartbeats_leave_the_log_as_it_was(scene, services, beside):
    until(beside.rests)
    before = services.store.head()
    for n in range(1000):
        assert scene.beat(scene.as_alice, n).status_code == 200
    assert services.store.head() == before


# who sees it


def test_everybody_sees_how_each_player_is_connected_r11_3(app, scene, operator, director_, auditor, anybody):
    scene.beat(scene.as_alice, 300)
    scene.beat(scene.as_bob, 10)
    other = Scene(app, operator, scene.services)
    expected = {scene.alice: "fair", scene.bob: "good"}
    for reader in (anybody, scene.as_alice, scene.as_bob, other.as_alice, operator, director_, auditor):
        assert scene.states(reader.read(scene.path)) == expected
        assert scene.states(reader.read(f"/v1/hands/{scene.hand_id}")) == expected
        [listed] = reader.read(f"{scene.game.path}/tables")["items"]
        assert scene.states(listed) == expected


@pytest.mark.parametrize(("age", "state"), [(4, "good"), (6, "poor"), (14, "poor"), (16, "not_connected")])
def test_silence_makes_a_player_poor_then_not_connected_and_a_heartbeat_brings_him_back(
    age, state, scene, anybody
):
    scene.beat(scene.as_alice)
    scene.let_pass(age)
    assert scene.states(anybody.read(scene.path))[scene.alice] == state
    assert scene.states(anybody.read(f"/v1/hands/{scene.hand_id}"))[scene.alice] == state
    assert scene.beat(scene.as_alice).json["connection"] == "good"
    assert scene.states(anybody.read(scene.path))[scene.alice] == "good"


def test_who_never_sent_a_heartbeat_is_not_connected_and_plays_all_the_same_r11_1(scene, anybody):
    assert set(scene.states(anybody.read(scene.path)).values()) == {"not_connected"}
    scene.game.play_hand(scene.hand_id)
    assert anybody.read(f"/v1/hands/{scene.hand_id}")["state"] == "final"


def test_who_comes_back_plays_on_with_what_he_still_holds_r11_1(scene):
    scene.beat(scene.as_alice)
    before = scene.game.hand(scene.hand_id, scene.as_alice)["you"]["cards"]
    scene.let_pass(60)
    assert scene.game.hand(scene.hand_id)["state"] == "running"
    scene.beat(scene.as_alice)
    assert scene.game.hand(scene.hand_id, scene.as_alice)["you"]["cards"] == before
    scene.game.play_hand(scene.hand_id)


# what is stored


def test_the_state_of_each_seat_at_the_deal_is_in_its_event_its_history_and_the_hand_that_is_over_r11_1(
    app, operator, services, auditor
):
    scene = Scene(app, operator, services, stack_points=100)
    scene.beat(scene.as_alice, 300)
    scene.game.play_hand(scene.hand_id)
    second = until(lambda: (found := scene.game.hand_id()) != scene.hand_id and found)
    scene.beat(scene.as_alice, 10)
    expected = {scene.alice: "fair", scene.bob: "not_connected"}
    told = Feed(auditor, f"table={scene.table_id}&after=0")
    deals = [data for _, kind, data in told.upto("hand.dealt", 200) if kind == "hand.dealt"]
    assert set(deals[0]["connections"].values()) == {"not_connected"}
    assert scene.states(scene.game.hand(second))[scene.alice] == "good"
    over = scene.game.play_hand(second)
    assert scene.states(over) == expected
    seats = auditor.read(f"/v1/hands/{second}/history")["seats"]
    assert {s["player_id"]: s["connection"] for s in seats} == expected


def test_the_changes_during_a_hand_are_kept_for_the_auditor_r11_1(scene, auditor, director_, admin):
    scene.beat(scene.as_alice, 10)
    scene.let_pass(60)
    at_deal = [(player, "not_connected") for player in sorted(scene.seats, key=scene.seats.get)]
    assert scene.changes(auditor) == [*at_deal, (scene.alice, "good")]


@pytest.mark.parametrize("who", ["anybody", "operator", "as_alice"])
def test_the_changes_are_for_auditor_director_and_admin_alone(who, scene, anybody, operator):
    reader = {"anybody": anybody, "operator": operator, "as_alice": scene.as_alice}[who]
    answer = reader.get(f"/v1/hands/{scene.hand_id}/connections")
    assert answer.status_code == (401 if who == "anybody" else 403)


# the feed


@pytest.mark.parametrize("topic", ["table", "tournament", "player"])
def test_the_feed_tells_each_change_without_an_id(topic, scene, anybody):
    subject = {"table": scene.table_id, "tournament": scene.game.id, "player": scene.bob}[topic]
    feed = Feed(anybody, f"{topic}={subject}")
    chunks = iter(feed.response.response)
    assert next(chunks) == b"retry: 1000\n\n"
    threading.Timer(0.05, scene.beat, (scene.as_alice, 300)).start()
    frame = next(chunks).decode()
    feed.response.close()
    head, data = frame.split("\n", 1)
    assert head == "event: connection"
    assert "id:" not in frame.split("data:")[0]
    assert f'"player_id":"{scene.alice}"' in data
    assert f'"seat":{scene.seats[scene.alice]},' in data
    assert '"connection":"fair"' in data


class Looks:
    """Looks at who is connected, one after another, without waiting a second between them."""

    def __init__(self, services) -> None:
        self.services = services
        self.watch = Watch(services.connections)

    def look(self, table_id: str) -> list[tuple[str, str]]:
        self.watch._next = 0.0
        with self.services.store.database.connection() as conn:
            told = self.watch.look(conn)
        found = [t.seated for t in told if str(t.seated.table_id) == table_id]
        return [(str(seated.player_id), seated.state.value) for seated in found]


def test_each_change_is_told_once_and_so_is_silence(scene, services):
    scene.beat(scene.as_alice)
    looks = Looks(services)
    assert looks.look(scene.table_id) == []
    scene.beat(scene.as_bob, 300)
    assert looks.look(scene.table_id) == [(scene.bob, "fair")]
    assert looks.look(scene.table_id) == []
    for seconds, state in ((6, "poor"), (10, "not_connected")):
        scene.let_pass(seconds, scene.alice)
        assert looks.look(scene.table_id) == [(scene.alice, state)]
    scene.beat(scene.as_alice)
    assert looks.look(scene.table_id) == [(scene.alice, "good")]


def test_nobody_looks_more_often_than_once_a_second(scene, services):
    watch = Watch(services.connections)
    with services.store.database.connection() as conn:
        watch.look(conn)
        scene.beat(scene.as_alice)
        assert watch.look(conn) == []


def test_who_has_left_the_table_is_told_no_more(scene, services, operator, anybody):
    scene.beat(scene.as_alice)
    looks = Looks(services)
    looks.look(scene.table_id)
    operator.made(f"{scene.game.path}/cancel")
    until(lambda: anybody.read(scene.path)["state"] == "closed")
    scene.let_pass(60)
    assert until(lambda: looks.look(scene.table_id) == [])


def test_a_slow_reader_is_told_the_newest_state_of_each_player(scene, app):
    listener = app.extensions[EXTENSION].listener
    seated = Seated(None, UUID(scene.table_id), 1, UUID(scene.alice), Connection.GOOD)
    waiting = Waiting(("table", seated.table_id), threading.Event())
    listener.join(waiting)
    listener._tell([Told(seated, [], b"first"), Told(seated, [], b"newest")])
    listener._tell([Told(seated._replace(player_id=UUID(scene.bob)), [], b"another")])
    listener.leave(waiting)
    assert waiting.awake.is_set()
    assert listener.told(waiting) == [b"newest", b"another"]
    assert listener.told(waiting) == []


def test_a_ring_table_s_change_concerns_the_table_and_its_players_and_no_tournament(scene):
    table, player = UUID(scene.table_id), UUID(scene.alice)
    told = Told(Seated(None, table, 1, player, Connection.GOOD), [player], b"")
    assert told.topics() == [("table", table), ("player", player)]


def test_a_change_leaves_the_reader_s_last_id_what_it_was(scene, anybody):
    """An event without an id between two with one: who resumes after the first misses nothing."""
    whole = Feed(anybody, f"table={scene.table_id}&after=0")
    threading.Timer(0.05, scene.beat, (scene.as_alice,)).start()
    ids = []
    for position, kind, _ in whole.frames():
        ids += [position] if position is not None else []
        if kind.startswith("event: connection"):
            scene.game.act(scene.hand_id)
        if kind == "hand.played":
            break
    whole.response.close()
    assert ids == sorted(set(ids))
    again = Feed(anybody, f"table={scene.table_id}", **{"Last-Event-ID": str(ids[-2])})
    assert again.upto("hand.played", 1)[0][0] == ids[-1]
