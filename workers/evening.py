"""An evening at two ring tables on a service of its own, played by bots over HTTP for money, and proved at its end."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from uuid import uuid4

import msgspec

from services.application.ledger import by_groups, projected
from services.application.lists import fetch
from services.application.statements import Period, Statement, Whom, player_called, statements
from services.store import Store
from workers.client import Client, Refused
from workers.proving import judged, log_proved
from workers.showing import Show, Stay, Takings
from workers.stage import DemoFailed, Stage, staged

SCHEDULE, CURRENCY, UNITS = "actionpoker", "USD", (25, 100)
TERMS = {"rules": "actionpoker", "turn_seconds": 30, "between_hands_seconds": 0}
FIRST_DEPOSIT = 6000
REFRESH_SECONDS = 0.3
RESTS = 5
"""How many looks at the tables a player sits out."""
WHIMS = ("top_up", "sit_out", "stand_up", *["stay"] * 6)
"""What a player may do after a hand; each comes up once before any comes again."""
DEFAULT_MINUTES = 10

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
WHERE (account LIKE 'wallet/%%' OR account LIKE 'stack/%%') AND balance < 0
"""


class Wanted(msgspec.Struct, frozen=True):
    """What the evening plays: `hands` at each of its tables, at least."""

    players: int
    hands: int
    seed: int
    minutes: float = DEFAULT_MINUTES


class Evening(NamedTuple):
    """What it came to, and one player's statement: the shortest."""

    takings: Takings
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
            for table in tables:
                playing.enter_context(stage.bots("--table", table, "--seed", str(wanted.seed)))
            _watch(floor, wanted, show)
        _pay_out(stage.admin, floor.names)
        return _proved(stage, tables, floor.names, started)


def _opened(admin: Client, unit: int) -> str:
    return str(admin.post("/v1/tables", {**TERMS, "stake": {"schedule": SCHEDULE, "unit": unit}})["table_id"])


def _watch(floor: Floor, wanted: Wanted, show: Show) -> None:
    give_up = time.monotonic() + wanted.minutes * 60
    while tables := floor.look():
        show.tables(tables, wanted.hands)
        if time.monotonic() > give_up:
            raise DemoFailed(f"the tables are still open after {wanted.minutes} minutes")
        time.sleep(REFRESH_SECONDS)


class Floor:
    """The floor of the evening: players sit down, top up, sit out, stand up and come back, until the tables close."""

    def __init__(self, admin: Client, tables: list[str], wanted: Wanted) -> None:
        self._admin = admin
        self._tables = tables
        self._wanted = wanted
        self._random = Random(wanted.seed)  # noqa: S311 - players' whims, no secret
        self._whims = cycle(self._random.sample(WHIMS, len(WHIMS)))
        self._players: dict[str, Client] = {}
        self._seen = dict.fromkeys(tables, 0)
        self._rests: dict[str, int] = {}
        self.names: dict[str, str] = {}

    def enrol(self, show: Show) -> None:
        """Everybody comes in, with money."""
        for number in range(1, self._wanted.players + 1):
            name = f"House {number:03} {self._tables[0][:4]}"  # a kept folder can have another evening
            player = str(self._admin.post("/v1/players", {"name": name})["player_id"])
            token = self._admin.post(f"/v1/players/{player}/tokens")["token"]
            self.names[player], self._players[player] = name, self._admin.with_token(token)
            self._pay_in(player, FIRST_DEPOSIT)
            show.entering(number, self._wanted.players)

    def look(self) -> list[dict[str, Any]]:
        """Look at every table once, and let happen what is due there; the tables that are open, or still listed so:
        until then a wallet may not show what came back to it."""
        listed = {table["table_id"] for table in self._admin.pages("/v1/tables")}
        tables = [self._admin.get(f"/v1/tables/{table}") for table in self._tables]
        going_on = [table for table in tables if self._goes_on(table)]
        for table in going_on:
            self._at(table)
        seated = {seat["player_id"] for table in tables for seat in table["seats"]}
        for player in self._random.sample(list(self._players), len(self._players)):
            if player not in seated:
                self._sit_down(player, going_on)
        return [table for table in tables if table["state"] == "open" or table["table_id"] in listed]

    def _goes_on(self, table: dict[str, Any]) -> bool:
        """Whether another hand is to be dealt there; if not it closes after the running one."""
        if table["state"] == "closed" or table["ring"]["closing"]:
            return False
        last = table["hands_played"] + (table["hand_id"] is not None) >= self._wanted.hands
        if last:
            self._admin.post(f"/v1/tables/{table['table_id']}/close")
        return not last

    def _at(self, table: dict[str, Any]) -> None:
        """After each hand everybody has a whim; who has sat out long enough, or could not pay, comes back."""
        staying = [seat for seat in table["seats"] if not seat["leaving"]]
        after_a_hand = table["hands_played"] > self._seen[table["table_id"]]
        self._seen[table["table_id"]] = table["hands_played"]
        for seat in staying:
            if seat["sitting_out"]:
                self._rest(table, seat)
            elif after_a_hand:
                self._follow(next(self._whims), table, seat)

    def _follow(self, whim: str, table: dict[str, Any], seat: dict[str, Any]) -> None:
        player, number = seat["player_id"], seat["seat"]
        match whim:
            case "top_up":
                more = table["ring"]["stake"]["buy_in"] // 2
                self._take_seat(player, table, number, {"buy_in": seat["buy_in"] + more})
            case "sit_out":
                self._rests[player] = RESTS
                self._take_seat(player, table, number, {"sitting_out": True})
            case "stand_up":
                self._players[player].delete(f"/v1/tables/{table['table_id']}/seats/{number}")

    def _rest(self, table: dict[str, Any], seat: dict[str, Any]) -> None:
        player, least = seat["player_id"], table["ring"]["stake"]["buy_in"]
        self._rests[player] = self._rests.get(player, 0) - 1
        if self._rests[player] > 0:
            return
        more = least if seat["stack"] < 2 * least else 0  # a hand that he still plays may cost him a buy-in
        back = {"buy_in": seat["buy_in"] + more, "sitting_out": False}
        self._take_seat(player, table, seat["seat"], back)

    def _sit_down(self, player: str, tables: list[dict[str, Any]]) -> None:
        """Where one waits for another, else where the fewest are."""
        free = [table for table in tables if len(table["seats"]) < table["ring"]["seats"]]
        if not free:
            return
        table = min(free, key=lambda t: (_sitting_in(t) != 1, _sitting_in(t)))
        taken = {seat["seat"] for seat in table["seats"]}
        number = next(n for n in range(1, table["ring"]["seats"] + 1) if n not in taken)
        buy_in = self._random.randint(1, 2) * table["ring"]["stake"]["buy_in"]
        table.update(self._take_seat(player, table, number, {"buy_in": buy_in}))

    def _take_seat(
        self, player: str, table: dict[str, Any], seat: int, wish: dict[str, Any]
    ) -> dict[str, Any]:
        """As he wishes, and the table after it; if his wallet has too little, he pays in first."""
        put, path = self._players[player].put, f"/v1/tables/{table['table_id']}/seats/{seat}"
        try:
            after: dict[str, Any] = put(path, wish)
        except Refused as no:
            if no.code != "insufficient-funds":
                raise
            self._pay_in(player, no.problem["missing"] + FIRST_DEPOSIT)
            after = put(path, wish)
        return after

    def _pay_in(self, player: str, amount: int) -> None:
        self._admin.post(f"/v1/wallets/{player}/deposits", _money(amount))


def _sitting_in(table: dict[str, Any]) -> int:
    return sum(not seat["sitting_out"] and not seat["leaving"] for seat in table["seats"])


def _money(amount: int) -> dict[str, Any]:
    return {"amount": amount, "currency": CURRENCY, "reference": f"demo {uuid4().hex}"}


def _pay_out(admin: Client, players: dict[str, str]) -> None:
    """Everybody goes home with what he has."""
    for player in players:
        for purse in admin.get(f"/v1/wallets/{player}")["items"]:
            if purse["balance"]:
                admin.post(f"/v1/wallets/{player}/withdrawals", _money(purse["balance"]))


# the proof


class _Books(NamedTuple):
    """What the books say of the evening, how often what happened at its tables, and what is wrong with the books."""

    rake: int
    happened: dict[str, int]
    stays: tuple[Stay, ...]
    statements: list[tuple[Whom, Statement]]
    problems: list[str]


def _proved(stage: Stage, tables: list[str], names: dict[str, str], started: float) -> Evening:
    """Judge every hand again, follow every chain, rebuild every projection, count every cent."""
    seconds = time.monotonic() - started
    hands = [hand for table in tables for hand in stage.admin.pages(f"/v1/tables/{table}/hands")]
    nothing = _Books(0, {}, (), [], [])
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
    return Evening(takings, *min(log.books.statements, key=lambda each: len(each[1].items)))


def _books(store: Store, tables: list[str], names: dict[str, str]) -> _Books:
    db, asked = store.database, {"tables": tables, "players": list(names)}
    moved = {row["player_id"]: row for row in fetch(db, _MOVED, asked)}
    sessions = {row["player_id"]: row["sessions"] for row in fetch(db, _SESSIONS, asked)}
    stays = tuple(_stay(name, moved[player], sessions.get(player, 0)) for player, name in names.items())
    told = [_told(store, player) for player in names]
    [rake] = fetch(db, _RAKE, asked)
    happened = {row["type"]: row["times"] for row in fetch(db, _HAPPENED, asked)}
    return _Books(int(rake["rake"]), happened, stays, told, list(_wrong(store, stays, told)))


def _stay(name: str, moved: dict[str, Any], sessions: int) -> Stay:
    paid_in, paid_out, result, balance = (
        int(moved[column] or 0) for column in ("paid_in", "paid_out", "result", "balance")
    )
    return Stay(name, paid_in, sessions, result, paid_out, balance)


def _told(store: Store, player: str) -> tuple[Whom, Statement]:
    whom = player_called(store.database, player)
    [told] = statements(store, whom, CURRENCY, Period())
    return whom, told


def _wrong(store: Store, stays: tuple[Stay, ...], told: list[tuple[Whom, Statement]]) -> Iterator[str]:
    """Where a book does not sum up, an account was ever below 0, or a wallet's own events say otherwise."""
    for book in by_groups(store.database, None, projected(store.database)):
        if book.difference:
            yield f"the book of {book.book} in {book.currency or book.title} sums to {book.difference}, not 0"
    for row in fetch(store.database, _BELOW, {}):
        yield f"{row['account']} was below 0"
    for stay in stays:
        if stay.balance:
            yield f"{stay.name} has gone home, and {stay.balance} is left in the wallet"
    for whom, s in told:
        if not s.agrees:
            yield f"the wallet of {whom.name} comes to {s.wallet_stream}, its lines to {s.closing_wallet}"
        if s.closing_stacks:
            yield f"{s.closing_stacks} of {whom.name} is left at a table"
