"""`/readyz`: what is asked, how often, and what makes the service not ready."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from psycopg.errors import UndefinedTable

from services.errors import Unavailable
from services.http import readiness
from services.http.readiness import KEPT_SECONDS, MOST_LAG, MOST_SECONDS, Readiness
from services.projections.progress import Progress, Stall, Stalled, keep
from tests.services.http.driving import Api
from tests.services.http.playing import until

SINCE = datetime(2027, 1, 29, 19, 40, tzinfo=UTC)


class Listener:
    read_at = 0.0
    alive = True


class Store:
    database = None


class Projections:
    """Projections as far as a test says."""

    def __init__(self) -> None:
        self.asked = 0
        self.found: Progress | Exception | None = Progress(10, 0, timedelta(), None)

    def __call__(self, _database: None, _most: int) -> Progress | None:
        self.asked += 1
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


@pytest.fixture
def projections(monkeypatch) -> Projections:
    projections = Projections()
    monkeypatch.setattr(readiness, "progress", projections)
    monkeypatch.setattr(readiness, "unapplied", lambda _: [])
    return projections


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def clock() -> list[float]:
    return [0.0]


@pytest.fixture
def ready(projections, listener, clock) -> Readiness:
    return Readiness(Store(), listener, lambda: clock[0])


def test_it_is_ready_when_every_check_is(ready):
    assert set(ready.checks().values()) == {"ok"}


def test_the_store_is_asked_once_in_a_while_however_many_ask(ready, projections, clock):
    for _ in range(100):
        ready.checks()
    assert projections.asked == 1
    clock[0] = KEPT_SECONDS
    ready.checks()
    assert projections.asked == 2


def test_a_step_of_the_schema_that_is_missing(ready, monkeypatch):
    monkeypatch.setattr(readiness, "unapplied", lambda _: ["more", "most"])
    assert ready.checks()["migrations"] == "missing: more, most"


def test_a_store_that_does_not_answer(ready, projections):
    projections.found = Unavailable("away")
    assert ready.checks() == {"store": "does not answer (Unavailable)"}


def test_a_listener_that_has_ended_or_reads_no_more(ready, listener, clock):
    clock[0] = MOST_SECONDS
    assert ready.checks()["listener"] == "has not read the projections for 10 s"
    listener.alive = False
    clock[0] += KEPT_SECONDS
    assert ready.checks()["listener"] == "has ended"


@pytest.mark.parametrize("found", [UndefinedTable(), None])
def test_projections_that_are_not_there(ready, projections, found):
    projections.found = found
    assert ready.checks()["projector"] == "has no tables: run `big2 migrate`"


@pytest.mark.parametrize(
    ("behind", "seconds", "said"),
    [
        (1, MOST_SECONDS - 0.1, "ok"),
        (MOST_LAG, 1, "ok"),
        (1, MOST_SECONDS, "is at position 10; events behind the log: 1, the oldest 10 s old"),
        (12, 7200, "is at position 10; events behind the log: 12, the oldest 7200 s old"),
        (MOST_LAG + 1, 1, "is at position 10; events behind the log: more than 5000, the oldest 1 s old"),
        (1, None, "is at position 10; events behind the log: 1, the oldest of unknown age"),
    ],
)
def test_what_the_projections_do_not_show_yet_is_told_at_the_first_question(
    ready, projections, behind, seconds, said
):
    age = None if seconds is None else timedelta(seconds=seconds)
    projections.found = Progress(10, behind, age, None)
    assert ready.checks()["projector"] == said


def test_an_event_that_cannot_be_projected_is_told_however_young_it_is(ready, projections):
    projections.found = Progress(10, 2, timedelta(seconds=1), Stall(11, "ledger", "KeyError", SINCE))
    assert ready.checks()["projector"] == (
        "cannot go on at position 11 since 2027-01-29T19:40:00Z: ledger fails there (KeyError);"
        " is at position 10; events behind the log: 2, the oldest 1 s old"
    )


def test_the_route_says_what_is_wrong_and_when_to_come_again(anybody, app, services, monkeypatch):
    assert anybody.get("/readyz").status_code == 200
    assert anybody.get("/readyz").json["status"] == "ok"
    monkeypatch.setattr(readiness, "KEPT_SECONDS", 0)
    app.extensions["big2"].readiness._until = 0
    keep(services.store.database, Stalled(services.store.head() + 1, "ledger", ValueError("3D")))
    answer = Api(app).get("/readyz")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert "ledger fails there (ValueError)" in answer.json["checks"]["projector"]
    assert "3D" not in answer.text


def test_the_listener_of_a_process_says_when_it_has_read(app):
    listener = app.extensions["big2"].listener
    before = listener.read_at
    until(lambda: listener.read_at > before)
