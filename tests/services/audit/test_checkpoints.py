"""The log's signed heads: one at a time, each grown from the one before, by the newest key alone."""

from __future__ import annotations

import base64
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import psycopg
import pytest

from domain.merkle import is_consistent
from services.audit import anchors, checkpoints, keys
from services.audit.checkpoints import ForkedLog
from services.audit.keys import KEY_FILE, NoKey
from services.audit.notes import Checkpoint, NoteError, Signer, opened
from services.audit.proofs import consistency
from services.audit.tree import log_tree
from services.postgres import migrate
from services.store import Store
from tests.services.projections.house import House


def test_a_checkpoint_tells_size_and_root_of_the_log_itself(house, data):
    signed = checkpoints.newest(house.store.database)
    note = Checkpoint.parsed(opened(signed.note, keys.verifiers(house.store.database)))
    log = house.log()
    assert (note.size, signed.position) == (len(log), log[-1].position)
    assert anchors.roots_of(house.store, [note.size]) == {note.size: note.root}
    assert note.origin == keys.signer(None, data).name


def test_what_is_signed_already_is_not_signed_again(house, data):
    assert checkpoints.publish(house.store, None, data) is None


def test_each_grows_from_the_one_before(house):
    new, old = checkpoints.listed(house.store.database, None, 2)
    proof = [base64.b64decode(each) for each in consistency(house.store, old.size).hashes]
    assert is_consistent(old.size, old.root, new.size, new.root, proof)
    assert checkpoints.covering(house.store.database, old.size) == old
    assert checkpoints.covering(house.store.database, old.size + 1) == new
    assert checkpoints.covering(house.store.database, new.size + 1) is None
    assert checkpoints.listed(house.store.database, new.size, 5)[0] == old


def test_what_was_signed_cannot_be_changed(house):
    for table in ("checkpoints", "audit_keys"):
        for statement in (f"DELETE FROM {table}", f"UPDATE {table} SET note = ''", f"TRUNCATE {table}"):
            with house.store.database.connection() as conn, pytest.raises(psycopg.Error):
                conn.execute(statement)


def test_several_at_once_sign_one(empty_house, tmp_path):
    keys.first(empty_house.store.database, None, tmp_path)
    empty_house.enrol(3)
    empty_house.project()
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: checkpoints.publish(empty_house.store, None, tmp_path), range(8)))
    assert sum(signed is not None for signed in made) == 1
    assert len(checkpoints.listed(empty_house.store.database, None, 10)) == 1


def test_one_is_due_when_the_log_has_grown_for_a_minute_and_at_a_tournaments_end(empty_house, tmp_path):
    def due():
        with empty_house.store.database.connection() as conn:
            return checkpoints.due(conn)

    keys.first(empty_house.store.database, None, tmp_path)
    assert due() is None
    empty_house.enrol(1)
    empty_house.project()
    assert due() == 0
    first = checkpoints.publish(empty_house.store, None, tmp_path)
    assert due() is None
    empty_house.enrol(1)
    empty_house.project()
    assert due() is None  # for the last one is younger than a minute
    cancelled = empty_house.started(4)
    empty_house.cancel(cancelled)
    empty_house.project()
    assert due() == first.size
    second = checkpoints.publish(empty_house.store, None, tmp_path)
    empty_house.enrol(1)
    empty_house.project()
    assert due() is None
    with empty_house.store.database.connection() as conn:
        conn.execute("ALTER TABLE checkpoints DISABLE TRIGGER ALL")
        for minutes in (2, -2):
            conn.execute("UPDATE checkpoints SET at = clock_timestamp() - %s", (timedelta(minutes=minutes),))
            assert due() == second.size


@pytest.fixture
def empty_house(empty_url):
    migrate(empty_url)
    house = House(empty_url)
    yield house
    house.close()


def changed(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(statement)


def test_a_log_that_is_not_the_one_that_was_signed_is_signed_no_more(empty_house, empty_url, tmp_path):
    database = empty_house.store.database
    keys.first(database, None, tmp_path)
    empty_house.enrol(3)
    empty_house.project()
    signed = checkpoints.publish(empty_house.store, None, tmp_path)
    empty_house.enrol(1)
    changed(empty_url, "UPDATE big2_events SET topic = 'player.barred.1' WHERE notification_id = 2")
    empty_house.project()
    checkpoints.publish(empty_house.store, None, tmp_path)  # the tree is of what was projected
    changed(empty_url, "DELETE FROM projections.tree; DELETE FROM big2_events WHERE notification_id > 2")
    changed(empty_url, "UPDATE projections.tracking SET position = 0")
    with pytest.raises(ForkedLog, match="the log is not the one that was signed"):
        checkpoints.publish(empty_house.store, None, tmp_path)
    file = tmp_path / "heads"
    anchors.append(file, signed)
    [found] = anchors.check(empty_house.store, keys.verifiers(database), file)
    assert found.wrong == "the log has only 2 of its events: its tail was cut off"


# the key


def test_the_first_start_makes_a_key_for_its_owner_alone_and_the_next_takes_it_up(empty_house, tmp_path):
    made = keys.first(empty_house.store.database, None, tmp_path)
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600
    assert keys.first(empty_house.store.database, None, tmp_path) == made
    assert keys.current(empty_house.store.database, None, tmp_path) == made
    assert [key.verifier for key in keys.published(empty_house.store.database)] == [str(made.verifier)]


def test_a_key_that_is_set_is_published_and_not_written(empty_house, tmp_path):
    given = Signer.made("club.example")
    assert keys.first(empty_house.store.database, given.secret, tmp_path) == given
    assert not (tmp_path / KEY_FILE).exists()


def test_without_the_key_nothing_is_signed_and_none_is_made(empty_house, tmp_path):
    with pytest.raises(NoKey, match="there is no key yet"):
        keys.rotate(empty_house.store.database, None, tmp_path / KEY_FILE)
    made = keys.first(empty_house.store.database, None, tmp_path)
    (tmp_path / KEY_FILE).unlink()
    assert keys.first(empty_house.store.database, None, tmp_path) is None
    empty_house.enrol(1)
    empty_house.project()
    with pytest.raises(NoKey, match=r"the key is missing; the newest is .*--lost"):
        checkpoints.publish(empty_house.store, None, tmp_path)
    new = keys.rotate(empty_house.store.database, None, tmp_path / KEY_FILE)
    assert checkpoints.publish(empty_house.store, None, tmp_path)
    assert (new.name, new == made) == (made.name, False)
    [told] = keys.announced(keys.published(empty_house.store.database))
    assert "announced by nobody" in told


def test_a_new_key_is_announced_by_the_old_one_which_stays_published_and_signs_no_more(empty_house, tmp_path):
    database = empty_house.store.database
    old = keys.first(database, None, tmp_path)
    empty_house.enrol(1)
    empty_house.project()
    before = checkpoints.publish(empty_house.store, None, tmp_path)
    new = keys.rotate(database, old, tmp_path / KEY_FILE)
    assert keys.current(database, None, tmp_path) == new
    assert not list(tmp_path.glob("*.new"))
    known = keys.published(database)
    assert [key.verifier for key in known] == [str(old.verifier), str(new.verifier)]
    assert opened(known[1].announcement, [old.verifier]) == f"big2 audit key\n{new.verifier}\n"
    assert keys.announced(known) == []
    empty_house.enrol(1)
    empty_house.project()
    with pytest.raises(NoKey, match="an older one"):
        checkpoints.publish(empty_house.store, old.secret, tmp_path)
    after = checkpoints.publish(empty_house.store, None, tmp_path)
    assert opened(after.note, [new.verifier])
    assert opened(before.note, keys.verifiers(database))
    with pytest.raises(NoteError, match="no key that is known"):
        opened(after.note, [old.verifier])


def test_an_announcement_that_another_key_has_signed_is_told(empty_house, tmp_path):
    database = empty_house.store.database
    keys.first(database, None, tmp_path)
    stranger = Signer.made(keys.signer(None, tmp_path).name)
    keys.rotate(database, stranger, tmp_path / KEY_FILE)
    [told] = keys.announced(keys.published(database))
    assert "no key that is known has signed" in told
    first, second = keys.published(database)
    own = Signer.made("x")
    swapped = [
        first._replace(verifier=str(own.verifier)),
        second._replace(announcement=own.signed("big2 audit key\nanother\n")),
    ]
    [told] = keys.announced(swapped)
    assert "the announcement is another key's" in told


def test_the_tree_knows_what_it_has(house, database_url):
    store = Store(database_url, {})
    with log_tree(store.database) as tree:
        size, position = tree.head()
        assert tree.leaf_at(position) == size - 1
        assert tree.leaf_at(position + 1) is None
        assert tree.leaves_at([position, position + 1]) == {position: size - 1}
    store.close()
