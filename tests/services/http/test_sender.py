"""The sender: a feed that has only to wait is a socket in its one thread, and every reader gets what he is to get."""

from __future__ import annotations

import re
import socket
import threading
from uuid import UUID

import pytest
from werkzeug.test import EnvironBuilder

from domain.connection import Connection
from services.application.connections import Seated
from services.http import feed as feeding
from services.http import sender as sending
from services.http.calls import EXTENSION
from services.http.feed import SEND_BYTES
from services.http.figures import counted
from services.http.sender import HandedOver, Sender
from services.http.watch import Told
from tests.services.http.driving import Api
from tests.services.http.playing import SECONDS, Game, until
from tests.services.http.test_feed import parsed
from tests.services.http.test_metrics import page


class Handed:
    """A feed that was handed over, at its reader's end; `past` is what the server's thread had sent before."""

    def __init__(self, app, reader: Api, query: str, protocol: str = "HTTP/1.1", **headers: str) -> None:
        ours, self.socket = socket.socketpair()
        self.socket.settimeout(SECONDS)
        headers |= {"Authorization": f"Bearer {reader.token}"} if reader.token else {}
        builder = EnvironBuilder(f"/v1/feed?{query}", headers=headers)
        builder.server_protocol = protocol
        builder.environ_base = {"gunicorn.socket": ours}
        answer = app.wsgi_app(builder.get_environ(), lambda *_: None)
        self.past = b""
        self.over = threading.Event()
        try:
            for part in answer:
                self.past += part
        except HandedOver as handed:
            self.stream = handed.stream
            app.extensions[EXTENSION].sender.take(self.stream, ours, self.over.set)
        finally:
            answer.close()
        self._chunked = protocol == "HTTP/1.1"
        self._rest = b""

    def told(self, what: str) -> list:
        """The frames up to one of this kind, and those that came with it."""
        found = []
        while not any(what in kind for _, kind, _ in found):
            found += [parsed(frame) for frame in self.chunk().decode().split("\n\n")[:-1]]
        return found

    def chunk(self) -> bytes:
        """The next part of the body."""
        if not self._chunked:
            return self.socket.recv(1 << 20)
        while b"\r\n" not in self._rest:
            self._more()
        size, _, self._rest = self._rest.partition(b"\r\n")
        while len(self._rest) < int(size, 16) + 2:
            self._more()
        body, end = self._rest[: int(size, 16)], self._rest[int(size, 16) :][:2]
        assert end == b"\r\n"
        self._rest = self._rest[len(body) + 2 :]
        return body

    def _more(self) -> None:
        more = self.socket.recv(1 << 20)
        assert more, "the feed was cut"
        self._rest += more

    def rest(self) -> bytes:
        """Everything up to the end of the connection."""
        found = self._rest
        while more := self.socket.recv(1 << 20):
            found += more
        return found

    def close(self) -> None:
        self.socket.close()
        assert self.over.wait(SECONDS)


@pytest.fixture
def handed(app, monkeypatch):
    """Opens feeds that are handed over, and closes them."""
    monkeypatch.setattr(app.extensions[EXTENSION].sender, "taking", True)
    monkeypatch.setattr(sending, "LOOK_SECONDS", 0.02)
    opened = []

    def open_feed(reader: Api, query: str, protocol: str = "HTTP/1.1", **headers: str) -> Handed:
        opened.append(Handed(app, reader, query, protocol, **headers))
        return opened[-1]

    yield open_feed
    for each in opened:
        each.close()


@pytest.fixture
def game(app, operator) -> Game:
    return Game(app, operator)


def reached(app) -> bool:
    """Whether the feeds know all that is in the log."""
    parts = app.extensions[EXTENSION]
    return parts.listener.position >= parts.services.store.head()


def ended(why: str) -> float:
    return page(counted().decode()).get("big2_feeds_ended_total", {}).get((why,), 0)


def test_every_reader_gets_every_event_once_in_order(game, handed, services):
    hand_id = game.hand_id()
    begun = services.store.head()
    readers = [handed(game.anybody, f"tournament={game.id}&after={begun}") for _ in range(8)]
    game.play_hand(hand_id)
    told = [[frame for frame in reader.told("hand.settled") if frame[0]] for reader in readers]
    least = min(map(len, told))
    with services.store.database.connection() as conn:
        query = "SELECT position FROM projections.feed WHERE tournament_id = %s AND position > %s ORDER BY position"
        stored = [position for (position,) in conn.execute(query, (game.id, begun))]
    assert [position for position, _, _ in told[0]] == stored[: len(told[0])]
    assert all(data["position"] == position and data["type"] == kind for position, kind, data in told[0])
    assert all(each[:least] == told[0][:least] for each in told)


def test_what_is_past_comes_before_the_feed_is_handed_over_with_no_gap_and_no_repeat(game, handed):
    hand_id = game.hand_id()
    game.act(hand_id)
    whole = handed(game.anybody, f"tournament={game.id}&after=0")
    until(lambda: b"event: hand.played" in handed(game.anybody, f"tournament={game.id}&after=0").past)
    game.play_hand(hand_id)
    ids = [int(line[4:]) for line in whole.past.decode().splitlines() if line.startswith("id: ")]
    ids += [position for position, _, _ in whole.told("hand.settled") if position]
    resumed = handed(game.anybody, f"tournament={game.id}", **{"Last-Event-ID": str(ids[3])})
    again = [int(line[4:]) for line in resumed.past.decode().splitlines() if line.startswith("id: ")]
    assert again[: len(ids) - 4] == ids[4:]


def test_a_player_sees_his_own_cards_in_a_deal_and_nobody_elses(app, operator, handed):
    game = Game(app, operator, entrants=3)
    query, [his, other, _] = f"tournament={game.id}", game.players.values()
    readers = [handed(reader, query) for reader in (his, game.anybody, other)]
    game.enter(app)
    [deal, seen, others] = [
        next(data for _, kind, data in reader.told("hand.dealt") if kind == "hand.dealt")
        for reader in readers
    ]
    assert len(deal["you"]["cards"]) == 13
    assert "you" not in seen
    assert not set(others["you"]["cards"]) & set(deal["you"]["cards"])
    assert {k: v for k, v in deal.items() if k != "you"} == seen


def test_a_change_of_a_connection_is_told(app, game, handed):
    table = UUID(game.hand(game.hand_id())["table_id"])
    reader = handed(game.anybody, f"table={table}")
    seated = Seated(None, table, 1, UUID(next(iter(game.players))), Connection.GOOD)
    app.extensions[EXTENSION].listener._tell([Told(seated, [], b"event: connection\ndata: {}\n\n")])
    assert reader.told("connection")


def test_a_silent_feed_sends_heartbeats(game, handed, monkeypatch):
    monkeypatch.setattr(feeding, "HEARTBEAT_SECONDS", 0.05)
    reader = handed(game.anybody, f"table={game.hand(game.hand_id())['table_id']}")
    for _ in range(3):
        reader.told(": heartbeat")


def test_a_reader_of_http_1_0_gets_no_chunks(game, handed):
    reader = handed(game.anybody, f"tournament={game.id}", "HTTP/1.0")
    game.act(game.hand_id())
    assert reader.told("hand.played")


def test_a_feed_of_http_2_stays_where_it_is(app, game, monkeypatch):
    parts = app.extensions[EXTENSION]
    monkeypatch.setattr(parts.sender, "taking", True)
    monkeypatch.setattr(parts.listener, "_closing", threading.Event())
    environ = EnvironBuilder(f"/v1/feed?tournament={game.id}&after=0").get_environ()
    threading.Timer(0.5, parts.listener.close_feeds).start()
    answer = app.wsgi_app(environ | {"SERVER_PROTOCOL": "HTTP/2.0"}, lambda *_: None)
    assert b"retry: " in [*answer][-1]
    answer.close()


def test_a_feed_of_a_revoked_token_ends_whole(app, game, admin, handed, monkeypatch):
    monkeypatch.setattr(feeding, "RECHECK_SECONDS", 0.05)
    made = admin.made("/v1/tokens", {"role": "auditor"})
    reader, before = handed(Api(app, made["token"]), f"tournament={game.id}"), ended("token")
    admin.delete(f"/v1/tokens/{made['token_id']}")
    assert reader.rest().endswith(b"0\r\n\r\n")
    until(lambda: ended("token") == before + 1)


def test_a_feed_whose_token_cannot_be_looked_at_ends_and_nobody_waits_for_it(app, game, handed, monkeypatch):
    gate, held = app.extensions[EXTENSION].gate, threading.Event()

    def away(*_):
        held.wait(SECONDS)
        raise ZeroDivisionError

    monkeypatch.setattr(feeding, "RECHECK_SECONDS", 0.05)
    monkeypatch.setattr(gate, "still_good", away)
    before = ended("failed")
    reader, other = (handed(who, f"tournament={game.id}") for who in (game.operator, game.anybody))
    game.act(game.hand_id())
    assert other.told("hand.played")
    assert ended("failed") == before
    held.set()
    assert b"hand.played" in reader.rest()
    until(lambda: ended("failed") == before + 1)


def test_a_feed_whose_token_nobody_gets_to_look_at_ends_after_a_while(app, game, handed, monkeypatch):
    gate, held = app.extensions[EXTENSION].gate, threading.Event()
    monkeypatch.setattr(feeding, "RECHECK_SECONDS", 0.05)
    monkeypatch.setattr(feeding, "UNCHECKED_SECONDS", 0.2)
    monkeypatch.setattr(gate, "still_good", lambda *_: held.wait(2 * SECONDS) or True)
    before = ended("token")
    readers = [handed(game.operator, f"tournament={game.id}") for _ in range(2)]
    other = handed(game.anybody, f"tournament={game.id}")
    try:
        assert all(reader.rest().endswith(b"0\r\n\r\n") for reader in readers)
        until(lambda: ended("token") == before + 2)
    finally:
        held.set()
    game.act(game.hand_id())
    assert other.told("hand.played")


def test_a_sender_that_could_not_begin_tries_again_with_the_next_feed(monkeypatch):
    def no_thread(_):
        raise RuntimeError

    monkeypatch.setattr(threading.Thread, "start", no_thread)
    sender = Sender(None)
    for _ in range(2):
        with pytest.raises(RuntimeError):
            sender.take(None, None, None)


def test_a_reader_who_goes_gives_his_place_back_at_once(app, game, handed):
    places, before = app.extensions[EXTENSION].feeds, ended("gone")
    taken = places.taken
    reader = handed(game.anybody, f"tournament={game.id}")
    assert places.taken == taken + 1
    reader.close()
    assert places.taken == taken
    assert ended("gone") == before + 1


def test_what_a_reader_sends_after_his_request_changes_nothing(game, handed):
    reader = handed(game.anybody, f"tournament={game.id}")
    reader.socket.sendall(b"GET / HTTP/1.1\r\n\r\n" * 1000)
    game.act(game.hand_id())
    assert reader.told("hand.played")


def tell(app, table: UUID, frame: bytes) -> None:
    """Have the feeds of a table told something, of whatever size."""
    seated = Seated(None, table, 1, UUID(int=len(frame)), Connection.GOOD)
    app.extensions[EXTENSION].listener._tell([Told(seated, [], frame)])


LARGE = b"event: connection\ndata: %b\n\n" % (b"x" * 100 * SEND_BYTES)
"""More than the kernel keeps for a reader that does not read."""


def test_a_reader_who_does_not_read_is_cut_and_holds_up_nobody(app, game, handed):
    table, before = UUID(game.hand(game.hand_id())["table_id"]), ended("slow")
    slow = handed(game.anybody, f"table={table}")
    tell(app, table, LARGE)
    other = handed(game.anybody, f"table={table}")
    game.act(game.hand_id())
    assert other.told("hand.played")
    assert ended("slow") == before
    slow.stream.patience = 0
    until(lambda: ended("slow") == before + 1)
    assert len(slow.rest()) < len(LARGE)


def test_a_reader_who_was_slow_for_a_while_misses_nothing(app, game, handed):
    table = UUID(game.hand(game.hand_id())["table_id"])
    reader = handed(game.anybody, f"table={table}")
    tell(app, table, LARGE)
    game.act(game.hand_id())
    until(lambda: reached(app))
    assert reader.chunk() == LARGE
    assert reader.told("hand.played")


def test_a_reader_whom_the_ring_has_overtaken_comes_again(app, game, handed, monkeypatch):
    table, before = UUID(game.hand(game.hand_id())["table_id"]), ended("slow")
    reader = handed(game.anybody, f"table={table}")
    monkeypatch.setattr(app.extensions[EXTENSION].listener, "_floor", 2**62)
    tell(app, table, b"event: connection\ndata: {}\n\n")
    assert reader.rest() == b"0\r\n\r\n"
    until(lambda: ended("slow") == before + 1)


def test_when_the_process_ends_each_reader_is_sent_away_even_one_who_is_slow(app, game, handed, monkeypatch):
    table, before = UUID(game.hand(game.hand_id())["table_id"]), ended("closed")
    slow = handed(game.anybody, f"table={table}")
    tell(app, table, LARGE)
    reader = handed(game.anybody, f"table={table}")
    listener = app.extensions[EXTENSION].listener
    monkeypatch.setattr(listener, "_closing", threading.Event())
    listener.close_feeds()
    for each in (reader, slow):
        assert re.search(rb"\r\nretry: \d+\n\n\r\n0\r\n\r\n\Z", b"\r\n" + each.rest())
    until(lambda: ended("closed") == before + 2)


def test_a_feed_that_fails_ends_and_its_error_is_not_told(app, game, handed, monkeypatch, caplog):
    card, table, before = "2" + "S", UUID(game.hand(game.hand_id())["table_id"]), ended("failed")

    def broken(*_):
        raise ZeroDivisionError(card)

    reader = handed(game.anybody, f"table={table}")
    monkeypatch.setattr(app.extensions[EXTENSION].listener, "told", broken)
    tell(app, table, LARGE)
    assert reader.rest() == b""
    until(lambda: ended("failed") == before + 1)
    assert "ZeroDivisionError" in caplog.text
    assert "2S" not in caplog.text


def test_the_sender_survives_whatever_fails(app, game, handed, monkeypatch, caplog):
    sender = app.extensions[EXTENSION].sender
    reader = handed(game.anybody, f"tournament={game.id}")
    with monkeypatch.context() as patch:
        patch.setattr(sender, "_look_at", "never")
        game.act(game.hand_id())
        until(lambda: "the feeds' sender failed and goes on: TypeError" in caplog.text)
    assert reader.told("hand.played")
