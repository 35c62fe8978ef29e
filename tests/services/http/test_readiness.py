"""`/readyz`: what is asked, how often, and what makes the service not ready."""

from __future__ import annotations

import pytest

from services.http import readiness
from services.http.readiness import KEPT_SECONDS, STALLED_SECONDS, Readiness
from tests.services.http.driving import Api


class Listener:
    position = 10
    alive = True


class Store:
    """A store whose log is as long as a test says."""

    database = None

    def __init__(self) -> None:
        self.length = 10
        self.asked = 0

    def head(self) -> int:
        self.asked += 1
        return self.length


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def clock() -> list[float]:
    return [0.0]


@pytest.fixture
def ready(store, listener, clock, monkeypatch) -> Readiness:
    monkeypatch.setattr(readiness, "unapplied", lambda _: [])
    return Readiness(store, listener, lambda: clock[0])


def test_it_is_ready_when_every_check_is(ready):
    assert set(ready.checks().values()) == {"ok"}


def test_the_store_is_asked_once_in_a_while_however_many_ask(ready, store, clock):
    for _ in range(100):
        ready.checks()
    assert store.asked == 1
    clock[0] = KEPT_SECONDS
    ready.checks()
    assert store.asked == 2


def test_a_step_of_the_schema_that_is_missing(ready, monkeypatch):
    monkeypatch.setattr(readiness, "unapplied", lambda _: ["more", "most"])
    assert ready.checks()["migrations"] == "missing: more, most"


def test_a_listener_that_has_ended(ready, listener):
    listener.alive = False
    assert ready.checks()["listener"] == "has ended"


def test_projections_far_behind_or_not_read(ready, store, listener, clock):
    store.length = 10_000
    assert ready.checks()["projector"] == "is 9990 events behind"
    clock[0], listener.position = 2, -1
    assert ready.checks()["projector"] == "the projections were not read yet"


def test_a_projector_that_stands_still_behind_the_log(ready, store, listener, clock):
    store.length = 12
    assert ready.checks()["projector"] == "ok"
    clock[0] = STALLED_SECONDS
    assert ready.checks()["projector"] == "has not moved for 10 s and is 2 events behind"
    clock[0], listener.position = STALLED_SECONDS + 2, 11
    assert ready.checks()["projector"] == "ok"
    clock[0], listener.position = 2 * STALLED_SECONDS, 12
    assert ready.checks()["projector"] == "ok"


def test_a_log_that_nobody_writes_to_is_no_stall(ready, clock):
    for clock[0] in (0, STALLED_SECONDS, 10 * STALLED_SECONDS):
        assert ready.checks()["projector"] == "ok"


def test_the_route_says_what_is_wrong_and_when_to_come_again(anybody, app, monkeypatch):
    answer = anybody.get("/readyz")
    assert (answer.status_code, answer.json["status"]) == (200, "ok")
    monkeypatch.setattr(readiness, "unapplied", lambda _: ["more"])
    monkeypatch.setattr(readiness, "KEPT_SECONDS", 0)
    app.extensions["big2"].readiness._until = 0
    answer = Api(app).get("/readyz")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert answer.json["checks"]["migrations"] == "missing: more"
