"""A ring table as it is read, from its own stream."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from domain.ids import TableId
from domain.ring import RING, Ring
from domain.ring_events import RingTerms
from domain.ring_hands import LEVEL
from services import people
from services.application import resources as shapes
from services.application.context import Services
from services.application.errors import existing
from services.commands import Outcome


def ring_view(services: Services, table_id: TableId) -> shapes.Table:
    """The ring table as everybody may see it; NotFound if there is no such table of any kind."""
    stream = services.store.load(RING, table_id)
    return _shown(services, existing(stream, "table"), stream.position)


def after(services: Services, outcome: Outcome[Ring]) -> shapes.Table:
    """The ring table right after a command."""
    assert outcome.state is not None
    return _shown(services, outcome.state, outcome.position)


def _shown(services: Services, ring: Ring, position: int) -> shapes.Table:
    called = people.names(services.store.database, [seat.player_id for seat in ring.seats.values()])
    return shapes.Table(
        table_id=ring.table_id,
        tournament_id=None,
        number=None,
        state="closed" if ring.closed else "open",
        seats=_seats(ring, called),
        hand_id=ring.hand_id,
        last_hand_id=ring.last_hand_id,
        hands_played=ring.hands_ended,
        dealer=ring.dealer,
        direction=ring.direction.value if ring.direction else None,
        level=LEVEL,
        unit=ring.terms.unit,
        held=False,
        frozen=False,
        ring=ring_terms(ring.terms, paused=ring.paused, closing=ring.closing),
        as_of=position,
    )


def _seats(ring: Ring, called: Mapping[UUID, str]) -> list[shapes.TableSeat]:
    return [
        shapes.TableSeat(
            seat=number,
            player_id=seat.player_id,
            name=called.get(seat.player_id, shapes.UNNAMED),
            stack=seat.stack,
            buy_in=seat.buy_in,
            sitting_out=seat.sitting_out,
            leaving=seat.leaving,
        )
        for number, seat in ring.seats.items()
    ]


def ring_terms(terms: RingTerms, *, paused: bool, closing: bool) -> shapes.RingTable:
    """What only a ring table has."""
    return shapes.RingTable(
        rules=terms.rules,
        stake=shapes.Stake(
            schedule=terms.schedule,
            currency=terms.currency,
            unit=terms.unit,
            buy_in=terms.buy_in,
            ante=terms.ante,
        ),
        seats=terms.seats_per_table,
        turn_seconds=terms.timing.turn_seconds,
        between_hands_seconds=terms.timing.between_hands_seconds,
        protest_seconds=terms.timing.protest_seconds,
        paused=paused,
        closing=closing,
    )
