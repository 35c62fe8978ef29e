"""Scale: what a hand costs with 10 tables known to the store, and with many.

Each database is filled with tournaments of ten tables, at each of which a hand runs, its turn's deadline on the agenda:
one tournament is played so far for real, and its log and its projections are copied under other ids. One further table
is then played at each in turn, hand by hand: the deal as a worker makes it, each play as a player's command, the
projections, and a look of the clock at the agenda after each play. CPU is that of both sides, ours and PostgreSQL's.
"""

import argparse
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from random import Random
from time import perf_counter, process_time
from typing import Any
from uuid import UUID

import psycopg
from psycopg.sql import SQL, Identifier

from services.projections import tree
from services.projections.projector import BATCH, SCHEMA
from services.store import Store
from tests.bench.ground import Cluster, act_in_turn, cluster, dealt, line, seated
from tests.bench.ratios import Goal, Pair, Round, Task, main
from tests.services.projections.house import House
from workers import clock

ROUNDS = 15
SIZES = (10, 100, 1000, 10_000)
FEWEST, *MORE = SIZES
GOAL = Goal("≤", 1.1)
"""At the most tables."""
AT_ONCE = 10
"""Tables of one tournament."""
BEGUN = 6
"""Turns taken of each hand that runs."""
_ID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TABLES = """
SELECT format('%I.%I', table_schema, table_name), array_agg(column_name::text ORDER BY ordinal_position)
FROM information_schema.columns
WHERE table_schema = 'projections' AND table_name NOT IN ('tracking', 'tree') OR table_name = 'big2_events' GROUP BY 1
"""
"""What is copied: a hash of the tree depends on every event before, so the tree is grown."""
_POSITIONS = ("notification_id", "position", "created")
"""Columns that hold a log position."""
_CAUGHT_UP = """
SELECT setval(pg_get_serial_sequence('big2_events', 'notification_id'), max(notification_id)) FROM big2_events;
UPDATE projections.tracking SET position = (SELECT max(notification_id) FROM big2_events);
"""


class Copied:
    """The rows of a table as COPY has them, with a hole for each id and each log position.

    The chains of the copies do not hold: that is asked of no stream here.
    """

    def __init__(self, conn: psycopg.Connection[Any], name: str, columns: Sequence[str], head: int) -> None:
        self._name = name
        self._head = head
        self._holes: list[bytes | int] = []
        with conn.cursor() as cursor, cursor.copy(f"COPY {name} TO STDOUT") as copy:
            lines = b"".join(copy).splitlines()
        self._text = b"".join(self._holed(line, columns) for line in lines)

    def _holed(self, line: bytes, columns: Sequence[str]) -> bytes:
        fields = []
        for column, field in zip(columns, line.split(b"\t"), strict=True):
            if column in _POSITIONS:
                self._holes.append(int(field))
                fields.append(b"%d")
            else:
                self._holes += _ID.findall(field)
                fields.append(_ID.sub(b"%s", field.replace(b"%", b"%%")))
        return b"\t".join(fields) + b"\n"

    def fill(self, conn: psycopg.Connection[Any], copies: int) -> None:
        """Add the rows so many times, each time with other ids, further on in the log."""
        with conn.cursor() as cursor, cursor.copy(f"COPY {self._name} FROM STDIN") as copy:
            for number in range(copies if self._text else 0):
                new = {hole: _other(hole, number) for hole in set(self._holes) if isinstance(hole, bytes)}
                shift = number * self._head
                copy.write(
                    self._text
                    % tuple(hole + shift if isinstance(hole, int) else new[hole] for hole in self._holes)
                )


def _grow_tree(store: Store) -> None:
    with store.database.transaction() as cursor:
        cursor.execute(SQL("SET LOCAL search_path = {}").format(Identifier(SCHEMA)))
        grown = tree.Grown(0, 0, [])
        while rows := store.stored_log(grown.position, BATCH):
            grown = tree.grow(cursor, grown, rows)


def _other(known: bytes, number: int) -> bytes:
    digest = hashlib.md5(b"%b%d" % (known, number), usedforsecurity=False).digest()
    return str(UUID(bytes=digest)).encode()


class Floor:
    """A database with so many tables, and one more to play at."""

    def __init__(self, server: Cluster, tables: int, sample: Sequence[Copied]) -> None:
        self._server = server
        url = server.database()
        self.house = House(url, seed=1)
        with psycopg.connect(url) as conn:
            for copied in sample:
                copied.fill(conn, tables // AT_ONCE)
            conn.execute(_CAUGHT_UP)
        _grow_tree(self.house.store)
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
            self.house.rows(clock._LOOK, [], clock.MOST_DUE)
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


def _sample(server: Cluster) -> list[Copied]:
    """The log and the projections of a tournament at whose tables hands run."""
    url = server.database()
    house, random = House(url), Random(1)
    tournament = seated(house, AT_ONCE)
    for hand in dealt(house, tournament):
        for turn in line(hand, random)[:BEGUN]:
            act_in_turn(house, hand, turn)()
    house.project()
    head = house.store.head()
    house.close()
    with psycopg.connect(url) as conn:
        conn.execute("SET bytea_output = escape")
        return [Copied(conn, name, columns, head) for name, columns in conn.execute(_TABLES).fetchall()]


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tables", type=int, default=SIZES[-1], help=f"at most so many tables ({SIZES[-1]})")


if __name__ == "__main__":
    main(__doc__, ROUNDS, measure, _options)
