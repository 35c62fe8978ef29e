"""`/metrics`: who may read it, what it tells, and what it must not."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from prometheus_client.parser import text_string_to_metric_families
from redis import Redis
from rq import Queue

from domain.credential import Role
from domain.ids import CommandId, TournamentId
from domain.topics import TOPICS
from services.application import credentials
from services.application.credentials import Grant
from services.envelope import Command
from services.errors import Unavailable
from services.http import figures
from services.http.calls import EXTENSION
from services.http.figures import Asked
from services.queues import QUEUE
from services.store import Store
from tests.services.http.driving import Api
from tests.services.http.playing import Game

TOKEN = "a-token-for-metrics-alone"


def page(text: str) -> dict[str, dict[tuple, float]]:
    """The figures by name, and by the values of their labels."""
    found: dict[str, dict[tuple, float]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(sample.labels.values())] = sample.value
    return found


@pytest.fixture
def fresh(app, monkeypatch):
    """Every page is made anew."""
    monkeypatch.setattr(figures, "KEPT_SECONDS", 0)
    app.extensions[EXTENSION].asked._until = 0


@pytest.fixture
def told(fresh, auditor):
    return lambda: page(auditor.get("/metrics").text)


def test_the_staff_reads_it_and_nobody_else(app, anybody, admin, operator, director_, auditor):
    assert {who.get("/metrics").status_code for who in (admin, operator, director_, auditor)} == {200}
    refused = anybody.get("/metrics")
    assert (refused.status_code, refused.json["type"]) == (401, "/problems/unauthenticated")
    assert Api(app, f"b2_{uuid4()}_x").get("/metrics").status_code == 401
    player = operator.made("/v1/players", {"name": f"P {uuid4().hex[:20]}"})["player_id"]
    token = operator.made(f"/v1/players/{player}/tokens")["token"]
    assert Api(app, token).get("/metrics").status_code == 403


def test_a_token_that_is_limited_to_a_tournament_does_not_read_it(app, operator, services):
    t = operator.made("/v1/tournaments", {"name": "One", "format": "freezeout"})["tournament_id"]
    grant = Grant(Role.DIRECTOR, tournament_id=TournamentId(UUID(t)))
    made = credentials.issue(services.store, Command(CommandId(uuid4()), "tests", ""), lambda: grant)
    assert Api(app, made.text).get("/metrics").status_code == 403


def test_its_own_token_reads_it_and_nothing_else_also_while_the_store_is_away(
    app, anybody, monkeypatch, fresh
):
    parts = app.extensions[EXTENSION]
    app.extensions[EXTENSION] = parts._replace(metrics_token=TOKEN)
    try:
        scraper = Api(app, TOKEN)
        assert scraper.get("/metrics").status_code == 200
        assert scraper.get("/v1/players").status_code == 401
        assert Api(app, TOKEN + "x").get("/metrics").status_code == 401
        assert anybody.get("/metrics").status_code == 401

        def away(*_):
            raise Unavailable("away")

        monkeypatch.setattr(parts.services.store, "head", away)
        found = page(scraper.get("/metrics").text)
        assert found["big2_store_up"] == {(): 0}
        assert "big2_events_total" not in found
    finally:
        app.extensions[EXTENSION] = parts


def test_commands_are_counted_by_what_was_answered(told, app, operator, anybody):
    def count(status: str) -> float:
        return told().get("big2_commands_total", {}).get(("POST", "/v1/players", status), 0)

    made, refused = count("201"), count("401")
    operator.made("/v1/players", {"name": f"P {uuid4().hex[:20]}"})
    anybody.post("/v1/players", {"name": "Nobody"})
    assert (count("201") - made, count("401") - refused) == (1, 1)


def test_reads_and_times_are_counted_by_route_never_by_address(told, anybody):
    player, before = uuid4(), told()
    anybody.get(f"/v1/players/{player}")
    anybody.get(f"/nowhere/{player}")
    anybody.request("BREW", "/v1/players")
    found = told()
    grown = lambda name, labels: found[name][labels] - before.get(name, {}).get(labels, 0)  # noqa: E731
    assert grown("big2_reads_total", ("/v1/players/<uuid:player_id>", "404")) == 1
    assert grown("big2_reads_total", ("none", "404")) == 1
    assert grown("big2_request_seconds_count", ("GET", "/v1/players/<uuid:player_id>")) == 1
    assert any(method == "OTHER" for method, _ in found["big2_request_seconds_count"])


def test_the_store_tells_events_lag_and_what_is_overdue(told, operator, services, beside):
    with beside.paused():
        before = services.store.head()
        lag = told()["big2_projector_lag_events"][()]
        operator.made("/v1/players", {"name": f"P {uuid4().hex[:20]}"})
        found = told()
        assert found["big2_events_total"][()] == services.store.head() > before
        assert found["big2_projector_lag_events"][()] == lag + services.store.head() - before
        assert found["big2_projector_lag_seconds"][()] > 0
        with services.store.database.connection() as conn:
            due = "INSERT INTO projections.agenda VALUES ('test', 'test', 'level', '[]', clock_timestamp() - %s)"
            conn.execute(due, (timedelta(seconds=90),))
            try:
                found = told()
            finally:
                conn.execute("DELETE FROM projections.agenda WHERE subject = 'test'")
    assert found["big2_overdue_items"][("level",)] == 1
    assert 90 <= found["big2_overdue_seconds"][("level",)] < 120
    assert found["big2_oldest_overdue_seconds"][()] >= 90
    assert found["big2_database_bytes"][()] > 1_000_000
    assert found["big2_unsigned_seconds"][()] > 0, "nothing here is ever signed"
    assert found["big2_store_up"][()] == 1


def test_what_the_database_s_clock_was_set_back_beyond_is_counted_as_due(told, services, beside):
    with beside.paused(), services.store.database.connection() as conn:
        at_once = (
            "INSERT INTO projections.agenda VALUES ('test', 'test', 'level', '[]', now() + %s, now() + %s)"
        )
        conn.execute(at_once, (timedelta(hours=2), timedelta(hours=2)))
        try:
            found = told()
        finally:
            conn.execute("DELETE FROM projections.agenda WHERE subject = 'test'")
    assert found["big2_overdue_items"][("level",)] == 1
    assert found["big2_overdue_seconds"][("level",)] == 0


def test_redis_tells_the_queue_and_who_works(services, redis_url, tmp_path):
    url = f"{redis_url}?db=14"
    with Redis.from_url(url) as client:
        client.flushdb()
        asked = Asked(services.store, url, tmp_path, clock=iter(range(0, 100, 10)).__next__)
        found = page(asked.page().decode())
        assert (found["big2_redis_up"][()], found["big2_queue_depth"][()], found["big2_workers"][()]) == (
            1,
            0,
            0,
        )
        Queue(QUEUE, connection=client).enqueue("workers.jobs.level", "x", 1)
        client.sadd(f"rq:workers:{QUEUE}", "rq:worker:dead", "rq:worker:alive")
        client.hset("rq:worker:alive", "birth", "now")
        found = page(asked.page().decode())
        assert (found["big2_queue_depth"][()], found["big2_workers"][()], found["big2_failed_jobs"][()]) == (
            1,
            1,
            0,
        )
        assert found["big2_data_free_bytes"][()] > 0
        client.flushdb()


def test_a_redis_or_a_folder_that_is_away_is_told_and_stops_nothing(services, tmp_path):
    found = page(Asked(services.store, f"unix://{tmp_path}/none", tmp_path / "none").page().decode())
    assert (found["big2_redis_up"][()], found["big2_store_up"][()]) == (0, 1)
    assert "big2_queue_depth" not in found
    assert "big2_data_free_bytes" not in found


def test_the_store_is_asked_once_a_second_however_many_ask(services, tmp_path, monkeypatch):
    now = [0.0]
    asked = Asked(services.store, None, tmp_path, clock=lambda: now[0])
    first = asked.page()
    monkeypatch.setattr(services.store, "head", lambda: 10**9)
    assert asked.page() == first
    now[0] = figures.KEPT_SECONDS
    assert page(asked.page().decode())["big2_events_total"][()] == 10**9


def test_open_feeds_are_counted_and_why_they_end(told, app, operator, anybody):
    game = Game(app, operator)
    before = told()
    feed = anybody.get(f"/v1/feed?tournament={game.id}")
    frames = feed.iter_encoded()
    next(frames)
    assert told()["big2_feeds"][()] == before["big2_feeds"][()] + 1
    assert told()["big2_feed_places"][()] == app.extensions[EXTENSION].feeds.most
    feed.close()
    gone = lambda found: found.get("big2_feeds_ended_total", {}).get(("gone",), 0)  # noqa: E731
    assert gone(told()) == gone(before) + 1
    assert told()["big2_feeds"][()] == before["big2_feeds"][()]


def test_no_label_tells_of_anybody(told, app, operator):
    game = Game(app, operator)
    game.act(game.hand_id())
    labels = {value for values in told().values() for key in values for value in key}
    known = {rule.rule for rule in app.url_map.iter_rules()} | {"none"} | figures.METHODS | {"OTHER"}
    rest = {label for label in labels - known if not label.replace(".", "").isdigit() and label != "+Inf"}
    jobs = {"start", "draw", "deal", "ring", "turn", "level", "pause", "close", "finalise", "pay"}
    assert rest <= jobs | {"gone", "slow", "token", "closed", "failed", "active", "failing", "disabled"}


def test_before_the_tables_are_made_the_store_is_not_up(empty_url, tmp_path):
    store = Store(empty_url, TOPICS)
    assert page(Asked(store, None, tmp_path).page().decode())["big2_store_up"] == {(): 0}
    store.close()
