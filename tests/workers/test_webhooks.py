"""Webhooks of the whole service in its real processes, with the one that delivers killed in the middle."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.services.http.receiving import Receiver
from tests.workers.test_service import SHORT, Service, entered, finished

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="children end with their parent on Linux only"
)


@pytest.fixture
def service(monkeypatch) -> Iterator[Service]:
    monkeypatch.setenv("BIG2_WEBHOOK_HOSTS", "127.0.0.1")
    with Service() as service:
        yield service


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.stop()


def test_a_whole_tournament_is_told_in_order_whatever_is_killed(service, receiver):
    admin, run = service.admin, service.run
    admin.post("/v1/webhooks", {"url": receiver.url("/all")})
    quick = {**SHORT, "turn_seconds": 0, "stack_points": 1, "unit_levels": [50]}
    t = entered(admin, 2, format="sit_and_go", seats_per_table=2, **quick)
    run.until(lambda: len(receiver.at("/all")) > 20)
    times = run.said.count("big2: clock started")
    os.kill(run.pid("clock"), signal.SIGKILL)
    run.until(lambda: run.said.count("big2: clock started") > times)
    run.until(lambda: finished(admin, t))
    logged = [e["position"] for e in admin.get(f"/v1/audit/events?tournament={t}&limit=200")["items"]]
    assert logged
    run.until(lambda: set(logged) <= set(receiver.positions("/all")))
    assert "tournament.finished" in {delivery.event["type"] for delivery in receiver.at("/all")}
    positions = receiver.positions("/all")
    repeated = [after for before, after in pairwise(positions) if after <= before]
    assert len(repeated) <= 1, "only what was on its way comes twice"
    assert sorted(set(positions)) == list(dict.fromkeys(positions))
