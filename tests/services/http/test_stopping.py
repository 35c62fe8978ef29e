"""How the server ends: what it has begun it finishes, feeds are sent away, and slow readers are cut long before."""

from __future__ import annotations

import os
import re
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest
from msgspec.structs import replace

from domain.credential import Role
from services.http.calls import EXTENSION
from services.http.feed import RETRY_MS, SEND_BYTES, SPREAD_MS
from tests.services.http.driving import make_token
from tests.services.http.playing import Game, until
from tests.services.http.test_gunicorn import Server
from tests.services.http.test_metrics import TOKEN, page

HELD_SECONDS = 1.5
"""So long the slow request of these tests takes."""
PATIENCE_SECONDS = 1
ROW_BYTES = 400_000
MOST_BYTES = 8 * SEND_BYTES
"""What both ends keep at most for a reader that does not read; the kernel doubles what it is told."""


class Own(Server):
    """A server of a test's own, that counts as one and is impatient with readers."""

    def __init__(self, services) -> None:
        services.settings, before = (
            replace(services.settings, metrics_token=TOKEN, feed_seconds=PATIENCE_SECONDS),
            services.settings,
        )
        try:
            super().__init__(services)
        finally:
            services.settings = before

    def figures(self) -> dict:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        return page(self.pool.request("GET", f"{self.url}/metrics", headers=headers).data.decode())


@pytest.fixture
def server(services, beside) -> Iterator[Own]:
    server = Own(services)
    yield server
    if server.process.poll() is None:
        server.stop()


def post(server: Server, token: str, body: dict):
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": str(uuid4())}
    return server.pool.request("POST", f"{server.url}/v1/players", json=body, headers=headers)


def test_sigterm_finishes_what_is_in_flight_and_takes_nothing_new(server, services):
    token, body = make_token(services, Role.OPERATOR), {"name": f"Late {uuid4().hex[:20]}"}
    for _ in range(10):  # connections that are over must not count as one that is not
        server.raw(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    with ThreadPoolExecutor(1) as pool:
        with services.store.database.transaction() as held:
            held.execute("LOCK TABLE big2_events IN EXCLUSIVE MODE")
            answer = pool.submit(post, server, token, body)
            time.sleep(HELD_SECONDS / 2)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(HELD_SECONDS / 2)
            assert not answer.done()
        assert answer.result(10).status == 201
    assert server.process.wait(10) == 0
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", server.port), 1)


def test_sigterm_sends_readers_of_feeds_away_at_once_and_not_all_back_at_once(server, app, operator):
    game = Game(app, operator)
    url = f"{server.url}/v1/feed?tournament={game.id}"
    feeds = [server.pool.request("GET", url, preload_content=False) for _ in range(4)]
    for feed in feeds:
        assert feed.read1().startswith(b"retry: %d\n\n" % RETRY_MS)
    until(lambda: server.figures()["big2_feeds"][()] == 4)
    begun = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    hints = [int(re.search(rb"retry: (\d+)\n\n\Z", feed.read())[1]) for feed in feeds]
    assert time.monotonic() - begun < 2
    assert all(RETRY_MS <= hint < RETRY_MS + SPREAD_MS for hint in hints)
    assert len(set(hints)) > 1
    assert server.process.wait(10) == 0


def test_a_reader_that_does_not_read_is_cut_and_costs_little_memory_until_then(
    server, services, app, operator
):
    game = Game(app, operator)
    game.act(game.hand_id())
    until(lambda: app.extensions[EXTENSION].listener.position >= services.store.head())
    with services.store.database.connection() as conn:
        filler = "UPDATE projections.feed SET data = %s WHERE tournament_id = %s"
        rows = conn.execute(filler, (f'{{"filler": "{"x" * ROW_BYTES}"}}', game.id)).rowcount
    assert rows * ROW_BYTES > 10 * MOST_BYTES
    with socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.connect(("127.0.0.1", server.port))
        begun = time.monotonic()
        reader.sendall(b"GET /v1/feed?tournament=%s&after=0 HTTP/1.1\r\nHost: x\r\n\r\n" % game.id.encode())
        until(lambda: server.figures().get("big2_feeds_ended_total", {}).get(("slow",)) == 1, 20)
        assert PATIENCE_SECONDS <= time.monotonic() - begun < PATIENCE_SECONDS + 10
        assert server.figures()["big2_feeds"][()] == 0
        assert received(reader) < MOST_BYTES


def received(reader: socket.socket) -> int:
    """How much had been sent until the reader was cut."""
    total = 0
    with suppress(ConnectionResetError):
        while chunk := reader.recv(65536):
            total += len(chunk)
    return total


def test_a_client_that_does_not_close_holds_up_nobody_else(server):
    """gunicorn waits two seconds for each such client, in the thread that takes every request."""
    request = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    stubborn = [socket.create_connection(("127.0.0.1", server.port), 5) for _ in range(20)]
    for connection in stubborn:
        connection.sendall(request)
    for connection in stubborn:
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
    begun = time.monotonic()
    for _ in range(4):
        assert server.pool.request("GET", f"{server.url}/healthz").status == 200
    assert time.monotonic() - begun < 2
    for connection in stubborn:
        connection.close()


def test_the_processes_of_a_server_count_together_and_leave_nothing_behind(server):
    for _ in range(20):
        server.pool.request("GET", f"{server.url}/v1/rulesets")
        server.pool.clear()  # another connection, and so maybe another process
    assert server.figures()["big2_reads_total"][("/v1/rulesets", "200")] == 20
    folder = Path(f"/dev/shm/big2-{os.geteuid()}-counts-{server.port}")
    assert folder.stat().st_mode & 0o777 == 0o700
    server.stop()
    assert not folder.exists()
