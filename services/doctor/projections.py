"""I4: every projection is rebuilt beside the live one, and compared row by row (`services.projections.rebuild`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from psycopg.errors import InvalidSchemaName, UndefinedTable

from services.doctor.violation import Violation
from services.projections.progress import Stalled
from services.projections.projector import SCHEMA
from services.projections.rebuild import compare
from services.store import Store


def projections_are_rebuilt(store: Store, progress: Callable[[int, int], None]) -> Iterator[Violation]:
    """One violation for each table that differs."""
    try:
        differences = compare(store, progress)
    except (InvalidSchemaName, UndefinedTable):
        yield Violation("I4", f"schema {SCHEMA}", "is not there: `big2 rebuild` makes it")
        return
    except Stalled as stalled:
        yield Violation("I4", f"projection {stalled.projection}", str(stalled))
        return
    for d in differences:
        told = f"{d.only_live} rows are not in its rebuild, {d.only_rebuilt} are only there"
        yield Violation("I4", f"projection {d.table}", told)
