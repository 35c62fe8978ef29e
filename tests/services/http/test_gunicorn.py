"""The API as it is served: two gunicorn workers, threads, real sockets."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import urllib3

from services import bootstrap
from services.bootstrap import Services
from tests.services.http.driving import Beside
from tests.services.http.playing import Game, until

READY_SECONDS = 120
"""A busy machine takes long to start Python three times."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One gunicorn, on a port of its own."""

    def __init__(self, services: Services) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        environment = os.environ | bootstrap.variables(services.settings) | {"PORT": str(self.port)}
        argv = [sys.executable, "-m", "gunicorn", "-c", "python:services.http.gunicorn_conf"]
        self.process = subprocess.Popen([*argv, "services.http.wsgi:app"], env=environment)
        self.pool = urllib3.PoolManager(retries=False)
        try:
            until(self.ready, READY_SECONDS)
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise

    def ready(self) -> bool:
        with suppress(urllib3.exceptions.HTTPError):
            return self.pool.request("GET", f"{self.url}/readyz").status == 200
        return False

    def raw(self, sent: bytes) -> bytes:
        """What is answered to these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), 5) as connection:
            connection.sendall(sent)
            got = b""
            while chunk := connection.recv(65536):
                got += chunk
                head, _, body = got.partition(b"\r\n\r\n")
                length = next(
                    (int(h[15:]) for h in head.split(b"\r\n") if h.lower().startswith(b"content-length:")),
                    None,
                )
                if length is not None and len(body) >= length:
                    break
            return got

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)


@pytest.fixture(scope="module")
def server(services: Services, beside: Beside) -> Iterator[Server]:
    server = Server(services)
    yield server
    if server.process.poll() is None:
        server.stop()


def problem(answer: bytes) -> dict:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head
    return json.loads(body)


def test_a_play_over_the_wire_arrives_on_a_feed_of_another_worker(server, app, operator):
    game = Game(app, operator)
    hand_id = game.hand_id()
    url = f"{server.url}/v1/feed?tournament={game.id}&after=0"
    feeds = [server.pool.request("GET", url, preload_content=False) for _ in range(6)]
    answer = game.act(hand_id)
    for feed in feeds:
        told = b""
        while b"event: hand.played" not in told:
            told += feed.read1()
        assert answer["actions"][0]["cards"][0].encode() in told
        feed.close()


def test_a_chunked_body_that_is_too_large_is_refused(server):
    chunk = b"8000\r\n" + b"a" * 0x8000 + b"\r\n"
    head = b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: k\r\n"
    answer = server.raw(head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 4 + b"0\r\n\r\n")
    assert problem(answer)["type"] == "/problems/body-too-large"


def test_a_chunked_body_is_read(server):
    head = b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: k\r\n"
    answer = server.raw(head + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
    assert problem(answer)["type"] == "/problems/unauthenticated"


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        (b"nonsense\r\n\r\n", "bad-request"),
        (b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", "uri-too-long"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 9000 + b"\r\n\r\n", "headers-too-large"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n", "bad-request"),
        (b"POST /v1/players HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nIdempotency-Key: k\r\n"
         b"Content-Type: application/json\r\n\r\nzz\r\n", "bad-request"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_gets_a_problem_too(sent, kind, server):
    answer = problem(server.raw(sent))
    assert answer["type"] == f"/problems/{kind}"


def test_it_answers_many_at_once(server):
    answers = [server.pool.request("GET", f"{server.url}/v1/leaderboards") for _ in range(20)]
    assert {a.status for a in answers} == {200}


def test_the_workers_die_with_their_master(server):
    master = server.process.pid
    workers = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    assert len(workers) == 2
    server.process.kill()
    server.process.wait()
    until(lambda: not any(lives(worker) for worker in workers))


def lives(process: str) -> bool:
    """Whether a process is there, and no zombie."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
