"""An evening at two ring tables on a service of its own, played by bots over HTTP for money, and proved at its end."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from domain.journal import HOUSE, OUTSIDE
from services.application.ledger import BookByGroups, by_groups, projected
from services.application.lists import fetch
from services.application.statements import Period, Statement, Whom, player_called, statements
from services.store import Store
from workers.client import Client
from workers.floor import CURRENCY, Floor, Wanted
from workers.proving import judged, log_proved
from workers.showing import Show, Stay, Takings
from workers.stage import DemoFailed, Kept, Stage, staged

SCHEDULE, UNITS = "actionpoker", (25, 100)
TERMS = {"rules": "actionpoker", "turn_seconds": 30, "between_hands_seconds": 0}
REFRESH_SECONDS = 0.3

_MOVED = """
SELECT player_id::text, sum(amount) FILTER (WHERE kind = 'deposit') AS paid_in,
       -sum(amount) FILTER (WHERE kind = 'withdrawal') AS paid_out,
       sum(amount) FILTER (WHERE kind IN ('buy_in', 'cash_out')) AS result, sum(amount) AS balance
FROM projections.ledger_lines WHERE account = 'wallet/' || player_id AND player_id = ANY(%(players)s::uuid[]) GROUP BY 1
"""
_SESSIONS = """
SELECT players[1]::text AS player_id, count(*) AS sessions FROM projections.feed
WHERE type = 'ring.sat_down' AND table_id = ANY(%(tables)s::uuid[]) GROUP BY 1
"""
_HAPPENED = """
SELECT type, count(*) AS times FROM projections.feed WHERE table_id = ANY(%(tables)s::uuid[]) GROUP BY 1
"""
_RAKE = """
SELECT COALESCE(sum(amount), 0) AS rake FROM projections.ledger_lines
WHERE account = 'rake' AND table_id = ANY(%(tables)s::uuid[])
"""
_BELOW = """
SELECT DISTINCT account FROM projections.ledger_lines
WHERE book = 'money' AND account <> ALL (%(may_be)s) AND balance < 0 ORDER BY account
"""


class Evening(NamedTuple):
    """What it came to, the trial balances of its books, and one player's statement: the shortest."""

    takings: Takings
    books: list[BookByGroups]
    whom: Whom
    statement: Statement


def run(wanted: Wanted, show: Show, data: Path | None = None) -> Evening:
    """Play and prove one evening in a temporary directory, or in `data`, which is kept."""
    started = time.monotonic()
    with staged(show, data) as stage:
        tables = [_opened(stage.admin, unit) for unit in UNITS]
        floor = Floor(stage.admin, tables, wanted)
        floor.enrol(show)
        with ExitStack() as playing:
            seed = str(wanted.seed)
            bots = [playing.enter_context(stage.bots("--table", table, "--seed", seed)) for table in tables]
            _watch(floor, wanted, show, bots)
        floor.go_home()
        return _proved(stage, tables, floor.names, started)


def _opened(admin: Client, unit: int) -> str:
    return str(admin.post("/v1/tables", {**TERMS, "stake": {"schedule": SCHEDULE, "unit": unit}})["table_id"])


def _watch(floor: Floor, wanted: Wanted, show: Show, bots: Sequence[Kept]) -> None:
    give_up = time.monotonic() + wanted.minutes * 60
    while tables := floor.look():
        show.tables(tables, wanted.hands)
        if time.monotonic() > give_up:
            raise DemoFailed(f"the tables are still open after {wanted.minutes} minutes")
        for each in bots:
            each.must_live()
        time.sleep(REFRESH_SECONDS)


# the proof


class _Books(NamedTuple):
    """What the books say of the evening, how often what happened at its tables, and what is wrong with the books."""

    rake: int
    happened: dict[str, int]
    stays: tuple[Stay, ...]
    trial: list[BookByGroups]
    statements: list[tuple[Whom, Statement]]
    problems: list[str]


def _proved(stage: Stage, tables: list[str], names: dict[str, str], started: float) -> Evening:
    """Judge every hand again, follow every chain, rebuild every projection, count every cent."""
    seconds = time.monotonic() - started
    hands = [hand for table in tables for hand in stage.admin.pages(f"/v1/tables/{table}/hands")]
    nothing = _Books(0, {}, (), [], [], [])
    log = log_proved(stage.data, stage.show, lambda store: _books(store, tables, names), nothing)
    if not log.books.statements:
        raise DemoFailed("; ".join(log.problems))
    times = Counter(log.books.happened)
    takings = Takings(
        currency=CURRENCY,
        hands=len(hands),
        actions=times["hand.played"] + times["hand.passed"],
        events=log.proof.events,
        top_ups=times["ring.topped_up"],
        sat_out=times["ring.sat_out"],
        seconds=round(seconds, 1),
        rake=log.books.rake,
        stays=log.books.stays,
        problems=(*judged(stage.admin, hands, stage.show), *log.problems, *log.books.problems),
    )
    whom, statement = min(log.books.statements, key=lambda each: len(each[1].items))
    return Evening(takings, log.books.trial, whom, statement)


def _books(store: Store, tables: list[str], names: dict[str, str]) -> _Books:
    db, asked = store.database, {"tables": tables, "players": list(names)}
    moved = {row["player_id"]: row for row in fetch(db, _MOVED, asked)}
    sessions = {row["player_id"]: row["sessions"] for row in fetch(db, _SESSIONS, asked)}
    stays = tuple(_stay(name, moved[player], sessions.get(player, 0)) for player, name in names.items())
    told = [_told(store, player) for player in names]
    [rake] = fetch(db, _RAKE, asked)
    happened = {row["type"]: row["times"] for row in fetch(db, _HAPPENED, asked)}
    trial = by_groups(db, None, projected(db))
    return _Books(int(rake["rake"]), happened, stays, trial, told, list(_wrong(store, trial, stays, told)))


def _stay(name: str, moved: dict[str, Any], sessions: int) -> Stay:
    paid_in, paid_out, result, balance = (
        int(moved[column] or 0) for column in ("paid_in", "paid_out", "result", "balance")
    )
    return Stay(name, paid_in, sessions, result, paid_out, balance)


def _told(store: Store, player: str) -> tuple[Whom, Statement]:
    whom = player_called(store.database, player)
    [told] = statements(store, whom, CURRENCY, Period())
    return whom, told


def _wrong(
    store: Store, trial: list[BookByGroups], stays: tuple[Stay, ...], told: list[tuple[Whom, Statement]]
) -> Iterator[str]:
    """Where a book does not sum up, an account was ever below 0, or a wallet's own events say otherwise."""
    for book in trial:
        if book.difference:
            yield f"the book of {book.book} in {book.currency or book.title} sums to {book.difference}, not 0"
    for row in fetch(store.database, _BELOW, {"may_be": [OUTSIDE, HOUSE]}):
        yield f"{row['account']} was below 0"
    for stay in stays:
        if stay.balance:
            yield f"{stay.name} has gone home, and {stay.balance} is left in the wallet"
    for whom, s in told:
        if not s.agrees:
            yield f"the wallet of {whom.name} comes to {s.wallet_stream}, its lines to {s.closing_wallet}"
        if s.closing_stacks:
            yield f"{s.closing_stacks} of {whom.name} is left at a table"
