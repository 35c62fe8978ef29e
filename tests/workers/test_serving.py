"""What a first start makes, and how each process of the service is begun."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path
from uuid import uuid4

import click
import msgspec
import pytest

from domain.credential import Role
from domain.ids import CommandId, PlayerId
from domain.player import Enrolled
from domain.topics import TOPICS
from services.application import credentials
from services.bootstrap import settings, variables
from services.envelope import Change, Command
from services.errors import StoreError
from services.projections import Projector, ledger
from services.projections.rebuild import compare
from services.store import Store
from workers import serving

ROOT = Path(serving.__file__).parents[1]


@pytest.fixture
def fresh(empty_url, tmp_path, monkeypatch):
    """The settings of a service that was never started."""
    for name in ("REDIS_URL", "PORT", "BIG2_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATABASE_URL", empty_url)
    return settings(data=tmp_path, environment=os.environ)


@pytest.fixture
def migrated(fresh, capsys):
    serving.migrate_all()
    capsys.readouterr()
    return fresh


@pytest.fixture
def store(migrated):
    store = Store(migrated.database_url, TOPICS)
    yield store
    store.close()


def test_migrating_makes_all_tables_and_tells_what_it_did(fresh, capsys):
    serving.migrate_all()
    assert capsys.readouterr().out.startswith("applied: events_table")
    serving.migrate_all()
    assert capsys.readouterr().out == "nothing to do\n"
    store = Store(fresh.database_url, TOPICS)
    with store.database.connection() as conn:
        assert conn.execute("SELECT count(*) FROM projections.feed").fetchone() == (0,)
    store.close()


def test_the_first_token_is_told_once_kept_and_good(migrated, store, capsys, tmp_path):
    before = os.umask(0)
    try:
        serving.make_first_token(migrated)
    finally:
        os.umask(before)
    said = capsys.readouterr().out
    token = (tmp_path / "admin-token").read_text().strip()
    assert stat.S_IMODE((tmp_path / "admin-token").stat().st_mode) == 0o600
    assert said == f"big2: admin token, shown this once and kept in {tmp_path / 'admin-token'}:\n{token}\n"
    assert credentials.authenticate(store, token).role is Role.ADMIN
    serving.make_first_token(migrated)
    assert capsys.readouterr().out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["admin-token"]


def test_a_first_start_that_was_cut_off_after_the_file_takes_the_token_up_from_it(
    migrated, store, capsys, tmp_path, monkeypatch
):
    issue = credentials.issue

    def cut_off(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(credentials, "issue", cut_off)
    with pytest.raises(KeyboardInterrupt):
        serving.make_first_token(migrated)
    assert capsys.readouterr().out == ""
    written = (tmp_path / "admin-token").read_text()
    monkeypatch.setattr(credentials, "issue", issue)
    serving.make_first_token(migrated)
    assert (tmp_path / "admin-token").read_text() == written
    assert written.strip() in capsys.readouterr().out
    assert credentials.authenticate(store, written.strip()).role is Role.ADMIN


def test_a_file_that_is_no_token_is_written_anew(migrated, store, capsys, tmp_path):
    (tmp_path / "admin-token").write_text("to be done\n")
    serving.make_first_token(migrated)
    token = (tmp_path / "admin-token").read_text().strip()
    assert credentials.authenticate(store, token).role is Role.ADMIN


def test_a_lost_file_is_not_made_again(migrated, store, capsys, tmp_path):
    serving.make_first_token(migrated)
    (tmp_path / "admin-token").unlink()
    capsys.readouterr()
    serving.make_first_token(migrated)
    assert capsys.readouterr().out == ""
    assert not (tmp_path / "admin-token").exists()
    made = serving.make_token("admin", None, tmp_path)  # this is what helps
    assert credentials.authenticate(store, made).role is Role.ADMIN


def test_the_web_process_becomes_gunicorn_with_these_settings(migrated, monkeypatch, tmp_path):
    called = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["big2", "run", "web"])
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setattr("gunicorn.app.wsgiapp.run", lambda: called.append((sys.argv, os.environ, Path.cwd())))
    whole = serving.bootstrap.with_urls(settings(os.environ))
    serving.run_process("web")
    [(argv, environment, folder)] = called
    assert argv[1:] == ["-c", "python:services.http.gunicorn_conf", "services.http.wsgi:app"]
    assert folder == ROOT, "gunicorn imports from its working folder first"
    assert variables(whole).items() <= environment.items()


def test_a_file_of_the_working_folder_is_no_module_of_ours(tmp_path):
    (tmp_path / "secrets.py").write_text("raise SystemExit('not ours')")
    version = [sys.executable, *serving.SAFE_IMPORTS, "workers.cli", "--version"]
    done = subprocess.run(version, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["worker", "clock", "projector"])
def test_each_other_process_gets_its_urls(migrated, monkeypatch, name):
    begun = []
    monkeypatch.setattr("workers.queue.work", begun.append)
    monkeypatch.setattr(
        "workers.clock.Clock.run", lambda clock: begun.append(clock._services.store.database.url)
    )
    monkeypatch.setattr("workers.projecting.follow", lambda _store, url: begun.append(url))
    telling = threading.Event()
    monkeypatch.setattr(
        "workers.delivering.Deliverer.run",
        lambda _, url: telling.set() if url == migrated.database_url else None,
    )
    monkeypatch.setenv("REDIS_URL", "unix:///nowhere.sock")
    serving.run_process(name)
    assert telling.wait(5 if name == "clock" else 0) == (name == "clock"), (
        "webhooks are told beside the clock"
    )
    assert begun == ["unix:///nowhere.sock" if name == "worker" else migrated.database_url]


def test_of_two_first_starts_at_once_one_makes_the_token(migrated, store, capsys, tmp_path, monkeypatch):
    exists = credentials.exists

    def other_is_faster(*args):
        found = exists(*args)
        monkeypatch.setattr(credentials, "exists", exists)
        serving.make_first_token(migrated)
        (tmp_path / "admin-token").rename(tmp_path / "on the other machine")
        return found

    monkeypatch.setattr(credentials, "exists", other_is_faster)
    serving.make_first_token(migrated)
    token = (tmp_path / "on the other machine").read_text().strip()
    assert capsys.readouterr().out.count("b2_") == 1
    assert not (tmp_path / "admin-token").exists()
    assert credentials.authenticate(store, token).role is Role.ADMIN


def test_projections_of_another_release_are_made_again_and_others_left_alone(migrated, store, capsys):
    serving.make_projections(migrated)
    assert capsys.readouterr().out == ""
    with store.database.connection() as conn:
        conn.execute("UPDATE projections.tracking SET tables = 'those of last year', position = 5")
    serving.make_projections(migrated)
    assert "making them again" in capsys.readouterr().out
    assert Projector(store).fits()
    assert compare(store) == []


def test_an_event_that_the_new_projections_cannot_have_is_told_in_a_line_and_the_old_ones_stay(
    migrated, store, monkeypatch
):
    def fails(*_):
        raise KeyError("3D")

    player = PlayerId(uuid4())
    enrolled = Change(player, 0, [Enrolled(player_id=player)])
    store.append(Command(CommandId(uuid4()), "test", ""), [enrolled], store.now())
    Projector(store).catch_up()
    with store.database.connection() as conn:
        conn.execute("UPDATE projections.tracking SET tables = 'those of last year'")
    with monkeypatch.context() as patched:
        patched.setattr(ledger, "project", fails)
        with pytest.raises(StoreError) as failed:
            serving.make_projections(migrated)
    assert str(failed.value) == (
        "the event at position 1 cannot be projected: ledger fails (KeyError). Nothing was changed: start the"
        " release before this one again, which has projected it, and report what this line says; `big2 doctor`"
        " tells whether the event itself is damaged"
    )
    with store.database.connection() as conn:
        assert conn.execute("SELECT player_id FROM projections.players").fetchall() == [(player,)]
    serving.make_projections(migrated)
    assert compare(store) == []


# the port


def test_a_port_that_somebody_else_has_is_told_before_anything_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(serving, "PORT_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as somebody:
        port = somebody.getsockname()[1]
        with pytest.raises(click.ClickException, match=f"port {port} of 127.0.0.1 is in use"):
            serving.serve(host="127.0.0.1", port=port, data=tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_an_address_that_is_not_ours_is_told(tmp_path):
    with pytest.raises(click.ClickException, match=r"cannot listen on 192\.0\.2\.1"):
        serving.serve(host="192.0.2.1", port=8000, data=tmp_path / "data")


def test_where_it_serves_is_told(fresh, capsys, tmp_path):
    serving._tell(fresh)
    assert f"serving on http://{fresh.host}:{fresh.port}" in capsys.readouterr().out
    (tmp_path / "admin-token").touch()
    serving._tell(fresh)
    assert "admin token in" in capsys.readouterr().out
    serving._tell(msgspec.structs.replace(fresh, host="::1", port=81))
    assert "serving on http://[::1]:81, API pages" in capsys.readouterr().out
