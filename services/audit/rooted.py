"""Whether each hand's commitment stands under a root that is older than the table's seats (`domain.coming_deals`)."""

from __future__ import annotations

from uuid import UUID

from domain.coming_deals import first_under_root, implied_root
from domain.hand_events import Committed, ProvenCommitted, ProvenRingCommitted, RingCommitted
from domain.ring_events import RingDealsCommitted
from domain.table_events import NextDealsCommitted, Opened
from domain.tournament_events import DealsCommitted
from services.audit import verify
from services.audit.opened import Members, recorded


def rooted(members: Members) -> str:
    """How many hands are dealt from what was fixed before; `verify.Wrong` at the first whose commitment was not."""
    roots = _roots(members)
    opened = {r.stream: r.position for r in recorded(members, "table") if isinstance(r.event, Opened)}
    whole = any(recorded(members, "tournament")) or any(recorded(members, "ring"))
    done, unknown = 0, 0
    for r in recorded(members, "hand"):
        if not isinstance(r.event, Committed | RingCommitted):
            continue
        first = first_under_root(r.event.number)
        if (r.event.table_id, first) not in roots:
            if whole and _root_of(r.event):
                raise verify.Wrong(f"hand {r.stream}: the root that its commitment is under was never told")
            unknown += 1
            continue
        root, fixed = roots[r.event.table_id, first]
        seated = opened.get(r.event.table_id, r.position) if first == 1 else r.position
        if root != _root_of(r.event) or fixed > seated:
            raise verify.Wrong(f"hand {r.stream}: its commitment is under no root from before the seats")
        done += 1
    elsewhere = f", {unknown} are under none that the bundle has" if unknown else ""
    return f"{done} commitments are under roots that are older than the seats{elsewhere}"


def _roots(members: Members) -> dict[tuple[UUID, int], tuple[str, int]]:
    """By table and first hand: each root, and the log position of the event that fixed it."""
    found: dict[tuple[UUID, int], tuple[str, int]] = {}
    for kind in ("tournament", "table", "ring"):
        for r in recorded(members, kind):
            match r.event:
                case DealsCommitted():
                    found |= {(each.table_id, 1): (each.root, r.position) for each in r.event.roots}
                case NextDealsCommitted() | RingDealsCommitted():
                    found[r.stream, r.event.first_hand] = (r.event.root, r.position)
    return found


def _root_of(event: Committed | RingCommitted) -> str | None:
    """The root that a hand's commitment leads to, if it says how."""
    if isinstance(event, ProvenCommitted | ProvenRingCommitted):
        return implied_root(event.number, event.commitment, event.first_hand, event.path)
    return None
