"""The feed: every public event once, in order, from wherever the reader left off; and his own cards to a player."""

from __future__ import annotations

import json
import threading
from itertools import pairwise

import pytest

from services.http import listener as listening
from services.http.calls import EXTENSION
from tests.services.http.driving import Api
from tests.services.http.playing import Game


class Feed:
    """A feed as its reader gets it."""

    def __init__(self, reader: Api, query: str, **headers: str) -> None:
        self.response = reader.get(f"/v1/feed?{query}", headers=headers)
        assert self.response.status_code == 200, self.response.text
        self._chunks = iter(self.response.response)
        self._rest = ""

    def frames(self):
        """Each event as (id, type, data), comments as (None, comment, None)."""
        for chunk in self._chunks:
            self._rest += chunk.decode()
            *frames, self._rest = self._rest.split("\n\n")
            for frame in frames:
                yield parsed(frame)

    def upto(self, kind: str, most: int = 10_000) -> list:
        found = []
        for frame in self.frames():
            if frame[0] is not None:
                found.append(frame)
            if frame[1] == kind or len(found) == most:
                self.response.close()
                return found
        raise AssertionError("the feed ended")


def parsed(frame: str):
    if frame.startswith(":"):
        return None, frame, None
    fields = dict(line.split(": ", 1) for line in frame.split("\n"))
    if "id" not in fields:
        return None, frame, None
    return int(fields["id"]), fields["event"], json.loads(fields["data"])


@pytest.fixture(scope="module")
def played(app, operator) -> Game:
    game = Game(app, operator, stack_points=6)
    game.play()
    return game


def test_the_feed_begins_with_a_retry_hint_and_no_event_of_the_past(app, played, anybody):
    feed = Feed(anybody, f"tournament={played.id}")
    assert next(feed.frames())[1] == "retry: 1000"
    assert feed.response.mimetype == "text/event-stream"
    assert feed.response.headers["Cache-Control"] == "no-store"
    feed.response.close()


def test_a_tournaments_feed_tells_everything_once_in_order(played, anybody, services):
    told = Feed(anybody, f"tournament={played.id}", **{"Last-Event-ID": "0"}).upto("tournament.finished")
    ids = [position for position, _, _ in told]
    assert all(a < b for a, b in pairwise(ids))
    assert all(data["position"] == position and data["type"] == kind for position, kind, data in told)
    with services.store.database.connection() as conn:
        stored = conn.execute(
            "SELECT position FROM projections.feed WHERE tournament_id = %s ORDER BY position", (played.id,)
        ).fetchall()
    assert ids == [position for (position,) in stored if position <= ids[-1]]


@pytest.mark.parametrize("where", ["header", "query"])
def test_a_resumed_feed_has_no_gap_and_no_repeat(where, played, anybody):
    whole = Feed(anybody, f"tournament={played.id}&after=0").upto("tournament.finished")
    for cut in (1, len(whole) // 2, len(whole) - 1):
        last = whole[cut - 1][0]
        query, headers = f"tournament={played.id}", {"Last-Event-ID": str(last)}
        if where == "query":
            query, headers = f"{query}&after={last}", {}
        assert Feed(anybody, query, **headers).upto("tournament.finished") == whole[cut:]


def test_what_the_ring_no_longer_holds_comes_from_the_table(app, played, anybody, monkeypatch):
    whole = Feed(anybody, f"tournament={played.id}&after=0").upto("tournament.finished")
    listener = app.extensions[EXTENSION].listener
    monkeypatch.setattr(listening, "PAGE", 7)
    monkeypatch.setattr(listener, "_floor", listener.position)
    assert Feed(anybody, f"tournament={played.id}&after=0").upto("tournament.finished") == whole


def test_a_table_and_a_player_have_feeds_of_their_own(played, anybody):
    tables = anybody.read(f"{played.path}/tables")["items"]
    at_table = Feed(anybody, f"table={tables[0]['table_id']}&after=0").upto("table.closed")
    assert {data.get("table_id") for _, _, data in at_table} == {tables[0]["table_id"]}
    player = next(iter(played.players))
    his = Feed(anybody, f"player={player}&after=0").upto("hand.settled")
    assert his[0][1] == "roster.registered"


def test_a_player_sees_his_own_cards_in_the_deal_and_nobody_elses(played, anybody):
    deals = {}
    for player, reader in played.players.items():
        told = Feed(reader, f"tournament={played.id}&after=0").upto("hand.dealt")
        deals[player] = told[-1][2]["you"]
        assert len(deals[player]["cards"]) == 13
        assert "cards" not in told[-1][2]
    assert len({card for you in deals.values() for card in you["cards"]}) == 52
    public = Feed(anybody, f"tournament={played.id}&after=0").upto("hand.dealt")
    assert "you" not in public[-1][2]


def test_events_arrive_as_they_happen(app, operator):
    game = Game(app, operator)
    hand_id = game.hand_id()
    feed = Feed(game.anybody, f"tournament={game.id}")
    frames = feed.frames()
    next(frames)
    answer = game.act(hand_id)
    position, kind, data = next(frame for frame in frames if frame[0] is not None)
    assert kind == "hand.played"
    assert data["cards"] == answer["actions"][0]["cards"]
    assert data["position"] == position
    feed.response.close()


def test_a_silent_feed_sends_heartbeats(played, anybody, monkeypatch):
    monkeypatch.setattr("services.http.feed.HEARTBEAT_SECONDS", 0.05)
    frames = Feed(anybody, f"tournament={played.id}").frames()
    assert [next(frames)[1] for _ in range(3)] == ["retry: 1000", ": heartbeat", ": heartbeat"]


def test_a_feed_of_a_revoked_token_ends(app, operator, admin, played, monkeypatch):
    monkeypatch.setattr("services.http.feed.HEARTBEAT_SECONDS", 0.02)
    monkeypatch.setattr("services.http.feed.RECHECK_SECONDS", 0.05)
    made = admin.made("/v1/tokens", {"role": "auditor"})
    frames = Feed(Api(app, made["token"]), f"tournament={played.id}").frames()
    next(frames)
    admin.delete(f"/v1/tokens/{made['token_id']}")
    assert all(kind == ": heartbeat" for _, kind, _ in frames)


def test_feeds_beyond_their_places_are_503_and_a_place_comes_back(app, played, anybody, monkeypatch):
    places = app.extensions[EXTENSION].feeds
    monkeypatch.setattr(places, "most", places.taken + 1)
    feed = Feed(anybody, f"tournament={played.id}")
    refused = anybody.get(f"/v1/feed?tournament={played.id}")
    assert (refused.status_code, refused.json["type"]) == (503, "/problems/too-many-feeds")
    assert refused.headers["Retry-After"]
    feed.response.close()
    again = Feed(anybody, f"tournament={played.id}")
    again.response.close()
    assert places.taken == places.most - 1
    head = anybody.request("HEAD", f"/v1/feed?tournament={played.id}", key=None)
    assert (head.status_code, head.data) == (200, b"")


@pytest.mark.parametrize("query", ["", "tournament={t}&table={t}", "tournament=x", "what={t}"])
def test_a_feed_is_of_exactly_one_thing(query, played, anybody):
    assert anybody.get("/v1/feed?" + query.format(t=played.id)).status_code == 422


@pytest.mark.parametrize("kind", ["tournament", "table", "player"])
def test_a_feed_of_nothing_is_404(kind, anybody):
    assert anybody.get(f"/v1/feed?{kind}=00000000-0000-0000-0000-000000000000").status_code == 404


def test_no_place_is_lost_when_a_feed_cannot_begin(app, played, anybody, monkeypatch):
    places = app.extensions[EXTENSION].feeds
    before = places.taken

    def broken() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("services.http.feed._cut_when_slow", broken)
    assert anybody.get(f"/v1/feed?tournament={played.id}").status_code == 500
    assert places.taken == before


def test_a_feed_that_fails_ends_and_its_error_is_not_told(app, played, anybody, monkeypatch, caplog):
    card = "2" + "S"

    def broken(*_):
        raise ZeroDivisionError(card)

    feed = Feed(anybody, f"tournament={played.id}&after=0")
    frames = feed.frames()
    next(frames)
    monkeypatch.setattr(app.extensions[EXTENSION].listener, "after", broken)
    assert list(frames) == []
    assert "ZeroDivisionError" in caplog.text
    assert "2S" not in caplog.text


def test_a_feed_ahead_of_the_log_is_refused(played, anybody, services):
    path, ahead = f"/v1/feed?tournament={played.id}", services.store.head() + 1_000
    for answer in (
        anybody.get(f"{path}&after={ahead}"),
        anybody.get(path, headers={"Last-Event-ID": str(ahead)}),
    ):
        assert (answer.status_code, answer.json["type"]) == (422, "/problems/validation")


def test_before_the_projections_were_read_there_is_no_feed(app, played, anybody, monkeypatch):
    listener = app.extensions[EXTENSION].listener
    monkeypatch.setattr(listening, "CATCH_UP_SECONDS", 0.01)
    monkeypatch.setattr(listener, "_drain", lambda _: False)
    monkeypatch.setattr(listener, "position", -1)
    answer = anybody.get(f"/v1/feed?tournament={played.id}")
    assert (answer.status_code, answer.json["type"]) == (503, "/problems/unavailable")


def test_a_players_feed_reads_no_row_that_is_not_his(played, services):
    """His index knows his rows: the plan needs no scan of the table."""
    plan = "EXPLAIN SELECT position FROM projections.feed WHERE players @> ARRAY[%s]::uuid[]"
    with services.store.database.transaction() as cur:
        cur.execute("SET LOCAL enable_seqscan = off")
        cur.execute(plan, (next(iter(played.players)),))
        assert "feed_players_idx" in str(cur.fetchall())


def test_the_listener_survives_whatever_fails(app, played, anybody, monkeypatch):
    listener = app.extensions[EXTENSION].listener
    failed = threading.Event()
    drain = listener._drain

    def broken(conn):
        if failed.is_set():
            return drain(conn)
        failed.set()
        raise ZeroDivisionError

    monkeypatch.setattr(listening, "AGAIN_SECONDS", 0.01)
    monkeypatch.setattr(listener, "_drain", broken)
    assert failed.wait(60)
    assert anybody.get(played.path).status_code == 200
    assert listener.alive
