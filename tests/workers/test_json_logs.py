"""With BIG2_LOG=json every process writes JSON lines with the same members, and none holds what is not for a log."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from tests.services.http.playing import until
from tests.workers.test_service import SHORT, Service, entered, finished

MEMBERS = {"time", "level", "process", "pid", "logger", "event"}
PROCESSES = {"supervisor", "web", "worker", "clock", "projector"}


@pytest.fixture
def service(monkeypatch):
    monkeypatch.setenv("BIG2_LOG", "json")
    monkeypatch.setenv("BIG2_LOG_LEVEL", "debug")
    service = Service()
    yield service
    service.close()
    shutil.rmtree(service.data)


def test_a_tournament_s_log_is_json_from_all_processes_and_holds_no_token_name_or_card(service):
    service.start()
    admin = service.admin
    terms = {**SHORT, "turn_seconds": 0, "stack_points": 1, "unit_levels": [50]}
    t = entered(admin, 2, format="sit_and_go", seats_per_table=2, **terms)
    until(lambda: finished(admin, t))
    names = [player["name"] for player in admin.pages("/v1/players")]
    token = (service.inside / "admin-token").read_text().strip()
    said = service.run.said
    service.close()
    lines = [json.loads(line) for line in said.splitlines()]
    assert all(line.keys() >= MEMBERS for line in lines)
    assert {line["process"] for line in lines} == PROCESSES
    events = {(line["process"], line["event"]) for line in lines}
    assert events >= {("web", "request"), ("worker", "job"), ("clock", "tick"), ("projector", "batch")}
    posts = [line for line in lines if line.get("method") == "POST"]
    assert posts
    assert {line["role"] for line in posts} == {"admin"}
    assert {line["id"] for line in posts if len(line["id"]) == 32}
    for secret in (token, token.split("_", 2)[2], *names):
        assert secret not in said
    assert not re.search(r"(?<![\w-])(?:[2-9TJQKA][DCHS])(?![\w-])", said)
