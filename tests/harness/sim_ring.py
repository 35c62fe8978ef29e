"""What a seed plays for money at a ring table: people sit down, top up, rest, leave, and the table closes."""

from __future__ import annotations

from domain.credential import Role
from domain.hand_events import Timing
from domain.ids import CredentialId, PlayerId, TableId
from domain.ring import Ring as RingTable
from domain.ring_seats import Wish
from services.application import ring_tables
from services.application.credentials import Actor
from services.application.ring_tables import Wanted
from services.commands import Outcome
from tests.harness.sim_clients import STAFF, Clients
from tests.harness.sim_machine import Machine
from tests.harness.sim_plots import RULES, Plot
from tests.services.projections.world import World

UNIT, LEAST = 100, 5000
"""A step of ActionPoker's schedule: few points cost much, so stacks run short."""


class Ring(Plot):
    """One ring table from its opening to its close."""

    people = 5
    currency = "USD"

    def __init__(self, machine: Machine, clients: Clients, world: World) -> None:
        super().__init__(machine, clients, world)
        random = machine.random
        self.table: TableId | None = None
        self.hands = random.randint(2, 5)
        timing = Timing(random.choice((4, 8)), random.choice((0, 2)), random.choice((0, 0, 20)))
        seats = random.choice((2, 3, 4))
        self.wanted = Wanted(random.choice(RULES), "actionpoker", UNIT, self.currency, seats, timing)

    def purse(self) -> int:
        return self.m.random.randint(LEAST, 4 * LEAST)

    def over(self) -> bool:
        return self.table in self.world.rings and self.world.rings[self.table].closed

    def operate(self) -> None:
        ring = self.world.rings.get(self.table) if self.table else None
        if ring is None:
            return self.ask(
                "open", lambda its, c: ring_tables.open_a_table(its, c, self.wanted), self._opened
            )
        self._house(ring)
        for player in self.players:
            if not self.m.calm and self.m.random.random() < 0.3:
                self._go(ring, player)
        return None

    def _opened(self, outcome: Outcome[RingTable]) -> None:
        assert outcome.state is not None
        self.table = self.table or outcome.state.table_id

    def _house(self, ring: RingTable) -> None:
        table = ring.table_id
        if ring.paused and (self.m.calm or self.m.random.random() < 0.3):
            self.ask("resume", lambda its, c: ring_tables.resume(its, c, table, dict))
        elif not ring.paused and self.chance(0.05):
            self.ask("pause", lambda its, c: ring_tables.pause(its, c, table, dict))
        if (self.m.calm or ring.hands_ended >= self.hands) and not ring.closing:
            self.ask("close", lambda its, c: ring_tables.close(its, c, STAFF, table, dict))

    def _go(self, ring: RingTable, player: PlayerId) -> None:
        """Whoever has no seat takes one; whoever has one tops up, rests, plays on or leaves, seldom."""
        random, actor = self.m.random, Actor(CredentialId(player), Role.PLAYER, player, None)
        number = ring.seat_of(player)
        if number is None:
            free = [n for n in range(1, ring.terms.seats_per_table + 1) if n not in ring.seats]
            if free:
                self._wish(actor, random.choice(free), Wish(player, random.randint(LEAST, LEAST + 2000)))
            return
        seat = ring.seats[number]
        chance = random.random()
        if chance < 0.1:
            self.ask(
                f"leave-{player}",
                lambda its, c: ring_tables.stand_up(its, c, actor, (ring.table_id, number)),
            )
        elif chance < 0.3:
            self._wish(actor, number, Wish(player, seat.buy_in + random.randint(1, 3000)))
        elif chance < 0.4 or seat.sitting_out:
            self._wish(actor, number, Wish(player, None, not seat.sitting_out))

    def _wish(self, actor: Actor, number: int, wish: Wish) -> None:
        assert self.table is not None
        at = self.table, number
        self.ask(f"seat-{actor.player_id}", lambda its, c: ring_tables.take_seat(its, c, actor, at, wish))
