"""What stands around a stored event: who, when, by which command, and the hash of what came before.

A stored event is a row (stream id, version, topic, state, log position). `state` is canonical JSON (RFC 8785:
keys sorted, no white space, UTF-8, integers only):

    {"actor": …, "at": …, "command": …, "digest": …, "event": {…}, "prev": …}
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Generic, NamedTuple, TypeVar
from uuid import UUID

import msgspec

from domain.aggregate import Aggregate
from domain.events import Event
from domain.ids import CommandId
from services.errors import BrokenChain, UnknownTopic

S = TypeVar("S")
E = TypeVar("E", bound=Event)

GENESIS = "0" * 64
"""`prev` of a stream's first event."""
NEWEST = 2**63 - 1
"""A version or position that no event reaches: up to the newest."""


class Command(msgspec.Struct, frozen=True):
    """What somebody asked for: its id, who asked, and the digest of the request's body."""

    id: CommandId
    actor: str
    digest: str


class Change(msgspec.Struct, frozen=True):
    """New events of one stream, to follow its version `expected_version`; 0 creates the stream.

    Without events: what is stored beside it was decided on this version, and may follow no later one.
    """

    stream_id: UUID
    expected_version: int
    events: Sequence[Event]


class Recorded(msgspec.Struct, frozen=True, gc=False):
    """An event as it stands in the log: `version` counts in its stream, `position` rises in the whole log."""

    stream: UUID
    version: int
    position: int
    topic: str
    at: datetime
    command: CommandId
    actor: str
    digest: str
    event: Event


class Taken(NamedTuple):
    """A command that a stream has recorded: the versions of its events there, and its digest."""

    first: int
    last: int
    digest: str


class Stream(msgspec.Struct, Generic[S], frozen=True):
    """A stream as loaded: version 0 and no state when it does not exist.

    `position` is the log position of its newest event; `read_at` the database's clock when it was read.
    """

    id: UUID
    version: int
    position: int
    state: S | None
    commands: dict[CommandId, Taken]
    recorded: tuple[Recorded, ...]
    read_at: datetime


class Row(NamedTuple):
    """A stored event, byte for byte."""

    stream: UUID
    version: int
    topic: str
    state: bytes
    position: int


def link(originator_id: UUID, version: int, topic: str, state: bytes) -> str:
    """The SHA-256, in hex, that the next event of the stream carries as `prev`.

    It is taken over the UTF-8 text `<id>\\n<version>\\n<topic>\\n`, the id in lower case with hyphens and the
    version in decimal, followed by the bytes of `state`.
    """
    return hashlib.sha256(f"{originator_id}\n{version}\n{topic}\n".encode() + state).hexdigest()


def verify_chain(rows: Iterable[Row]) -> str:
    """Check a whole stream from its first row on, and return the link of the last; BrokenChain says where."""
    prev = GENESIS
    for version, row in enumerate(rows, 1):
        if row.version != version:
            raise BrokenChain(f"stream {row.stream}: version {row.version} stands where {version} belongs")
        if prev_of(row) != prev:
            raise BrokenChain(f"stream {row.stream}: version {version} does not follow from its predecessor")
        prev = link(row.stream, row.version, row.topic, row.state)
    return prev


def prev_of(row: Row) -> str:
    """The link of its predecessor that a stored event carries."""
    return _PREV.decode(row.state).prev


class _Prev(msgspec.Struct):
    prev: str


class _Unsealed(msgspec.Struct):
    actor: str
    at: datetime
    command: CommandId
    digest: str
    event: Event


class _Sealed(msgspec.Struct, Generic[E], frozen=True, forbid_unknown_fields=True):
    actor: str
    at: datetime
    command: CommandId
    digest: str
    event: E
    prev: str


def _no_float(text: str) -> float:
    raise ValueError(f"{text} is not an integer: events hold no other numbers")


_PREV = msgspec.json.Decoder(_Prev)
_ENCODER = msgspec.json.Encoder(order="sorted")
_INTEGERS = msgspec.json.Decoder(float_hook=_no_float)


class Codec:
    """Turns events into stored bytes and back, by an append-only registry of topics."""

    def __init__(self, topics: Mapping[str, type[Event]]) -> None:
        self._topics = {event_type: topic for topic, event_type in topics.items()}
        if len(self._topics) < len(topics):
            raise UnknownTopic("two topics name the same event type")
        self._decoders = {
            topic: msgspec.json.Decoder(_Sealed[event_type])  # type: ignore[valid-type]
            for topic, event_type in topics.items()
        }

    def topic(self, event: Event) -> str:
        """The topic under which events of this type are stored."""
        try:
            return self._topics[type(event)]
        except KeyError:
            raise UnknownTopic(f"{type(event).__qualname__} is in no registry of topics") from None

    def encode(self, command: Command, at: datetime, event: Event) -> bytes:
        """The envelope without `prev`, which `seal` adds; ValueError if the event holds a float."""
        unsealed = _Unsealed(command.actor, at.astimezone(UTC), command.id, command.digest, event)
        state = _ENCODER.encode(msgspec.to_builtins(unsealed, str_keys=True, order="sorted"))
        _INTEGERS.decode(state)
        return state

    def decode(self, row: Row) -> Recorded:
        """The event of a stored row; UnknownTopic or msgspec.ValidationError: can't be read here."""
        stream, version, topic, state, position = row
        try:
            decoder = self._decoders[topic]
        except KeyError:
            raise UnknownTopic(
                f"stream {stream} version {version} has the unknown topic {topic!r}, of a newer release?"
            ) from None
        e = decoder.decode(state)
        return Recorded(stream, version, position, topic, e.at, e.command, e.actor, e.digest, e.event)


def seal(state: bytes, prev: str) -> bytes:
    """Add `prev`, the last key in the order of RFC 8785, to an encoded envelope."""
    return b'%b,"prev":"%b"}' % (state[:-1], prev.encode())


def nothing_yet(stream_id: UUID, read_at: datetime) -> Stream[S]:
    """A stream before its first event."""
    return Stream(stream_id, 0, 0, None, {}, (), read_at)


def fold_on(aggregate: Aggregate[S], stream: Stream[S], recorded: Sequence[Recorded]) -> Stream[S]:
    """The stream with these events added. The old one's state goes into it: don't use it again."""
    if not recorded:
        return stream
    state, commands = stream.state, stream.commands
    evolve = aggregate.evolve
    for r in recorded:
        state = evolve(state, r.event)
        taken = commands.get(r.command)
        commands[r.command] = Taken(taken.first if taken else r.version, r.version, r.digest)
    last = recorded[-1]
    return Stream(
        stream.id, last.version, last.position, state, commands, (*stream.recorded, *recorded), stream.read_at
    )
