"""One request on its way to a view: the order of the checks stands here, once.

400, 413, 415 (the body and the key) · 401 · 404, 403 · a repeat of the key · 409 · 422. The last four are the
application services': they read a body's members only after they have told every conflict.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import marshmallow as ma
from flask import Request, current_app, request
from flask.globals import request_ctx

from domain.aggregate import Aggregate
from domain.errors import Refused
from domain.ids import CommandId, request_command
from services.application.context import Services
from services.application.credentials import Actor
from services.database import Database
from services.envelope import Command, Stream
from services.http import strictjson
from services.http.access import Gate, Who, admit
from services.http.fields import Body as BodySchema
from services.http.fields import CardList, pointers
from services.http.figures import Asked
from services.http.limits import Places
from services.http.listener import Listener
from services.http.observing import commanded, seen
from services.http.problems import Problem
from services.http.readiness import Readiness
from services.http.sender import Sender

EXTENSION = "big2"
LARGEST_BODY = 64 * 1024
_KEY = re.compile(r"[!-~]{1,255}", re.ASCII)


class Parts(NamedTuple):
    """What a view needs of this process."""

    services: Services
    gate: Gate
    listener: Listener
    feeds: Places
    sender: Sender
    readiness: Readiness
    asked: Asked
    metrics_token: str | None


class Operation(NamedTuple):
    """What a route promises: who may use it, and what it takes."""

    who: Who
    body: BodySchema | None = None
    body_required: bool = True
    query: BodySchema | None = None
    command: bool = False
    keyed: bool = True
    whole_service: bool = False
    projected: bool = False
    main: Aggregate[Any] | None = None
    """Of the stream that its path names, which is read together with the credential."""


def parts() -> Parts:
    """The parts of the application that serves this request."""
    found: Parts = current_app.extensions[EXTENSION]
    return found


class Body:
    """A body as sent, and as its schema reads it."""

    def __init__(self, schema: BodySchema, sent: object) -> None:
        self.sent = sent
        self.wrong: Refused | None = None
        try:
            self.valid: dict[str, Any] = schema.load(sent)  # type: ignore[arg-type]
        except ma.ValidationError as error:
            self.valid = error.valid_data if isinstance(error.valid_data, dict) else {}
            self.wrong = Refused("validation", "The body is not right.", pointers(error.messages))

    @property
    def unread(self) -> dict[str, str]:
        """What is wrong with it, by JSON pointer; `valid` has the rest, to be judged with it."""
        return self.wrong.errors if self.wrong else {}

    def read(self) -> dict[str, Any]:
        """The members; Refused with everything that is wrong with them."""
        if self.wrong:
            raise self.wrong
        return self.valid


class Call:
    """A request that has passed the checks which need no aggregate."""

    def __init__(
        self,
        operation: Operation,
        parts: Parts,
        actor: Actor | None,
        sent: object,
        loaded: Sequence[Stream[Any]],
    ) -> None:
        self.operation = operation
        self.services = parts.services
        self.listener = parts.listener
        self.parts = parts
        self._actor = actor
        self._sent = sent
        self.loaded: Stream[Any] | None = loaded[0] if loaded else None
        """The stream that the path names, of an operation with `main`."""

    @property
    def database(self) -> Database:
        """The projections, and the tables beside the log."""
        return self.services.store.database

    @property
    def reader(self) -> Actor | None:
        """Who reads; None without a token."""
        return self._actor

    @property
    def actor(self) -> Actor:
        """Who acts, on an operation that is not open to everybody."""
        assert self._actor is not None
        return self._actor

    @cached_property
    def body(self) -> Body:
        assert self.operation.body is not None
        return Body(self.operation.body, self._sent)

    @cached_property
    def query(self) -> dict[str, Any]:
        """The query's members; a problem with everything that is wrong with them."""
        schema = self.operation.query
        several = {
            f"/query/{name}": "stands there twice"
            for name, values in request.args.lists()
            if len(values) > 1 and not _is_list(schema, name)
        }
        given = {
            name: ",".join(values) if _is_list(schema, name) else values[0]
            for name, values in request.args.lists()
        }
        try:
            loaded: dict[str, Any] = (schema or _NO_QUERY).load(given)
        except ma.ValidationError as error:
            wrong = {f"/query{at}": what for at, what in pointers(error.messages).items()}
            raise Problem("validation", "The query is not right.", errors=several | wrong) from None
        if several:
            raise Problem("validation", "The query is not right.", errors=several)
        return loaded

    @property
    def keyed(self) -> bool:
        """Whether this request may come again as the same command."""
        return "Idempotency-Key" in request.headers

    @cached_property
    def command(self) -> Command:
        """The command that this request is; the same request again is the same command.

        A DELETE has no body: what it is about stands in its query.
        """
        key = request.headers.get("Idempotency-Key")
        credential = self.actor.credential_id
        found = request_command(credential, request.method, request.path, key) if key else CommandId(uuid4())
        commanded(found)
        asked = request.args.to_dict() if request.method == "DELETE" else self._sent
        return Command(found, f"credential/{credential}", strictjson.digest(asked))


def begin(operation: Operation, path: dict[str, UUID]) -> Call:
    """The checks up to 403; raises Problem."""
    asked = request_ctx.request  # itself: what stands for it everywhere looks for it each time
    sent = _sent(operation, asked)
    _check_key(operation, asked)
    its = parts()
    main = [(operation.main, stream_id) for stream_id in path.values() if operation.main]
    actor, loaded = its.gate.actor_with(asked, *main)
    seen(actor)
    admit(operation.who, actor, whole_service=operation.whole_service)
    if operation.who is not Who.ANYBODY and actor and "tournament_id" in path:
        actor.must_be_in(path["tournament_id"])
    call = Call(operation, its, actor, sent, loaded)
    if operation.query is None and asked.args:
        _ = call.query
    if operation.projected:
        its.listener.reach_head()
    return call


def _sent(operation: Operation, asked: Request) -> object:
    """The body's value; an empty object where none is needed and none was sent."""
    if not operation.command or asked.method == "DELETE":
        return {}
    raw = asked.get_data(cache=False)
    if len(raw) > LARGEST_BODY:
        raise Problem("body-too-large")
    if not raw and not operation.body_required:
        return {}
    charset = asked.mimetype_params.get("charset", "utf-8").lower()
    typed = asked.mimetype == "application/json" and charset in ("utf-8", "utf8")
    if not typed and (raw or asked.mimetype):
        raise Problem("unsupported-media-type")
    try:
        return strictjson.loads(raw)
    except strictjson.NotJsonError as error:
        raise Problem("malformed-json", str(error)) from None


def _check_key(operation: Operation, asked: Request) -> None:
    if not (operation.command and operation.keyed):
        return
    key = asked.headers.get("Idempotency-Key")
    if key is None and asked.method == "POST":
        raise Problem("missing-idempotency-key")
    if key is not None and not _KEY.fullmatch(key):
        raise Problem("bad-idempotency-key")


def _is_list(schema: BodySchema | None, name: str) -> bool:
    return schema is not None and isinstance(schema.fields.get(name), CardList)


class _NoQuery(BodySchema):
    error_messages = {"unknown": "is not a parameter of this address"}  # noqa: RUF012


_NO_QUERY = _NoQuery()
