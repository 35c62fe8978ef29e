"""gunicorn's own errors, and how it is set up."""

from __future__ import annotations

import json
import runpy
import socket
from types import SimpleNamespace

import pytest
from gunicorn.http import errors
from gunicorn.workers.gthread import ThreadWorker

from services.http.calls import EXTENSION
from services.http.sender import HandedOver
from services.http.worker import Worker


def said(error: Exception) -> dict:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        Worker.handle_error(None, None, theirs, None, error)
        head, _, body = ours.recv(65536).partition(b"\r\n\r\n")
    assert b"application/problem+json" in head
    return json.loads(body)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (errors.InvalidRequestLine("x"), "bad-request"),
        (errors.LimitRequestLine(1, 2), "uri-too-long"),
        (errors.LimitRequestHeaders("x"), "headers-too-large"),
        (errors.InvalidChunkSize(b"x"), "bad-request"),
        (ZeroDivisionError(), "internal"),
    ],
)
def test_each_gets_its_problem(error, kind):
    assert said(error)["type"] == f"/problems/{kind}"


def test_a_reader_who_is_gone_is_told_nothing():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        Worker.handle_error(None, None, theirs, None, TimeoutError())
        ours.setblocking(False)
        with pytest.raises(BlockingIOError):
            ours.recv(1)


def test_a_feed_that_the_sender_cannot_take_ends_and_its_connection_is_closed(monkeypatch):
    ended, counted, closed = [], [], []

    def no_thread(*_):
        raise RuntimeError

    def handing_over(*_):
        raise HandedOver(SimpleNamespace(end=ended.append))

    monkeypatch.setattr(ThreadWorker, "handle_request", handing_over)
    monkeypatch.setattr(ThreadWorker, "handle", lambda self, conn: self.handle_request(None, conn))
    worker = Worker.__new__(Worker)
    worker.wsgi = SimpleNamespace(
        extensions={EXTENSION: SimpleNamespace(sender=SimpleNamespace(take=no_thread))}
    )
    worker.method_queue = SimpleNamespace(defer=lambda _, change: counted.append(change))
    conn = SimpleNamespace(sock=None, close=lambda *, graceful: closed.append(graceful))
    assert worker.handle(conn) is False
    assert (ended, sum(counted), closed) == (["failed"], 0, [True])


def test_two_workers_with_threads_are_forked_before_the_application_is_made(monkeypatch):
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "its own; this process counts without one")
    conf = runpy.run_module("services.http.gunicorn_conf")
    conf["on_exit"](None)
    assert (conf["workers"], conf["threads"]) == (2, 1024)
    assert conf["preload_app"] is False
    assert conf["accesslog"] is None
