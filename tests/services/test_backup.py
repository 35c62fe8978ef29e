"""A backup is one moment of a log that goes on, and becomes the same log again, or nothing does."""

from __future__ import annotations

import json
import stat
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from domain.player import PLAYER, enrol
from domain.topics import TOPICS
from services import backup as module
from services.audit import verify_log
from services.backup import DUMP, MANIFEST, BackupError, backup, read, restore
from services.commands import Decision, execute, on
from services.envelope import Command
from services.errors import Unavailable
from services.postgres import migrate
from services.projections import Projector
from services.projections.rebuild import compare
from services.store import Store

EVENTS = 40


def enrolled(store: Store, number: int = 1) -> None:
    for _ in range(number):
        player = uuid4()
        decide = lambda stream, _now: Decision([on(stream, *enrol(player))])  # noqa: B023, E731
        execute(store, Command(uuid4(), "test", ""), (PLAYER, player), decide)


@pytest.fixture
def filled(store) -> Store:
    """A store with events and projections, and a heartbeat that is not worth keeping."""
    enrolled(store, EVENTS)
    projector = Projector(store)
    projector.create()
    projector.catch_up()
    with store.database.connection() as conn:
        conn.execute("INSERT INTO heartbeats VALUES (%s, %s, 1, now())", (uuid4(), uuid4()))
    return store


@pytest.fixture
def file(tmp_path) -> Path:
    return tmp_path / "big2.zip"


@pytest.fixture
def kept(filled, database_url, file) -> Path:
    """A good backup."""
    backup(database_url, file)
    return file


def changed(file: Path, change: Callable[[dict], None] = lambda _: None, dump: bytes | None = None) -> Path:
    """The same backup, but for its manifest or its dump."""
    with zipfile.ZipFile(file) as archive:
        manifest, kept = json.loads(archive.read(MANIFEST)), archive.read(DUMP)
    change(manifest)
    other = file.with_name("other.zip")
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr(DUMP, kept if dump is None else dump)
        archive.writestr(MANIFEST, json.dumps(manifest))
    return other


def tables(url: str) -> int:
    with psycopg.connect(url) as conn:
        return conn.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()[0]


def test_a_backup_taken_while_events_are_appended_is_one_moment_and_becomes_the_same_log(
    filled, database_url, empty_url, file
):
    over = threading.Event()

    def go_on():
        while not over.is_set():
            enrolled(filled)

    writer = threading.Thread(target=go_on)
    writer.start()
    try:
        before = filled.head()
        manifest = backup(database_url, file)
        assert filled.head() > manifest.head.position >= before
    finally:
        over.set()
        writer.join()
    assert restore(empty_url, file) == manifest
    restored = Store(empty_url, TOPICS)
    log = restored.stored_log(0, 10_000)
    assert log == filled.stored_log(0, len(log))
    assert (len(log), restored.head()) == (manifest.head.events, manifest.head.position)
    migrate(empty_url)
    projector = Projector(restored)
    projector.create()
    projector.catch_up()
    assert compare(restored) == []
    enrolled(restored)  # it goes on
    assert verify_log(restored).events == len(log) + 1
    restored.close()


def test_it_is_its_owner_s_alone_and_leaves_out_what_is_made_again(kept, empty_url):
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]
    restore(empty_url, kept)
    with psycopg.connect(empty_url) as conn:
        assert conn.execute("SELECT to_regnamespace('projections')").fetchone() == (None,)
        assert conn.execute("SELECT count(*) FROM heartbeats").fetchone() == (0,)


def test_it_says_of_itself_what_it_is(kept, filled):
    manifest = read(kept)
    assert (manifest.head.position, manifest.head.events) == (
        filled.head(),
        len(filled.stored_log(0, 10_000)),
    )
    assert manifest.migrations[0] == "events_table"
    assert manifest.server == 18


def test_a_file_that_is_there_is_never_written_over(kept, database_url):
    before = kept.read_bytes()
    with pytest.raises(BackupError, match="is there already"):
        backup(database_url, kept)
    assert kept.read_bytes() == before


def test_only_an_empty_database_is_restored_into(kept, database_url, empty_url):
    with pytest.raises(BackupError, match=r"not empty, it has projections\."):
        restore(database_url, kept)
    with psycopg.connect(empty_url, autocommit=True) as conn:
        conn.execute("CREATE TABLE somebody_s (n int)")
    with pytest.raises(BackupError, match=r"not empty, it has public\.somebody_s"):
        restore(empty_url, kept)


def test_what_is_damaged_or_no_backup_is_refused_before_anything_is_made(kept, empty_url, tmp_path):
    raw = kept.read_bytes()
    torn, other = tmp_path / "torn.zip", tmp_path / "other"
    torn.write_bytes(raw[: len(raw) // 2])
    other.write_text("no backup")
    wrong = {
        torn: "no backup, or damaged",
        other: "no backup, or damaged",
        tmp_path / "none.zip": "No such file",
        changed(kept, dump=b"other bytes"): "its checksum is another one",
    }
    for path, why in wrong.items():
        with pytest.raises(BackupError, match=why):
            restore(empty_url, path)
    assert tables(empty_url) == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda m: m.update(format="big2-backup/9"), "this release reads big2-backup/1"),
        (lambda m: m["migrations"].append("of_next_year"), "of a newer release .* doesn't know of_next_year"),
        (lambda m: m.update(server=99), "the backup is of PostgreSQL 99, and this server is 18"),
        (lambda m: m.pop("head"), "no backup, or damaged"),
    ],
)
def test_a_backup_of_another_world_is_refused_and_says_which(kept, empty_url, change, why):
    with pytest.raises(BackupError, match=why):
        restore(empty_url, changed(kept, change))
    assert tables(empty_url) == 0


def test_a_log_that_comes_out_otherwise_is_told(kept, empty_url):
    other = changed(kept, lambda manifest: manifest["head"].update(digest="0" * 64))
    with pytest.raises(BackupError, match="the log is another one"):
        restore(empty_url, other)


def test_a_restore_that_fails_in_the_middle_leaves_nothing(kept, empty_url, monkeypatch):
    with zipfile.ZipFile(kept) as archive:
        dump = archive.read(DUMP)
    monkeypatch.setattr(module, "read", lambda _: read(kept))
    with pytest.raises(BackupError, match="pg_restore failed: "):
        restore(empty_url, changed(kept, dump=dump[: len(dump) * 2 // 3]))
    assert tables(empty_url) == 0


def test_a_dump_that_fails_leaves_no_file_and_tells_no_password(database_url, file, monkeypatch):
    monkeypatch.setattr(
        module, "_program", lambda *_: ["sh", "-c", "echo no://me:s3cret@db >&2; exit 3", "pg_dump"]
    )
    with pytest.raises(BackupError, match="failed: no://me:…@db"):
        backup(database_url, file)
    assert list(file.parent.iterdir()) == []


def test_a_database_without_a_log_or_without_an_answer_is_told(empty_url, file, tmp_path):
    with pytest.raises(BackupError, match="there is no log"):
        backup(empty_url, file)
    with pytest.raises(Unavailable):
        backup(f"postgresql://big2@/big2?host={tmp_path}", file)
    assert not file.exists()


def test_a_password_is_no_argument(monkeypatch):
    told: dict = {}

    class Popen:
        stdin = stdout = stderr = None

        def __init__(self, argv, env, **_):
            told.update(argv=argv, env=env)

        def wait(self):
            return 0

    monkeypatch.setattr(module.subprocess, "Popen", Popen)
    monkeypatch.setenv("PGDATABASE", "elsewhere")
    with module._run(["pg_dump"], "postgresql://big2:s3cret@db/big2?sslmode=require", says=True):
        pass
    assert "s3cret" not in " ".join(told["argv"])
    assert told["env"]["PGPASSWORD"] == "s3cret"
    assert "PGDATABASE" not in told["env"]


def test_a_newer_server_takes_a_newer_program_from_the_path(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackupError, match="PostgreSQL 19 takes a pg_dump of that release"):
        module._program("pg_dump", 19)
    (tmp_path / "pg_dump").touch(0o755)
    assert module._program("pg_dump", 19) == [str(tmp_path / "pg_dump")]
    assert module._program("pg_dump", 15)[0].endswith("pginstall18/bin/pg_dump")
