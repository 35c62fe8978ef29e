"""Anchors: a head that is kept elsewhere tells a log that was written anew, and one whose end was cut off."""

from __future__ import annotations

import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer

import psycopg
import pytest

from services.audit import anchors, checkpoints, keys
from services.audit.anchors import AnchorError, Finding


@pytest.fixture
def signed(house):
    return checkpoints.newest(house.store.database)


def checked(house, file):
    return list(anchors.check(house.store, keys.verifiers(house.store.database), file))


def test_an_anchored_head_holds_as_long_as_the_log_does(house, signed, tmp_path):
    file = tmp_path / "heads"
    older = checkpoints.listed(house.store.database, signed.size, 1)[0]
    for each in (older, signed):
        anchors.append(file, each)
    assert checked(house, file) == [Finding(1, older.size, None), Finding(2, signed.size, None)]


@pytest.mark.parametrize("line", [b"{}\n", b"no json\n", b'{"size":1,"at":"","note":"a\\n1\\nb\\n"}\n'])
def test_a_line_that_is_no_head_is_told(house, signed, tmp_path, line):
    file = tmp_path / "heads"
    anchors.append(file, signed)
    with file.open("ab") as out:
        out.write(line)
    good, bad = checked(house, file)
    assert good.wrong is None
    assert "is no checkpoint of this log" in bad.wrong


def test_an_event_that_was_changed_with_all_that_follows_is_told(house, signed, tmp_path, database_url):
    """The chain would be whole again; the root is another one."""
    file = tmp_path / "heads"
    anchors.append(file, signed)
    kept = house.store.stored_log(1, 1)[0]
    change = "UPDATE big2_events SET topic = %s WHERE notification_id = %s"
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute(change, ("player.barred.1", kept.position))
    [found] = checked(house, file)
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute(change, (kept.topic, kept.position))
    assert found == Finding(1, signed.size, "the first events of the log are not the ones that were signed")


def test_a_file_that_cannot_be_written_is_told(signed, tmp_path):
    with pytest.raises(AnchorError, match="No such file"):
        anchors.append(tmp_path / "nowhere" / "heads", signed)


class Taker(BaseHTTPRequestHandler):
    """Takes what is posted to /heads, and sends whoever asks for /moved elsewhere."""

    def do_POST(self):
        self.server.taken.append(
            (self.path, self.headers["Host"], self.rfile.read(int(self.headers["Content-Length"])))
        )
        self.send_response({"/moved": 302, "/endless": 200}.get(self.path, 204))
        self.send_header("Location", "/heads?")
        self.end_headers()
        if self.path == "/endless":
            with suppress(ConnectionError):
                while True:
                    self.wfile.write(b"x" * 4096)

    def log_message(self, *_):
        pass


@pytest.fixture
def taker():
    server = HTTPServer(("127.0.0.1", 0), Taker)
    server.taken = []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_head_is_posted_as_its_note(signed, taker):
    where = f"127.0.0.1:{taker.server_port}"
    anchors.post(f"http://{where}/heads?log=1", signed, private=True)
    assert taker.taken == [("/heads?log=1", where, signed.note.encode())]


@pytest.mark.timeout(20)
def test_of_an_answer_without_an_end_only_the_beginning_is_read(signed, taker):
    anchors.post(f"http://127.0.0.1:{taker.server_port}/endless", signed, private=True)
    assert len(taker.taken) == 1


def test_a_private_address_is_refused_unless_it_is_allowed(signed, taker):
    for host in ("127.0.0.1", "localhost", "10.0.0.1", "[::1]", "169.254.169.254"):
        with pytest.raises(AnchorError, match="private network"):
            anchors.post(f"http://{host}:{taker.server_port}/heads", signed)
    assert taker.taken == []


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("ftp://example.org", "neither with http"),
        ("http:///x", "no host"),
        ("http://example.org:65536/", "a port that there is not"),
        ("http://nowhere.invalid/", "nowhere"),
    ],
)
def test_what_is_no_address_is_refused(signed, url, told):
    with pytest.raises(AnchorError, match=told):
        anchors.post(url, signed)


def test_a_redirect_is_not_followed_and_who_does_not_answer_is_told(signed, taker):
    port = taker.server_port
    with pytest.raises(AnchorError, match="answered 302"):
        anchors.post(f"http://127.0.0.1:{port}/moved", signed, private=True)
    assert len(taker.taken) == 1
    with pytest.raises(AnchorError, match=r"SSLError|ProtocolError"):
        anchors.post(f"https://127.0.0.1:{port}/heads", signed, private=True)
