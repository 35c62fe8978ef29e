"""Replay and rebuild: what is made again from the log, against a raw SELECT and the decoding of its rows.

A tournament's hands are played at random; then, over the same log and in turn: the floors select the rows, by position
or stream by stream, and decode each with a ready decoder of its own type. The product folds every event into its
stream's state (from the log, and as a command loads it), judges every hand again by the rules (`big2 doctor`), and
writes every row of every projection (`big2 rebuild`). CPU is that of both sides, ours and PostgreSQL's.
"""

import argparse
from collections.abc import Callable, Iterable
from random import Random
from time import perf_counter, process_time
from typing import Any
from uuid import UUID

import psycopg

from domain.aggregate import Aggregate
from domain.credential import CREDENTIAL
from domain.hand import HAND
from domain.player import PLAYER
from domain.roster import ROSTER
from domain.table import TABLE
from domain.topics import TOPICS
from domain.tournament import TOURNAMENT
from services.doctor.replay_hands import actions
from services.envelope import NEWEST, Codec
from services.projections import Projector
from services.projections.projector import BATCH
from services.store import Store
from tests.bench.ground import Cluster, cluster, dealt, play_out, seated
from tests.bench.ratios import Goal, Pair, Round, Task, main
from tests.services.projections.house import House

ROUNDS = 7
TABLES = 4
HANDS = 5
"""At each table."""
GOAL = Goal("≥", 0.5)
KINDS: dict[str, Aggregate[Any]] = {
    each.name: each for each in (CREDENTIAL, HAND, PLAYER, ROSTER, TABLE, TOURNAMENT)
}
EVOLVE = {topic: kind.evolve for topic in TOPICS if (kind := KINDS.get(topic.partition(".")[0])) is not None}
"""By topic."""
BESIDE = "bench"
LOG, STREAMS = "SELECT of the log, decoded", "SELECT of each stream, decoded"
_LOG = "SELECT topic, state FROM big2_events WHERE notification_id > %s ORDER BY notification_id LIMIT 10000"
_STREAM = "SELECT topic, state FROM big2_events WHERE originator_id = %s ORDER BY originator_version"
_STREAMS = "SELECT originator_id, min(topic) FROM big2_events GROUP BY 1 ORDER BY 1"


class Log:
    """A log that is complete, and the ways to go through it."""

    def __init__(self, url: str, store: Store) -> None:
        self.store = store
        self.conn: Any = psycopg.connect(url, autocommit=True)
        self.decoders = Codec(TOPICS)._decoders
        self.events = store.head()
        self.streams: list[tuple[UUID, str]] = [
            (stream, topic.partition(".")[0]) for stream, topic in self.conn.execute(_STREAMS)
        ]

    def select(self) -> None:
        """The floor by position."""
        with self.conn.cursor(binary=True) as cursor:
            for topic, state in cursor.execute(_LOG, (0,)):
                self.decoders[topic].decode(state)

    def select_streams(self) -> None:
        """The floor stream by stream."""
        with self.conn.cursor(binary=True) as cursor:
            for stream, _ in self.streams:
                for topic, state in cursor.execute(_STREAM, (stream,), prepare=True):
                    self.decoders[topic].decode(state)

    def fold(self) -> None:
        """Every aggregate from the log."""
        states: dict[UUID, Any] = {}
        after = 0
        while page := self.store.log(after, BATCH):
            for r in page:
                states[r.stream] = EVOLVE[r.topic](states.get(r.stream), r.event)
            after = page[-1].position

    def load(self) -> None:
        """Every aggregate as a command loads it."""
        for stream, kind in self.streams:
            self.store.load(KINDS[kind], stream, upto=NEWEST)  # nothing that was folded before

    def judge(self) -> None:
        """Every hand's plays decided again."""
        for stream, kind in self.streams:
            if kind == "hand":
                wrong = list(actions(self.store.events(stream)))
                assert not wrong, wrong

    def project(self) -> None:
        """Every projection, in a schema beside."""
        projector = Projector(self.store, BESIDE)
        projector.create()
        projector.catch_up()
        self.conn.execute(f"DROP SCHEMA {BESIDE} CASCADE")


def measure(asked: argparse.Namespace, counted: Callable[[int], Iterable[int]]) -> list[Round]:
    """Once through the log in each way a round."""
    with cluster() as server:
        url = server.database()
        log = _played(url)

        def one() -> Round:
            times = {
                way: _rates(server, log, way) for way in (log.select, log.select_streams, log.fold, log.load)
            }
            times |= {way: _rates(server, log, way) for way in (log.judge, log.project)}
            found: Round = {}
            for way, floor, called, goal in (
                (log.fold, log.select, "every aggregate rebuilt from the log", GOAL),
                (log.load, log.select_streams, "every aggregate loaded, stream by stream", GOAL),
                (log.judge, log.select_streams, "every hand judged again by the rules", None),
                (log.project, log.select, "every projection rebuilt", GOAL),
            ):
                against = LOG if floor == log.select else STREAMS
                wall, cpu = (Pair(*pair) for pair in zip(times[floor], times[way], strict=True))
                found |= {
                    Task(called, against, "/s", goal): wall,
                    Task(f"{called}: CPU", against, "/s", goal): cpu,
                }
            return found

        one()  # to warm up
        found = [one() for _ in counted(asked.rounds)]
        log.conn.close()
        log.store.close()
        return found


def _played(url: str) -> Log:
    house, random = House(url), Random(1)
    tournament = seated(house, TABLES)
    for _ in range(HANDS):
        for hand in dealt(house, tournament):
            play_out(house, hand, random)
    house.close()
    return Log(url, Store(url, TOPICS))


def _rates(server: Cluster, log: Log, way: Callable[[], None]) -> tuple[float, float]:
    """Events a second, by the clock and by the CPU."""
    cpu, began = server.cpu() + process_time(), perf_counter()
    way()
    took = perf_counter() - began
    return log.events / took, log.events / (server.cpu() + process_time() - cpu)


if __name__ == "__main__":
    main(__doc__, ROUNDS, measure)
