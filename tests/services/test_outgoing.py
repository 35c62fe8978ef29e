"""Requests to addresses that somebody gave: none to a network of our own, and none without an end."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
import time
import tracemalloc
from contextlib import suppress

import pytest

from services import outgoing
from services.outgoing import ForbiddenUrl, Undelivered, address, is_public, send, target

LOOPBACK = "private network"


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("", "visible ASCII"),
        ("http://ex ample.org/", "visible ASCII"),
        ("http://example.org/\n", "visible ASCII"),
        ("http://example.org\\@10.0.0.1/", "visible ASCII"),
        ("http://１２７.0.0.1/", "visible ASCII"),
        ("http://example.org/" + "a" * outgoing.LONGEST_URL, "at most 2048"),
        ("file:///etc/passwd", "neither with http"),
        ("gopher://example.org/", "neither with http"),
        ("//example.org/", "neither with http"),
        ("example.org", "neither with http"),
        ("http:///path", "no host"),
        ("http://", "no host"),
        ("http://user@example.org/", "a user or a password"),
        ("http://user:pass@example.org/", "a user or a password"),
        ("http://example.org@10.0.0.1/", "a user or a password"),
        ("http://example.org/#part", "fragment"),
        ("http://example.org:0/", "port 0"),
        ("http://example.org:-1/", "a port that there is not"),
        ("http://example.org:65536/", "a port that there is not"),
        ("http://example.org:8o/", "a port that there is not"),
        ("http://[::1/", "a port that there is not"),
        ("http://2130706433/", "in numbers"),
        ("http://0x7f000001/", "in numbers"),
        ("http://0x7f.0.0.1/", "in numbers"),
        ("http://127.0.0.0x1/", "in numbers"),
        ("http://0177.0.0.1/", "in numbers"),
        ("http://127.1/", "in numbers"),
        ("http://127.0.0.1./", "in numbers"),
        ("http://134744072/", "in numbers"),
        ("http://[fe80::1%25eth0]/", "no IPv6 address|in numbers"),
        ("http://[v1.example]/", "no IPv6 address|a host or a port"),
        ("http://[8.8.8.8]/", "no IPv6 address|a host or a port"),
        ("http://x[::1]/", "brackets that are not around|a host or a port"),
        ("http://127.0.0.1[::1]/", "brackets that are not around|a host or a port"),
        ("http://[::1]x/", "brackets that are not around|a host or a port"),
        ("http://[::1].example.org:80/", "brackets that are not around|a host or a port"),
        ("http://127%2e0%2e0%2e1/", "no name"),
        ("http://a..b/", "no name"),
    ],
)
def test_what_is_no_usual_url_of_a_host_is_refused_unasked(url, told):
    with pytest.raises(ForbiddenUrl, match=told):
        target(url)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.169.254",
        "224.0.0.1",
        "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255",
        "192.0.2.1",
        "192.0.0.9",
        "192.0.0.170",
        "192.88.99.1",
        "[3fff::1]",
        "[3fff:fff:ffff::1]",
        "[5f00::1]",
        "[2001::1]",
        "[64:ff9b:1::808:808]",
        "[64:ff9b::c058:6301]",
        "[::1]",
        "[::]",
        "[fe80::1]",
        "[fd00::1]",
        "[fec0::1]",
        "[ff02::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:8.8.8.8]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[2001:db8::1]",
        "localhost",
        "LOCALHOST",
    ],
)
def test_an_address_that_is_no_public_host_s_is_refused_unless_it_may_be(host):
    to = target(f"http://{host}/")
    with pytest.raises(ForbiddenUrl, match=LOOPBACK):
        address(to)


def test_a_public_address_is_taken_as_it_is():
    assert address(target("https://8.8.8.8/")) == "8.8.8.8"
    assert is_public("2606:4700::1111")
    assert is_public("64:ff9b::808:808")
    assert address(target("http://127.0.0.1/"), private=True) == "127.0.0.1"


def test_a_host_that_nobody_knows_is_refused():
    with pytest.raises(ForbiddenUrl, match=r"without an address \(nowhere.invalid\)"):
        address(target("http://nowhere.invalid/"))


def found(*addresses):
    return lambda _host, port, **_: [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, port)) for a in addresses
    ]


def test_a_name_with_any_private_address_is_refused(monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", found("8.8.8.8", "10.0.0.1"))
    with pytest.raises(ForbiddenUrl, match=LOOPBACK):
        address(target("http://example.org/"))


class Server:
    """Answers each connection with what it is told to, as slowly as it is told to."""

    def __init__(self, *parts: bytes, pause: float = 0) -> None:
        self.asked: list[bytes] = []
        self._parts, self._pause = parts, pause
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                self.asked.append(self._read(connection))
                with suppress(OSError):
                    self._answer(connection)

    def _answer(self, connection) -> None:
        for part in self._parts:
            connection.sendall(part)
            time.sleep(self._pause)

    @staticmethod
    def _read(connection) -> bytes:
        """A whole request, or the beginning of TLS: a connection that is closed before all is read is reset."""
        asked = b""
        while (
            not asked.endswith(b"{}") and not asked.startswith(b"\x16") and (more := connection.recv(65536))
        ):
            asked += more
        return asked

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()


def test_the_connection_goes_to_the_address_that_was_looked_at(monkeypatch):
    """A name that leads elsewhere at a second look is not looked up a second time."""
    with Server(b"HTTP/1.1 204 Fine\r\n\r\n") as server:
        answers = [found("127.0.0.1")]
        real = socket.getaddrinfo

        def once(host, port, *args, **more):
            return answers.pop()(host, port) if host == "club.example" else real(host, port, *args, **more)

        monkeypatch.setattr(socket, "getaddrinfo", once)
        send(f"http://club.example:{server.port}/x?y=1", b"{}", {"X-A": "b"}, private=True)
        asked = server.asked[0].decode()
    assert asked.startswith("POST /x?y=1 HTTP/1.1\r\n")
    assert f"Host: club.example:{server.port}\r\n" in asked
    assert "X-A: b\r\n" in asked


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"HTTP/1.1 302 Moved\r\nLocation: http://127.0.0.1:1/\r\n\r\n", "answered 302: redirects are not"),
        (b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", "answered 500"),
        (b"nonsense\r\n\r\n", "ProtocolError|BadStatusLine"),
        (b"", "RemoteDisconnected|ProtocolError"),
    ],
)
def test_only_a_2xx_has_taken_it(answer, told):
    with Server(answer) as server, pytest.raises(Undelivered, match=told):
        send(f"http://127.0.0.1:{server.port}/", b"{}", {}, private=True)
    assert len(server.asked) == 1


def test_who_does_not_listen_is_told():
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with pytest.raises(Undelivered, match="ConnectionRefusedError"):
        send(f"http://127.0.0.1:{port}/", b"{}", {}, private=True)


@pytest.mark.parametrize("beginning", [b"", b"HTTP/1.1 200 Fine\r\nX: "])
def test_a_head_that_drips_is_cut_off(monkeypatch, beginning):
    """Each wait is short: only their sum is too long."""
    monkeypatch.setattr(outgoing, "TIMEOUT_SECONDS", 0.6)
    begun = time.monotonic()
    with (
        Server(beginning, *[b"x"] * 400, pause=0.2) as server,
        pytest.raises(Undelivered, match="did not answer within"),
    ):
        send(f"http://127.0.0.1:{server.port}/", b"{}", {}, private=True)
    assert time.monotonic() - begun < 40, "it would have gone on for 80"


@pytest.mark.parametrize(
    "length", ["Transfer-Encoding: chunked\r\n\r\n-1", "Content-Length: -1\r\n", "X: y\r\n"]
)
def test_a_body_is_not_read_whatever_it_says_of_its_length(length):
    with Server(f"HTTP/1.1 200 Fine\r\n{length}\r\n".encode(), *[b"x" * 65536] * 1600) as server:
        _, most = _traced(lambda: send(f"http://127.0.0.1:{server.port}/", b"{}", {}, private=True))
    assert most < 2**20


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 100 Continue\r\n\r\n" * 1000,
        b"HTTP/1.1 200 Fine\r\n" + b"X: y\r\n" * 1000,
        b"HTTP/1.1 200 Fine\r\nX: " + b"y" * 9000,
        b"HTTP/1.1 2" + b"0" * 9000,
    ],
)
def test_a_head_has_an_end(head):
    with Server(head) as server:
        error, most = _traced(lambda: _refused(f"http://127.0.0.1:{server.port}/"))
    assert "a head of more than 4 KiB" in error or error == "HTTPException", "too many lines"
    assert most < 2**20


def _refused(url: str) -> str:
    with pytest.raises(Undelivered) as error:
        send(url, b"{}", {}, private=True)
    return str(error.value)


def _traced(what):
    """What it answers, and the most memory that it had at one time."""
    tracemalloc.start()
    try:
        return what(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_head_that_only_announces_another_is_passed_over():
    with Server(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 Fine\r\n\r\n") as server:
        send(f"http://127.0.0.1:{server.port}/", b"{}", {}, private=True)


def test_a_look_up_has_the_same_limit(monkeypatch):
    monkeypatch.setattr(outgoing, "TIMEOUT_SECONDS", 0.3)
    over = threading.Event()

    def slow(*_, **__):
        over.wait(60)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    begun = time.monotonic()
    with pytest.raises(ForbiddenUrl, match="not found within"):
        send("http://example.org/", b"{}", {})
    assert time.monotonic() - begun < 40
    over.set()


def test_so_many_look_ups_go_on_at_one_time(monkeypatch):
    monkeypatch.setattr(outgoing, "TIMEOUT_SECONDS", 0.3)
    places = threading.BoundedSemaphore(1)
    monkeypatch.setattr(outgoing, "_LOOK_UPS", places)
    over, asked = threading.Event(), []

    def slow(host, *_, **__):
        asked.append(host)
        over.wait(20)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    for host in ("slow.example", "next.example"):
        with pytest.raises(ForbiddenUrl, match="not found within"):
            address(target(f"http://{host}/"))
    over.set()
    assert asked == ["slow.example"]
    assert places.acquire(timeout=60), "the look-up that came too late has ended"


@pytest.fixture(scope="module")
def trusted(tmp_path_factory):
    """A server's TLS, and that of a client who trusts it."""
    folder = tmp_path_factory.mktemp("tls")
    key, certificate = folder / "key", folder / "certificate"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    named = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(
        [*made, "-keyout", str(key), "-out", str(certificate), *named], check=True, capture_output=True
    )
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificate, key)
    return serving, ssl.create_default_context(cafile=str(certificate))


class SlowTls(Server):
    """Waits before the handshake, and answers a drop at a time after it."""

    def __init__(self, context: ssl.SSLContext, wait: float, *parts: bytes, pause: float = 0) -> None:
        self._context, self._wait = context, wait
        super().__init__(*parts, pause=pause)

    def _read(self, _connection) -> bytes:
        time.sleep(self._wait)
        return b""

    def _answer(self, connection) -> None:
        with self._context.wrap_socket(connection, server_side=True) as secured:
            asked = b""
            while not asked.endswith(b"{}"):
                asked += secured.recv(65536)
            self.asked[-1] = asked
            super()._answer(secured)


@pytest.mark.parametrize("wait", [0, 0.5, 0.58, 0.6, 0.62, 1.5])
def test_the_limit_holds_wherever_the_handshake_ends(monkeypatch, trusted, wait):
    serving, trusting = trusted
    monkeypatch.setattr(outgoing, "_trusted", lambda: trusting)
    monkeypatch.setattr(outgoing, "TIMEOUT_SECONDS", 0.6)
    begun = time.monotonic()
    with SlowTls(serving, wait, b"HTTP/1.1 200 OK\r\nX: ", *[b"x"] * 150, pause=0.4) as server:
        assert "did not answer within" in _refused(f"https://localhost:{server.port}/")
    assert time.monotonic() - begun < 40, "it would have gone on for 60"


def test_what_is_sent_over_tls_comes_whole(monkeypatch, trusted):
    serving, trusting = trusted
    monkeypatch.setattr(outgoing, "_trusted", lambda: trusting)
    body = b"x" * 300_000 + b"{}"
    with SlowTls(serving, 0, b"HTTP/1.1 204 Fine\r\n\r\n") as server:
        send(f"https://localhost:{server.port}/", body, {}, private=True)
    assert server.asked[0].endswith(body)


def test_a_certificate_that_nobody_vouches_for_is_refused_by_the_library_s_own_list():
    with Server(b"no TLS") as server, pytest.raises(Undelivered, match="SSLError"):
        send(f"https://127.0.0.1:{server.port}/", b"{}", {}, private=True)
