"""What a batch of events changes in memory first: tables that only grow, and the running turns of the agenda.

Most events add a row to `feed` and move a turn. The projections put such rows here, and read back here what they have
put; at the end of its batch each table is written at once, by COPY unless the batch is small. What is here is only ever
ahead of the tables within one transaction: when that fails, all of it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from services.database import Cursor

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Columns = tuple[object, ...]

KEPT = 10_000
"""How many newest rows of a table are remembered from one batch to the next."""


class Growing:
    """New rows of a table, in the order of its columns; with `replacing`, the last of those that agree in so many."""

    def __init__(self, table: str, columns: int, *, replacing: int | None = None) -> None:
        self._insert = f"INSERT INTO {table} VALUES ({', '.join(['%s'] * columns)})"  # noqa: S608 - our own names
        self._copy = f"COPY {table} FROM STDIN"
        self._replacing = replacing
        self._rows: dict[object, Columns] = {}

    def add(self, row: Columns) -> None:
        key = len(self._rows) if self._replacing is None else row[: self._replacing]
        self._rows[key] = row

    def write(self, cur: Cursor, *, few: bool) -> None:
        """Write them: a few one by one, which is cheaper in a pipeline; more by COPY, which none allows."""
        rows, self._rows = list(self._rows.values()), {}
        if few:
            for row in rows:
                cur.execute(self._insert, row)
        elif rows:
            with cur.copy(self._copy) as copy:
                for row in rows:
                    copy.write_row(row)


class Newest(Generic[K, V]):
    """The newest of a table for each key, as far as it was asked for; None where there is none."""

    def __init__(self) -> None:
        self._known: dict[K, V | None] = {}

    def get(self, key: K, read: Callable[[], V | None]) -> V | None:
        """What was put last, or what `read` finds in the table."""
        if key not in self._known:
            self._known[key] = read()
        return self._known[key]

    def put(self, key: K, value: V) -> None:
        self._known[key] = value

    def items(self) -> Sequence[tuple[K, V | None]]:
        return list(self._known.items())

    def written(self) -> None:
        """The table has it all."""
        if len(self._known) > KEPT:
            self._known = {}
