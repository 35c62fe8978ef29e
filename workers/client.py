"""A plain HTTP client of the API, for bots and the demo. It sends a command again until it has an answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import msgspec
import urllib3
from urllib3.exceptions import HTTPError

CONNECTIONS = 16
TIMEOUT_SECONDS = 10.0
PATIENCE_SECONDS = 60.0
"""How long a request is sent again while the service is away, busy or restarting, if nothing else is said."""
PAUSE_SECONDS = 0.1
FEED_TIMEOUT_SECONDS = 40.0
"""A feed says something every 15 seconds; silence for longer means that the connection is dead."""
AGAIN = {HTTPStatus.TOO_MANY_REQUESTS, *range(500, 600)}


class Refused(Exception):  # noqa: N818 - what the service did
    """The service said no: `status` and its problem document."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        errors = "".join(f"; {e['pointer']} {e['detail']}" for e in problem.get("errors", ()))
        super().__init__(f"{status} {problem.get('type', '')}: {problem.get('detail', '')}{errors}")
        self.status = status
        self.problem = problem

    @property
    def code(self) -> str:
        """The problem type's last part, such as `stale-turn`."""
        return str(self.problem.get("type", "")).rpartition("/")[2]


class Client:
    """Requests as one credential; safe for threads."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        patience_seconds: float | None = None,
        pool: urllib3.PoolManager | None = None,
    ) -> None:
        self._url = url.rstrip("/")
        self._patience_seconds = PATIENCE_SECONDS if patience_seconds is None else patience_seconds
        self._pool = pool or urllib3.PoolManager(maxsize=CONNECTIONS, retries=False)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def with_token(self, token: str) -> Client:
        """The same connections as another credential."""
        return Client(self._url, token, patience_seconds=self._patience_seconds, pool=self._pool)

    def get(self, path: str) -> Any:  # noqa: ANN401 - JSON
        return self._until_answered("GET", path, None, {})

    def post(self, path: str, body: object = None, *, key: str | None = None) -> Any:  # noqa: ANN401 - JSON
        """Send a command; `key` is its Idempotency-Key, a new one by default. Sent again, it is the same command."""
        return self._until_answered("POST", path, body, {"Idempotency-Key": key or str(uuid4())})

    def put(self, path: str, body: object) -> Any:  # noqa: ANN401 - JSON
        """Make a resource as the body says; sent again, it is the same command."""
        return self._until_answered("PUT", path, body, {"Idempotency-Key": str(uuid4())})

    def delete(self, path: str) -> None:
        """End what is there, such as a player's stay in a seat; sent again, it is the same command."""
        self._until_answered("DELETE", path, None, {"Idempotency-Key": str(uuid4())})

    def pages(self, path: str) -> Iterator[dict[str, Any]]:
        """All items of a list."""
        joint = "&" if "?" in path else "?"
        page = self.get(f"{path}{joint}limit=200")
        yield from page["items"]
        while page["next"]:
            page = self.get(f"{path}{joint}limit=200&cursor={page['next']}")
            yield from page["items"]

    def feed(self, query: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Events as (type, data) for ever; a lost connection is resumed after the last event that was seen.

        Raises Refused when the service says no: such a token, or such a query, will never be good.
        Yields ("connected", {}) whenever a connection stands, for something may have been missed before it, and
        ("heartbeat", {}) when the service says that nothing has happened.
        """
        last: str | None = None
        while True:
            try:
                for position, kind, data in self._stream(query, last):
                    last = position or last
                    yield kind, data
            except HTTPError:
                time.sleep(PAUSE_SECONDS)

    def _stream(self, query: str, last: str | None) -> Iterator[tuple[str | None, str, dict[str, Any]]]:
        headers = {**self._headers, "Accept": "text/event-stream"}
        if last is not None:
            headers["Last-Event-ID"] = last
        timeout = urllib3.Timeout(connect=TIMEOUT_SECONDS, read=FEED_TIMEOUT_SECONDS)
        response = self._pool.request(
            "GET", f"{self._url}/v1/feed?{query}", headers=headers, preload_content=False, timeout=timeout
        )
        with response:
            if response.status in AGAIN:
                raise HTTPError(f"the feed answered {response.status}")
            if response.status != HTTPStatus.OK:
                raise Refused(response.status, msgspec.json.decode(response.read()))
            yield None, "connected", {}
            yield from _events(response)

    def _until_answered(self, method: str, path: str, body: object, headers: dict[str, str]) -> Any:  # noqa: ANN401
        give_up = time.monotonic() + self._patience_seconds
        while True:
            try:
                status, answer = self._once(method, path, body, headers)
            except HTTPError as error:
                status, answer = HTTPStatus.SERVICE_UNAVAILABLE, {"detail": str(error)}
            if status < HTTPStatus.BAD_REQUEST:
                return answer
            if status not in AGAIN or time.monotonic() > give_up:
                raise Refused(status, answer)
            time.sleep(PAUSE_SECONDS)

    def _once(self, method: str, path: str, body: object, headers: dict[str, str]) -> tuple[int, Any]:
        send = dict(self._headers) | headers
        raw = None
        if body is not None:
            raw = msgspec.json.encode(body)
            send["Content-Type"] = "application/json"
        response = self._pool.request(
            method, f"{self._url}{path}", body=raw, headers=send, timeout=TIMEOUT_SECONDS
        )
        return response.status, msgspec.json.decode(response.data) if response.data else {}


def _events(response: urllib3.BaseHTTPResponse) -> Iterator[tuple[str | None, str, dict[str, Any]]]:
    """The events of an SSE stream as (id, type, data)."""
    fields: dict[str, str] = {}
    for line in _lines(response):
        if line.startswith(":"):
            yield None, "heartbeat", {}
        elif line:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
        elif "data" in fields:
            yield fields.get("id"), fields.get("event", "message"), msgspec.json.decode(fields["data"])
            fields = {}
        else:
            fields = {}


def _lines(response: urllib3.BaseHTTPResponse) -> Iterator[str]:
    rest = b""
    while chunk := response.read1():
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.decode()
