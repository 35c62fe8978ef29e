"""The simulator's agenda is the product's: SQL and `World.agenda` say the same at many positions of its logs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from domain.topics import TOPICS
from services.eventtable import NewRow, Proviso
from services.projections import Projector
from services.projections.rebuild import compare
from services.store import Store
from tests.harness.sim import PLOTS, Sim
from tests.services.projections.world import World

EVERY = 5
TELLING = {name for name in TOPICS if name.split(".")[1] in ("paused", "resumed", "finished", "cancelled")}
"""Transactions from one look to the next; and these events are looked at each time."""


@pytest.fixture(scope="module")
def simulated(database_url) -> Iterator[tuple[Store, list[int]]]:
    """The logs of one seed of each plot, as PostgreSQL keeps them; and where to look."""
    store, ends, played = Store(database_url, TOPICS), [], set()
    seed = 0
    while len(played) < len(PLOTS):
        sim = Sim(seed)
        told = sim.run()
        seed += 1
        if told.plot in played or not told.faults:
            continue
        played.add(told.plot)
        for number, transaction in enumerate(sim.machine.rows.transactions):
            rows = sim.machine.rows.read_log(transaction.first - 1, transaction.last - transaction.first + 1)
            places = store._rows.append([NewRow(*row[:4]) for row in rows], None, Proviso())
            if number % EVERY == 0 or any(row.topic in TELLING for row in rows):
                ends.append(places[-1])
    yield store, [*ends, store.head()]
    store.close()


def test_at_every_look_the_agenda_is_what_the_streams_make_due(simulated):
    store, ends = simulated
    projector, world = Projector(store), World()
    projector.create()
    jobs = set()
    for position in ends:
        projector.catch_up(position)
        for r in store.log(world.position, position - world.position):
            world.add(r)
        with store.database.connection() as conn:
            rows = conn.execute(
                "SELECT subject, job, args, due_at, waits_from FROM projections.agenda"
            ).fetchall()
        assert {subject: entry for subject, *entry in rows} == {
            subject: list(entry) for subject, entry in world.agenda().items()
        }, position
        jobs |= {job for _, job, *_ in rows}
    assert {"start", "draw", "deal", "turn", "ring", "finalise", "pay", "pause"} <= jobs


def test_at_the_end_the_projections_are_their_rebuild_from_zero(simulated):
    store, _ = simulated
    projector = Projector(store)
    projector.create()
    projector.catch_up()
    assert compare(store) == []
