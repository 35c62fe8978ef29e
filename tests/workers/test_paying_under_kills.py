"""Prizes and refunds are paid once, whatever is killed while they are paid, in real processes.

Each payment is made slow in the database, so that every kill falls into the middle of a slice. Then the books are made
again from the raw events by `tests.proof.money`, which knows nothing of the service.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import groupby
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from services.audit import verify_log
from services.bootstrap import store_in
from services.embedded import Postgres
from services.projections.rebuild import compare
from tests.proof.money import raw_events
from tests.workers.outside import balances_from_outside
from tests.workers.process import PATIENCE_SECONDS, started, working_below
from tests.workers.test_service import Service, finished, played
from workers.client import Client, Refused

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="children end with their parent on Linux only"
)

KILLED = ("worker", "clock", "projector", "web", "postgres")
BUY_IN = {"amount": 1001, "fee": 99, "currency": "USD"}
PRIZES = [5000, 3000, 1000, 1000]
GUARANTEE = 12_007
CROWD = 104
"""Refunds of three transactions: 50, 50 and 4."""
BATCH = 50

SLOW = """
CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.05); RETURN NEW; END $$;
CREATE TRIGGER slowly BEFORE INSERT ON big2_events FOR EACH ROW
WHEN (NEW.topic = 'wallet.credited.1' AND convert_from(NEW.state, 'utf8') ~ '"kind":"(prize|refund)"')
EXECUTE FUNCTION slowly()
"""
PAYING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
PAID = """
SELECT count(*) FROM big2_events
WHERE topic = 'wallet.credited.1' AND convert_from(state, 'utf8') ~ '"kind":"(prize|refund)"'
"""
DUE = "SELECT count(*) FROM projections.agenda WHERE job = 'pay'"
LONG_SECONDS = 240


class Killing:
    """Kills the service's processes while it pays, and waits for their return."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._url = Postgres(service.inside).url
        self._awaited: Counter[str] = Counter()
        self.hits: list[str] = []

    def slow_down(self) -> None:
        with psycopg.connect(self._url) as conn:
            conn.execute(SLOW)

    def asked(self, query: str) -> int:
        """A number from the database, once it answers."""
        give_up = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                with psycopg.connect(self._url, connect_timeout=5) as conn:
                    return conn.execute(query).fetchone()[0]
            except psycopg.OperationalError:  # it was killed, and comes back
                assert time.monotonic() < give_up, self._service.run.said
                time.sleep(0.05)

    def while_paying(self, name: str) -> None:
        """Kill what is called so, the next time that a payment is being made."""
        self.back()
        give_up = time.monotonic() + PATIENCE_SECONDS
        while not self.asked(PAYING):
            assert time.monotonic() < give_up, f"nothing is paid when {name} was to be killed"
        self.kill(name)

    def kill(self, name: str) -> None:
        said = self._service.run.said
        alive = {*self._service.run.left(), *working_below(self._service.data)}
        pids = set(started(said, name)) & alive
        assert pids, said
        self._awaited[name] = len(started(said, name)) + len(pids)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        self.hits.append(name)

    def back(self) -> None:
        """Wait until whatever was killed runs again."""
        for name, times in self._awaited.items():
            self._service.run.until(
                lambda name=name, times=times: len(started(self._service.run.said, name)) >= times
            )


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as service:
        yield service


@pytest.fixture
def killing(service) -> Killing:
    killing = Killing(service)
    killing.slow_down()
    return killing


def rich(admin: Client, players: int) -> list[str]:
    """Players who can pay for more than they enter."""

    def one(_: int) -> str:
        player = admin.post("/v1/players", {"name": f"Guest {uuid4().hex[:20]}"})["player_id"]
        money = {"amount": 50_000, "currency": "USD", "reference": uuid4().hex}
        admin.post(f"/v1/wallets/{player}/deposits", money)
        return str(player)

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(one, range(players)))


def entered(admin: Client, players: Iterable[str], **terms: Any) -> str:
    """A freezeout for money that these have entered and that has started."""
    terms = {"name": "Friday", "format": "freezeout", "buy_in": BUY_IN, "prizes_bp": PRIZES} | terms
    t = str(admin.post("/v1/tournaments", terms)["tournament_id"])
    with ThreadPoolExecutor(8) as pool:
        list(
            pool.map(
                lambda player: admin.post(f"/v1/tournaments/{t}/entries", {"player_id": player}), players
            )
        )
    admin.post(f"/v1/tournaments/{t}/start")
    return t


def shared_second_place(service: Service, players: list[str]) -> str:
    """A freezeout with real cards that is over with its first hand: three of four go out in it, with equal stacks."""
    admin = service.admin
    t = entered(admin, players, recorded=True, stack_points=10, guarantee=GUARANTEE)
    path = f"/v1/tournaments/{t}/tables"
    service.run.until(lambda: admin.get(path)["items"])
    [table] = admin.get(path)["items"]
    cards_left = {str(s["seat"]): 13 * (s["seat"] != 1) for s in table["seats"]}
    admin.post(f"/v1/tables/{table['table_id']}/results", {"cards_left": cards_left, "winner": 1})
    return t


@contextmanager
def with_re_entries(service: Service) -> Iterator[str]:
    """A freezeout played by bots, in which the first two who go out enter again while they may."""
    admin = service.admin
    late = {"late_entry_levels": 3, "hands_per_level": 2, "stack_points": 12, "between_hands_seconds": 0}
    t = entered(admin, rich(admin, 8), guarantee=GUARANTEE, **late)
    with played(service, t) as bots:
        service.run.until(lambda: entries(admin, t) == 10 or not enter_again(admin, t), LONG_SECONDS)
        assert entries(admin, t) > 8, "nobody went out in time to enter again"
        yield t
        assert bots.popen.wait(PATIENCE_SECONDS) == 0, bots.said


def entries(admin: Client, t: str) -> int:
    return int(admin.get(f"/v1/tournaments/{t}")["entries"])


def enter_again(admin: Client, t: str) -> bool:
    """Whoever is out enters again, unless it is too late."""
    standings = admin.get(f"/v1/tournaments/{t}/standings")["items"]
    for out in [s["player_id"] for s in standings if not s["chips"] and s["table_id"] is None]:
        try:
            admin.post(f"/v1/tournaments/{t}/entries", {"player_id": out})
        except Refused as no:
            if no.code not in ("registration-closed", "already-registered"):
                raise
            return no.code != "registration-closed"
    return True


def test_prizes_are_paid_once_whatever_is_killed_while_they_are_paid(service, killing):
    admin = service.admin
    club = rich(admin, 4)
    with with_re_entries(service) as by_bots:
        shared = []
        for name in KILLED:
            shared.append(shared_second_place(service, club))
            killing.while_paying(name)
        service.run.until(lambda: finished(admin, by_bots), LONG_SECONDS)
    all_paid(service, killing, [by_bots, *shared])
    raw = list(raw_events(Postgres(service.inside).url))
    assert_each_prize_paid_once(raw, [by_bots, *shared])
    assert killing.hits == list(KILLED)
    for t in shared:
        amounts = [prize["amount"] for prize in admin.get(f"/v1/tournaments/{t}/prizes")["items"]]
        assert amounts[0] == 6003  # half of 12007; the two units left over have greater remainders
        assert sorted(amounts[1:]) == [2001, 2001, 2002]  # 6004 for three who are equals
    check_books(service)


def test_refunds_are_paid_once_whatever_is_killed_while_they_are_paid(service, killing):
    admin = service.admin
    crowd = rich(admin, CROWD)
    t = entered(admin, crowd, recorded=True, guarantee=200_000)
    admin.post(f"/v1/tournaments/{t}/cancel")
    for name in KILLED:
        killing.while_paying(name)
    service.run.until(lambda: killing.asked(PAID) >= BATCH)
    assert killing.asked(PAID) < CROWD, "it was over too soon for a kill between two batches"
    killing.kill("worker")
    killing.kill("postgres")
    killing.back()
    all_paid(service, killing, [t])
    paid = payments(raw_events(Postgres(service.inside).url), "refund")
    assert paid == {(t, player): [1100] for player in crowd}
    check_books(service)


def all_paid(service: Service, killing: Killing, tournaments: list[str]) -> None:
    """Wait until nothing is owed any more: every pool and escrow is empty, and no job is due."""
    killing.back()
    service.run.until(lambda: not killing.asked(DUE))
    wanted = {f"{kind}/{t}": 0 for t in tournaments for kind in ("pool", "escrow")}
    assert {name: balance for name, balance in balances(service).items() if name in wanted} == wanted


def balances(service: Service) -> dict[str, int]:
    accounts = service.admin.pages("/v1/ledger/accounts?book=money&currency=USD")
    return {account["account"]: account["balance"] for account in accounts}


def payments(raw: Iterable[tuple[str, str, dict[str, Any]]], kind: str) -> dict[tuple[str, str], list[int]]:
    """Everything that was paid, by tournament and player, as the log has it."""
    paid: dict[tuple[str, str], list[int]] = {}
    for _, topic, event in raw:
        if topic == "wallet.credited.1" and event["journal"]["kind"] == kind:
            key = (event["journal"]["tournament_id"], event["player_id"])
            paid.setdefault(key, []).append(event["amount"])
    return paid


def assert_each_prize_paid_once(raw: list[tuple[str, str, dict[str, Any]]], tournaments: list[str]) -> None:
    """From the raw events alone: a pool is what was paid in, or the guarantee; its prizes are all of it."""
    taken = ("roster.registered.1", "roster.re_entered.1")
    entries = Counter(event["tournament_id"] for _, topic, event in raw if topic in taken)
    awarded = {stream: event for stream, topic, event in raw if topic == "tournament.prizes_awarded.2"}
    assert sorted(awarded) == sorted(tournaments)
    promised: dict[tuple[str, str], list[int]] = {}
    for t, award in awarded.items():
        pool = max(GUARANTEE, entries[t] * BUY_IN["amount"])
        assert award["pool"] == pool == sum(prize["amount"] for prize in award["prizes"])
        assert_parts(pool, award["prizes"])
        promised |= {(t, prize["player_id"]): [prize["amount"]] for prize in award["prizes"]}
    assert payments(raw, "prize") == promised


def assert_parts(pool: int, prizes: list[dict[str, Any]]) -> None:
    """Each place has its basis points, rounded by the largest remainder; who share a place share theirs to a unit."""
    parts = [pool * bp // 10_000 for bp in PRIZES]
    by_remainder = sorted(range(len(PRIZES)), key=lambda i: -(pool * PRIZES[i] % 10_000))
    for i in by_remainder[: pool - sum(parts)]:
        parts[i] += 1
    for place, group in groupby(prizes, key=lambda prize: prize["place"]):
        amounts = [prize["amount"] for prize in group]
        assert sum(amounts) == sum(parts[place - 1 : place - 1 + len(amounts)])
        assert max(amounts) - min(amounts) <= 1


def check_books(service: Service) -> None:
    """The books from the raw events are the ledger's, the log is whole, every projection is its rebuild."""
    assert balances_from_outside(service, "USD") == balances(service)
    store = store_in(service.inside)
    assert verify_log(store).events > 0
    assert compare(store) == []
    store.close()
