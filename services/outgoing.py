"""Requests to addresses that somebody gave us: only to public ones, and to the very one that was looked at.

A name is looked up once for each request, and the connection goes to the address that was found: a name that changes
in between leads nowhere else. No redirect is followed, of an answer only the beginning is read, and all of it
together has a limit of time.

OutgoingError
├── ForbiddenUrl           nothing is ever sent there
│   └── PrivateAddress         unless it is said that it may be
└── Undelivered            it was not taken this time
"""

from __future__ import annotations

import http.client
import ipaddress
import re
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from threading import Timer
from typing import NamedTuple, TypeAlias
from urllib.parse import SplitResult, urlsplit

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

TIMEOUT_SECONDS = 10.0
"""How long a request may take in all, from the connection to the end of what is read of its answer."""
MOST_READ = 4 * 1024
"""Bytes of an answer that are read at most: only its status is of interest."""
LONGEST_URL = 2048
USER_AGENT = "big2-tournament"
_LATE = f"did not answer within {TIMEOUT_SECONDS:g} s"

_VISIBLE = re.compile(r"[!-\[\]-~]+", re.ASCII)
"""No backslash, which some take for a slash."""
_NAME = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?", re.ASCII)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = ipaddress.IPv6Network("2002::/16")

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
    if "#" in url:
        raise ForbiddenUrl("has a fragment (#), which is never sent")
    if port == 0:
        raise ForbiddenUrl("has port 0, which there is not")
    return _target(parts, _host(parts.hostname or ""), port)


def address(of: Target, *, private: bool = False) -> str:
    """The address that a target's host has now.

    ForbiddenUrl if it has none; PrivateAddress if any of them is not public, unless it may be `private`.
    """
    try:
        found = socket.getaddrinfo(of.host, of.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise ForbiddenUrl(f"has a host without an address ({of.host})") from error
    addresses = [str(each[4][0]) for each in found]
    if not private and not all(is_public(each) for each in addresses):
        raise PrivateAddress("leads to a private network, or to an address that is no host's")
    return addresses[0]


def is_public(text: str) -> bool:
    """Whether an address is one that anybody on the internet may have.

    >>> [is_public(a) for a in ("8.8.8.8", "10.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "224.0.1.1", "fe80::1%1")]
    [True, False, False, False, False, False]
    """
    found: _Address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        if found in _NAT64:
            found = ipaddress.IPv4Address(int(found) & 0xFFFF_FFFF)
        elif found in _SIX_TO_FOUR or found.is_site_local:
            return False
    return found.is_global and not (found.is_multicast or found.is_reserved)


def send(url: str, body: bytes, headers: Mapping[str, str], *, private: bool = False) -> None:
    """POST a body once; Undelivered unless it is answered with a 2xx in time."""
    to = target(url)
    status = _post(to, address(to, private=private), body, headers)
    if 300 <= status < 400:
        raise Undelivered(f"answered {status}: redirects are not followed")
    if not 200 <= status < 300:
        raise Undelivered(f"answered {status}")


def _host(host: str) -> str:
    """A host as a URL writes it, if it is a name, or an address in its usual form."""
    if not host:
        raise ForbiddenUrl("has no host")
    try:
        if ":" in host:
            return str(ipaddress.IPv6Address("" if "%" in host else host))
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


def _post(to: Target, where: str, body: bytes, headers: Mapping[str, str]) -> int:
    """The status of the answer."""
    connection = _connection(to, where)
    limit = _Limit(connection)
    try:
        connection.connect()
        limit.holds(connection.sock)
        own = {"Host": to.authority, "User-Agent": USER_AGENT, "Connection": "close"}
        connection.request("POST", to.path, body, {**own, **headers}, preload_content=False)
        answer = connection.getresponse()
        answer.read(MOST_READ, decode_content=False)
    except (urllib3.exceptions.HTTPError, http.client.HTTPException, OSError) as error:
        raise Undelivered(_LATE if limit.over or _is_late(error) else type(error).__name__) from error
    finally:
        limit.lift()
        connection.close()
    if limit.over:  # which an answer without a length takes for its end
        raise Undelivered(_LATE)
    return answer.status


def _is_late(error: Exception) -> bool:
    """Whether a single wait was too long; who does not listen at all is told at once."""
    late = isinstance(error, TimeoutError | urllib3.exceptions.TimeoutError)
    return late and not isinstance(error, urllib3.exceptions.NewConnectionError)


def _connection(to: Target, where: str) -> HTTPConnection:
    if not to.tls:
        return HTTPConnection(where, to.port, timeout=TIMEOUT_SECONDS)
    return HTTPSConnection(
        where, to.port, timeout=TIMEOUT_SECONDS, server_hostname=to.host, ssl_context=_trusted()
    )


@cache
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


class _Limit:
    """Cuts a connection off once its time is over: a socket's own limit is one for each wait."""

    def __init__(self, connection: HTTPConnection) -> None:
        self.over = False
        self._connection = connection
        self._socket: socket.socket | None = None
        self._timer = Timer(TIMEOUT_SECONDS, self._cut)
        self._timer.daemon = True
        self._timer.start()

    def holds(self, connected: socket.socket | None) -> None:
        """The socket to cut off, which the connection forgets while its answer is read."""
        self._socket = connected

    def lift(self) -> None:
        self._timer.cancel()

    def _cut(self) -> None:
        self.over = True
        if held := self._socket or self._connection.sock:
            with suppress(OSError):  # it has ended by itself
                held.shutdown(socket.SHUT_RDWR)
