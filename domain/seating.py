"""Where players sit: the first draw, breaking and balancing tables, the final table. Every draw is seeded.

TOURNAMENTS.md's balancing, over the tables that are between hands; running tables finish their hand first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from domain.deal import Draws
from domain.ids import PlayerId


class Sitting(msgspec.Struct):
    """One open table, as far as seating goes; `balance` moves players between these in place."""

    number: int
    running: bool
    players: dict[int, PlayerId]  # by seat
    leader: PlayerId | None = None  # who is about to lead, if he sits here

    @property
    def size(self) -> int:
        return len(self.players)


class Move(msgspec.Struct, frozen=True):
    player_id: PlayerId
    from_table: int
    from_seat: int
    to_table: int
    to_seat: int


class Seating(msgspec.Struct, frozen=True):
    """What to do: `moves` in order, tables to `close`, tables to `hold`, and whether the final table is due."""

    moves: tuple[Move, ...] = ()
    close: tuple[int, ...] = ()
    hold: frozenset[int] = frozenset()
    final_table: bool = False


def tables_needed(players: int, seats: int) -> int:
    return -(-players // seats)


def draw_tables(players: Sequence[PlayerId], seats: int, draws: Draws) -> list[list[PlayerId]]:
    """Players by table and, within a table, by seat from 1; sizes differ by at most 1."""
    shuffled = draws.shuffled(players)
    tables = tables_needed(len(players), seats)
    return [shuffled[i::tables] for i in range(tables)]


def balance(
    sittings: Iterable[Sitting], seats: int, moved: Mapping[PlayerId, int], draws: Draws, coming: int = 0
) -> Seating:
    """The moves that are due now, and the tables that must wait for others; `moved` counts each player's moves so far.

    `sittings` are all open tables and are changed as the moves say. Broken tables are left empty. `coming` counts late
    entrants who wait for a running table: no table is broken that they need.
    """
    return _Balancer(list(sittings), seats, dict(moved), draws, coming).run()


class _Balancer:
    def __init__(
        self, sittings: list[Sitting], seats: int, moved: dict[PlayerId, int], draws: Draws, coming: int
    ) -> None:
        self.open = sorted(sittings, key=lambda t: t.number)
        self.seats = seats
        self.moved = moved
        self.draws = draws
        self.moves: list[Move] = []
        self.closed: list[int] = []
        self.hold: set[int] = set()
        self.needed = tables_needed(sum(t.size for t in self.open) + coming, seats)

    def run(self) -> Seating:
        if self.needed == 1 and len(self.open) > 1:
            return self._await_final_table()
        self._break_tables()
        self._even_out()
        self._hold_for_running()
        self.hold |= {t.number for t in self._waiting() if t.size < 2}
        return Seating(tuple(self.moves), tuple(self.closed), frozenset(self.hold))

    def _await_final_table(self) -> Seating:
        everyone_waits = not any(t.running for t in self.open)
        return Seating(hold=frozenset(t.number for t in self._waiting()), final_table=everyone_waits)

    def _break_tables(self) -> None:
        """1. While there are too many tables, break the smallest (of equals the highest number)."""
        while len(self.open) > self.needed and (waiting := self._waiting()):
            smallest = min(waiting, key=lambda t: (t.size, -t.number))
            others = [t for t in waiting if t is not smallest]
            if sum(self.seats - t.size for t in others) < smallest.size:
                self.hold |= {smallest.number} | {t.number for t in others if t.size < self.seats}
                return
            self._break(smallest, others)

    def _break(self, table: Sitting, others: list[Sitting]) -> None:
        for seat in self.draws.shuffled(sorted(table.players)):
            self._move(table, seat, min(others, key=lambda t: (t.size, t.number)))
        self.open.remove(table)
        self.closed.append(table.number)

    def _even_out(self) -> None:
        """2. While the largest has two more than the smallest, move one player from it to the smallest."""
        while len(waiting := self._waiting()) > 1:
            largest = max(waiting, key=lambda t: (t.size, t.number))
            smallest = min(waiting, key=lambda t: (t.size, t.number))
            if largest.size - smallest.size < 2:
                return
            self._move(largest, self._who_moves(largest), smallest)

    def _who_moves(self, table: Sitting) -> int:
        """Not who is about to lead, if avoidable; then who moved least; then by draw."""
        order = self.draws.shuffled(sorted(table.players))
        return min(
            order, key=lambda s: (table.players[s] == table.leader, self.moved.get(table.players[s], 0))
        )

    def _hold_for_running(self) -> None:
        """A table that must give to, or receive from, a table that is in a hand waits for it."""
        largest = max(self.open, key=lambda t: (t.size, t.number))
        smallest = min(self.open, key=lambda t: (t.size, t.number))
        if largest.size - smallest.size >= 2:
            self.hold |= {t.number for t in (largest, smallest) if not t.running}

    def _move(self, source: Sitting, seat: int, target: Sitting) -> None:
        player = source.players.pop(seat)
        free = [s for s in range(1, self.seats + 1) if s not in target.players]
        to_seat = free[self.draws.below(len(free))]
        target.players[to_seat] = player
        self.moved[player] = self.moved.get(player, 0) + 1
        self.moves.append(Move(player, source.number, seat, target.number, to_seat))

    def _waiting(self) -> list[Sitting]:
        return [t for t in self.open if not t.running]
