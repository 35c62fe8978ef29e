"""Scale: what a hand costs with 10 tables known to the store, and with many.

Each database is filled with tournaments of ten tables, at each of which a hand runs, its turn's deadline on the agenda:
one tournament is played so far for real, its log copied under other ids, and all of it projected. One further table is
then played at each in turn, hand by hand: the deal as a worker makes it, each play as a player's command, the
projections, and a look of the clock at the agenda after each play. CPU is that of both sides, ours and PostgreSQL's.
"""

import argparse
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from random import Random
from time import perf_counter, process_time
from uuid import UUID

import psycopg

from services.envelope import Row
from tests.bench.ground import Cluster, act_in_turn, cluster, dealt, line, seated
from tests.bench.ratios import Goal, Pair, Round, Task, main
from tests.services.projections.house import House

ROUNDS = 20
SIZES = (10, 100, 1000, 10_000)
FEWEST, *MORE = SIZES
GOAL = Goal("≤", 1.1)
"""At the most tables."""
AT_ONCE = 10
"""Tables of one tournament."""
BEGUN = 6
"""Turns taken of each hand that runs."""
_ID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_COPY = "COPY big2_events (originator_id, originator_version, topic, state) FROM STDIN"
_DUE = "SELECT name, job, args FROM projections.agenda WHERE due_at <= clock_timestamp() ORDER BY due_at LIMIT 500"


class Floor:
    """A database with so many tables, and one more to play at."""

    def __init__(self, server: Cluster, tables: int, sample: Sequence[Row]) -> None:
        self._server = server
        url = server.database()
        _fill(url, sample, tables // AT_ONCE)
        self.house = House(url, seed=1)
        self.house.project()
        with psycopg.connect(url, autocommit=True) as conn:
            conn.execute("VACUUM ANALYZE")  # as autovacuum has long done where tables have come one by one
        self._random = Random(1)
        self._tournament = seated(self.house, 1)

    def hand(self) -> tuple[float, float]:
        """Play one hand; the milliseconds and the CPU's milliseconds that an action of it cost, in all."""
        cpu, began = self._server.cpu() + process_time(), perf_counter()
        [hand] = dealt(self.house, self._tournament)
        turns = line(hand, self._random)
        for turn in turns:
            act_in_turn(self.house, hand, turn)()
            self.house.project()
            self.house.rows(_DUE)
        took, used = perf_counter() - began, self._server.cpu() + process_time() - cpu
        return took * 1000 / len(turns), used * 1000 / len(turns)


def measure(asked: argparse.Namespace, counted: Callable[[int], Iterable[int]]) -> list[Round]:
    """A hand in each database a round."""
    with cluster() as server:
        sample = _sample(server)
        floors = {tables: Floor(server, tables, sample) for tables in SIZES if tables <= asked.tables}

        def one() -> Round:
            few, *others = ((tables, floor.hand()) for tables, floor in floors.items())
            found: Round = {}
            for tables, cost in others:
                goal = GOAL if tables == SIZES[-1] else None
                for called, *pair in zip(("a hand", "a hand: CPU"), few[1], cost, strict=True):
                    found[Task(f"{called}, {tables:,} tables", f"{FEWEST} tables", "ms", goal)] = Pair(*pair)
            return found

        one()  # to warm up
        found = [one() for _ in counted(asked.rounds)]
        for floor in floors.values():
            floor.house.close()
        return found


def _sample(server: Cluster) -> list[Row]:
    """The log of a tournament at whose tables hands run."""
    house, random = House(server.database()), Random(1)
    tournament = seated(house, AT_ONCE)
    for hand in dealt(house, tournament):
        for turn in line(hand, random)[:BEGUN]:
            act_in_turn(house, hand, turn)()
    rows = house.store.stored_log(0, 10_000)
    house.close()
    return rows


def _fill(url: str, sample: Sequence[Row], copies: int) -> None:
    """Store the sample so many times, each with other ids; the chains do not hold any more, which nobody asks here."""
    with psycopg.connect(url) as conn, conn.cursor() as cursor, cursor.copy(_COPY) as copy:
        for number in range(copies):
            salt = str(number).encode()
            others: dict[bytes, bytes] = {}

            def other(
                found: re.Match[bytes], salt: bytes = salt, others: dict[bytes, bytes] = others
            ) -> bytes:
                known = others.get(found[0])
                if known is None:
                    digest = hashlib.md5(found[0] + salt, usedforsecurity=False).digest()
                    known = others[found[0]] = str(UUID(bytes=digest)).encode()
                return known

            for row in sample:
                stream = _ID.sub(other, str(row.stream).encode()).decode()
                copy.write_row((stream, row.version, row.topic, _ID.sub(other, row.state)))


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tables", type=int, default=SIZES[-1], help=f"at most so many tables ({SIZES[-1]})")


if __name__ == "__main__":
    main(__doc__, ROUNDS, measure, _options)
