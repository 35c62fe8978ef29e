"""What RQ runs: each job hands the ids of its text to the service that does the work."""

from __future__ import annotations

from types import SimpleNamespace
from uuid import uuid4

import pytest

from services.audit.checkpoints import ForkedLog
from services.audit.keys import NoKey
from workers import jobs

SERVICES = SimpleNamespace(
    store="the store",
    rulesets=SimpleNamespace(resolve="the rule sets"),
    connections=SimpleNamespace(at_tables="the connections"),
)


@pytest.mark.parametrize(
    ("job", "service", "arguments"),
    [
        ("start", "tournaments.start_when_due", [SERVICES, "id"]),
        ("draw", "director.draw", ["the store", "id"]),
        ("deal", "director.advance", ["the store", "the rule sets", "the connections", "id"]),
        ("turn", "hands.act_for_absent", [SERVICES, "id", 7]),
        ("level", "director.raise_level", ["the store", "id", 7]),
        ("pause", "director.follow_pauses", ["the store", "id"]),
        ("close", "director.close_table", ["the store", "id"]),
        ("finalise", "hands.finalise", [SERVICES, "id"]),
        ("pay", "payments.pay", [SERVICES, "id", 7]),
        ("ring", "ring_jobs.advance", [SERVICES, "id"]),
    ],
)
def test_a_job_does_its_work_on_its_ids(monkeypatch, job, service, arguments):
    it, called = uuid4(), []
    monkeypatch.setattr(jobs, "services", lambda: SERVICES)
    monkeypatch.setattr(f"services.application.{service}", lambda *args: called.append(list(args)))
    number = [7] if 7 in arguments else []
    getattr(jobs, job)(str(it), *number)
    assert called == [[it if argument == "id" else argument for argument in arguments]]


def test_every_job_is_tested_here():
    tested = test_a_job_does_its_work_on_its_ids.pytestmark[0].args[1]
    assert {row[0] for row in tested} | {"checkpoint"} == set(jobs.JOBS)


def test_a_checkpoint_is_signed_with_the_key_that_is_set(monkeypatch):
    its, called = (
        SimpleNamespace(store="the store", settings=SimpleNamespace(audit_key="key", data="data")),
        [],
    )
    monkeypatch.setattr(jobs, "services", lambda: its)
    monkeypatch.setattr(jobs.checkpoints, "publish", lambda *args: called.append(args))
    jobs.checkpoint()
    assert called == [("the store", "key", "data")]


@pytest.mark.parametrize("trouble", [NoKey("the key is missing"), ForkedLog("the log is another one")])
def test_what_keeps_a_checkpoint_from_being_signed_is_told_and_not_tried_again(monkeypatch, caplog, trouble):
    def publish(*_):
        raise trouble

    its = SimpleNamespace(store=None, settings=SimpleNamespace(audit_key=None, data=None))
    monkeypatch.setattr(jobs, "services", lambda: its)
    monkeypatch.setattr(jobs.checkpoints, "publish", publish)
    jobs.checkpoint()
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [("CRITICAL", str(trouble))]


@pytest.mark.parametrize("wrong", ["", "7", "no id"])
def test_a_text_that_is_no_id_fails_before_anything_is_done(monkeypatch, wrong):
    monkeypatch.setattr(jobs, "services", lambda: SERVICES)
    with pytest.raises(ValueError, match="UUID"):
        jobs.draw(wrong)
