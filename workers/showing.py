"""What the demo shows: a live table on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any

import msgspec
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from domain.amounts import amount_text, change, figure

PLAIN_SECONDS = 5.0
"""How often a plain line tells the standings."""
TOP = 10

Progress = Callable[[int, int], None]


class Summary(msgspec.Struct, frozen=True):
    """What it came to; `chips_end` must be `chips_issued`, and `problems` empty."""

    entrants: int
    tables: int
    hands: int
    plays: int
    events: int
    moves: int
    seconds: float
    winner: str
    chips_issued: int
    chips_end: int
    problems: tuple[str, ...]

    @property
    def verified(self) -> bool:
        return not self.problems and self.chips_issued == self.chips_end


class Show:
    """Progress of one demo; a context manager, so that the terminal is left as it was."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console()
        self._live = Live(console=self._console, refresh_per_second=4, transient=True)
        self._fancy = self._console.is_terminal
        self._told = 0.0

    def __enter__(self) -> Show:
        if self._fancy:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._fancy:
            self._live.stop()

    def say(self, line: str) -> None:
        """One line that stays."""
        self._console.print(line, highlight=False, soft_wrap=True)

    def entering(self, done: int, everybody: int) -> None:
        """Entries so far."""
        self._tell(f"entered {done} of {everybody}", last=done == everybody)

    def paying_in(self, done: int, everybody: int) -> None:
        """Players who have come to an evening, each with money, so far."""
        self._tell(f"{done} of {everybody} players have paid in", last=done == everybody)

    def standings(self, tournament: dict[str, Any], top: list[dict[str, Any]]) -> None:
        """The tournament as it stands."""
        head = (
            f"{tournament['name']}: {tournament['state']}, {tournament['players_left']} of "
            f"{tournament['entrants']} left, level {tournament['level']} (unit {tournament['current_unit']})"
        )
        if self._fancy:
            self._live.update(Group(Text(head, style="bold"), _table(top)))
        else:
            leader = f"; leads {top[0]['name']} with {top[0]['chips']}" if top else ""
            self._tell(head + leader)

    def tables(self, tables: list[dict[str, Any]], hands: int) -> None:
        """Ring tables as they stand, each of which is to play so many hands."""
        lines = [_at_table(table, hands) for table in tables]
        if self._fancy:
            self._live.update(Text("\n".join(lines)))
        else:
            self._tell("; ".join(line.partition(": ")[0] for line in lines))

    def progress(self, what: str) -> Progress:
        """A function that tells how much of `what` is done."""

        def tell(done: int, everything: int) -> None:
            self._tell(f"verifying {what}: {done} of {everything}", last=done >= everything)

        return tell

    def _tell(self, line: str, *, last: bool = False) -> None:
        if self._fancy:
            self._live.update(Text(line))
        elif last or time.monotonic() - self._told > PLAIN_SECONDS:
            self._told = time.monotonic()
            self.say(line)


def _at_table(table: dict[str, Any], hands: int) -> str:
    unit, currency = table["unit"], table["ring"]["stake"]["currency"]
    seats = (f"{s['name']} {figure(s['stack'], currency)}" for s in table["seats"])
    at = f"table at {figure(unit, currency)} {currency} a point"
    return f"{at}, {table['hands_played']} of {hands} hands: {', '.join(seats)}"


def _table(top: list[dict[str, Any]]) -> Table:
    table = Table(box=None)
    for name, justify in (
        ("place", "right"),
        ("name", "left"),
        ("chips", "right"),
        ("hands", "right"),
        ("won", "right"),
    ):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for s in top[:TOP]:
        table.add_row(str(s["place"]), s["name"], str(s["chips"]), str(s["hands"]), str(s["hands_won"]))
    return table


class Stay(msgspec.Struct, frozen=True):
    """What an evening was for one player, in minor units: `result` is what the tables gave him, or took."""

    name: str
    paid_in: int
    sessions: int
    result: int
    paid_out: int
    balance: int


class Takings(msgspec.Struct, frozen=True):
    """What an evening at ring tables came to, in minor units; no `problems`, and all money accounted for."""

    currency: str
    hands: int
    actions: int
    events: int
    top_ups: int
    sat_out: int
    seconds: float
    rake: int
    stays: tuple[Stay, ...]
    problems: tuple[str, ...]

    @property
    def paid_in(self) -> int:
        return sum(stay.paid_in for stay in self.stays)

    @property
    def paid_out(self) -> int:
        return sum(stay.paid_out for stay in self.stays)

    @property
    def verified(self) -> bool:
        return not self.problems and self.paid_in == self.paid_out + self.rake


def stays_lines(takings: Takings) -> list[str]:
    """A row for each player: what he paid in, how often he sat down, what he won or lost, what he was paid out."""
    table = Table(box=None, pad_edge=False)
    for column in ("player", "paid in", "sessions", "result", "paid out", "balance"):
        table.add_column(column, justify="left" if column == "player" else "right", no_wrap=True)
    for s in takings.stays:
        paid_in, paid_out, balance = (figure(n, takings.currency) for n in (s.paid_in, s.paid_out, s.balance))
        result = change(s.result, takings.currency)
        table.add_row(Text(s.name), paid_in, str(s.sessions), result, paid_out, balance)
    console = Console(width=80)
    with console.capture() as capture:
        console.print(table)
    return [line.rstrip() for line in capture.get().splitlines()]


def takings_lines(takings: Takings) -> list[str]:
    """The evening's summary, one fact a line, its verdict last."""
    money = {"money in": takings.paid_in, "money out": takings.paid_out, "rake": takings.rake}
    facts = {
        "players": len(takings.stays),
        "sessions": sum(stay.sessions for stay in takings.stays),
        "top-ups": takings.top_ups,
        "sat out": takings.sat_out,
        "hands": takings.hands,
        "actions": takings.actions,
        "events": takings.events,
        "seconds": takings.seconds,
        **{name: amount_text(amount, takings.currency) for name, amount in money.items()},
    }
    return _lines(facts, takings.problems, verified=takings.verified)


def summary_lines(summary: Summary) -> list[str]:
    """The demo's summary, one fact a line."""
    facts = {
        "entrants": summary.entrants,
        "tables": summary.tables,
        "hands": summary.hands,
        "plays": summary.plays,
        "events": summary.events,
        "moves": summary.moves,
        "seconds": summary.seconds,
        "winner": summary.winner,
        "chips issued": summary.chips_issued,
        "chips at the end": summary.chips_end,
    }
    return _lines(facts, summary.problems, verified=summary.verified)


def _lines(facts: Mapping[str, object], problems: Iterable[str], *, verified: bool) -> list[str]:
    verdict = "verified" if verified else "NOT VERIFIED"
    return [*(f"{name:>18}  {value}" for name, value in facts.items()), *problems, verdict]
