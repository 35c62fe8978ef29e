"""The whole service in its real processes, under clients, while everything of it is killed; then the verdict.

    python -m tests.harness.crash --seconds 60 --kills 20 --seed 1
    python -m tests.harness.crash --seconds 1800 --kills 240 --clients scribe=6,cashier=4,host=2,idler=2,guest=3
    python -m tests.harness.crash --plant no-idempotency      # a bug that must be found

The clients reach the web through a proxy that loses replies, send again what was not answered, and write down what was.
When the faults stop, everything must come to its end. Then the log of the clients and the database are examined
(`tests.harness.invariants`), and what the clients have counted is compared with what the service shows.
Exit status 0: nothing lost, nothing doubled, nothing stuck · 1 otherwise. docs/trust.md tells what came of it.
"""

from __future__ import annotations

import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import Any, Final

import click
import msgspec
import psycopg

from domain.topics import TOPICS
from services.doctor.examination import Examination, Questions
from services.doctor.invariants import INVARIANTS
from services.doctor.violation import Violation
from services.embedded import Postgres
from services.store import Store
from tests.harness.crash_acks import TWICE, TWICE_REFUSED, Acks, Count, nothing
from tests.harness.crash_clients import CLIENTS, House, Visitor
from tests.harness.crash_faults import KINDS, Kill, Killer, Pulses, order_of
from tests.harness.crash_planted import PLANTED
from tests.harness.crash_proxy import LossyProxy
from tests.harness.invariants import answers, violations
from tests.proof.money import raw_events
from tests.workers.process import Big2
from tests.workers.test_service import Service
from workers import client
from workers.client import Client, Refused

BREATH_SECONDS = 0.3
"""Between a recovery and the next kill there is so much at least, and three times as much at most."""
DUE = "SELECT count(*) FROM projections.agenda"
VERDICT: Final = ("lost", "doubled", "stuck", "wrong")
ON_ITS_OWN: Final = ("I1", "I11")
"""What is asked where a bug was planted: what else is wrong follows from it."""
DOUBLED: Final = ("I1",)
LOST: Final = ("I8", "I11")


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A run: for how long, how many kills of what, which clients."""

    seconds: float
    kills: int
    seed: int
    lost: float
    pause: float
    patience: float
    kinds: Sequence[str]
    clients: dict[str, int]
    plant: str | None
    keep: bool


class Report(msgspec.Struct, kw_only=True):
    """What came of a run. Every text in `doubled`, `lost`, `stuck` and `wrong` is one case."""

    seconds: float
    recovery: dict[str, list[float]]
    """Of each kind of kill the seconds until everything worked again."""
    losses: int
    """Replies that the proxy has lost."""
    unanswered: int
    acknowledged: int
    twice: int
    """Acknowledged commands that are not idempotent by nature."""
    twice_refused: int
    """Acknowledged commands whose repeat would be refused, were it not known."""
    served_in_pauses: int
    events: int
    doubled: list[str]
    lost: list[str]
    stuck: list[str]
    wrong: list[str]

    @property
    def good(self) -> bool:
        return not (self.doubled or self.lost or self.stuck or self.wrong)

    @property
    def kills(self) -> int:
        return sum(map(len, self.recovery.values()))

    def text(self) -> str:
        """For people: two tables, then every case."""
        share = 100 * self.twice / max(1, self.acknowledged)
        rows = [
            ("seconds under faults", f"{self.seconds:.0f}"),
            ("kills", str(self.kills)),
            ("replies lost by the proxy", str(self.losses)),
            ("requests without an answer", str(self.unanswered)),
            ("commands acknowledged", str(self.acknowledged)),
            ("of them not idempotent by nature", f"{self.twice} ({share:.0f} %)"),
            ("of them refused if done again", str(self.twice_refused)),
            ("acknowledged while Valkey stood still", str(self.served_in_pauses)),
            ("events", str(self.events)),
            *((name, str(len(getattr(self, name)))) for name in VERDICT),
        ]
        everything = [seconds for each in self.recovery.values() for seconds in each]
        recovery = [*self.recovery.items(), ("all", everything)]
        lines = [f"{name:40}{value}" for name, value in rows]
        lines.append(f"{'recovery of':20}{'kills':>8}{'p50':>8}{'p95':>8}{'max':>8}")
        for kind, seconds in recovery:
            lines.append(f"{kind:20}{len(seconds):8}" + "".join(f"{s:6.1f} s" for s in spread(seconds)))
        return "\n".join(lines + [f"{name}: {case}" for name in VERDICT for case in getattr(self, name)])


def spread(seconds: Sequence[float]) -> tuple[float, float, float]:
    """Median, 95th percentile and the longest; zeros of nothing."""
    if len(seconds) < 2:
        return (seconds or [0.0])[0], (seconds or [0.0])[0], max(seconds, default=0.0)
    cuts = quantiles(seconds, n=20, method="inclusive")
    return cuts[9], cuts[18], max(seconds)


class Planted(Service):
    """A service with a bug."""

    def __init__(self, bug: str) -> None:
        super().__init__()
        self._bug = bug

    def start(self) -> Big2:
        where = ("--host", "127.0.0.1", "--port", self.port, "--data", self.inside)
        self.run = Big2(self._bug, "serve", *where, module="tests.harness.crash_planted")
        self.run.until(self.ready)
        return self.run


@contextmanager
def running(bug: str | None, keep: bool = False) -> Iterator[Service]:
    """The service, on a directory of its own; no process is left of it, and no file unless they are to be kept."""
    service = Planted(bug) if bug else Service()
    try:
        service.start()
        yield service
    finally:
        service.close()
        if not keep:
            shutil.rmtree(service.data)


def run(plan: Plan, tell: Callable[[str], None]) -> Report:
    """Everything: start, faults, the end, the verdict."""
    client.PATIENCE_SECONDS = plan.patience + 30
    with running(plan.plant, plan.keep) as service, LossyProxy(service.port, plan.seed) as proxy:
        log = service.data / "acks.jsonl"
        acks = Acks(log)
        house = House(
            proxy.url, (service.inside / "admin-token").read_text().strip(), acks, strict=plan.plant is None
        )
        visitors = [
            CLIENTS[kind](house, f"{kind} {number} of {plan.seed}")
            for kind, count in plan.clients.items()
            for number in range(count)
        ]
        tell(f"serving on {service.url}, clients by {proxy.url}, acknowledged in {log}")
        report = _under_faults(plan, service, proxy, house, visitors, tell)
        _come_to_the_end(plan, service, house, visitors, report, tell)
        acks.close()
        _judge(plan, service, log, visitors, report, tell)
        return report


def _under_faults(
    plan: Plan,
    service: Service,
    proxy: LossyProxy,
    house: House,
    visitors: list[Visitor],
    tell: Callable[[str], None],
) -> Report:
    acks = house.acks
    pulses = Pulses(service, acks)
    pulses.start()
    for visitor in visitors:
        visitor.start()
    awaited = ("command", "read", "job") if plan.clients.get("idler") else ("command", "read")
    killer = Killer(service, acks, awaited, pause=plan.pause, patience=plan.patience, seed=plan.seed)
    proxy.lost = plan.lost
    begun = time.monotonic()
    done: list[Kill] = []
    for kill in _kills(plan, killer, begun):
        done.append(kill)
        back = ", ".join(f"{what} after {seconds:.1f} s" for what, seconds in kill.back.items())
        tell(
            f"{time.monotonic() - begun:5.0f} s  {kill.kind}: {back}; {acks.acknowledged.total()} acknowledged"
        )
    proxy.lost = 0.0
    pulses.stop()
    return Report(
        seconds=time.monotonic() - begun,
        recovery={
            kind: [round(kill.seconds, 2) for kill in done if kill.kind == kind and kill.whole]
            for kind in plan.kinds
        },
        losses=proxy.losses,
        unanswered=0,
        acknowledged=0,
        twice=0,
        twice_refused=0,
        served_in_pauses=killer.served_in_pauses,
        events=0,
        doubled=[],
        lost=[],
        stuck=[f"no recovery from {kill.kind}: {kill.back}" for kill in done if not kill.whole],
        wrong=[],
    )


def _kills(plan: Plan, killer: Killer, begun: float) -> Iterator[Kill]:
    """The kills, spread over the time that there is."""
    random = Random(plan.seed)
    order = order_of(plan.kinds, plan.seed)
    for number in range(plan.kills):
        left = plan.seconds - (time.monotonic() - begun)
        if left <= 0:
            return
        spare = left / (plan.kills - number) - BREATH_SECONDS
        time.sleep(BREATH_SECONDS * random.uniform(1, 3) + max(0.0, min(spare / 2, 5.0)) * random.random())
        yield killer.kill(next(order))


def _come_to_the_end(
    plan: Plan,
    service: Service,
    house: House,
    visitors: list[Visitor],
    report: Report,
    tell: Callable[[str], None],
) -> None:
    """Faults have stopped: everybody finishes, the ring tables close, nothing stays due."""
    begun = time.monotonic()
    end = begun + 2 * plan.patience
    house.late.set()
    for visitor in visitors:
        visitor.join(max(0.1, end - time.monotonic()))
        if visitor.is_alive():
            report.stuck.append(f"{visitor.name} does not come to an end")
        elif visitor.wrong:
            report.wrong.append(f"{visitor.name}: {visitor.wrong!r}")
    try:
        for table in house.admin.pages("/v1/tables"):
            house.admin.post(f"/v1/tables/{table['table_id']}/close")
        waits: list[tuple[str, Callable[[], int]]] = [
            ("ring tables open", lambda: sum(1 for _ in house.admin.pages("/v1/tables"))),
            ("tournaments unfinished", lambda: _unfinished(house.admin)),
            ("jobs due", lambda: _due(service)),
        ]
        report.stuck += [f"{left} {what}" for what, count in waits if (left := _left(count, end))]
    except Refused as no:
        report.stuck.append(f"the service does not recover: {no}")
    tell(f"everything has come to its end after {time.monotonic() - begun:.1f} s")


def _left(count: Callable[[], int], end: float) -> int:
    """Zero as soon as there is nothing left, or how much at the end."""
    while (left := count()) and time.monotonic() < end:
        time.sleep(0.1)
    return left


def _unfinished(admin: Client) -> int:
    return sum(t["state"] not in ("finished", "cancelled") for t in admin.pages("/v1/tournaments"))


def _due(service: Service) -> int:
    with psycopg.connect(Postgres(service.inside).url) as conn:
        row = conn.execute(DUE).fetchone()
    assert row is not None
    return int(row[0])


def _judge(
    plan: Plan,
    service: Service,
    log: Path,
    visitors: list[Visitor],
    report: Report,
    tell: Callable[[str], None],
) -> None:
    acks = visitors[0].house.acks
    by_kind = acks.acknowledged
    report.unanswered = acks.unanswered
    report.acknowledged = by_kind.total()
    report.twice = sum(by_kind[kind] for kind in TWICE)
    report.twice_refused = sum(by_kind[kind] for kind in TWICE_REFUSED)
    tell(f"acknowledged {dict(by_kind)}, refused {dict(acks.refused)}")
    told = nothing()
    for visitor in visitors:
        told.add(visitor.told)
    url = Postgres(service.inside).url
    more, less = told.compared(Count.of(raw_events(url)))
    report.doubled += more
    report.lost += less
    store = Store(url, TOPICS)
    try:
        with log.open("rb") as lines:
            examination = Examination(
                store, Questions(ON_ITS_OWN if plan.plant else tuple(INVARIANTS), settled=True)
            )
            for violation in violations(examination, answers(lines)):
                _of_kind(report, violation).append(
                    f"{violation.invariant} {violation.where}: {violation.what}"
                )
            report.events = examination.events
    finally:
        store.close()


def _of_kind(report: Report, violation: Violation) -> list[str]:
    if violation.invariant in DOUBLED:
        return report.doubled
    if violation.invariant in LOST:
        return report.lost
    return report.stuck if violation.invariant == "I7" else report.wrong


def _clients(_ctx: click.Context, _param: click.Parameter, text: str) -> dict[str, int]:
    """`scribe=3,idler=2`."""
    pairs = (part.partition("=") for part in text.split(","))
    wanted = {name: int(count or 1) for name, _, count in pairs}
    if strangers := wanted.keys() - CLIENTS.keys():
        raise click.BadParameter(f"{', '.join(strangers)}: there are {', '.join(CLIENTS)}")
    return wanted


def _kinds(_ctx: click.Context, _param: click.Parameter, text: str) -> list[str]:
    wanted = text.split(",")
    if strangers := set(wanted) - set(KINDS):
        raise click.BadParameter(f"{', '.join(strangers)}: there are {', '.join(KINDS)}")
    return wanted


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--seconds", default=60.0, help="How long the faults go on at most.")
@click.option("--kills", default=20, help="How many kills, at most.")
@click.option("--seed", default=1, help="Of the kills, the clients and the proxy.")
@click.option("--lost", default=0.03, help="The part of replies that the proxy loses.")
@click.option("--pause", default=30.0, help="Seconds for which Valkey is held.")
@click.option("--patience", default=120.0, help="Seconds after which what does not work is stuck.")
@click.option("--kinds", default=",".join(KINDS), callback=_kinds, help="What is killed.")
@click.option(
    "--clients", default="scribe=3,cashier=2,host=2,idler=2,guest=3", callback=_clients, help="Who comes."
)
@click.option("--plant", type=click.Choice(list(PLANTED)), help="A bug that must be found.")
@click.option("--keep", is_flag=True, help="Leave the data directory and the clients' log.")
@click.option("--json", "as_json", is_flag=True, help="The report as JSON.")
def main(*, as_json: bool, **asked: Any) -> None:
    """Kill everything of a running service again and again, and see what becomes of its clients."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that everything is put away
    report = run(Plan(**asked), lambda line: click.echo(line, err=True))
    click.echo(msgspec.json.encode(report) if as_json else report.text())
    sys.exit(0 if report.good else 1)


if __name__ == "__main__":
    main()
