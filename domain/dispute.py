"""Where the dispute about a hand stands: what keeps it from being final, and how it was ruled.

    (none)  ── flag, freeze ──▸  open  ── ruling ──▸  ruled  ── appeal ──▸  appealed  ── ruling ──▸  ruled again
                └── every freeze released, no flag ──▸  (none)

In `open` and `appealed` the hand is not final; out of `ruled` it becomes so by time, and ruled again at once. What is
ruled at once while the hand runs changes no stage.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from domain.dispute_events import (
    ActionsVoided,
    Appealed,
    Flagged,
    Frozen,
    HandResult,
    Penalty,
    Released,
    Ruled,
    RuledWithPenalties,
    Scope,
    TimeGiven,
)


class Stage(StrEnum):
    NONE = "none"
    OPEN = "open"
    RULED = "ruled"
    APPEALED = "appealed"


class Dispute(msgspec.Struct, frozen=True):
    """`flags` are all there were; `rulings` one, or two after an appeal, of which the last one holds.

    `interim` is what was ruled while the hand ran, in effect at once.
    """

    flags: tuple[Flagged, ...] = ()
    frozen: frozenset[Scope] = frozenset()
    rulings: tuple[Ruled, ...] = ()
    appeal: Appealed | None = None
    interim: tuple[ActionsVoided | TimeGiven, ...] = ()

    @property
    def stage(self) -> Stage:
        if not self.rulings:
            return Stage.OPEN if self.flags or self.frozen else Stage.NONE
        return Stage.APPEALED if self.appeal and len(self.rulings) == 1 else Stage.RULED

    @property
    def keeps_open(self) -> bool:
        """Whether the hand must not be final."""
        return self.stage in (Stage.OPEN, Stage.APPEALED)

    @property
    def stops_play(self) -> bool:
        """Whether nobody may act in the hand."""
        return "hand" in self.frozen

    @property
    def result(self) -> HandResult | None:
        """What the hand comes to by the ruling that holds; null as played."""
        return self.rulings[-1].result if self.rulings else None

    @property
    def penalties(self) -> tuple[Penalty, ...]:
        """Those of the ruling that holds."""
        return penalties_of(self.rulings[-1]) if self.rulings else ()


def penalties_of(ruled: Ruled) -> tuple[Penalty, ...]:
    """What a ruling lays upon seats."""
    return ruled.penalties if isinstance(ruled, RuledWithPenalties) else ()


def evolve(
    dispute: Dispute, event: Flagged | Frozen | Released | Ruled | Appealed | ActionsVoided | TimeGiven
) -> Dispute:
    change = msgspec.structs.replace
    match event:
        case Flagged():
            return change(dispute, flags=(*dispute.flags, event))
        case Frozen():
            return change(dispute, frozen=dispute.frozen | {event.scope})
        case Released():
            return change(dispute, frozen=dispute.frozen - {event.scope})
        case Ruled():
            frozen = dispute.frozen & {"table"}  # until the hand is final: then its chips are corrected
            return change(dispute, rulings=(*dispute.rulings, event), frozen=frozen)
        case ActionsVoided() | TimeGiven():
            return change(dispute, interim=(*dispute.interim, event))
    return change(dispute, appeal=event)
