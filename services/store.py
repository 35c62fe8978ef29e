"""The event store, and the only module that knows the `eventsourcing` library.

The library gives the frame: an application with a mapper, an event store and a recorder. Ours differ:
an event is a pure value in an envelope of ours; each is chained to its predecessor; a stream comes with its
log positions and the clock in one round trip; an append is one statement, in a transaction with others where
asked; nothing is tried again behind the back of the caller, who alone can see whether it had worked.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from threading import Lock
from typing import Any, NamedTuple, TypeVar, cast
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.persistence import (
    ApplicationRecorder,
    BaseInfrastructureFactory,
    EventStore,
    InfrastructureFactory,
    IntegrityError,
    Mapper,
    Notification,
    Recording,
    StoredEvent,
)
from eventsourcing.popo import POPOApplicationRecorder, POPOFactory
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore, PostgresFactory
from eventsourcing.utils import Environment, EnvType
from msgspec.structs import replace
from psycopg import Connection
from psycopg.rows import DictRow, dict_row, tuple_row

from domain.aggregate import Aggregate
from domain.events import Event
from domain.ids import CommandId
from services.database import POOL_SIZE, Database
from services.envelope import (
    GENESIS,
    NEWEST,
    Change,
    Codec,
    Command,
    Recorded,
    Row,
    Stream,
    fold_on,
    link,
    nothing_yet,
    seal,
)
from services.errors import Conflict, StoreError
from services.eventtable import Also, EventTable, NewRow, Proviso, Read, Rows, Wanted
from services.kept import Kept, KeptStreams
from services.locks import LOCK_SECONDS, AdvisoryLocks, LocalLocks

S = TypeVar("S")

HEADS = 4096
"""How many streams' last links a process remembers."""
LOG_LIMIT = 10_000
"""The most events that one call of `Store.log` returns."""


class Fact(NamedTuple):
    """An event on its way into the library, or out of it."""

    originator_id: UUID
    originator_version: int
    command: Command
    at: datetime
    event: Event


class EnvelopeMapper(Mapper[UUID]):
    """The library's mapper, by our envelope and our registry of topics."""

    def __init__(self, codec: Codec) -> None:
        self.codec = codec

    def to_stored_event(self, domain_event: Any) -> StoredEvent:  # noqa: ANN401 - the library's signature
        fact: Fact = domain_event
        state = self.codec.encode(fact.command, fact.at, fact.event)
        return StoredEvent(fact.originator_id, fact.originator_version, self.codec.topic(fact.event), state)

    def to_domain_event(self, stored_event: StoredEvent) -> Any:  # noqa: ANN401
        row = Row(
            _uuid(stored_event), stored_event.originator_version, stored_event.topic, stored_event.state, 0
        )
        recorded = self.codec.decode(row)
        command = Command(recorded.command, recorded.actor, recorded.digest)
        return Fact(recorded.stream, recorded.version, command, recorded.at, recorded.event)


class ChainedEventStore(EventStore[UUID]):
    """Gives each event the link of its predecessor, and remembers each stream's last link."""

    def __init__(self, mapper: EnvelopeMapper, recorder: PostgresRows | MemoryRows) -> None:
        super().__init__(mapper, recorder)
        self._codec = mapper.codec
        self._rows = recorder.rows
        self._heads: OrderedDict[UUID, tuple[int, str]] = OrderedDict()
        self._guard = Lock()

    def put(self, domain_events: Sequence[Any], **kwargs: Any) -> list[Recording[UUID]]:  # noqa: ANN401
        heads: dict[UUID, tuple[int, str]] = {}
        rows = [self._chained(fact, heads) for fact in domain_events]
        read_back = [self._codec.decode(Row(*row, 0)) for row in rows]  # what can't be read is never stored
        positions = self._rows.append(rows, kwargs["also"], kwargs["proviso"])
        for stream_id, head in heads.items():
            self.remember(stream_id, *head)
        return [
            Recording(cast(Any, replace(recorded, position=position)), Notification(*row, id=position))
            for recorded, row, position in zip(read_back, rows, positions, strict=True)
        ]

    def _chained(self, fact: Fact, heads: dict[UUID, tuple[int, str]]) -> NewRow:
        plain = self.mapper.to_stored_event(cast(Any, fact))
        stream_id, version = fact.originator_id, fact.originator_version
        _, prev = heads.get(stream_id) or (0, self._link_at(stream_id, version - 1))
        row = NewRow(stream_id, version, plain.topic, seal(plain.state, prev))
        heads[stream_id] = (version, link(*row))
        return row

    def remember(self, stream_id: UUID, version: int, head: str) -> None:
        """Keep the link of a stream's last event, so that the next append needn't read it."""
        with self._guard:
            self._heads[stream_id] = (version, head)
            self._heads.move_to_end(stream_id)
            if len(self._heads) > HEADS:
                self._heads.popitem(last=False)

    def _link_at(self, stream_id: UUID, version: int) -> str:
        if version == 0:
            return GENESIS
        known, head = self._heads.get(stream_id, (0, ""))
        if known == version:
            return head
        rows = self._rows.read(stream_id, version, version).rows
        if not rows:
            raise Conflict(f"stream {stream_id} has no version {version} yet")
        return link(*rows[0][:4])


class PostgresRows(PostgresApplicationRecorder):
    """The library's recorder, over our table."""

    def __init__(self, datastore: _Datastore, *, events_table_name: str = "stored_events") -> None:
        super().__init__(datastore, events_table_name=events_table_name)
        self.rows: Rows = EventTable(datastore.database)


class _Datastore(PostgresDatastore):
    """The library's, over our connections: it opens none of its own."""

    def __init__(self, database: Database) -> None:
        super().__init__("", "", "", "", "")
        self.database = database

    def register_type_adapters(self) -> None:
        """Our statements need none."""

    @contextmanager
    def get_connection(self) -> Iterator[Connection[DictRow]]:
        with self.database.connection() as conn:
            conn.row_factory = dict_row  # type: ignore[assignment]
            try:
                yield cast("Connection[DictRow]", conn)
            finally:
                conn.row_factory = tuple_row


class _PostgresFactory(PostgresFactory):
    application_recorder_class: type[PostgresApplicationRecorder] = PostgresRows

    def __init__(self, env: Environment, database: Database) -> None:
        BaseInfrastructureFactory.__init__(self, env)
        self.datastore = _Datastore(database)


class MemoryRows(POPOApplicationRecorder):
    """The library's recorder in memory, for tests; it has no other tables, so it refuses `also`."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        super().__init__()
        self.rows: Rows = self
        self.clock = clock

    def read(self, stream_id: UUID, first: int = 1, last: int = NEWEST) -> Read:
        with self._database_lock:
            places = self._stored_events_index.get(str(stream_id), {})
            return Read([self._row(p) for v, p in places.items() if first <= v <= last], self.clock())

    def read_few(self, *wanted: Wanted) -> Read:
        return Read([row for each in sorted(wanted) for row in self.read(*each).rows], self.clock())

    def read_many(self, stream_ids: Sequence[UUID]) -> Read:
        ordered = sorted(set(stream_ids))
        return Read([row for stream_id in ordered for row in self.read(stream_id).rows], self.clock())

    def read_log(self, after: int, limit: int) -> list[Row]:
        with self._database_lock:
            return [self._row(place) for place in range(after, min(after + limit, len(self._stored_events)))]

    def head(self) -> int:
        return len(self._stored_events)

    def find(self, command: UUID) -> Row | None:
        key = f',"command":"{command}"'.encode()
        with self._database_lock:
            places = (place for place, event in enumerate(self._stored_events) if key in event.state)
            place = next(places, None)
            return None if place is None else self._row(place)

    def append(self, rows: Sequence[NewRow], also: Also | None, proviso: Proviso) -> list[int]:
        if also is not None:
            raise StoreError("a store in memory has no tables beside its events")
        with self._database_lock:
            moved = any(self.read(stream, version + 1).rows for stream, version in proviso.read)
            if moved or (proviso.once and self.find(proviso.once)):
                raise Conflict("what was decided on has changed")
            try:
                return list(self._insert_events([StoredEvent(*row) for row in rows]) or ())
            except IntegrityError as error:
                raise Conflict("the stream has moved on") from error

    def _row(self, place: int) -> Row:
        e = self._stored_events[place]
        return Row(_uuid(e), e.originator_version, e.topic, e.state, place + 1)


class _MemoryFactory(POPOFactory):
    def __init__(self, env: Environment, clock: Callable[[], datetime]) -> None:
        super().__init__(env)
        self._clock = clock

    def application_recorder(self) -> ApplicationRecorder:
        return MemoryRows(self._clock)


class _Log(Application[UUID]):
    """The library's application: it holds the parts together."""

    name = "big2"

    def __init__(self, codec: Codec, factory: Callable[[Environment], InfrastructureFactory[Any]]) -> None:
        self._codec = codec
        self._factory = factory
        super().__init__()

    def construct_env(self, name: str, env: EnvType | None = None) -> Environment:
        # Nothing comes from the process's environment, and nobody but `migrate` makes tables.
        return Environment(name, {"CREATE_TABLE": "n", **(env or {})})

    def construct_factory(self, env: Environment) -> InfrastructureFactory[Any]:
        return self._factory(env)

    def construct_mapper(self) -> EnvelopeMapper:
        return EnvelopeMapper(self._codec)

    def construct_event_store(self) -> ChainedEventStore:
        return ChainedEventStore(
            EnvelopeMapper(self._codec), cast("PostgresRows | MemoryRows", self.recorder)
        )


class Store:
    """Streams of events: load one, append to some, follow all. Safe for threads; use it after a fork only."""

    def __init__(self, url: str, topics: Mapping[str, type[Event]], *, pool_size: int = POOL_SIZE) -> None:
        database = Database(url, size=pool_size)
        self._database: Database | None = database
        self._open(topics, lambda env: _PostgresFactory(env, database), AdvisoryLocks(url))

    @classmethod
    def in_memory(
        cls, topics: Mapping[str, type[Event]], clock: Callable[[], datetime] | None = None
    ) -> Store:
        """A store for unit tests, with the clock of your choice; it forgets all when it goes."""
        store = cls.__new__(cls)
        tick = clock or (lambda: datetime.now(UTC))
        store._database = None
        store._open(topics, lambda env: _MemoryFactory(env, tick), LocalLocks())
        return store

    def _open(
        self,
        topics: Mapping[str, type[Event]],
        factory: Callable[[Environment], InfrastructureFactory[Any]],
        locks: AdvisoryLocks | LocalLocks,
    ) -> None:
        self._codec = Codec(topics)
        self._log = _Log(self._codec, factory)
        self._chain = cast(ChainedEventStore, self._log.events)
        self._rows = cast("PostgresRows | MemoryRows", self._log.recorder).rows
        self._locks = locks
        self._kept = KeptStreams()

    def load(self, aggregate: Aggregate[S], stream_id: UUID, upto: int | None = None) -> Stream[S]:
        """The stream folded up to its newest event, or to version `upto`.

        Version 0 if there is no such stream, or one of another kind of aggregate.
        """
        if upto is None:
            return self.load_few((aggregate, stream_id))[0]
        rows, at = self._rows.read(stream_id, 1, upto)
        return self._folded(aggregate, nothing_yet(stream_id, at), rows)

    def load_few(self, *wanted: tuple[Aggregate[Any], UUID]) -> list[Stream[Any]]:
        """A stream or two, as of one moment, each folded on from where this process had it."""
        kept = [self._kept.get(kind.name, stream_id) if kind.values else None for kind, stream_id in wanted]
        rows, at = self._rows.read_few(
            *(
                Wanted(stream_id, had.stream.version if had else 1)
                for (_, stream_id), had in zip(wanted, kept, strict=True)
            )
        )
        return [
            self._folded_on(kind, stream_id, had, Read([row for row in rows if row.stream == stream_id], at))
            for (kind, stream_id), had in zip(wanted, kept, strict=True)
        ]

    def load_many(self, wanted: Sequence[tuple[Aggregate[Any], UUID]]) -> list[Stream[Any]]:
        """Several streams, as of one moment, in the order asked for."""
        rows, at = self._rows.read_many([stream_id for _, stream_id in wanted])
        streams: dict[UUID, list[Row]] = {}
        for row in rows:
            streams.setdefault(row.stream, []).append(row)
        return [
            self._folded(kind, nothing_yet(stream_id, at), streams.get(stream_id, []))
            for kind, stream_id in wanted
        ]

    def events(self, stream_id: UUID, first: int = 1, last: int | None = None) -> list[Recorded]:
        """The stream's events from version `first` to `last`, both included."""
        return [self._codec.decode(row) for row in self.stored(stream_id, first, last)]

    def stored(self, stream_id: UUID, first: int = 1, last: int | None = None) -> list[Row]:
        """The stream's rows byte for byte, for audit."""
        return self._rows.read(stream_id, first, NEWEST if last is None else last).rows

    def stored_many(self, stream_ids: Sequence[UUID]) -> list[Row]:
        """The rows of several streams byte for byte, as of one moment."""
        return self._rows.read_many(stream_ids).rows

    def log(self, after: int, limit: int) -> list[Recorded]:
        """The events of all streams behind position `after`, in the order in which they were committed."""
        return [self._codec.decode(row) for row in self.stored_log(after, limit)]

    def stored_log(self, after: int, limit: int) -> list[Row]:
        """The rows of all streams behind position `after`, byte for byte."""
        return self._rows.read_log(after, min(limit, LOG_LIMIT))

    def decoded(self, row: Row) -> Recorded:
        """The event of a row; UnknownTopic or msgspec.ValidationError: it can't be read here."""
        return self._codec.decode(row)

    def head(self) -> int:
        """The position of the newest event; 0 for an empty log."""
        return self._rows.head()

    def now(self) -> datetime:
        """The database's clock, in UTC."""
        return self._rows.clock()

    def find(self, command: CommandId) -> Recorded | None:
        """An event of this command, wherever it stands in the log."""
        row = self._rows.find(command)
        return row and self._codec.decode(row)

    def append(
        self,
        command: Command,
        changes: Sequence[Change],
        at: datetime,
        also: Also | None = None,
        *,
        once: bool = False,
    ) -> list[Recorded]:
        """Store all changes, and what `also` does with a cursor, in one transaction; or nothing.

        Conflict: a stream has moved on; with `once` also: the command is in the log, in whatever stream. Unavailable:
        unknown whether it was stored; look for the command id.
        """
        facts = [
            Fact(change.stream_id, version, command, at, event)
            for change in changes
            for version, event in enumerate(change.events, change.expected_version + 1)
        ]
        if not facts:
            raise ValueError("an append needs an event")
        read = [(change.stream_id, change.expected_version) for change in changes if not change.events]
        proviso = Proviso(read, command.id if once else None)
        recordings = self._chain.put(facts, also=also, proviso=proviso)
        return [cast(Recorded, recording.domain_event) for recording in recordings]

    def lock(
        self, key: UUID, seconds: float = LOCK_SECONDS, then: UUID | None = None
    ) -> AbstractContextManager[None]:
        """Hold `key` among all processes for a block, so that load, decide and append meet no conflict.

        `then` is held as well, once `key` is. Unavailable if they are not free within `seconds`, or if too many locks
        are waited for at once; a thread that holds any may not ask for more.
        """
        return self._locks.hold(key, seconds, then)

    def close(self) -> None:
        """Close the connections."""
        self._locks.close()
        self._log.close()
        if self._database:
            self._database.close()

    @property
    def database(self) -> Database:
        """The connections, for tables beside the events; a store in memory has none."""
        if self._database is None:
            raise StoreError("a store in memory has no tables beside its events")
        return self._database

    def _folded_on(self, aggregate: Aggregate[S], stream_id: UUID, had: Kept | None, read: Read) -> Stream[S]:
        """What was kept of a stream with what is new; all of it anew where the log has other rows by now."""
        rows, at = read
        if had is None:
            return self._folded(aggregate, nothing_yet(stream_id, at), rows)
        if rows[:1] == [had.last]:
            return self._folded(aggregate, replace(had.stream, read_at=at), rows[1:])
        rows, at = self._rows.read(stream_id)
        return self._folded(aggregate, nothing_yet(stream_id, at), rows)

    def _folded(self, aggregate: Aggregate[S], before: Stream[S], rows: list[Row]) -> Stream[S]:
        if rows and not rows[0].topic.startswith(f"{aggregate.name}."):
            rows = []  # an id of another kind names nothing of this one
        stream = fold_on(aggregate, before, [self._codec.decode(row) for row in rows])
        if rows:
            self._chain.remember(stream.id, stream.version, link(*rows[-1][:4]))
            if aggregate.values:
                self._kept.put(aggregate.name, stream, rows[-1])
        return stream


def _uuid(stored: StoredEvent) -> UUID:
    return cast(UUID, stored.originator_id)
