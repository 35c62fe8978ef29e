"""The service that a command works with: one that runs, or one of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from services.processes import spawn
from tests.workers.service import serving
from workers import own_service
from workers.own_service import NotServedError, answer_of, end, free_port, service_on

DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"


@pytest.fixture(autouse=True)
def plain(monkeypatch, tmp_path):
    for name in ("DATABASE_URL", "REDIS_URL", "BIG2_DATA", "BIG2_HOST", "PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PORT", str(free_port()))


def test_what_does_not_answer_has_no_status():
    assert answer_of(f"http://127.0.0.1:{free_port()}", "/readyz") is None
    with serving(lambda _: (418, {})) as service:
        assert answer_of(service.url, "/readyz") == 418


def data_with_token(folder: Path) -> Path:
    (folder / "admin-token").write_text("b2_admin\n")
    return folder


def test_the_service_that_knows_the_directory_s_token_is_the_one(tmp_path, monkeypatch):
    with serving(lambda _: (200, {"it": "answers"})) as service:
        monkeypatch.setenv("PORT", service.url.rpartition(":")[2])
        with service_on(data_with_token(tmp_path)) as client:
            assert client.get("/v1/anything") == {"it": "answers"}
        assert {request.headers["Authorization"] for request in service.asked} == {"Bearer b2_admin"}


@pytest.mark.parametrize("known", [False, True])
def test_where_there_is_none_and_none_can_be_started_the_reason_is_told(tmp_path, monkeypatch, known):
    """One that answers, but does not know the token, belongs to another directory."""
    data = data_with_token(tmp_path) if known else tmp_path / "new"
    monkeypatch.setattr(own_service, "spawn", _says("Error: it is Monday"))
    with serving(lambda _: (401, {})) as service:
        monkeypatch.setenv("PORT", service.url.rpartition(":")[2])
        with (
            pytest.raises(NotServedError, match="no service could be started: Error: it is Monday"),
            service_on(data),
        ):
            pass


def test_one_that_says_nothing_is_told_as_that(tmp_path, monkeypatch):
    monkeypatch.setattr(own_service, "spawn", _says(""))
    with pytest.raises(NotServedError, match="it said nothing"), service_on(tmp_path):
        pass


def test_one_that_is_never_ready_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(own_service, "READY_SECONDS", 0.0)
    started = []

    def spawned(*_: object, **more: object):
        started.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]))
        return started[0]

    monkeypatch.setattr(own_service, "spawn", spawned)
    with pytest.raises(NotServedError, match="not ready after 0 s"), service_on(tmp_path):
        pass
    assert started[0].returncode == -signal.SIGTERM


def test_a_child_that_does_not_hear_is_killed(monkeypatch):
    monkeypatch.setattr(own_service, "STOP_SECONDS", 0.05)
    child = subprocess.Popen([sys.executable, "-c", DEAF], stdout=subprocess.PIPE)
    with child:
        assert child.stdout.readline() == b"deaf\n"
        end(child)
        assert child.returncode == -signal.SIGKILL
        end(child)  # one that has ended stays ended


def _says(text: str):
    def spawned(_argv: object, **more):
        more.pop("on_death")
        return spawn([sys.executable, "-c", f"print({text!r})"], **more)

    return spawned
