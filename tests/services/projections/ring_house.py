"""Ring tables in a house: opened, taken with money, played at random, and left whenever somebody likes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

from big2.ring import RingStep
from domain.hand_events import Timing
from domain.ids import PlayerId, TableId
from domain.ring import RING, Ring
from domain.ring_seats import Wish
from domain.wallet import WALLET
from services.application import ring_stakes, ring_tables
from tests.services.projections.house import MOST_STEPS, House, nothing, staff

CHEAP = (RingStep(1, 20, 1), RingStep(10, 200, 3))


class RingHouse(House):
    """A house with ring tables."""

    def publish_stakes(self, name: str) -> str:
        wanted = ring_stakes.Wanted(name, "EUR", CHEAP)
        version = len(self.stakes.publish(self.command(), wanted).state.versions)
        return f"{name}@{version}"

    def open_ring(self, schedule: str, unit: int = 1, rules: str = "actionpoker", **timing: int) -> TableId:
        clock = Timing(**{"turn_seconds": 30, "between_hands_seconds": 0, "protest_seconds": 0} | timing)
        wanted = ring_tables.Wanted(rules, schedule, unit, None, 4, clock)
        return ring_tables.open_a_table(self, self.command(), wanted).state.table_id

    def sit(self, table: TableId, seat: int, player: PlayerId, buy_in: int = 40) -> None:
        self.wish(table, seat, player_id=player, buy_in=buy_in)

    def wish(self, table: TableId, seat: int, **wish: object) -> None:
        """A wish for a free seat says whose it is; else it is of whoever sits there."""
        ring = self.ring(table)
        there = {"player_id": ring.seats[seat].player_id} if seat in ring.seats else {}
        ring_tables.take_seat(self, self.command(), staff(), (table, seat), Wish(**there | wish))

    def stand_up(self, table: TableId, seat: int) -> None:
        there = self.ring(table).seats[seat].player_id
        ring_tables.stand_up(self, self.command(), staff(), (table, seat), there)

    def close_ring(self, table: TableId) -> None:
        ring_tables.close(self, self.command(), staff(), table, nothing)

    def pause_ring(self, table: TableId) -> None:
        ring_tables.pause(self, self.command(), table, nothing)

    def resume_ring(self, table: TableId) -> None:
        ring_tables.resume(self, self.command(), table, nothing)

    def ring(self, table: TableId) -> Ring:
        return self.store.load(RING, table).state

    def play_ring(self, table: TableId, until: Callable[[], bool]) -> None:
        """Play at random, doing what is due in between, until `until` says so."""
        for _ in range(MOST_STEPS):
            if until():
                self.project()
                return
            did = self.work()
            if hand_id := self.ring(table).hand_id:
                self.act(hand_id)
            elif not did:
                self.pass_time(timedelta(seconds=1))
        raise AssertionError("the table stands still")

    def hands_ended(self, table: TableId) -> int:
        return self.ring(table).hands_ended

    def purses(self) -> dict[UUID, int]:
        """What is in each wallet."""
        wallets = {r.stream for r in self.log() if r.topic.startswith("wallet.")}
        states = [self.store.load(WALLET, wallet).state for wallet in wallets]
        return {wallet.player_id: wallet.balance for wallet in states}
