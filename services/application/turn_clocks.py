"""When the clock of a hand's running turn was set, as its stream tells: what pauses and jumps are measured by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from domain.dispute_events import TimeGiven
from domain.hand import HAND, Hand
from domain.hand_events import ClockStopped
from services.envelope import Recorded, Stream


def set_by(recorded: Sequence[Recorded]) -> list[Recorded]:
    """The events of a hand that set a deadline by their own time, or stopped the clock, in their order.

    Time that a ruling gives comes on top of a deadline, and so sets none.
    """
    return list(_set_by(recorded))


def _set_by(recorded: Sequence[Recorded]) -> Iterator[Recorded]:
    hand: Hand | None = None
    for r in recorded:
        before, hand = hand, HAND.evolve(hand, r.event)
        moved = before is None or (before.deadline, before.stopped_ms) != (hand.deadline, hand.stopped_ms)
        if moved and not isinstance(r.event, TimeGiven):
            yield r


def set_since(stream: Stream[Hand], position: int) -> bool:
    """Whether the clock of the running turn was set after that position of the log."""
    return set_by(stream.recorded)[-1].position > position


def last_stop(settings: Sequence[Recorded], turn: int) -> tuple[Recorded, Recorded] | None:
    """The last stop of that turn's clock, after the event that had set it; null where there is none."""
    stops = [
        (before, r)
        for before, r in pairwise(settings)
        if isinstance(r.event, ClockStopped) and r.event.turn == turn
    ]
    return stops[-1] if stops else None
