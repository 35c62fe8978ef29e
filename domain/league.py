"""A league: a season of recorded hands, for points. Its operator opens and closes the tables and ends the season."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce

from domain import pool
from domain.draws import draws_for
from domain.ending import conclude
from domain.errors import Conflicting, Refused
from domain.events import Event
from domain.ids import PlayerId, TableId
from domain.placing import Tally, places_by_points
from domain.prizes import rewarded
from domain.table import Table
from domain.table_events import Closed, Place
from domain.tournament import State, Tournament, evolve, must_be_running
from domain.tournament_events import DrawnTable, TableClosed, TableOpened

Seats = Sequence[tuple[int | None, PlayerId | None]]
"""Who is to sit where, as somebody wrote it; null is what could not be read."""


def must_be_league(t: Tournament) -> None:
    """Raises Conflicting where tables are drawn and closed by the director."""
    if not t.structure.for_points:
        detail = f"A {t.structure.format} draws and closes its own tables: only a league's operator does."
        raise Conflicting("not-a-league", detail)


def open_table(
    t: Tournament, table: TableId, entrants: Collection[PlayerId], seats: Seats, unread: Mapping[str, str]
) -> TableOpened:
    """The next table of a running league, with these players; R9.1: its first dealer is drawn.

    Raises Refused with everything that is wrong with the seats; `unread` says it of what could not be read.
    """
    must_be_league(t)
    must_be_running(t)
    for _, player in seats:
        if player in t.sitting:
            detail = f"The player {player} sits at table {t.sitting[player]}: close that table first."
            raise Conflicting("player-seated", detail)
    errors = _seat_errors(t, entrants, seats) | dict(unread)
    if errors:
        raise Refused("validation", "These seats make no table.", errors)
    number = t.tables_drawn + 1
    draw = f"table/{number}"
    taken = {seat: player for seat, player in seats if seat is not None and player is not None}
    places = tuple(Place(seat, player, 0) for seat, player in sorted(taken.items()))
    dealer = places[draws_for(t.draw_seed, t.tournament_id, draw).below(len(places))].seat
    return TableOpened(table=DrawnTable(number, table, dealer, places), draw=draw)


def close_table(t: Tournament, table: Table) -> tuple[TableClosed, Closed]:
    """The end of a table, at the tournament and at the table; its players may sit down elsewhere."""
    must_be_league(t)
    if table.closed or t.over:
        raise Conflicting("table-closed", "The table is closed already.")
    players = tuple(taken.player_id for taken in table.seats.values())
    return TableClosed(number=table.number, table_id=table.table_id, players=players), Closed()


def must_be_unseen(player: PlayerId, t: Tournament, tables: Collection[Table]) -> None:
    """Raises Conflicting if the player has a part in the season: who has none may withdraw from it."""
    if any(player in table.tallies for table in tables):
        raise Conflicting("already-played", "The player has played hands of this league: his results stay.")
    if player in t.sitting:
        detail = f"The player sits at table {t.sitting[player]}: close that table first."
        raise Conflicting("player-seated", detail)


def finish(t: Tournament, entrants: Collection[PlayerId], tables: Collection[Table]) -> list[Event]:
    """The end of the season: prizes by place among those who played, and everybody's place."""
    must_be_league(t)
    if t.over:
        raise Conflicting("tournament-over", f"The league is {t.state}.")
    if t.state is State.OPEN:
        raise Conflicting("not-running", "The league has not started: start it, or cancel it.")
    tallies = dict.fromkeys(entrants, Tally()) | season(t, tables)
    played = [player for player, tally in tallies.items() if tally.hands > 0]
    if not played:
        raise Conflicting("no-hands", "No hand has been recorded: there is no result. Cancel the league.")
    formed = pool.form(t.tournament_id, t.structure, len(entrants))
    standings = tuple(places_by_points(tallies, t.disqualified))
    players = rewarded(len(played), t.disqualified.intersection(played))
    return [*formed, *conclude(reduce(evolve, formed, t), standings, len(played), players)]


def season(t: Tournament, tables: Collection[Table]) -> dict[PlayerId, Tally]:
    """What each player has come to at all tables, as ruled."""
    found: dict[PlayerId, Tally] = {}
    for tallies in (*(table.tallies for table in tables), t.tallies):
        for player, tally in tallies.items():
            found[player] = found.get(player, Tally()).plus(tally)
    return found


def _seat_errors(t: Tournament, entrants: Collection[PlayerId], seats: Seats) -> dict[str, str]:
    errors = {}
    most = t.structure.seats_per_table
    if not 2 <= len(seats) <= most:
        errors["/seats"] = f"must be from 2 to {most} seats (R2.1, seats_per_table)"
    for place, (seat, player) in enumerate(seats):
        before = seats[:place]
        if seat is not None and seat > most:
            errors[f"/seats/{place}/seat"] = f"must be from 1 to {most} (seats_per_table)"
        elif seat is not None and any(seat == other for other, _ in before):
            errors[f"/seats/{place}/seat"] = "is taken by another player"
        if player is None:
            continue
        if player not in entrants:
            errors[f"/seats/{place}/player_id"] = "is not entered in this league"
        elif player in t.disqualified:
            errors[f"/seats/{place}/player_id"] = "is disqualified"
        elif any(player == other for _, other in before):
            errors[f"/seats/{place}/player_id"] = "has another seat"
    return errors
