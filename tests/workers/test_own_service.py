"""The service that a command works with: one that runs, or one of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from services.processes import spawn
from tests.workers.service import held, serving
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


def test_the_service_that_runs_on_the_directory_is_asked_where_it_says_that_it_serves(tmp_path):
    with serving(lambda _: (200, {"it": "answers"})) as service, held(tmp_path, f"1\n{service.url}\n"):
        with service_on(data_with_token(tmp_path)) as client:
            assert client.get("/v1/anything") == {"it": "answers"}
        asked = {
            request.headers.get("Authorization") for request in service.asked if request.path != "/readyz"
        }
        assert asked == {"Bearer b2_admin"}


def test_a_stranger_on_the_configured_port_is_not_asked(tmp_path, monkeypatch):
    """What a supervisor that is gone has left says nothing either."""
    monkeypatch.setattr(own_service, "spawn", _says("Error: it is Monday"))
    with serving(lambda _: (200, {})) as service:
        monkeypatch.setenv("PORT", service.url.rpartition(":")[2])
        for data in (tmp_path / "new", data_with_token(tmp_path)):
            with held(tmp_path, f"1\n{service.url}\n"):
                pass
            with pytest.raises(NotServedError) as failed, service_on(data):
                pass
            assert str(failed.value) == (
                "no service could be started: Error: it is Monday; name another --data, or give --url and --token-file"
            )
        assert service.asked == []


@pytest.mark.parametrize("known", [False, True])
def test_a_service_that_does_not_take_the_token_is_told_with_the_way_out(tmp_path, known):
    data = data_with_token(tmp_path) if known else tmp_path
    answers = {"/readyz": 200}
    with (
        serving(lambda r: (answers.get(r.path, 401), {})) as service,
        held(data, f"1\n{service.url}\n"),
        pytest.raises(NotServedError) as failed,
        service_on(data),
    ):
        pass
    assert str(failed.value) == (
        f"the service at {service.url} does not take {data / 'admin-token'} for a token: "
        "name another --data, or give --url and --token-file"
    )


def test_a_service_that_starts_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(own_service, "LOOK_SECONDS", 0.01)
    status = iter([503, 503])
    answer = lambda request: (next(status, 200) if request.path == "/readyz" else 200, {})  # noqa: E731
    with (
        serving(answer) as service,
        held(tmp_path, f"1\n{service.url}\n"),
        service_on(data_with_token(tmp_path)),
    ):
        assert [request.path for request in service.asked].count("/readyz") == 3


@pytest.mark.parametrize(
    ("said", "where"), [("1\n", ""), ("", ""), ("1\nhttp://127.0.0.1:1\n", " at http://127.0.0.1:1")]
)
def test_a_service_that_is_never_ready_is_told(tmp_path, monkeypatch, said, where):
    monkeypatch.setattr(own_service, "READY_SECONDS", 0.0)
    with held(tmp_path, said), pytest.raises(NotServedError) as failed, service_on(tmp_path):
        pass
    assert str(failed.value) == (
        f"the service on {tmp_path} is not ready{where}; name another --data, or give --url and --token-file"
    )


def test_a_directory_that_is_none_is_told(tmp_path):
    path = tmp_path / "file"
    path.write_text("")
    with pytest.raises(NotServedError, match="file: Not a directory; name another --data"), service_on(path):
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
    told = "not ready after 0 s: it said nothing; name another --data"
    with pytest.raises(NotServedError, match=told), service_on(tmp_path):
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
