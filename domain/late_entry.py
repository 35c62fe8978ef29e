"""Entry and re-entry after the start of a freezeout, while its first `late_entry_levels` last (TOURNAMENTS.md, Entry).

A player enters as at the start, with a full stack, and sits down between hands: at the smallest table with a free
seat, or at a new one. Who is out may enter again: his old place is given up, and he is placed by when he goes out for
the last time. Entries close when those levels are over, or once the next player out is the last without a prize.
Who is reinstated by a ruling sits down likewise, with the chips that it gives him, also when nobody enters any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from domain import pool
from domain.deal import Draws
from domain.draws import draws_for
from domain.errors import Conflicting
from domain.events import Event
from domain.ids import PlayerId, entry_id, re_entry_id
from domain.roster import ReEntered, Registered, Roster, must_be_open
from domain.seating import Sitting
from domain.table_events import Opened, Place, Seated
from domain.tournament import Coming, State, Tournament, open_table
from domain.tournament_events import DrawnTable, EntriesClosed, EntryTaken, LateSeated, ReinstatedSeated


def enter(t: Tournament, roster: Roster, player: PlayerId, now: datetime) -> tuple[list[Event], list[Event]]:
    """The events of an entry into a started tournament: the roster's, and the tournament's.

    Raises Conflicting: `registration-closed`, also from the minute on in which the last level of late entry is over;
    `disqualified`; `already-registered` for who is in play or about to be, `tournament-full` when no place is free or
    no further entry is taken.
    """
    must_be_open(roster)
    if _time_is_over(t, now):
        raise Conflicting("registration-closed", f"Late entry is over: level {t.level} was its last.")
    if player in roster.substitutes:
        raise Conflicting(
            "already-registered", "The player has taken over from another: he makes no entry of his own."
        )
    if player in t.disqualified:
        raise Conflicting("disqualified", "The player is disqualified from this tournament.")
    again = player in roster.entries
    if again and not any(out.player_id == player for out in t.outs):
        raise Conflicting("already-registered", "The player is entered already, and not out.")
    if t.players_left >= t.structure.capacity or t.entry_count >= t.structure.most_entries:
        raise Conflicting("tournament-full", _full(t))
    number = t.entry_count + 1
    entry = re_entry_id(t.tournament_id, player, number) if again else entry_id(t.tournament_id, player)
    kind = ReEntered if again else Registered
    made = kind(tournament_id=t.tournament_id, entry_id=entry, player_id=player)
    return [made], [EntryTaken(player_id=player, entry_id=entry, number=number, re_entry=again)]


def may_withdraw(t: Tournament) -> None:
    """Raises Conflicting once a tournament that seats its players by itself has started."""
    if t.state is not State.OPEN and not t.structure.for_points:
        raise Conflicting(
            "registration-closed", f"Withdrawal ends with the start: the tournament is {t.state}."
        )


def close_entries(t: Tournament) -> list[Event]:
    """The end of the entries and the prize pool, once it has come; the bubble counts from the first player out."""
    over = t.level > t.structure.late_entry_levels
    if not t.entries_open or not (over or (t.outs and t.players_left <= t.paid_places + 1)):
        return []
    closed = EntriesClosed(entries=t.entry_count, entrants=t.entrant_count)
    return [closed, *pool.form(t.tournament_id, t.structure, t.entry_count)]


def table_for(sittings: Sequence[Sitting], seats: int) -> Sitting | None:
    """The smallest table with a free seat, of equals the lowest number."""
    return min((s for s in sittings if s.size < seats), key=lambda s: (s.size, s.number), default=None)


def seat(t: Tournament, coming: Coming, table: Sitting, void: int) -> tuple[LateSeated, Seated]:
    """A seat at a table that is between hands; which of its free ones is drawn.

    So many chips in the `void` are given again to who is reinstated, before any are issued; so below.
    """
    draws = _draws(t, coming)
    free = [s for s in range(1, t.structure.seats_per_table + 1) if s not in table.players]
    place = Place(free[draws.below(len(free))], coming.player_id, stack_of(t, coming))
    return _seated(t, coming, table.number, place, void=void, opens=False), Seated(place=place)


def open_for(t: Tournament, coming: Coming, void: int, now: datetime) -> tuple[LateSeated, Opened]:
    """A new table with the next number, which waits for others. Its seat is drawn, and then where the button lies."""
    draws = _draws(t, coming)
    seats, number = t.structure.seats_per_table, t.tables_drawn + 1
    place = Place(1 + draws.below(seats), coming.player_id, stack_of(t, coming))
    drawn = DrawnTable(number, t.table_id(number), 1 + draws.below(seats), (place,))
    return _seated(t, coming, number, place, void=void, opens=True), open_table(t, drawn, now)


def stack_of(t: Tournament, coming: Coming) -> int:
    """What he sits down with."""
    return t.structure.stack if coming.chips is None else coming.chips


def _time_is_over(t: Tournament, now: datetime) -> bool:
    """Whether the last level of late entry has lasted its minutes, though it is not raised yet; a pause adds none."""
    if t.level < t.structure.late_entry_levels or t.level_ends_at is None:
        return False
    return t.level_ends_at <= (t.pauses[-1] if t.state is State.PAUSED else now)


def _draws(t: Tournament, coming: Coming) -> Draws:
    return draws_for(t.draw_seed, t.tournament_id, _occasion(coming))


def _occasion(coming: Coming) -> str:
    return f"{'entry' if coming.hand_id is None else 'reinstated'}/{coming.number}"


def _seated(
    t: Tournament, coming: Coming, number: int, place: Place, *, void: int, opens: bool
) -> LateSeated:
    table, draw = t.table_id(number), _occasion(coming)
    if coming.hand_id is None:
        return LateSeated(number=number, table_id=table, place=place, opens=opens, draw=draw)
    return ReinstatedSeated(
        number=number,
        table_id=table,
        place=place,
        opens=opens,
        draw=draw,
        hand_id=coming.hand_id,
        from_void=min(void, place.stack),
    )


def _full(t: Tournament) -> str:
    most = t.structure.most_entries
    if t.entry_count >= most:
        return f"All {most} entries, re-entries included, are made."
    return f"All {t.structure.capacity} places are taken."
