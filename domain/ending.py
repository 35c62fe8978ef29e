"""The end of a tournament: everybody's place and the prizes that go by it; both again, where a ruling changes them."""

from __future__ import annotations

from domain import pool
from domain.draws import draws_for
from domain.events import Event
from domain.ids import HandId, PlayerId
from domain.placing import Out, Standing, places_of_out
from domain.prizes import prize_table, rewarded
from domain.tournament import State, Tournament
from domain.tournament_events import Finished, PrizesAwarded, StandingsCorrected


def finish(t: Tournament, last: PlayerId | None) -> list[Event]:
    """The final standings and the prizes, once one player is left; or nobody, where rulings have taken all chips."""
    assert t.players_left == (last is not None)
    standings = final_places(t, last)
    return conclude(t, standings, t.entry_count, rewarded(len(standings), t.disqualified))


def final_places(t: Tournament, last: PlayerId | None) -> tuple[Standing, ...]:
    """Everybody's place where `last` is left: his is the first, unless he is disqualified.

    With nobody left, who went out last has the first place, and shares it with his equals.
    """
    left = [] if last is None else [Out(last, None, 0)]
    return tuple(places_of_out([*t.outs, *left], 0, t.disqualified))


def conclude(
    t: Tournament, standings: tuple[Standing, ...], entries: int, players: int | None = None
) -> list[Event]:
    """The end: prizes for so many entries of so many players (null: of as many), and the places of all."""
    return [
        award(t, standings, entries, players),
        Finished(standings=standings, draw_seed=t.draw_seed),
    ]


def award(t: Tournament, standings: tuple[Standing, ...], entries: int, players: int | None) -> PrizesAwarded:
    """The prizes that go by these places."""
    table = prize_table(t.structure.prizes_bp, entries, players)
    return pool.award(t.pool, table, standings, lambda draw: draws_for(t.draw_seed, t.tournament_id, draw))


def place_again(t: Tournament, hand: HandId) -> list[Event]:
    """After the end: the places and the prizes as `hand` was ruled, where that has disqualified somebody.

    Nothing is paid by then, for that waits until every hand is final; and a league ends no sooner.
    """
    if t.state is not State.FINISHED or t.structure.for_points:
        return []
    left = {standing.player_id for standing in t.standings} - {out.player_id for out in t.outs}
    assert len(left) <= 1, "it ended with one player left, or none"
    standings = final_places(t, next(iter(left), None))
    awarded = award(t, standings, t.entry_count, rewarded(len(standings), t.disqualified))
    if (standings, awarded.prizes) == (t.standings, t.prizes):
        return []
    return [StandingsCorrected(hand_id=hand, standings=standings), awarded]
