"""A receiver of webhooks: a real server on 127.0.0.1, which answers by the path that it is asked for."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Delivery(NamedTuple):
    """What came: headers, the bytes of the body, and what they say."""

    headers: dict[str, str]
    body: bytes
    event: dict


class Receiver:
    """Takes whatever comes; `answers` says by path what else to do: it is called, and gives the status."""

    def __init__(self) -> None:
        self.taken: dict[str, list[Delivery]] = {}
        self.answers: dict[str, Callable[[], int]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self._server.server_port}{path}"

    def at(self, path: str) -> list[Delivery]:
        """What came to a path, in order."""
        return self.taken.get(path, [])

    def positions(self, path: str) -> list[int]:
        return [delivery.event["position"] for delivery in self.at(path)]

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            delivery = Delivery(dict(self.headers.items()), body, json.loads(body))
            receiver.taken.setdefault(self.path, []).append(delivery)
            self.send_response(receiver.answers.get(self.path, lambda: 204)())
            self.send_header("Location", receiver.url("/elsewhere"))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    return Handler
