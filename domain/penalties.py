"""Penalties: what a director may lay upon seats beside a ruling, and what the tournament records of it in the end.

| penalty | where | comes to |
|---|---|---|
| `warning` | in every tournament | nothing: it is told |
| `points` | in a league | `amount` points less |
| `chips` | where there are stacks | `amount` chips to the void, between hands, as far as he has them |
| `sit_out` | where the service deals | in his next `amount` hands the clock acts for him at once |
| `disqualification` | in every tournament | he leaves between hands, and ranks below everybody |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from domain.dispute_events import Penalty, PenaltyKind
from domain.events import Event
from domain.hand import Hand, State
from domain.ids import HandId
from domain.table_events import SitOutGiven, StacksAdjusted
from domain.tournament_events import Imposed, PenaltiesImposed, PenaltyCarriedOut

MOST_POINTS: Final = 1_000_000
MOST_CHIPS: Final = 2**53 - 1
MOST_SAT_OUT: Final = 20


class _Amount(NamedTuple):
    """What a penalty's amount counts, and how many there may be."""

    of: str
    most: int


_AMOUNTS: dict[PenaltyKind, _Amount] = {
    "points": _Amount("points", MOST_POINTS),
    "chips": _Amount("chips", MOST_CHIPS),
    "sit_out": _Amount("hands", MOST_SAT_OUT),
}
"""The others have none."""


def problems(hand: Hand, given: Sequence[Penalty]) -> dict[str, str]:
    """What is wrong with these penalties, by JSON pointer into the ruling."""
    if given and hand.tournament_id is None:
        return {"/penalties": "are for tournaments: at a ring table nobody can lose but what he plays for"}
    found: dict[str, str] = {}
    for place, penalty in enumerate(given):
        before = [other.seat for other in given[:place]]
        wrong = {
            "seat": _wrong_seat(hand, penalty.seat, before),
            "penalty": _wrong_kind(hand, penalty.penalty),
            "amount": _wrong_amount(penalty),
        }
        found |= {f"/penalties/{place}/{member}": why for member, why in wrong.items() if why}
    return found


def imposed(hand: Hand) -> PenaltiesImposed | None:
    """What a final hand's ruling lays upon whom; null where it punishes nobody."""
    if hand.state is not State.FINAL or not hand.dispute.penalties:
        return None
    players = {seat.seat: seat.player_id for seat in hand.terms.seats}
    return PenaltiesImposed(
        hand_id=hand.hand_id,
        table_id=hand.table_id,
        penalties=tuple(
            Imposed(players[given.seat], given.penalty, given.amount) for given in hand.dispute.penalties
        ),
    )


def carry_out(
    hand_id: HandId, due: Imposed, seat: int, stack: int
) -> tuple[PenaltyCarriedOut, tuple[Event, ...]]:
    """Chips or hands of a player who sits there between hands: what the tournament records, and what his table.

    Nobody loses more chips than he has.
    """
    assert due.amount is not None, f"there is nothing to do for a {due.penalty}"
    amount = min(due.amount, stack) if due.penalty == "chips" else due.amount
    carried_out = PenaltyCarriedOut(
        hand_id=hand_id,
        player_id=due.player_id,
        penalty="chips" if due.penalty == "chips" else "sit_out",
        amount=amount,
        unpaid=due.amount - amount,
    )
    if due.penalty == "sit_out":
        return carried_out, (SitOutGiven(hand_id=hand_id, seat=seat, hands=amount),)
    return carried_out, (StacksAdjusted(hand_id=hand_id, changes={seat: -amount}),) if amount else ()


def _wrong_seat(hand: Hand, seat: int, before: Sequence[int]) -> str | None:
    if all(dealt.seat != seat for dealt in hand.terms.seats):
        return "was not dealt in"
    return "has a penalty already: one a seat" if seat in before else None


def _wrong_kind(hand: Hand, kind: PenaltyKind) -> str | None:
    for_points = all(dealt.stack is None for dealt in hand.terms.seats)
    if kind == "points" and not for_points:
        return "is for formats that are ranked by points: here players have chips"
    if kind == "chips" and for_points:
        return "is for formats that are played for chips: a league is ranked by points"
    if kind == "sit_out" and hand.recorded:
        return "is for cards that are dealt here: with real cards no clock acts for a player"
    return None


def _wrong_amount(penalty: Penalty) -> str | None:
    counted = _AMOUNTS.get(penalty.penalty)
    if counted is None:
        return None if penalty.amount is None else "goes with points, chips and sit_out"
    if penalty.amount is None:
        return f"is missing: how many {counted.of}"
    return None if 1 <= penalty.amount <= counted.most else f"must be from 1 to {counted.most} {counted.of}"
