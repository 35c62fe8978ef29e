"""The store: a player's command against the statements that it cannot do without.

The product loads the hand, checks whose turn it is and the rules, and appends, with the chain's link and in the log's
order. The floor then stores the very same rows in a table with the same indexes: SELECT the rows of the hand, INSERT,
COMMIT, with psycopg as it comes, and nothing is decoded. They take turns command by command. PostgreSQL runs with
synchronous_commit off, for the disk would be most of both. CPU is that of both sides, ours and PostgreSQL's: where the
machine is busy with other things it is the better measure.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple
from uuid import UUID

import psycopg

from domain.hand import Hand
from services.envelope import Row
from tests.bench.ground import Cluster, act_in_turn, cluster, dealt, line, seated
from tests.bench.ratios import Goal, Pair, Round, Task, main
from tests.services.projections.house import House

ROUNDS = 20
GOAL = Goal("≤", 2.5)
PLAY, CPU = "a play: load, decide, append", "its CPU"
FLOORS = {"bare": "SELECT, INSERT, COMMIT", "shortest": "SELECT, and an INSERT that commits itself"}

_BARE = "CREATE TABLE {} (LIKE big2_events INCLUDING ALL)"
_SELECT = (
    "SELECT originator_version, topic, state, notification_id FROM {} WHERE originator_id = %s ORDER BY 1"
)
_INSERT = "INSERT INTO {} (originator_id, originator_version, topic, state) VALUES (%s, %s, %s, %s)"


class Cost(NamedTuple):
    """What a command took, in microseconds."""

    wall: float
    cpu: float


class Bare:
    """A floor: a connection, and a table like the log's."""

    def __init__(self, url: str, table: str) -> None:
        self.conn: Any = psycopg.connect(url, autocommit=table == "shortest")
        self.conn.execute(_BARE.format(table))
        self.conn.commit()
        self._select, self._insert = _SELECT.format(table), _INSERT.format(table)

    def store(self, hand: UUID, rows: Sequence[Row]) -> None:
        """Store a command's rows."""
        cursor = self.conn.execute(self._select, (hand,))
        cursor.fetchall()
        if len(rows) == 1:
            cursor.execute(self._insert, rows[0][:4])
        else:
            cursor.executemany(self._insert, [row[:4] for row in rows])
        self.conn.commit()


def measure(asked: argparse.Namespace, counted: Callable[[int], Iterable[int]]) -> list[Round]:
    """A hand a round."""
    with cluster() as server:
        url, random = server.database(), Random(1)
        house = House(url)
        floors = [Bare(url, table) for table in FLOORS]
        tournament = seated(house, 1)

        def one() -> Round:
            [hand] = dealt(house, tournament)
            return _round(list(_played(server, house, hand, random, floors)))

        one()  # to warm up
        found = [one() for _ in counted(asked.rounds)]
        for floor in floors:
            floor.conn.close()
        house.close()
        return found


def _round(costs: list[list[Cost]]) -> Round:
    """A hand's costs: of the time the median command, for one that had to wait says nothing; of the CPU the mean."""
    product, *floors = zip(*costs, strict=True)
    found = {}
    for floor, called in zip(floors, FLOORS.values(), strict=True):
        goal = GOAL if floor is floors[0] else None
        wall = Pair(*(median(cost.wall for cost in each) for each in (floor, product)))
        cpu = Pair(*(sum(cost.cpu for cost in each) / len(each) for each in (floor, product)))
        found |= {Task(PLAY, called, "µs", goal): wall, Task(CPU, called, "µs", goal): cpu}
    return found


def _played(
    server: Cluster, house: House, hand: Hand, random: Random, floors: Sequence[Bare]
) -> Iterator[list[Cost]]:
    """Play the hand to its end, and store each command's rows again: what each cost."""
    for floor in floors:
        floor.store(hand.hand_id, house.store.stored(hand.hand_id))
    for turn in line(hand, random):
        before = house.store.head()
        costs = [_cost(server, act_in_turn(house, hand, turn))]
        rows = house.store.stored_log(before, 100)
        yield costs + [_cost(server, partial(floor.store, hand.hand_id, rows)) for floor in floors]


def _cost(server: Cluster, act: Callable[[], object]) -> Cost:
    cpu, began = server.cpu() + process_time(), perf_counter()
    act()
    took = perf_counter() - began
    return Cost(took * 1e6, (server.cpu() + process_time() - cpu) * 1e6)


if __name__ == "__main__":
    main(__doc__, ROUNDS, measure)
