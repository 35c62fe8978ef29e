"""Requests to addresses that somebody gave us: only to public ones, and to the very one that was looked at.

A name is looked up once for each request, and the connection goes to the address that was found: a name that changes
in between leads nowhere else. No redirect is followed, of an answer only the head is read, and all of it
together, the look-up too, has a limit of time.

OutgoingError
├── ForbiddenUrl           nothing is ever sent there
│   └── PrivateAddress         unless it is said that it may be
└── Undelivered            it was not taken this time
"""

from __future__ import annotations

import http.client
import io
import ipaddress
import re
import socket
import ssl
import time
from collections.abc import Mapping
from concurrent.futures import Future
from functools import cache
from threading import BoundedSemaphore, Thread
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import SplitResult, urlsplit

TIMEOUT_SECONDS = 10.0
"""How long a request may take in all, from the look-up of its host to the end of the answer's head."""
MOST_READ = 4 * 1024
"""Bytes of an answer that are read at most, with the heads that only announce another; its body is not read."""
MOST_LOOK_UPS = 128
"""Look-ups of hosts at one time, with those that nobody waits for any more."""
LONGEST_URL = 2048
USER_AGENT = "big2-tournament"

_VISIBLE = re.compile(r"[!-\[\]-~]+", re.ASCII)
"""No backslash, which some take for a slash."""
_NAME = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?", re.ASCII)
_AUTHORITY = re.compile(r"(\[[^\[\]]*\]|[^\[\]]*)(:[0-9]*)?", re.ASCII)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_NO_HOSTS = tuple(
    map(
        ipaddress.ip_network,
        (
            "192.0.0.0/24",  # protocols
            "192.88.99.0/24",  # relays of 6to4
            "::ffff:0:0/96",  # IPv4 mapped
            "64:ff9b:1::/48",  # translators of a network's own
            "2001::/23",  # protocols, Teredo
            "2001:db8::/32",  # documents
            "2002::/16",  # 6to4
            "3fff::/20",  # documents
            "5f00::/16",  # segments of routes
            "fec0::/10",  # site-local
        ),
    )
)
"""What the versions of Python do not agree on, or take for public."""

_LOOK_UPS = BoundedSemaphore(MOST_LOOK_UPS)

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


class OutgoingError(Exception):
    """A request was not sent, or not taken; the message says why, and nothing of a path or a query."""


class ForbiddenUrl(OutgoingError):  # noqa: N818 - what is told
    """An address that nothing is sent to."""


class PrivateAddress(ForbiddenUrl):
    """An address of a private network, or one that is no host's."""


class Undelivered(OutgoingError):  # noqa: N818
    """Nobody answered in time, or not with a 2xx: it may be tried again."""


class Target(NamedTuple):
    """What a URL says; `authority` is its host and port as written."""

    tls: bool
    host: str
    port: int
    authority: str
    path: str


def target(url: str) -> Target:
    """What a URL says, by itself; ForbiddenUrl if nothing is sent to such a one, wherever it leads.

    >>> target("https://example.org/hooks?club=1")
    Target(tls=True, host='example.org', port=443, authority='example.org', path='/hooks?club=1')
    >>> target("http://0x7f000001/")
    Traceback (most recent call last):
    services.outgoing.ForbiddenUrl: spells an address in numbers: write it as 192.0.2.1
    """
    if len(url) > LONGEST_URL or not _VISIBLE.fullmatch(url):
        raise ForbiddenUrl(f"must be at most {LONGEST_URL} visible ASCII characters, without backslashes")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ForbiddenUrl("has a host or a port that there is not") from error
    if parts.scheme not in ("http", "https"):
        raise ForbiddenUrl("begins neither with http:// nor with https://")
    if "@" in parts.netloc:
        raise ForbiddenUrl("has a user or a password before the host")
    if not _AUTHORITY.fullmatch(parts.netloc):
        raise ForbiddenUrl("has brackets that are not around the whole host")
    if "#" in url:
        raise ForbiddenUrl("has a fragment (#), which is never sent")
    if port == 0:
        raise ForbiddenUrl("has port 0, which there is not")
    host = parts.hostname or ""
    return _target(parts, _six(host) if parts.netloc.startswith("[") else _host(host), port)


class Limit:
    """The time that all of a request may take together."""

    def __init__(self) -> None:
        self._end = time.monotonic() + TIMEOUT_SECONDS

    @property
    def left(self) -> float:
        """Seconds that are left; TimeoutError if there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def address(of: Target, *, private: bool = False, limit: Limit | None = None) -> str:
    """The address that a target's host has now.

    ForbiddenUrl if none is found in time; PrivateAddress if any of them is not public, unless it may be `private`.
    """
    try:
        addresses = _looked_up(of, limit or Limit())
    except TimeoutError as error:
        raise ForbiddenUrl(
            f"has a host that is not found within {TIMEOUT_SECONDS:g} s ({of.host})"
        ) from error
    except (OSError, UnicodeError) as error:
        raise ForbiddenUrl(f"has a host without an address ({of.host})") from error
    if not private and not all(is_public(each) for each in addresses):
        raise PrivateAddress("leads to a private network, or to an address that is no host's")
    return addresses[0]


def is_public(text: str) -> bool:
    """Whether an address is one that anybody on the internet may have.

    >>> [is_public(a) for a in ("8.8.8.8", "10.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "224.0.1.1", "fe80::1%1")]
    [True, False, False, False, False, False]
    """
    found: _Address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address) and found in _NAT64:
        found = ipaddress.IPv4Address(int(found) & 0xFFFF_FFFF)
    if any(found in each for each in _NO_HOSTS):
        return False
    return found.is_global and not (found.is_multicast or found.is_reserved)


def send(url: str, body: bytes, headers: Mapping[str, str], *, private: bool = False) -> None:
    """POST a body once; Undelivered unless it is answered with a 2xx in time."""
    to, limit = target(url), Limit()
    status = _post(to, address(to, private=private, limit=limit), body, headers, limit)
    if 300 <= status < 400:
        raise Undelivered(f"answered {status}: redirects are not followed")
    if not 200 <= status < 300:
        raise Undelivered(f"answered {status}")


def _looked_up(of: Target, limit: Limit) -> list[str]:
    """The addresses of a host, by a thread of its own: nothing ends the system's look-up but itself.

    TimeoutError if it takes too long; it ends some time later, and there are only so many at once.
    """
    if not _LOOK_UPS.acquire(timeout=limit.left):
        raise TimeoutError
    found: Future[list[str]] = Future()
    try:
        Thread(target=_look_up, args=(of, found), daemon=True).start()
    except RuntimeError:  # there can be no more threads
        _LOOK_UPS.release()
        raise
    return found.result(limit.left)


def _look_up(of: Target, found: Future[list[str]]) -> None:
    try:
        each = socket.getaddrinfo(of.host, of.port, type=socket.SOCK_STREAM)
        found.set_result([str(address[0]) for *_, address in each])
    except Exception as error:  # noqa: BLE001 - whoever waits raises it
        found.set_exception(error)
    finally:
        _LOOK_UPS.release()


def _six(host: str) -> str:
    """An IPv6 address as a URL writes it, without a zone."""
    try:
        return str(ipaddress.IPv6Address("" if "%" in host else host))
    except ValueError as error:
        raise ForbiddenUrl("has brackets around what is no IPv6 address") from error


def _host(host: str) -> str:
    """A host as a URL writes it, if it is a name, or an IPv4 address in its usual form."""
    if not host:
        raise ForbiddenUrl("has no host")
    try:
        if _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]):
            return str(ipaddress.IPv4Address(host))
    except ValueError as error:
        raise ForbiddenUrl("spells an address in numbers: write it as 192.0.2.1") from error
    if not _NAME.fullmatch(host):
        raise ForbiddenUrl("has a host that is no name: write it in ASCII, without %")
    return host


def _target(parts: SplitResult, host: str, port: int | None) -> Target:
    tls = parts.scheme == "https"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(tls, host, port or (443 if tls else 80), parts.netloc, path)


def _post(to: Target, where: str, body: bytes, headers: Mapping[str, str], limit: Limit) -> int:
    """The status of the answer, of which nothing is read but its head."""
    own = {"Host": to.authority, "User-Agent": USER_AGENT, "Connection": "close"}
    try:
        with (
            socket.create_connection((where, to.port), timeout=limit.left) as plain,
            _secured(to, plain, limit) as connected,
        ):
            request = http.client.HTTPConnection(where, to.port)
            request.sock = _Line(connected, limit)  # all that it asks of a socket
            request.request("POST", to.path, body, {**own, **headers})
            return request.getresponse().status
    except TimeoutError as error:
        raise Undelivered(_late()) from error
    except (http.client.HTTPException, OSError) as error:
        raise Undelivered(type(error).__name__) from error


def _secured(to: Target, plain: socket.socket, limit: Limit) -> socket.socket:
    """The connection itself, or TLS over it, for the host that was asked for."""
    if not to.tls:
        return plain
    secured = _trusted().wrap_socket(
        plain, server_hostname=to.host.rstrip("."), do_handshake_on_connect=False
    )
    try:
        secured.settimeout(limit.left)  # of the whole handshake
        secured.do_handshake()
    except BaseException:
        secured.close()
        raise
    return secured


@cache
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


def _late() -> str:
    return f"did not answer within {TIMEOUT_SECONDS:g} s"


class _Line:
    """A connection as `http.client` uses one; whoever has made it closes it."""

    def __init__(self, connected: socket.socket, limit: Limit) -> None:
        self._socket = connected
        self._limit = limit

    def sendall(self, sent: bytes) -> None:
        rest = memoryview(sent)
        while rest:
            self._socket.settimeout(self._limit.left)
            rest = rest[self._socket.send(rest) :]

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Answer(self._socket, self._limit))

    def close(self) -> None:
        """Not here: it outlives the request."""


class _Answer(io.RawIOBase):
    """What comes over a connection: no wait outlasts the limit, and only so much is ever read."""

    def __init__(self, connected: socket.socket, limit: Limit) -> None:
        self._socket = connected
        self._limit = limit
        self._unread = MOST_READ

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:  # noqa: ANN401 - the library's signature
        if not self._unread:
            raise Undelivered(f"answered with a head of more than {MOST_READ // 1024} KiB")
        self._socket.settimeout(self._limit.left)
        read = self._socket.recv_into(into, min(len(into), self._unread))
        self._unread -= read
        return read
