"""The prize pool: formed when nobody can enter any more, awarded at the end, or dissolved by an early cancellation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from domain.deal import Draws
from domain.events import Event
from domain.ids import TournamentId
from domain.placing import Standing
from domain.prizes import allotted, by_lot, shared
from domain.structure import WHOLE, Structure
from domain.tournament_events import MoneyPrizesAwarded, PoolDissolved, PoolFormed, Prize, PrizesAwarded

DRAW = "prizes"
"""The occasion of the lots: `prizes/PLACE` for who gets the odd units of a shared place."""


def form(tournament: TournamentId, terms: Structure, entrants: int) -> list[Event]:
    """The prize pool of so many entrants; nothing without a buy-in."""
    if terms.buy_in is None:
        return []
    return [
        PoolFormed(
            tournament_id=tournament,
            entrants=entrants,
            buy_ins=terms.buy_in.amount * entrants,
            overlay=terms.overlay(entrants),
            currency=terms.buy_in.currency,
        )
    ]


def dissolve(formed: PoolFormed | None) -> list[Event]:
    """The end of a pool that will not be awarded."""
    if formed is None:
        return []
    return [
        PoolDissolved(
            tournament_id=formed.tournament_id,
            buy_ins=formed.buy_ins,
            overlay=formed.overlay,
            currency=formed.currency,
        )
    ]


def size(formed: PoolFormed | None) -> int:
    """What there is to award: the pool, or all basis points where there is none."""
    return WHOLE if formed is None else formed.buy_ins + formed.overlay


def award(
    formed: PoolFormed | None,
    table: Sequence[int],
    standings: Sequence[Standing],
    lot: Callable[[str], Draws],
) -> PrizesAwarded:
    """The prizes by a table of basis points: the whole pool, to the unit, or the basis points where there is none."""
    places = [standing.place for standing in standings]
    return awarded(formed, standings, shared(allotted(size(formed), table), places), lot)


def awarded(
    formed: PoolFormed | None,
    standings: Sequence[Standing],
    amounts: Sequence[int],
    lot: Callable[[str], Draws],
) -> PrizesAwarded:
    """Prizes of these amounts, in standing order, which make the whole pool.

    `lot` draws for an occasion: players who share a place are equals, so the odd units go by lot.
    """
    if formed is None:
        return PrizesAwarded(pool=WHOLE, prizes=_prizes(standings, amounts))
    places = [standing.place for standing in standings]
    drawn = by_lot(places, amounts, lambda place: lot(f"{DRAW}/{place}"))
    return MoneyPrizesAwarded(
        pool=size(formed), prizes=_prizes(standings, drawn), currency=formed.currency, draw=DRAW
    )


def _prizes(standings: Sequence[Standing], amounts: Sequence[int]) -> tuple[Prize, ...]:
    return tuple(
        Prize(standing.place, standing.tied, standing.player_id, amount)
        for standing, amount in zip(standings, amounts, strict=True)
        if amount
    )
