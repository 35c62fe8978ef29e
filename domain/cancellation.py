"""A tournament's end without a result: before the money everybody gets back what he paid; after it, the pool is shared.

In the money are as many as there are paid places, or fewer. Who has a place by then keeps its prize; what is left of
the pool goes to who is left, by his chips as they stand before the hands that run, which are voided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter

import msgspec

from domain import pool
from domain import tournament as decide
from domain.deal import Draws
from domain.draws import draws_for
from domain.events import Event
from domain.ids import PlayerId
from domain.late_entry import stack_of
from domain.owed import chips_owed
from domain.placing import Out, Standing, places_of_out
from domain.prizes import allotted, prize_table, rewarded, shared
from domain.table import Table
from domain.tournament import Tournament
from domain.tournament_events import PrizesAwarded


class Seated(msgspec.Struct, frozen=True):
    """A player who is not out, his chips as ruled, and how he would be out if he has none."""

    player_id: PlayerId
    chips: int
    out: Out


def in_the_money(t: Tournament) -> bool:
    """Whether whoever is left has a prize, so that a cancellation takes nothing back."""
    seated = t.tables_drawn > 0 and not t.structure.for_points and not t.entries_open
    return seated and not t.over and t.rivals_left <= t.paid_places


def cancel(t: Tournament, tables: Iterable[Table], reason: str, entries: int) -> list[Event]:
    """The end of a tournament that has so many `entries`; of its open `tables`, in the order in which their last hands
    ended, nothing is asked before the money. Raises Conflicting where it is over."""
    awarded = [share(t, _seated(t, tables))] if in_the_money(t) else []
    return decide.cancel(t, reason, entries, awarded)


def share(t: Tournament, seated: Sequence[Seated]) -> PrizesAwarded:
    """The prizes of a tournament that nobody will win: all of the pool, to the unit."""
    may_win = [s for s in seated if s.chips > 0 and s.player_id not in t.disqualified]
    left = sorted(may_win, key=lambda s: -s.chips)
    outs = [*t.outs, *(s.out for s in seated if s not in may_win)]
    standings = [*_by_chips(left), *places_of_out(outs, len(left), t.disqualified)]
    players = rewarded(t.entrant_count, t.disqualified)
    table = prize_table(t.structure.prizes_bp, t.entry_count, players)
    by_place = allotted(pool.size(t.pool), table)
    amounts = shared(by_place, [standing.place for standing in standings])
    if left:
        amounts[: len(left)] = allotted(sum(by_place[: len(left)]), [s.chips for s in left])
    return pool.awarded(t.pool, standings, amounts, _lots(t))


def _lots(t: Tournament) -> Callable[[str], Draws]:
    return lambda draw: draws_for(t.draw_seed, t.tournament_id, draw)


def _by_chips(left: Sequence[Seated]) -> list[Standing]:
    """Places of who is left, the most chips first; who has as many shares a place."""
    standings: list[Standing] = []
    for _, group in groupby(left, key=lambda s: s.chips):
        level, place = list(group), len(standings) + 1
        standings += [Standing(place, len(level) > 1, s.player_id) for s in level]
    return standings


def _seated(t: Tournament, tables: Iterable[Table]) -> list[Seated]:
    """Who sits, table by table, the smaller stack at his last hand's start first; and who has yet to get a seat."""
    due = chips_owed(t)
    found = []
    for table in tables:
        seats = [(taken.stack - taken.net, seat) for seat, taken in table.seats.items()]
        for stack, seat in sorted(seats, key=itemgetter(0)):
            taken = table.seats[seat]
            player = _about_to_play(t, taken.player_id)
            out = Out(player, table.last_hand_id, stack)
            found.append(Seated(player, taken.stack + due[taken.player_id], out))
    stacks = [(c.player_id, stack_of(t, c)) for c in t.coming]
    return [
        *found,
        *(Seated(player, chips + due[player], Out(player, None, chips)) for player, chips in stacks),
    ]


def _about_to_play(t: Tournament, player: PlayerId) -> PlayerId:
    """Who would have played the next hand for him."""
    ordered = t.replacements.get(player)
    return ordered.substitute_id if ordered else player
