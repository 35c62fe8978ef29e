"""Whole random tournaments, straight into the log by the product's own services: no HTTP, no clock, nobody waits.

Everything random comes from one seed, but for the seeds of the tournaments and hands, which the service draws itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple
from uuid import uuid4

from big2.cards import cards_in
from big2.hand import may_pass, options
from domain.credential import Role
from domain.errors import Rejected
from domain.hand import HAND, Hand
from domain.ids import CommandId, CredentialId, HandId, PlayerId, TableId, TournamentId, roster_id
from domain.payments import SLICE, owed
from domain.results import Result
from domain.roster import ROSTER, Roster
from domain.table import TABLE, Table
from domain.tournament import TOURNAMENT, Tournament
from services.application import director, hands, leagues, payments, players, results, tournaments, wallets
from services.application.credentials import Actor
from services.application.hands import Asked
from services.application.results import Told
from services.bootstrap import Services
from services.envelope import Command

FORMATS = ("sit_and_go", "freezeout", "league")
MOST_ENTRANTS = 1_000
MOST_LOOKS = 100_000
"""A tournament that has not ended by then is stuck."""
SIT_AND_GO = (2, 3, 4, 8, 16)
PASSES_IN_FIVE = 1
CURRENCY = "EUR"
BUY_IN, FEE = 1000, 100
"""Minor units. Ties and a table of basis points leave odd ones, which a lot has to give away."""


class Generated(NamedTuple):
    """A tournament that is over; `entrants` counts players, `hands` what was dealt or recorded."""

    tournament_id: TournamentId
    format: str
    entrants: int
    hands: int


class Generator:
    """Makes tournaments in one database, with players that come again."""

    def __init__(self, services: Services, seed: int) -> None:
        self._services = services
        self._store = services.store
        self._random = Random(seed)  # noqa: S311 - nothing secret is drawn from it
        self._players: list[PlayerId] = []
        self._staff = Actor(CredentialId(uuid4()), Role.OPERATOR, None, None)
        self._hands = 0

    def tournament(self, format_: str | None = None, entrants: int | None = None) -> Generated:
        """One whole tournament: published, entered, played, over and paid."""
        chosen = format_ or self._random.choice(FORMATS)
        self._hands = 0
        many = self._entrants(chosen, entrants)
        terms = self._terms(chosen, many)
        t = tournaments.publish(self._services, self._command(), lambda: terms).state
        assert t is not None
        self._enter(t, self._some_players(many))
        if chosen == "league":
            self._play_league(t.tournament_id)
        else:
            self._play(t.tournament_id, late=self._latecomers(terms))
        self._pay(t.tournament_id)
        over = self._tournament(t.tournament_id)
        return Generated(t.tournament_id, chosen, len(over.standings), self._hands)

    # terms and entries

    def _entrants(self, format_: str, wanted: int | None) -> int:
        if format_ == "sit_and_go":
            return wanted or self._random.choice(SIT_AND_GO)
        return wanted or self._random.randint(2 if format_ == "freezeout" else 4, 12)

    def _terms(self, format_: str, entrants: int) -> dict[str, Any]:
        pick = self._random.choice
        terms: dict[str, Any] = {
            "name": f"{pick(('Morning', 'Friday', 'Harbour', 'Night'))} {format_.replace('_', ' ')}",
            "format": format_,
            "rules": pick(("actionpoker", "english-harbour", "high-low", "dealer-puck")),
            "between_hands_seconds": 0,
        }
        if format_ == "league":
            return terms | {"recorded": True, "stack_points": 0}
        terms |= {
            "seats_per_table": 2 if entrants == 2 and format_ == "sit_and_go" else pick((3, 4)),
            "stack_points": pick((8, 12, 20)),
            "unit_levels": [1, 2, 4, 8, 16, 32, 64],
            "hands_per_level": pick((1, 2)),
            "turn_seconds": 0,
            "no_show_hands": pick((0, 2)),
        }
        if format_ == "sit_and_go":
            terms["capacity"] = entrants
        else:
            terms["late_entry_levels"] = pick((0, 0, 2))
        if pick((True, False)):
            terms["buy_in"] = {"amount": BUY_IN, "fee": FEE, "currency": CURRENCY}
            terms["guarantee"] = pick((0, 7 * BUY_IN + 1))
        return terms

    def _some_players(self, many: int) -> list[PlayerId]:
        """Guests who have been there, and new ones: each with money enough."""
        while len(self._players) < many:
            name = f"Guest {len(self._players) + 1:04}"
            made = players.enrol_player(self._services, self._command(), lambda name=name: name).state  # type: ignore[misc]
            assert made is not None
            self._players.append(made.player_id)
        return self._random.sample(self._players, many)

    def _enter(self, t: Tournament, who: list[PlayerId]) -> None:
        for player in who:
            self._register(t, player)
        if t.structure.format != "sit_and_go" and self._random.random() < 0.5:
            tournaments.withdraw(self._services, self._command(), self._staff, t.tournament_id, who[0])
            self._register(t, who[0])

    def _register(self, t: Tournament, player: PlayerId) -> None:
        if t.structure.buy_in:
            amount = BUY_IN + FEE
            money = wallets.Money(amount, f"generated/{uuid4()}", None)
            asked = wallets.WalletRequest(CURRENCY, money.reference, lambda: money)
            wallets.deposit(self._services, self._command(), player, asked)
        tournaments.register(self._services, self._command(), self._staff, t.tournament_id, lambda: player)

    # play

    def _latecomers(self, terms: dict[str, Any]) -> int:
        return self._random.randint(1, 3) if terms.get("late_entry_levels") else 0

    def _play(self, t: TournamentId, late: int) -> None:
        """Hand by hand in random order; some players never act, and some come late."""
        if self._tournament(t).structure.format == "sit_and_go":
            tournaments.start_when_due(self._services, t)
        else:
            tournaments.start(self._services, self._command(), t, _nothing)
        director.draw(self._store, t)
        absent = (
            set(self._random.sample(self._tournament(t).entrants, 1))
            if self._random.random() < 0.5
            else set()
        )
        for _ in range(MOST_LOOKS):
            director.advance(
                self._store, self._services.rulesets.resolve, self._services.connections.at_tables, t
            )
            now = self._tournament(t)
            if now.over:
                return
            running = list(self._running(now))
            if running:
                self._play_out(self._random.choice(running), absent)
            late -= self._come_late(now) if late else 0
        raise RuntimeError(f"tournament {t} does not end")

    def _come_late(self, t: Tournament) -> int:
        """One late entrant, or one who is out and enters again; nobody once entries are closed."""
        try:
            self._register(t, self._random.choice(self._players))
        except Rejected:
            return 0
        return 1

    def _running(self, t: Tournament) -> Iterator[HandId]:
        wanted = [(TABLE, t.table_id(number)) for number in t.open_tables]
        for stream in self._store.load_many(wanted):
            if stream.state and stream.state.hand_id:
                yield stream.state.hand_id

    def _play_out(self, hand_id: HandId, absent: set[PlayerId]) -> None:
        self._hands += 1
        while (hand := self._hand(hand_id)).game.turn is not None:
            self._act(hand, absent)

    def _act(self, hand: Hand, absent: set[PlayerId]) -> None:
        game = hand.game
        player = next(s.player_id for s in hand.terms.seats if s.seat == game.turn)
        if player in absent:
            return hands.act_for_absent(self._services, hand.hand_id, game.turn_number)
        actor = Actor(CredentialId(uuid4()), Role.PLAYER, player, None)
        plays = options(game)
        if not plays or (may_pass(game) and self._random.randrange(5) < PASSES_IN_FIVE):
            asked = Asked(game.turn_number, ())
            hands.pass_turn(self._services, self._command(), actor, hand.hand_id, asked)
        else:
            asked = Asked(game.turn_number, cards_in(self._random.choice(plays)[0].mask))
            hands.play(self._services, self._command(), actor, hand.hand_id, asked)
        return None

    def _play_league(self, t: TournamentId) -> None:
        tournaments.start(self._services, self._command(), t, _nothing)
        entered = list(self._roster(t).entries)
        for _ in range(self._random.randint(1, 3)):
            seated = self._random.sample(entered, min(4, len(entered)))
            wanted = leagues.Wanted(t, list(enumerate(seated, 1)))
            table = leagues.open_a_table(self._services, self._command(), self._staff, wanted).state
            assert table is not None
            for _ in range(self._random.randint(1, 4)):
                self._record(table)
            leagues.close_a_table(self._services, self._command(), self._staff, table.table_id, _nothing)
        leagues.finish(self._services, self._command(), t, _nothing)

    def _record(self, table: Table) -> None:
        left = {seat: self._random.randint(1, 13) for seat in table.seats}
        winner = self._random.choice(list(left))
        told = Told(None, Result({**left, winner: 0}, winner))
        results.record(self._services, self._command(), self._staff, TableId(table.table_id), told)
        self._hands += 1

    def _pay(self, t: TournamentId) -> None:
        due = owed(self._tournament(t), self._roster(t).paid)
        for number in range(-(-len(due) // SLICE)):
            payments.pay(self._services, t, number, lambda _: True)  # without a protest window

    # what there is

    def _tournament(self, t: TournamentId) -> Tournament:
        state = self._store.load(TOURNAMENT, t).state
        assert state is not None
        return state

    def _roster(self, t: TournamentId) -> Roster:
        return self._store.load(ROSTER, roster_id(t)).state or Roster()

    def _hand(self, hand_id: HandId) -> Hand:
        state = self._store.load(HAND, hand_id).state
        assert state is not None
        return state

    def _command(self) -> Command:
        return Command(CommandId(uuid4()), "generate", "")


def _nothing() -> None:
    """An empty body."""
