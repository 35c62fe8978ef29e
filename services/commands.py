"""The kernel of every write: load, see whether it is done already, decide, append; again after a conflict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Generic, TypeAlias, TypeVar
from uuid import UUID

import msgspec

from domain.aggregate import Aggregate
from domain.errors import Conflicting, Refused
from domain.events import Event
from domain.ids import job_command
from services.envelope import Change, Command, Recorded, Stream, Taken, fold_on
from services.errors import Conflict, IdempotencyKeyReuse, Unavailable
from services.eventtable import Also
from services.store import Store

S = TypeVar("S")

ATTEMPTS = 3
"""How often a command is decided before its caller is told that others are always faster."""


class Beaten(Conflicting):
    """409: others were faster each time."""

    def __init__(self) -> None:
        super().__init__("conflict", "others were faster each time: send the same request again")


class Decision(msgspec.Struct, frozen=True):
    """What is to be stored: events of one or more streams, and other statements for the same transaction."""

    changes: Sequence[Change]
    also: Also | None = None


class Outcome(msgspec.Struct, Generic[S], frozen=True):
    """What a command did, now or long ago: a function of its main stream up to its last event there.

    `events` are the command's in the main stream; `state`, `version` and `position` are the stream's right
    after them. `repeat` says that they had been recorded before this call looked.
    """

    repeat: bool
    events: tuple[Recorded, ...]
    state: S | None
    version: int
    position: int


Decide: TypeAlias = Callable[[Stream[S], datetime], Decision]


def on(stream: Stream[S], *events: Event) -> Change:
    """These events, to follow what was loaded of the stream; without any: it may not have moved on (`Change`)."""
    return Change(stream.id, stream.version, events)


def execute(
    store: Store,
    command: Command,
    main_stream: tuple[Aggregate[S], UUID],
    decide: Decide[S],
    loaded: Stream[S] | None = None,
) -> Outcome[S]:
    """Carry out a command once, whatever happens, and say what it did.

    `decide` gets the main stream and the database's clock; what it refuses is raised untouched and leaves no
    trace. It is called again after a conflict, so it loads whatever else it needs itself, and has no effects. What it
    decides on but adds nothing to, and what can change, belongs into the decision as a Change without events. A
    decision without events for the main stream is not remembered. `loaded` is the main stream, if
    it has just been read.

    Raises IdempotencyKeyReuse if the command id is known with another digest, in whatever stream, Beaten after
    ATTEMPTS conflicts, and Unavailable if the database doesn't answer.
    """
    aggregate, stream_id = main_stream
    lost: Unavailable | None = None
    for _ in range(ATTEMPTS):
        stream, loaded = loaded or store.load(aggregate, stream_id), None
        if taken := stream.commands.get(command.id):
            return _repeat(store, command, aggregate, stream, taken)
        try:
            decision = decide(stream, stream.read_at)
        except (Refused, Conflicting):
            _must_be_new(store, command)
            raise
        if not any(change.events for change in decision.changes):
            return Outcome(False, (), stream.state, stream.version, stream.position)
        try:
            recorded = store.append(command, decision.changes, stream.read_at, decision.also, once=True)
        except Conflict:
            _must_be_new(store, command)
            lost = None
        except Unavailable as error:  # it may have been stored all the same: the next load tells
            lost = error
        else:
            return _outcome(aggregate, stream, recorded)
    raise lost or Beaten()


def job(name: str) -> Command:
    """A job's command: its id is made from its name, so that the job is recorded once."""
    return Command(job_command(name), f"job/{name}", "")


def again(step: Callable[[], None]) -> None:
    """A step of a job, tried again after a conflict; after the last one the agenda asks again, for it is still due."""
    for _ in range(ATTEMPTS):
        with suppress(Conflict):
            return step()
    return None


def _must_be_new(store: Store, command: Command) -> None:
    """Where the main stream follows from the body, the same key with another body leads to another stream.

    Asked only once something is in the way: what goes well is held to it by the append.
    """
    known = store.find(command.id)
    if known and known.digest != command.digest:
        raise IdempotencyKeyReuse


def _outcome(aggregate: Aggregate[S], before: Stream[S], recorded: Sequence[Recorded]) -> Outcome[S]:
    own = tuple(r for r in recorded if r.stream == before.id)
    after = fold_on(aggregate, before, own)
    return Outcome(False, own, after.state, after.version, after.position)


def _repeat(
    store: Store, command: Command, aggregate: Aggregate[S], stream: Stream[S], taken: Taken
) -> Outcome[S]:
    if taken.digest != command.digest:
        raise IdempotencyKeyReuse
    if stream.version != taken.last:
        stream = store.load(aggregate, stream.id, upto=taken.last)
    own = tuple(r for r in stream.recorded if r.command == command.id)
    return Outcome(True, own, stream.state, stream.version, stream.position)
