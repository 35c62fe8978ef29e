"""Who may use an operation: the table of roles, and how a request says who it comes from."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from enum import Enum
from typing import Any
from uuid import UUID

from flask import Request

from domain.aggregate import Aggregate
from domain.credential import Role
from services.application.credentials import Actor, authenticate, authenticate_with
from services.envelope import Stream
from services.http.limits import (
    FAILURES_A_MINUTE,
    REMEMBERED,
    REQUESTS_A_SECOND,
    SEAT_CHANGES_A_MINUTE,
    Limit,
)
from services.http.problems import Problem
from services.store import Store

_BEARER = re.compile(r"bearer +([!-~]+) *", re.ASCII | re.IGNORECASE)  # RFC 9110, 11.1
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="big2"'}


class Who(Enum):
    """The roles that an operation is open to; None is everybody, with a token or without."""

    ANYBODY = None
    PLAYERS = frozenset({Role.PLAYER})
    ENTERING = frozenset({Role.PLAYER, Role.OPERATOR, Role.DIRECTOR, Role.ADMIN})
    SEATING = frozenset({Role.PLAYER, Role.OPERATOR, Role.ADMIN})
    OPERATING = frozenset({Role.OPERATOR, Role.ADMIN})
    DIRECTING = frozenset({Role.OPERATOR, Role.DIRECTOR, Role.ADMIN})
    AUDITING = frozenset({Role.AUDITOR, Role.DIRECTOR, Role.ADMIN})
    RULING = frozenset({Role.DIRECTOR, Role.ADMIN})
    DISPUTING = frozenset({Role.PLAYER, Role.AUDITOR, Role.OPERATOR, Role.DIRECTOR, Role.ADMIN})
    ADMINS = frozenset({Role.ADMIN})
    BOOKS = frozenset({Role.AUDITOR, Role.OPERATOR, Role.DIRECTOR, Role.ADMIN})
    STAFF = BOOKS
    LEDGER = frozenset(Role)


class Gate:
    """Finds out who a request comes from, and stops who asks too often."""

    def __init__(
        self,
        store: Store,
        requests_a_second: int = REQUESTS_A_SECOND,
        failures_a_minute: int = FAILURES_A_MINUTE,
    ) -> None:
        self._store = store
        self._requests = Limit(requests_a_second, 1)
        self._failures = Limit(failures_a_minute, 60)
        self._seat_changes = Limit(SEAT_CHANGES_A_MINUTE, 60)
        self._good: set[bytes] = set()
        """Digests of tokens that were good: who shares an address with a guesser goes on."""

    def actor(self, request: Request) -> Actor | None:
        """Who sent the request; None without a token. A token that is not good is a problem on every route."""
        actor, _ = self.actor_with(request)
        return actor

    def actor_with(
        self, request: Request, *beside: tuple[Aggregate[Any], UUID]
    ) -> tuple[Actor | None, list[Stream[Any]]]:
        """The same, and what else is wanted of the store, if there is a token."""
        header = request.headers.get("Authorization")
        if header is None:
            self._count(self._requests, request.remote_addr)
            return None, []
        actor, streams = self._authenticated(header, request.remote_addr, beside)
        if actor is None:
            self._count(self._failures, request.remote_addr)
            raise Problem("unauthenticated", "The token is not good.", headers=CHALLENGE)
        self._count(self._requests, actor.credential_id)
        return actor, streams

    def _authenticated(
        self, header: str, address: str | None, beside: Sequence[tuple[Aggregate[Any], UUID]]
    ) -> tuple[Actor | None, list[Stream[Any]]]:
        """Who the header's token belongs to. After too many failures only tokens that were good here are looked up."""
        found = _BEARER.fullmatch(header)
        token = found[1] if found else ""
        digest = hashlib.sha256(token.encode()).digest()
        if digest not in self._good:
            self._stop(self._failures.wait(address))
        actor, streams = authenticate_with(self._store, token, *beside)
        if actor is not None:
            self._remember(digest)
        return actor, streams

    def _remember(self, digest: bytes) -> None:
        if len(self._good) > REMEMBERED:
            self._good.clear()
        self._good.add(digest)

    def may_change_seats(self, actor: Actor) -> None:
        """Stop a player who has changed seats at ring tables too often; the staff, who seat everybody, never."""
        if actor.player_id is not None:
            self._stop(self._seat_changes.wait(actor.player_id))

    def count_seat_change(self, actor: Actor) -> None:
        """Count a change of a seat."""
        self._seat_changes.take(actor.player_id)

    def still_good(self, request: Request, actor: Actor) -> bool:
        """Whether the token that a connection began with is good yet."""
        found = _BEARER.fullmatch(request.headers.get("Authorization", ""))
        return found is not None and authenticate(self._store, found[1]) == actor

    def _count(self, limit: Limit, caller: object) -> None:
        self._stop(limit.take(caller))

    @staticmethod
    def _stop(wait: int) -> None:
        if wait:
            raise Problem("too-many-requests", headers={"Retry-After": str(wait)})


def admit(who: Who, actor: Actor | None, *, whole_service: bool) -> None:
    """Raise the problem if `actor` may not use an operation of `who`.

    An operation on the whole service is closed to a token that is limited to one tournament.
    """
    if who.value is None:
        return
    if actor is None:
        raise Problem("unauthenticated", headers=CHALLENGE)
    if actor.role not in who.value:
        roles = ", ".join(sorted(who.value))
        raise Problem("forbidden", f"This takes a token of the role {roles}; yours is {actor.role}.")
    if whole_service and actor.tournament_id is not None:
        raise Problem("forbidden", "This token is limited to one tournament.")
