"""The embedded servers: where they live, whom they run as, and what they refuse."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path
from uuid import uuid4

import pytest

from services import folders
from services.embedded import Valkey, start
from services.folders import (
    SOCKET_BYTES,
    EmbeddedError,
    empty_memory_folder,
    make_data,
    own_folder,
    server_account,
    socket_folder,
    within_reach,
)
from services.processes import Account, working_in

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs servers as somebody else")


@pytest.fixture
def open_folder():
    """A folder that everybody may pass through, as pytest's own are not."""
    folder = Path(tempfile.mkdtemp(prefix="b2-", dir="/tmp"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_sockets_are_in_the_data_directory_where_its_path_will_do():
    assert socket_folder(Path("/srv/b2")) == Path("/srv/b2/run")


@pytest.mark.parametrize("path", ["/srv/" + "long" * 30, "/srv/my data", "/srv/a,b", "/srv/ü", "/srv/50%"])
def test_and_else_in_a_short_place_that_is_always_the_same(path):
    folder = socket_folder(Path(path))
    assert folder == socket_folder(Path(path)) != socket_folder(Path(path + "x"))
    assert len(bytes(folder / ".s.PGSQL.5432")) <= SOCKET_BYTES


def test_a_folder_that_somebody_else_can_enter_is_refused(open_folder):
    (open_folder / "run").mkdir()
    (open_folder / "run").chmod(0o755)
    with pytest.raises(EmbeddedError, match="mode 0700"):
        own_folder(open_folder / "run", None)


def test_a_link_in_the_place_of_a_folder_is_refused(open_folder):
    (open_folder / "there").mkdir(mode=0o700)
    (open_folder / "run").symlink_to(open_folder / "there")
    with pytest.raises(EmbeddedError, match="move it away"):
        own_folder(open_folder / "run", None)


def test_the_data_directory_is_ours_alone(open_folder):
    make_data(open_folder / "a" / "data", None)
    assert mode(open_folder / "a" / "data") == 0o700


@as_root
def test_as_root_the_servers_user_may_pass_and_nobody_else(open_folder):
    account = server_account(open_folder / "postgres")
    assert account.uid != 0
    make_data(open_folder / "data", account)
    assert mode(open_folder / "data") == 0o710
    assert (open_folder / "data").stat().st_gid == account.gid
    own_folder(open_folder / "data" / "run", account)
    assert (open_folder / "data" / "run").stat().st_uid == account.uid


@as_root
def test_as_root_a_place_that_the_servers_user_cannot_reach_is_refused_with_what_to_do(open_folder):
    (open_folder / "closed").mkdir(mode=0o700)
    with pytest.raises(EmbeddedError, match=r"may not enter .*/closed: choose a data directory elsewhere"):
        make_data(open_folder / "closed" / "data", server_account(open_folder / "postgres"))
    assert not (open_folder / "closed" / "data").exists()


@as_root
def test_as_root_the_cluster_s_owner_stays_its_user(open_folder):
    (open_folder / "postgres").mkdir()
    os.chown(open_folder / "postgres", 65534, 65534)
    assert server_account(open_folder / "postgres").uid == 65534


@as_root
def test_as_root_without_an_unprivileged_user_it_says_what_to_do(open_folder, monkeypatch):
    monkeypatch.setattr(folders, "_USERS", ("no such user",))
    with pytest.raises(EmbeddedError, match="set DATABASE_URL"):
        server_account(open_folder / "postgres")


def test_who_is_not_root_runs_the_servers_himself(open_folder, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert server_account(open_folder / "postgres") is None


def test_programs_out_of_reach_are_copied_once_into_the_data_directory(open_folder, monkeypatch):
    closed, data = open_folder / "closed", open_folder / "data"
    (closed / "wheel_of_ours" / "bin").mkdir(parents=True)
    (closed / "wheel_of_ours" / "__init__.py").touch()
    (closed / "wheel_of_ours" / "bin" / "program").touch(mode=0o755)
    (closed / "wheel_of_ours.libs").mkdir()
    monkeypatch.syspath_prepend(str(closed))
    stranger = Account("stranger", 4_000_000, 4_000_000)
    closed.chmod(0o711)
    assert within_reach("wheel_of_ours", data, stranger) == closed / "wheel_of_ours"
    closed.chmod(0o700)
    assert within_reach("wheel_of_ours", data, None) == closed / "wheel_of_ours"
    for _ in range(2):
        copy = within_reach("wheel_of_ours", data, stranger)
        assert copy == data / "programs" / "wheel_of_ours"
        assert os.access(copy / "bin" / "program", os.X_OK)
        assert (copy.parent / "wheel_of_ours.libs").is_dir()


def test_a_missing_package_is_named(open_folder):
    with pytest.raises(EmbeddedError, match="no_such_wheel is missing"):
        within_reach("no_such_wheel", open_folder, None)


def test_a_server_that_does_not_start_says_why(open_folder, monkeypatch):
    server = Valkey(open_folder)
    monkeypatch.setattr(server, "socket", open_folder / "no" / "such" / "folder" / "v.sock")
    with pytest.raises(EmbeddedError, match="valkey did not start; it said:"):
        start(server)


def test_a_server_that_is_still_at_work_is_waited_for_but_not_for_ever(open_folder, monkeypatch):
    monkeypatch.setattr("services.embedded.BUSY_SECONDS", 0.05)
    server = Valkey(open_folder)
    monkeypatch.setattr(server, "busy", lambda: True)
    with pytest.raises(EmbeddedError, match="another valkey"):
        start(server)


def test_who_works_in_a_folder_is_found(open_folder, monkeypatch):
    assert working_in(open_folder) == []
    monkeypatch.chdir(open_folder)
    assert working_in(open_folder) == [os.getpid()]
    (open_folder / "link").symlink_to(open_folder)
    assert working_in(open_folder / "link") == [os.getpid()]


def test_a_folder_in_memory_is_ours_alone_and_empty_each_time():
    name = f"test-{uuid4().hex}"
    folder = empty_memory_folder(name)
    (folder / "left over").write_text("x")
    try:
        assert empty_memory_folder(name) == folder
        assert list(folder.iterdir()) == []
        assert mode(folder) == 0o700
    finally:
        shutil.rmtree(folder)


def test_a_link_that_somebody_has_put_in_its_place_is_not_followed(tmp_path):
    name = f"test-{uuid4().hex}"
    folder = empty_memory_folder(name)
    folder.rmdir()
    (tmp_path / "precious").write_text("x")
    folder.symlink_to(tmp_path)
    try:
        with pytest.raises((OSError, EmbeddedError)):
            empty_memory_folder(name)
        assert (tmp_path / "precious").exists()
    finally:
        folder.unlink()
