"""The small language of these tests: given what happened, when somebody decides, then events or a refusal.

hand = given(HAND, *dealt({1: "3D 9C", 2: "4D 5C"}))
with refused(Conflicting, "not-your-turn"):
    play(hand, BOB, 1, cards("4D"), NOW)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import Any, TypeVar
from uuid import UUID

import pytest
from hypothesis import settings

from big2.hand import start
from big2.rulesets import ruleset_to_mapping
from big2.table import Direction
from domain.aggregate import Aggregate
from domain.deal import commitment, hand_seed
from domain.errors import Rejected
from domain.events import Event
from domain.hand_events import Committed, Dealt, SeatDealt, Timing, Turn
from domain.ids import CommandId, PlayerId, TableId, hand_id, table_id, tournament_id
from domain.structure import Structure, structure
from domain.table import HandEnded, Opened, Place, Table
from tests.big2.play import PRESETS, mask, rules

S = TypeVar("S")

NOW = datetime(2026, 3, 1, 20, 0, tzinfo=UTC)
MASTER, DRAW_SEED = bytes(range(32)), bytes(range(32, 64))
ALICE, BOB, CAROL, DAVE, ERIN, FRANK = PLAYERS = tuple(PlayerId(UUID(int=n)) for n in range(1, 7))
TOURNAMENT = tournament_id(CommandId(UUID(int=100)))
TABLE = table_id(TOURNAMENT, 1)
HAND = hand_id(TABLE, 1)
ACTIONPOKER = PRESETS["actionpoker"]

steady = settings(deadline=None, derandomize=True)
"""Properties draw the same examples at each run: a red test stays red until somebody mends it."""


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def players(number: int) -> tuple[PlayerId, ...]:
    return tuple(PlayerId(UUID(int=n)) for n in range(1, number + 1))


def given(aggregate: Aggregate[S], *events: Event) -> S:
    """The state after `events`."""
    return fold(aggregate, events)


def fold(aggregate: Aggregate[S], events: Any, state: Any = None) -> Any:
    return reduce(aggregate.evolve, events, state)


@contextmanager
def refused(kind: type[Rejected], code: str) -> Iterator[None]:
    """Exactly this kind of refusal, by its code, with a sentence for people."""
    with pytest.raises(Rejected) as caught:
        yield
    assert (type(caught.value), caught.value.code) == (kind, code)
    assert caught.value.detail
    assert str(caught.value) == caught.value.detail


def terms(format_: str = "freezeout", **others: Any) -> Structure:
    """A structure, defaults filled in."""
    return structure({"name": "Friday", "format": format_, **others}, NOW)


def opened(
    *stacks: int, seats: int = 4, seats_per_table: int = 4, number: int = 1, first_dealer: int = 1
) -> Opened:
    """A table with these stacks, at the seats from 1 on, of the players in alphabetical order."""
    assert len(stacks) <= seats
    return Opened(
        table_id=table_id(TOURNAMENT, number),
        tournament_id=TOURNAMENT,
        number=number,
        seats_per_table=seats_per_table,
        rules="actionpoker",
        places=tuple(
            Place(seat, player, stack)
            for seat, (player, stack) in enumerate(zip(PLAYERS, stacks, strict=False), 1)
        ),
        first_dealer=first_dealer,
        pauses=0,
        deal_at=NOW,
    )


def hand_ended(
    table: Table, net: Mapping[int, int] | None = None, winner: int | None = None, **others: Any
) -> HandEnded:
    """The end of the table's running hand: `net` chips by seat."""
    change = dict.fromkeys(table.seats, 0) | dict(net or {})
    assert table.hand_id is not None
    ended: dict[str, Any] = {
        "hand_id": table.hand_id,
        "number": table.hands_begun,
        "winner": winner,
        "net": change,
        "points": change,
        "stacks": {seat: taken.stack + change[seat] for seat, taken in table.seats.items()},
        "acted": tuple(table.seats),
        "absent": (),
        "deal_at": NOW,
    }
    return HandEnded(**ended | others)


def dealt(
    holdings: Mapping[int, str],
    *,
    base: str = "actionpoker",
    switches: Mapping[str, object] | None = None,
    direction: str = "clockwise",
    dealer: int = 1,
    leader: int | None = None,
    stacks: tuple[int, ...] = (100, 100, 100, 100),
    unit: int = 1,
    protest_seconds: int = 0,
    table: TableId = TABLE,
) -> list[Event]:
    """A hand as dealt, of few cards: the rules do not mind. Seats are the players' in alphabetical order."""
    hand = hand_id(table, 1)
    seed = hand_seed(MASTER, str(hand))
    rule_set = rules(base, **switches or {})
    way = Direction(direction)
    masks = {seat: mask(text) for seat, text in holdings.items()}
    game = start(rule_set, dealer=dealer, direction=way, leader=leader, holdings=masks)
    assert game.turn is not None
    return [
        Committed(
            hand_id=hand,
            table_id=table,
            tournament_id=TOURNAMENT,
            number=1,
            commitment=commitment(seed, str(TOURNAMENT), str(hand)),
            seed=seed,
        ),
        Dealt(
            rules=base,
            ruleset=ruleset_to_mapping(rule_set),
            structure_hash="",
            level=1,
            unit=unit,
            dealer=dealer,
            direction=way,
            leader=leader,
            seats=tuple(SeatDealt(seat, PLAYERS[seat - 1], stacks[seat - 1]) for seat in sorted(holdings)),
            cards=dict(holdings),
            stub="",
            timing=Timing(30, 3, protest_seconds),
            next_turn=Turn(1, game.turn, later(30)),
        ),
    ]
