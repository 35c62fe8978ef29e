"""The job of a ring table. What it does next is `domain.ring_hands`'s; here that is loaded, recorded, and dealt.

It may run twice, late, or on two machines: it re-reads the stream and does nothing when the world has moved on.
"""

from __future__ import annotations

from functools import reduce

from domain import dealing
from domain import hand as hands
from domain import ring_hands as decide_on
from domain.ids import TableId
from domain.ring import RING, Ring, evolve
from domain.ring_hands import Next
from services.application.context import Services
from services.application.ring_tables import money
from services.commands import again, job, on
from services.envelope import Change, Stream

WAIT_SECONDS = 2.0
"""How long the job waits for its table, well below its own limit."""


def advance(services: Services, table_id: TableId) -> None:
    """Between hands: close the table or let players stand up, as they asked to, and deal if a hand is due."""
    with services.store.lock(table_id, WAIT_SECONDS):
        again(lambda: _advance(services, table_id))


def _advance(services: Services, table_id: TableId) -> None:
    stream = services.store.load(RING, table_id)
    if stream.state is None:
        return
    following = decide_on.look(stream.state, stream.read_at)
    command = job(f"ring-{table_id}-{stream.version}")
    left = [on(stream, *following.events), *money(services.store, stream.state, following.events, command)]
    dealt = _dealt(services, stream, following) if following.deals else []
    changes = [change for change in (*left, *dealt) if change.events]
    if changes:
        services.store.append(command, changes, stream.read_at)


def _dealt(services: Services, stream: Stream[Ring], following: Next) -> list[Change]:
    """The next hand in the order in which it happens: its antes, its deal, and at once its end where the deal alone
    wins it (R12's dragon)."""
    ring, now = following.ring, stream.read_at
    rules = services.rulesets.resolve(ring.rules)
    terms = decide_on.next_deal(ring, rules)
    dealt = dealing.deal(
        ring,
        terms,
        rules,
        master=ring.master,
        rooted=decide_on.is_rooted(ring, terms.number),
        structure_hash=ring.terms_hash,
        timing=ring.terms.timing,
        connections=services.connections.at(ring.table_id),
        now=now,
    )
    begun = decide_on.begin(ring, terms)
    hand = hands.folded(dealt)
    ended = decide_on.ended(hand, reduce(evolve, begun, ring), now)
    version = stream.version + len(following.events)
    return [
        Change(ring.table_id, version, begun),
        Change(terms.hand_id, 0, dealt),
        Change(ring.table_id, version + len(begun), ended),
    ]
