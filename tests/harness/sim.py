"""Whole tournaments from one seed, in memory, on a virtual clock, with everything going wrong that can.

    python -m tests.harness.sim --seeds 1000 --from 0      # any number, on demand
    python -m tests.harness.sim --trace 17                 # one seed, step for step

The product's own domain, applications, jobs and clock run; `sim_store` and `sim_service` say what stands in for
PostgreSQL and Valkey, and `sim_machine` what goes wrong. Safety is looked at after every step. Then the faults stop,
and everything must finish. The same seed gives the same digest, of the last link of every stream.
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import sys
import time
import traceback
from collections import Counter
from contextlib import ExitStack
from typing import NamedTuple
from unittest.mock import patch
from uuid import UUID

from services.bootstrap import presets
from services.envelope import Recorded
from tests.harness.sim_books import Books, Deals, Seats
from tests.harness.sim_clients import Clients
from tests.harness.sim_hands import Hands
from tests.harness.sim_log import Log, Violation, must
from tests.harness.sim_machine import WORKS, Machine
from tests.harness.sim_plots import Freezeout, Plot, SitAndGo
from tests.harness.sim_recorded import League, RecordedFreezeout
from tests.harness.sim_ring import Ring
from tests.services.projections.world import Entry, World

PLOTS: tuple[tuple[type[Plot], int], ...] = (
    (SitAndGo, 2),
    (Freezeout, 3),
    (RecordedFreezeout, 2),
    (League, 1),
    (Ring, 3),
)
"""Each with how often it is played."""
CALM_FROM = (30.0, 400.0)
"""Between these many virtual seconds the faults stop."""
DONE_WITHIN = 3600.0
"""So many virtual seconds after the faults have stopped everything is finished."""
SETTLES_WITHIN = 20.0
IDLE_SECONDS = 10.0
"""Once the faults have stopped, so long anything may be due."""
LOOK_EVERY = 2.0
IDLE = "I7 nothing that is due stays undone"
FINISHES = "I7 everything finishes"
PROJECTED = "I4 the projection is its rebuild from zero"


class Report(NamedTuple):
    """What became of a seed; `violation` is the name of the invariant that does not hold."""

    seed: int
    plot: str
    digest: str
    steps: int
    events: int
    virtual_seconds: float
    faults: Counter[str]
    violation: str | None = None
    detail: str = ""


class Sim:
    """One seed; `directed`: with a director who rules on hands that run."""

    def __init__(self, seed: int, *, trace: bool = False, directed: bool = False) -> None:
        self.seed = seed
        self.machine = Machine(seed)
        self.log = Log(self.machine.rows)
        self.world = World()
        self.clients = Clients(self.machine, self.log, self.world)
        self.books, self.seats = Books(), Seats()
        self.hands, self.deals = Hands(self.clients.sent, presets()), Deals(presets())
        self._trace = trace
        self._directed = directed
        self._kinds, self._weights = zip(*PLOTS, strict=True)
        self._plot: Plot | None = None
        self._idle_from = 0.0
        self._due_since: dict[tuple[str, str], float] = {}

    def run(self) -> Report:
        """Play the seed to its end."""
        m, violation, detail = self.machine, None, ""
        with ExitStack() as patched:
            for name, stand_in in m.patches().items():
                patched.enter_context(patch(name, stand_in))
            try:
                self._play()
            except Violation as broken:
                violation, detail = broken.name, str(broken)
            except Exception:  # noqa: BLE001 - whatever it is, it is told with its seed
                violation, detail = WORKS, traceback.format_exc()
        digest = hashlib.sha256(repr(sorted(self.log.heads().items())).encode()).hexdigest()[:16]
        plot = type(self._plot).__name__
        return Report(self.seed, plot, digest, m.steps, m.rows.head(), m.now, m.faults, violation, detail)

    def _play(self) -> None:
        m = self.machine
        rate, m.rate = m.rate, 0.0
        [kind] = m.random.choices(self._kinds, self._weights)
        self._plot = kind(m, self.clients, self.world)
        if self._directed:
            self._plot.directed = True
        self._plot.begin()
        m.begin()
        m.rate = rate
        calm_from = m.random.uniform(*CALM_FROM)
        while not self._done():
            if not m.calm and m.now >= calm_from:
                m.calm, self._idle_from = True, m.now + SETTLES_WITHIN
            if m.now > calm_from + DONE_WITHIN:
                raise Violation(FINISHES, sorted(self.world.agenda()))
            m.step()
            self._watch()
            if m.calm and m.now >= self._idle_from:
                self._idle_from = m.now + LOOK_EVERY
                self._look_for_idlers()
        self._close()

    def _look_for_idlers(self) -> None:
        """Liveness, by the time that really goes by: nothing is due for long, whatever the database's clock says."""
        seen, now = self.machine.now, self.machine.database_time()
        agenda = self.world.agenda()
        waiting = [it.args for it in agenda.values() if it.job == "deal" and not it.is_due(now)]
        due = {
            (subject, str(it.args)): it.due_at
            for subject, it in agenda.items()
            if it.is_due(now) and not (it.job == "deal" and self._waits_for_others(it, waiting))
        }
        self._due_since = {what: self._due_since.get(what, seen) for what in due}
        for what, since in self._due_since.items():
            must(seen - since <= IDLE_SECONDS, IDLE, what, "for", seen - since, "s, due at", due[what])

    def _waits_for_others(self, deal: Entry, waiting: list[list[str]]) -> bool:
        """Whether a hand runs at some table of the tournament, or the next is not due there."""
        tournament = self.world.tournaments[UUID(deal.args[0])]
        plays = any(self.world.tables[tournament.table_id(n)].hand_id for n in tournament.open_tables)
        return plays or deal.args in waiting

    def _done(self) -> bool:
        assert self._plot is not None
        return self.machine.now > 1.0 and self._plot.over() and not self.world.agenda()

    def _watch(self) -> None:
        """Safety, after each step."""
        m = self.machine
        for bug in m.bugs:
            raise Violation(WORKS, repr(bug)) from bug
        news = self.log.news()
        for transaction in news:
            rows = m.rows.read_log(transaction.first - 1, transaction.last - transaction.first + 1)
            recorded = [m.reader._codec.decode(row) for row in rows]
            self.log.follow(transaction, rows, recorded)
            self.hands.stored = transaction
            for r in recorded:
                self._follow(r)
            self.books.transaction(self.world)
            self.seats.transaction(self.world)
        if news:
            m.project_soon()

    def _follow(self, r: Recorded) -> None:
        self.hands.follow(r, self.world)
        self.world.add(r)
        self.books.follow(r, self.world)
        self.seats.follow(r, self.world)
        self.deals.follow(r, self.world)
        self.clients.notice(r)
        if self._trace:
            print(f"{self.machine.now:9.3f} {r.position:5} {r.actor[:40]:40} {r.topic} {r.event!r:.160}")

    def _close(self) -> None:
        self.machine.projected.step(10_000)
        must(self.machine.projected.world.agenda() == self.world.agenda(), PROJECTED)
        self.books.close(self.world)
        self.log.close()


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.harness.sim", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="how many")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first of them")
    parser.add_argument("--trace", type=int, help="one seed alone, event for event")
    parser.add_argument("--directed", action="store_true", help="with rulings on hands that run")
    asked = parser.parse_args()
    logging.getLogger("workers.clock").setLevel(logging.ERROR)  # that its clock jumps is no news here
    if asked.trace is not None:
        return _tell(Sim(asked.trace, trace=True, directed=asked.directed).run())
    began, events, failed = time.monotonic(), 0, 0
    faults: Counter[str] = Counter()
    for number, seed in enumerate(range(asked.first, asked.first + asked.seeds), 1):
        report = Sim(seed, directed=asked.directed).run()
        events += report.events
        faults += report.faults
        failed += _tell(report) if report.violation else 0
        if number % 50 == 0:
            print(f"{number} seeds, {events} events, {time.monotonic() - began:.0f} s", flush=True)
    took = time.monotonic() - began
    print(f"{asked.seeds} seeds, {failed} broken, {events} events, {faults.total()} faults, {took:.1f} s")
    for name, times in sorted(faults.items()):
        print(f"  {times:7} {name}")
    return int(failed > 0)


def _tell(report: Report) -> int:
    """Say what became of a seed; 1 if something is broken."""
    told = f"seed {report.seed} ({report.plot}): step {report.steps}, {report.events} events"
    if report.violation is None:
        print(f"{told}, {report.virtual_seconds:.0f} virtual seconds, digest {report.digest}")
        return 0
    print(f"{told}: {report.detail}")
    print(f"    again: python -m tests.harness.sim --trace {report.seed}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
