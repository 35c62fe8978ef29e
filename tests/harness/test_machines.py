"""One tournament on two machines; each is cut off in its middle, and comes back."""

from __future__ import annotations

import sys

import pytest

from domain.topics import TOPICS
from services.doctor.examination import Examination, Questions
from services.doctor.invariants import INVARIANTS
from services.store import Store
from tests.harness.machines import Machine, admin_token, machines, servers
from tests.workers.process import Big2
from tests.workers.test_service import LONG, entered, finished, hands_of
from workers.client import Client

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="children end with their parent on Linux only"
)

ENTRANTS, STACK = 9, 100
HANDS = 4
"""So many hands more tell that play goes on."""
PATIENCE_SECONDS = 300
"""As long as a machine may be cut off on one that has much else to do: its bots wait for it."""


def test_each_of_two_machines_is_cut_off_in_the_middle_and_the_tournament_ends_right():
    with servers() as shared, machines(shared, 2) as (one, other):
        token = admin_token(shared)
        t = entered(client(one, token), ENTRANTS, **LONG)
        with bots(one, token, t) as here, bots(other, token, t) as there:
            goes_on(other, token, t)
            for cut, left in ((one, other), (other, one)):
                cut.cut_off()
                goes_on(left, token, t)
                cut.joined()
                cut.processes["web"].until(cut.ready, PATIENCE_SECONDS)
                goes_on(cut, token, t)
            one.processes["web"].until(lambda: finished(client(one, token), t), PATIENCE_SECONDS)
            assert [here.ended(), there.ended()] == [0, 0], here.said + there.said
        for machine in (one, other):
            assert [name for name, run in machine.processes.items() if run.popen.poll() is not None] == []
            standings = list(client(machine, token).pages(f"/v1/tournaments/{t}/standings"))
            assert [s["place"] for s in standings] == list(range(1, ENTRANTS + 1))
            assert [s["chips"] for s in standings] == [ENTRANTS * STACK] + [0] * (ENTRANTS - 1)
        assert wrong(shared.url) == []


def bots(machine: Machine, token: str, t: str) -> Big2:
    """House players who reach the service by one machine."""
    what = ("--url", machine.url, "--tournament", t, "--seed", 1, "--patience", PATIENCE_SECONDS)
    return Big2("bots", *what, settings={"BIG2_TOKEN": token})


def client(machine: Machine, token: str) -> Client:
    return Client(machine.url, token, patience_seconds=PATIENCE_SECONDS)


def goes_on(machine: Machine, token: str, t: str) -> None:
    """Some more hands begin, as this machine tells."""
    admin = client(machine, token)
    until = hands_of(admin, t) + HANDS
    further = lambda: finished(admin, t) or hands_of(admin, t) >= until  # noqa: E731
    machine.processes["web"].until(further, PATIENCE_SECONDS)


def wrong(url: str) -> list[str]:
    store = Store(url, TOPICS)
    try:
        examination = Examination(store, Questions(tuple(INVARIANTS), settled=True))
        return [f"{each.invariant} {each.where}: {each.what}" for each in examination.violations()]
    finally:
        store.close()
