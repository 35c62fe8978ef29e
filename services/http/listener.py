"""The one follower of the projections in a web process: what it has read, every feed and every reader shares.

It keeps the newest rows of `feed` in a ring and wakes those who wait for them. It knows how far the projections are,
so that a reader who has just written waits until they show it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from typing import Any, NamedTuple, Protocol
from uuid import UUID

import psycopg

from services.application.connections import Connections
from services.database import Connection, connect_options
from services.errors import Unavailable
from services.http.watch import Player, Told, Watch
from services.projections import CHANNEL
from services.store import Store

RING = 20_000
"""Rows that are kept; a feed that is further behind reads the table."""
PAGE = 500
"""Rows that are read at once."""
POLL_SECONDS = 0.5
"""How often the table is looked at without a notice: one can be lost."""
AGAIN_SECONDS = 0.5
"""How long to wait before another try after an error."""
CATCH_UP_SECONDS = 5.0
"""How long a reader waits for the projections to show what was in the log when he asked: a projector's restart."""
MOST_PATIENT = 64
"""Readers who wait so long at a time; with more, each waits only `CROWDED_SECONDS`, so that plays find a thread."""
CROWDED_SECONDS = 0.5

log = logging.getLogger(__name__)

Topic = tuple[str, UUID]
"""`("tournament" | "table" | "player", id)`."""


class Row(NamedTuple):
    """A row of the feed. `seats` has what each player alone may see."""

    position: int
    tournament_id: UUID | None
    table_id: UUID | None
    players: list[UUID]
    type: str
    data: str
    seats: dict[str, Any] | None

    def concerns(self, topic: Topic) -> bool:
        """Whether it belongs to a topic's feed."""
        kind, subject = topic
        if kind == "player":
            return subject in self.players
        return subject == (self.tournament_id if kind == "tournament" else self.table_id)

    def topics(self) -> list[Topic]:
        """The topics that it belongs to."""
        return [
            *([("tournament", self.tournament_id)] if self.tournament_id else []),
            *([("table", self.table_id)] if self.table_id else []),
            *(("player", player) for player in self.players),
        ]


class Bell(Protocol):
    """What is rung when there is something to tell; it returns at once."""

    def set(self) -> None: ...


class Waiting:
    """A feed that waits for rows of its topic."""

    def __init__(self, topic: Topic, awake: Bell) -> None:
        self.topic = topic
        self.awake = awake
        self.told: dict[Player, bytes] = {}
        """What it is to tell beside the log: of each player the newest."""


class Listener:
    """One thread and one connection of its own; everything else is shared memory."""

    def __init__(self, store: Store, connections: Connections) -> None:
        self._store = store
        self._watch = Watch(connections)
        self._ring: deque[Row] = deque(maxlen=RING)
        self._moved = threading.Condition()
        self._waiting: dict[Topic, set[Waiting]] = {}
        self._stopping = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="feed-listener", daemon=True)
        self.position = -1
        """How far the projections, and the ring, are; -1 until they were read."""
        self.read_at = time.monotonic()
        """When they were last read to their end; at first when this was made."""
        self._floor = 0
        self._patient = 0

    @property
    def alive(self) -> bool:
        """Whether the thread still follows."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Begin to listen, in this process."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread, and wake all who wait."""
        self._stopping.set()
        self._closing.set()
        self._thread.join(AGAIN_SECONDS + POLL_SECONDS + 5)
        self._wake_all()

    def close_feeds(self) -> None:
        """Let the feeds end, while requests in flight still find what they wait for."""
        self._closing.set()
        self._wake_all()

    def _wake_all(self) -> None:
        with self._moved:
            for waiting in self._waiting.values():
                for each in waiting:
                    each.awake.set()

    @property
    def stopping(self) -> bool:
        return self._stopping.is_set()

    @property
    def closing(self) -> bool:
        """Whether the feeds are to end."""
        return self._closing.is_set()

    def reach_head(self) -> None:
        """Wait until the projections show what the log holds now; Unavailable if they do not in time."""
        head = self._store.head()
        if self.position < head:
            self._wait_for(head)
        if self.position < head:
            raise Unavailable("the projections are behind the log")

    def _wait_for(self, head: int) -> None:
        with self._moved:
            seconds = CATCH_UP_SECONDS if self._patient < MOST_PATIENT else CROWDED_SECONDS
            self._patient += 1
            try:
                self._moved.wait_for(lambda: self.position >= head or self.stopping, seconds)
            finally:
                self._patient -= 1

    def join(self, waiting: Waiting) -> None:
        """Wake it from now on."""
        with self._moved:
            self._waiting.setdefault(waiting.topic, set()).add(waiting)

    def leave(self, waiting: Waiting) -> None:
        """Wake it no more."""
        with self._moved:
            others = self._waiting[waiting.topic]
            others.discard(waiting)
            if not others:
                del self._waiting[waiting.topic]

    def told(self, waiting: Waiting) -> list[bytes]:
        """The changes of connections that a feed has to tell, each once."""
        if not waiting.told:  # most often; whoever adds one wakes the feed after that
            return []
        with self._moved:
            told, waiting.told = waiting.told, {}
        return list(told.values())

    def after(self, position: int, topic: Topic) -> tuple[list[Row], int]:
        """The topic's next rows behind a position, a page at most, and the position up to which they are all."""
        return self.held(position, topic) or self._page(position, topic, self.position)

    def held(self, position: int, topic: Topic) -> tuple[list[Row], int] | None:
        """The same from the ring alone: None if it no longer holds what follows the position."""
        with self._moved:
            if position < self._floor:
                return None
            upto, found = self.position, self._behind(position, topic)
        return (found, upto) if len(found) <= PAGE else (found[:PAGE], found[PAGE - 1].position)

    def _behind(self, position: int, topic: Topic) -> list[Row]:
        """From the ring, whose newest rows are at its right end."""
        found = []
        for row in reversed(self._ring):
            if row.position <= position:
                break
            if row.concerns(topic):
                found.append(row)
        found.reverse()
        return found

    def _page(self, position: int, topic: Topic, upto: int) -> tuple[list[Row], int]:
        """From the table, for a feed that is too far behind for the ring."""
        kind, subject = topic
        query = f"{_SELECT} WHERE position > %(after)s AND position <= %(upto)s AND {_WHERE[kind]}"
        values = {"after": position, "upto": upto, "id": subject}
        with self._store.database.connection() as conn:
            rows = conn.execute(f"{query} ORDER BY position LIMIT {PAGE}", values)
            found = [Row._make(row) for row in rows]
        return found, found[-1].position if len(found) == PAGE else upto

    def _run(self) -> None:
        while not self.stopping:
            try:
                with psycopg.connect(self._store.database.url, **connect_options("big2-feed")) as conn:
                    self._follow(conn)
            except Exception as error:  # noqa: BLE001 - every feed and every reader depends on this thread
                log.warning("the feed's listener failed and tries again: %s", type(error).__name__)
                self._stopping.wait(AGAIN_SECONDS)

    def _follow(self, conn: Connection) -> None:
        conn.execute(f"LISTEN {CHANNEL}")
        while not self.stopping:
            while self._drain(conn):
                pass
            self.read_at = time.monotonic()
            self._tell(self._watch.look(conn))
            for _ in conn.notifies(timeout=POLL_SECONDS, stop_after=1):
                pass

    def _drain(self, conn: Connection) -> bool:
        """Read the next rows; whether more may follow at once."""
        row = conn.execute("SELECT position FROM projections.tracking").fetchone()
        upto = row[0] if row else 0
        if self.position < 0 or upto < self.position:  # the first look, or another database
            self._begin_at(upto)
            return False
        if upto == self.position:
            return False
        query = f"{_SELECT} WHERE position > %s AND position <= %s ORDER BY position LIMIT {PAGE}"
        rows = [Row._make(r) for r in conn.execute(query, (self.position, upto))]
        self._take(rows, rows[-1].position if len(rows) == PAGE else upto)
        return True

    def _begin_at(self, position: int) -> None:
        with self._moved:
            self._ring.clear()
            self._floor = self.position = position
            self._moved.notify_all()

    def _take(self, rows: list[Row], upto: int) -> None:
        """Show the rows to everybody, and wake whom they concern."""
        with self._moved:
            overflow = len(self._ring) + len(rows) - RING
            if overflow > 0:
                self._floor = self._ring[overflow - 1].position
            self._ring.extend(rows)
            self.position = upto
            self._moved.notify_all()
            woken = {topic for row in rows for topic in row.topics()} & self._waiting.keys()
            for topic in woken:
                for waiting in self._waiting[topic]:
                    waiting.awake.set()

    def _tell(self, changes: list[Told]) -> None:
        """Give changes of connections to the feeds that they concern."""
        with self._moved:
            for change in changes:
                for topic in change.topics():
                    for waiting in self._waiting.get(topic, ()):
                        waiting.told[change.player] = change.frame
                        waiting.awake.set()


_SELECT = "SELECT position, tournament_id, table_id, players, type, data, seats FROM projections.feed"
_WHERE = {
    "tournament": "tournament_id = %(id)s",
    "table": "table_id = %(id)s",
    "player": "players @> ARRAY[%(id)s]::uuid[]",
}


def wait_until_ready(listener: Listener, seconds: float) -> bool:
    """Whether the listener has read the projections' position within so many seconds."""
    give_up = time.monotonic() + seconds
    while listener.position < 0 and time.monotonic() < give_up:
        time.sleep(0.01)
    return listener.position >= 0
