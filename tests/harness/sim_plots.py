"""What a seed plays: a tournament of cards dealt here. The other plots are in `sim_recorded` and `sim_ring`.

A plot is an operator who looks at the streams now and then and does what comes next, and a few people who want to play.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from domain.credential import Role
from domain.hand import State as HandState
from domain.ids import CredentialId, PlayerId, TournamentId, player_id
from domain.player import PLAYER, enrol
from domain.roster import Roster
from domain.rulings import Ruling
from domain.structure import BuyIn, Structure
from domain.tournament import State, Tournament
from services.application import disputes, tournaments, wallets
from services.application.credentials import Actor
from services.application.wallets import Money, WalletRequest
from services.commands import Decision, Outcome, execute, on
from services.envelope import Command
from tests.harness.sim_clients import STAFF, Call, Clients
from tests.harness.sim_machine import Machine
from tests.services.projections.world import World

CURRENCY = "EUR"
DIRECTOR = Actor(CredentialId(UUID(int=2)), Role.DIRECTOR, None, None)
STYLES = ("prompt", "prompt", "prompt", "slow", "flaky", "absent")
RULES = ("actionpoker", "english-harbour", "high-low", "dealer-puck", "hong-kong", "taiwan", "pusoy-dos")
STEEP = (1, 4, 16, 64, 256)
STARTS_IN = timedelta(seconds=15)
"""A start that the database's clock has put off by far more is made by the operator himself."""


class Plot(ABC):
    """What all plots have: people with money, and an operator who comes by again and again."""

    people = 4
    currency = CURRENCY
    directed = False

    def __init__(self, machine: Machine, clients: Clients, world: World) -> None:
        self.m = machine
        self.clients = clients
        self.world = world
        self.players = [self._enrol() for _ in range(self.people)]
        self._asking: set[str] = set()

    def _enrol(self) -> PlayerId:
        """A player with a style of his own; his name is beside the log, so it is left out here."""
        command = Command(player_id(PlayerId(self._uuid())), "setup", "")
        player = player_id(command.id)
        execute(
            self.m.web.store,
            command,
            (PLAYER, player),
            lambda stream, _: Decision([on(stream, *enrol(player))]),
        )
        self.clients.styles[player] = self.m.random.choice(STYLES)
        return player

    def _uuid(self) -> Any:
        return UUID(int=self.m.random.getrandbits(128))

    def begin(self) -> None:
        for player in self.players:
            self.deposit(player, self.purse())
        self.m.soon(1.0, self._operate)

    def _operate(self) -> None:
        if not self.over():
            self.operate()
            self.rule()
        self.m.at(1.0 if self.m.calm else 0.5 + self.m.random.random(), self._operate)

    def purse(self) -> int:
        """What somebody pays in before he plays, in minor units; now and then too little."""
        return self.m.random.randint(500, 6000)

    @abstractmethod
    def operate(self) -> None:
        """What the operator does when he comes by."""

    @abstractmethod
    def over(self) -> bool:
        """Whether there is nothing left for him to do."""

    def ask(self, name: str, call: Call, done: Callable[[Outcome[Any]], object] | None = None) -> None:
        """Ask for something, unless it is being asked for; a second click is another request of the same."""
        if name in self._asking:
            return
        self._asking.add(name)

        def answered(outcome: Outcome[Any] | None) -> None:
            self._asking.discard(name)
            if outcome is not None and done is not None:
                done(outcome)

        self.clients.ask(f"staff/{name}", call, answered)
        if self.m.hit("an operator clicked twice"):
            self.clients.ask(f"staff/{name}/again", call)

    def deposit(self, player: PlayerId, amount: int) -> None:
        reference = str(self._uuid())
        money = WalletRequest(self.currency, reference, lambda: Money(amount, reference, None))
        self.ask(f"deposit-{reference}", lambda its, command: wallets.deposit(its, command, player, money))

    def rule(self) -> None:
        """Now and then a director rules on a hand that runs: what was taken is void from somewhere on, or more time."""
        if not self.directed:
            return
        running = [
            hand for hand in self.world.hands.values() if hand.state is HandState.RUNNING and hand.play
        ]
        if not running or not self.chance(0.1):
            return
        hand = self.m.random.choice(running)
        ruling = self._ruling(len(hand.actions))
        self.ask(
            f"rule-{hand.hand_id}",
            lambda its, c: disputes.rule(its, c, DIRECTOR, hand.hand_id, lambda: ruling),
        )

    def _ruling(self, actions: int) -> Ruling:
        random = self.m.random
        if random.random() < 0.5:
            return Ruling("time", "the line was down", seconds=random.randint(1, 12))
        return Ruling("void_from", "it was misread", action=random.randint(max(1, actions - 4), actions + 1))

    def chance(self, probability: float) -> bool:
        """What people do besides, until things calm down."""
        return not self.m.calm and self.m.random.random() < probability


class Entered(Plot):
    """A tournament from its terms to its start; what is played between that and its end is the plot's."""

    def __init__(self, machine: Machine, clients: Clients, world: World) -> None:
        super().__init__(machine, clients, world)
        self.t: TournamentId | None = None
        self.terms = self.choose_terms()
        self.has_a_time = machine.random.random() < 0.2
        self.may_be_cancelled = machine.random.random() < 0.15

    @abstractmethod
    def choose_terms(self) -> dict[str, Any]:
        """Its structure, as it is published."""

    def money_terms(self) -> dict[str, Any]:
        random = self.m.random
        if random.random() < 0.4:
            return {}
        buy_in = {"amount": random.randint(1, 900), "fee": random.randint(0, 90), "currency": CURRENCY}
        return {"buy_in": buy_in, "guarantee": random.choice((0, random.randint(1, 5000)))}

    def common_terms(self) -> dict[str, Any]:
        random = self.m.random
        return {
            "name": "Sim",
            "rules": random.choice(RULES),
            "turn_seconds": random.choice((4, 8)),
            "between_hands_seconds": random.choice((0, 2)),
            "protest_seconds": random.choice((0, 0, 20)),
            "no_show_hands": random.choice((0, 1, 2)),
            "entropy_seconds": self.m.entropy_seconds,
            **self.money_terms(),
        }

    @property
    def tournament(self) -> Tournament:
        assert self.t is not None
        return self.world.tournaments[self.t]

    @property
    def roster(self) -> Roster:
        assert self.t is not None
        return self.world.roster(self.t)

    def over(self) -> bool:
        return self.t in self.world.tournaments and self.tournament.over and not self._published_twice()

    def operate(self) -> None:
        for twin in self._published_twice():
            self.ask(
                f"cancel-{twin}", lambda its, c, twin=twin: tournaments.cancel(its, c, twin, lambda: "a slip")
            )
        if self.t not in self.world.tournaments:
            terms = dict(self.terms)
            if self.has_a_time:
                terms["starts_at"] = self.m.database_time() + STARTS_IN
            return self.ask(
                "publish", lambda its, c: tournaments.publish(its, c, lambda: terms), self._published
            )
        tournament = self.tournament
        if tournament.over:
            return None
        if tournament.state is State.OPEN:
            return self._fill(tournament.structure)
        if tournament.state is State.PAUSED:
            if self.m.calm or self.m.random.random() < 0.3:
                self.ask("resume", lambda its, c: tournaments.resume(its, c, self.t, dict))
            return None
        if self.chance(0.03):
            self.ask("pause", lambda its, c: tournaments.pause(its, c, self.t, dict))
        if self.may_be_cancelled and self.chance(0.02):
            self.ask("cancel", lambda its, c: tournaments.cancel(its, c, self.t, lambda: "the roof leaks"))
        return self.play_on(tournament)

    def play_on(self, tournament: Tournament) -> None:
        """What the operator of a running tournament does; the cards of most play themselves."""

    def _published_twice(self) -> list[TournamentId]:
        """What a second click has published; as long as its start is near, that finds too few there and cancels it."""
        return [
            tournament.tournament_id
            for t, tournament in self.world.tournaments.items()
            if t != self.t and tournament.state is State.OPEN and self._put_off(tournament.structure)
        ]

    def _put_off(self, structure: Structure) -> bool:
        """Whether the database's clock has put the start off by far."""
        at = structure.starts_at
        return at is not None and at - self.m.database_time() > 2 * STARTS_IN

    def _published(self, outcome: Outcome[Tournament]) -> None:
        assert outcome.state is not None
        self.t = self.t or outcome.state.tournament_id

    def _fill(self, structure: Structure) -> None:
        entered = self.roster.entries
        wanted = [p for p in self.players[: structure.capacity] if p not in entered]
        for player in wanted:
            self.enter(player)
            if self.m.calm and structure.buy_in:
                self._lend(player, structure.buy_in)
        if entered and self.chance(0.1):
            self.withdraw(self.m.random.choice(list(entered)))
        enough = len(entered) >= max(structure.min_entrants, 2) and (not wanted or self.chance(0.1))
        if enough and (
            self._put_off(structure) or (structure.format != "sit_and_go" and structure.starts_at is None)
        ):
            self.ask("start", lambda its, c: tournaments.start(its, c, self.t, dict))

    def enter(self, player: PlayerId) -> None:
        self.ask(
            f"enter-{player}",
            lambda its, c: tournaments.register(its, c, STAFF, self.t, lambda: player),
        )

    def _lend(self, player: PlayerId, buy_in: BuyIn) -> None:
        """A sit-and-go that somebody has no money for would never be full."""
        short = buy_in.amount + buy_in.fee - self.world.wallet(player, buy_in.currency).balance
        if short > 0:
            self.deposit(player, short)

    def withdraw(self, player: PlayerId) -> None:
        self.ask(f"withdraw-{player}", lambda its, c: tournaments.withdraw(its, c, STAFF, self.t, player))


class SitAndGo(Entered):
    """Two to four at one table, at once when it is full."""

    def choose_terms(self) -> dict[str, Any]:
        random = self.m.random
        capacity = random.choice((2, 3, 4))
        return self.common_terms() | {
            "format": "sit_and_go",
            "capacity": capacity,
            "stack_points": random.randint(4, 12),
            "unit_levels": STEEP,
            "hands_per_level": random.choice((1, 2)),
            "minutes_per_level": random.choice((None, None, 1)),
        }


class Freezeout(Entered):
    """Two or three tables: players move, enter late and again, and play hand for hand before the money."""

    people = 7

    def choose_terms(self) -> dict[str, Any]:
        random = self.m.random
        self.players_at_first = random.randint(4, 6)
        return self.common_terms() | {
            "format": "freezeout",
            "seats_per_table": random.choice((3, 3, 4)),
            "stack_points": random.randint(3, 8),
            "unit_levels": STEEP,
            "hands_per_level": 1,
            "minutes_per_level": random.choice((None, None, 1)),
            "late_entry_levels": random.choice((0, 1, 2)),
        }

    def _fill(self, structure: Structure) -> None:
        everybody = self.players
        self.players = everybody[: self.players_at_first]
        super()._fill(structure)
        self.players = everybody

    def play_on(self, tournament: Tournament) -> None:
        """Late entries, of newcomers and of those who are out."""
        if tournament.entries_open and self.chance(0.3):
            self.enter(self.m.random.choice(self.players))
