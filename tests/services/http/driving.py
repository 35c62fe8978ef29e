"""What the tests of the HTTP API drive it with: requests as somebody, and the service's other processes as a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import uuid4

from flask import Flask

from domain.credential import Role
from domain.ids import CommandId
from services.application import credentials
from services.application.credentials import Grant
from services.bootstrap import Services
from services.envelope import Command
from services.eventtable import Read, Rows
from services.projections import Projector
from workers import jobs


class Clock:
    """How far the service's clock is ahead of the real one: a test that waits for a time puts it forward."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    @contextmanager
    def put_forward(self, **by: float) -> Iterator[None]:
        """For a block it is later by so much."""
        self.ahead = timedelta(**by)
        try:
            yield
        finally:
            self.ahead = timedelta()

    def go_on(self, **by: float) -> None:
        """Within such a block it is later still."""
        self.ahead += timedelta(**by)


CLOCK = Clock()


class ClockedRows:
    """The events table, read at that clock's time."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def __getattr__(self, name: str):
        return getattr(self._rows, name)

    def read(self, *which) -> Read:
        return self._later(self._rows.read(*which))

    def read_few(self, *which) -> Read:
        return self._later(self._rows.read_few(*which))

    def read_many(self, *which) -> Read:
        return self._later(self._rows.read_many(*which))

    @staticmethod
    def _later(found: Read) -> Read:
        return found._replace(at=found.at + CLOCK.ahead)


class Beside:
    """The projector, and whatever the agenda says is due, in a thread of its own."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._before, jobs.services = jobs.services, lambda: services
        self._projector = Projector(services.store)
        self._projector.create()
        self._over = threading.Event()
        self._turn = threading.Lock()
        self._rested_at = -1
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()
        jobs.services = self._before

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Nothing is projected, and no job is done, for a block."""
        with self._turn:
            yield

    def rests(self) -> bool:
        """Whether all that is in the log is projected, and no job is due."""
        return self._rested_at == self._services.store.head()

    def _run(self) -> None:
        while not self._over.is_set():
            with self._turn:
                self._projector.catch_up()
                worked = self._work()
                if not worked:
                    self._rested_at = self._projector.position
            if not worked:
                self._over.wait(0.002)

    def _work(self) -> bool:
        with self._services.store.database.connection() as conn:
            due = conn.execute(
                "SELECT job, args FROM projections.agenda WHERE due_at <= clock_timestamp() + %s",
                (CLOCK.ahead,),
            ).fetchall()
        for job, args in due:
            self._do(job, args)
        return bool(due)

    @staticmethod
    def _do(job: str, args: list) -> None:
        getattr(jobs, jobs.JOBS[job].rpartition(".")[2])(*args)


class Api:
    """Requests as somebody. Every command gets a key of its own unless it is given one."""

    def __init__(self, app: Flask, token: str | None = None) -> None:
        self.app = app
        self.token = token

    def request(
        self, method: str, path: str, body: object = None, *, key: str | None = "", headers=None, **more
    ):
        sent = dict(headers or {})
        if self.token:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        if key is not None and method != "GET" and (method == "POST" or key):
            sent.setdefault("Idempotency-Key", key or str(uuid4()))
        if body is not None:
            more["json"] = body
        return self.app.test_client().open(path, method=method, headers=sent, **more)

    def get(self, path: str, **more):
        return self.request("GET", path, **more)

    def post(self, path: str, body: object = None, **more):
        return self.request("POST", path, body, **more)

    def delete(self, path: str, **more):
        return self.request("DELETE", path, **more)

    def made(self, path: str, body: object = None, **more) -> dict:
        """The answer to a command that must be done."""
        response = self.post(path, body, **more)
        assert response.status_code in (200, 201), response.text
        return response.json

    def read(self, path: str, **more) -> dict:
        response = self.get(path, **more)
        assert response.status_code == 200, response.text
        return response.json


def make_token(services: Services, role: Role) -> str:
    command = Command(CommandId(uuid4()), "tests", "")
    text = credentials.issue(services.store, command, lambda: Grant(role)).text
    assert text
    return text
