"""A tiny HTTP server that answers as it is told, and keeps what it was asked."""

from __future__ import annotations

import fcntl
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple


class Request(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: Any


class Drop(Exception):  # noqa: N818 - what the server does
    """Close the connection without an answer."""


Answer = Callable[[Request], tuple[int, Any]]


class Service:
    """`answer` gets each request and returns status and body; bytes or an iterator of bytes are sent as they are."""

    def __init__(self, answer: Answer) -> None:
        self.asked: list[Request] = []
        self._answer = answer
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                service.handle(self)

            do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815 - the library's names

            def log_message(self, *_: object) -> None:
                """Quietly."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("Content-Length") or 0)
        body = json.loads(handler.rfile.read(length)) if length else None
        request = Request(handler.command, handler.path, dict(handler.headers), body)
        self.asked.append(request)
        try:
            status, answer = self._answer(request)
        except Drop:
            handler.close_connection = True
            return
        if isinstance(answer, Iterator):
            self._stream(handler, status, answer)
            return
        raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(raw)))
        handler.end_headers()
        handler.wfile.write(raw)

    @staticmethod
    def _stream(handler: BaseHTTPRequestHandler, status: int, chunks: Iterator[bytes]) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        for chunk in chunks:
            handler.wfile.write(chunk)
            handler.wfile.flush()
        handler.close_connection = True


@contextmanager
def serving(answer: Answer) -> Iterator[Service]:
    service = Service(answer)
    thread = threading.Thread(target=service._server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield service
    finally:
        service._server.shutdown()
        service._server.server_close()
        thread.join(10)


@contextmanager
def held(data: Path, text: str) -> Iterator[None]:
    """A data directory on which a supervisor works that says this of itself."""
    with (data / "supervisor.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(text)
        lock.flush()
        yield


def event(position: int, kind: str, data: Any) -> bytes:
    """An event of a feed."""
    return f"id: {position}\nevent: {kind}\ndata: {json.dumps(data)}\n\n".encode()
