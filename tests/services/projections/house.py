"""A small tournament house in one process: the real services on the real store, and nothing that runs by itself.

`House.work` does whatever the agenda says is due; `House.play_on` lets random players act in between. Its clock can
be put ahead, so that nobody waits for a deadline.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID, uuid4

import msgspec
from psycopg.rows import dict_row

from big2.cards import cards_in
from big2.hand import may_pass, options
from big2.record import is_automatic
from config.settings import Settings
from domain.connection import Limits
from domain.credential import Role
from domain.errors import Conflicting
from domain.hand import HAND, Hand
from domain.ids import CommandId, CredentialId, HandId, PlayerId, TableId, TournamentId
from domain.results import Result
from domain.rulings import Ruling
from domain.table import TABLE, Table
from domain.topics import TOPICS
from domain.tournament import TOURNAMENT, Tournament
from services.application import (
    director,
    disputes,
    hands,
    leagues,
    payments,
    players,
    results,
    ring_jobs,
    tournaments,
    wallets,
)
from services.application.connections import Connections
from services.application.credentials import Actor
from services.application.hands import Asked
from services.application.results import Told
from services.application.ring_stakes import Stakes
from services.application.rulesets import RuleSets
from services.bootstrap import presets, stakes
from services.envelope import Command, Recorded, Stream
from services.projections import Projector
from services.store import Store

MOST_STEPS = 20_000
"""A tournament that has not ended by then is stuck."""
TURBO = {
    "format": "freezeout",
    "seats_per_table": 4,
    "stack_points": 20,
    "hands_per_level": 2,
    "between_hands_seconds": 0,
    "turn_seconds": 30,
}


class AheadStore(Store):
    """A store whose clock is `ahead` of the database's."""

    ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead

    def _folded(self, *args: Any) -> Stream[Any]:
        stream = super()._folded(*args)
        return msgspec.structs.replace(stream, read_at=stream.read_at + self.ahead)


class House:
    """Services, a projector and a player's whim."""

    def __init__(self, url: str, seed: int = 1) -> None:
        self.settings = Settings(database_url=url)
        self.store = AheadStore(url, TOPICS)
        self.rulesets = RuleSets(self.store, presets())
        self.stakes = Stakes(self.store, stakes())
        self.connections = Connections(self.store.database, Limits())
        self.projector = Projector(self.store)
        self.projector.create()
        self.random = Random(seed)
        self.absent: set[PlayerId] = set()

    def close(self) -> None:
        self.store.close()

    # commands

    def command(self) -> Command:
        return Command(CommandId(uuid4()), "test", "")

    def enrol(self, many: int) -> list[PlayerId]:
        names = [f"Guest {uuid4().hex}" for _ in range(many)]
        return [
            players.enrol_player(self, self.command(), lambda name=name: name).state.player_id
            for name in names
        ]

    def deposit(self, player: PlayerId, amount: int, currency: str = "EUR") -> None:
        money = wallets.Money(amount, uuid4().hex, None)
        asked = wallets.WalletRequest(currency, money.reference, lambda: money)
        wallets.deposit(self, self.command(), player, asked)

    def rich(self, many: int, amount: int = 1100) -> list[PlayerId]:
        """Players who have so much each."""
        who = self.enrol(many)
        for player in who:
            self.deposit(player, amount)
        return who

    def publish(self, **terms: Any) -> TournamentId:
        terms = {"name": "Friday", **TURBO, **terms}
        return tournaments.publish(self, self.command(), lambda: terms).state.tournament_id

    def enter(self, t: TournamentId, *who: PlayerId) -> None:
        for player in who:
            tournaments.register(self, self.command(), staff(), t, lambda player=player: player)

    def withdraw(self, t: TournamentId, player: PlayerId) -> None:
        tournaments.withdraw(self, self.command(), staff(), t, player)

    def started(self, entrants: int, **terms: Any) -> TournamentId:
        """A tournament that has just started; its tables are not drawn yet."""
        t = self.publish(**terms)
        self.enter(t, *self.enrol(entrants))
        if terms.get("format") != "sit_and_go":
            self.start(t)
        return t

    def start(self, t: TournamentId) -> None:
        tournaments.start(self, self.command(), t, nothing)

    def record(self, table_id: TableId, *cards_left: int, **more: Any) -> HandId:
        """Record a hand with these cards left, at the seats that are taken."""
        by_seat = dict(zip(self.table(table_id).seats, cards_left, strict=True))
        winner = next(seat for seat, left in by_seat.items() if not left)
        told = Told(None, Result(by_seat, winner, **more))
        outcome = results.record(self, self.command(), staff(), table_id, told)
        return outcome.state.last_hand_id

    def record_on(self, t: TournamentId, until: Callable[[], bool] | None = None) -> None:
        """Record results at random tables until the tournament is over or `until` says so."""
        while not (tournament := self.tournament(t)).over and not (until and until()):
            free = [table for table in self.tables(tournament) if table.number not in tournament.held]
            table = self.random.choice(free)
            left = [self.random.randint(1, 13) for _ in table.seats]
            left[self.random.randrange(len(left))] = 0
            self.record(table.table_id, *left)
        self.project()

    def open_table(self, t: TournamentId, *who: PlayerId) -> TableId:
        wanted = leagues.Wanted(t, list(enumerate(who, 1)))
        return leagues.open_a_table(self, self.command(), staff(), wanted).state.table_id

    def close_table(self, table_id: TableId) -> None:
        leagues.close_a_table(self, self.command(), staff(), table_id, nothing)

    def finish(self, t: TournamentId) -> None:
        leagues.finish(self, self.command(), t, nothing)

    def pause(self, t: TournamentId) -> None:
        tournaments.pause(self, self.command(), t, nothing)

    def resume(self, t: TournamentId) -> None:
        tournaments.resume(self, self.command(), t, nothing)

    def cancel(self, t: TournamentId) -> None:
        tournaments.cancel(self, self.command(), t, lambda: "rain")

    def play(self, hand: Hand, cards: Sequence[Any]) -> None:
        """The seat to act plays cards, or passes."""
        actor, asked = self.actor(hand), Asked(hand.game.turn_number, cards)
        act = hands.play if cards else hands.pass_turn
        act(self, self.command(), actor, hand.hand_id, asked)

    def actor(self, hand: Hand) -> Actor:
        """Whoever is to act, as his token says."""
        player = next(s.player_id for s in hand.terms.seats if s.seat == hand.game.turn)
        return Actor(CredentialId(uuid4()), Role.PLAYER, player, None)

    # the service's own work

    def project(self) -> int:
        return self.projector.catch_up()

    def due(self, t: TournamentId | None = None) -> list[tuple[str, list[Any]]]:
        """What the agenda says is due by the house's clock, of one tournament or of all."""
        self.project()
        now = self.store.now()
        rows = self.rows(_DUE, now, now)
        if t is not None:
            mine = self._subjects(t)
            rows = [row for row in rows if row["subject"].partition("/")[2] in mine]
        return [(row["job"], row["args"]) for row in rows]

    def work(self, t: TournamentId | None = None) -> int:
        """Do what is due now, once; how much that was."""
        due = self.due(t)
        for job, args in due:
            self.do(job, *args)
        self.project()
        return len(due)

    def do(self, job: str, subject: str, number: int = 0) -> None:
        """Run one job, as a worker would."""
        it = UUID(subject)
        jobs: dict[str, Callable[[], None]] = {
            "start": lambda: tournaments.start_when_due(self, TournamentId(it)),
            "draw": lambda: director.draw(self.store, TournamentId(it)),
            "deal": lambda: director.advance(
                self.store, self.rulesets.resolve, self.connections.at_tables, TournamentId(it)
            ),
            "ring": lambda: ring_jobs.advance(self, TableId(it)),
            "turn": lambda: hands.act_for_absent(self, HandId(it), number),
            "level": lambda: director.raise_level(self.store, TournamentId(it), number),
            "pause": lambda: director.follow_pauses(self.store, TableId(it)),
            "close": lambda: director.close_table(self.store, TableId(it)),
            "finalise": lambda: hands.finalise(self, HandId(it)),
            "pay": lambda: payments.pay(self, TournamentId(it), number),
        }
        jobs[job]()

    # the players

    def play_on(self, t: TournamentId, until: Callable[[], object] | None = None) -> None:
        """Play at random, doing what is due in between, until the tournament is over or `until` says so."""
        for _ in range(MOST_STEPS):
            tournament = self.tournament(t)
            if tournament.over or (until and until()):
                self.project()
                return
            did = self.work()
            running = self.running(t)
            for hand_id in running:
                self.act(hand_id)
            if not did and not running:
                self.pass_time(timedelta(seconds=1))
        raise AssertionError("the tournament does not end")

    def pass_time(self, time: timedelta) -> None:
        self.store.ahead += time

    def act(self, hand_id: HandId) -> None:
        """The seat to act does something legal; for an absent player time goes by. Before the deal nonces are sent."""
        hand = self.hand(hand_id)
        if hand.opened:
            return self._before_the_deal(hand)
        if hand.game.turn is not None:
            self.act_in(hand)
        return None

    def _before_the_deal(self, hand: Hand) -> None:
        for seat in hand.terms.seats:
            if (
                seat.seat not in hand.nonces
                and seat.player_id not in self.absent
                and self.random.random() < 0.7
            ):
                with suppress(Conflicting):  # too late
                    self.send_entropy(hand.hand_id, seat.player_id, f"nonce-{self.random.randrange(1000)}")
        self.pass_time(timedelta(seconds=1))

    def send_entropy(self, hand: HandId, player: PlayerId, nonce: str) -> None:
        actor = Actor(CredentialId(uuid4()), Role.PLAYER, player, None)
        hands.give_entropy(self, self.command(), actor, hand, lambda: nonce)

    def act_in(self, hand: Hand) -> None:
        """The same in a hand as it was loaded, perhaps a while ago."""
        plays = options(hand.game)
        if self.actor(hand).player_id in self.absent:
            self.pass_time(timedelta(seconds=hand.terms.timing.turn_seconds))
        elif not plays or (may_pass(hand.game) and self.random.random() < 0.2):
            self.play(hand, ())
        else:
            self.play(hand, cards_in(self.random.choice(plays)[0].mask))

    def play_out(self, hand_id: HandId) -> None:
        """Play one hand to its end."""
        while self.hand(hand_id).game.turn is not None:
            self.act(hand_id)

    def rule(self, hand_id: HandId, ruling: Ruling) -> None:
        """A director who plays nowhere rules."""
        disputes.rule(self, self.command(), director_of_nothing(), hand_id, lambda: ruling)

    def take_back(self, hand_id: HandId, many: int = 1) -> None:
        """The last actions that seats took, so many of them, are void, and the passes that they caused."""
        taken = [n for n, action in enumerate(self.hand(hand_id).actions, 1) if not is_automatic(action)]
        self.rule(hand_id, Ruling("void_from", "it was misread", action=taken[-many]))

    # what there is to see

    def tournament(self, t: TournamentId) -> Tournament:
        return self.store.load(TOURNAMENT, t).state

    def table(self, table_id: TableId) -> Table:
        return self.store.load(TABLE, table_id).state

    def tables(self, tournament: Tournament) -> list[Table]:
        wanted = [(TABLE, tournament.table_id(n)) for n in tournament.open_tables]
        return [stream.state for stream in self.store.load_many(wanted)]

    def hand(self, hand_id: HandId) -> Hand:
        return self.store.load(HAND, hand_id).state

    def running(self, t: TournamentId) -> list[HandId]:
        return [table.hand_id for table in self.tables(self.tournament(t)) if table.hand_id]

    def log(self) -> list[Recorded]:
        """The whole log."""
        found: list[Recorded] = []
        while page := self.store.log(found[-1].position if found else 0, 10_000):
            found += page
        return found

    def events(self, kind: Any, stream: UUID | None = None) -> list[Any]:
        return [r.event for r in self.log() if isinstance(r.event, kind) and stream in (None, r.stream)]

    def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        with self.store.database.connection() as conn, conn.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(query, values).fetchall()

    def agenda(self, t: TournamentId) -> dict[str, str]:
        """Subject to job name, of everything on the agenda that concerns a tournament."""
        self.project()
        mine = self._subjects(t)
        rows = self.rows("SELECT subject, name FROM projections.agenda ORDER BY subject")
        return {r["subject"]: r["name"] for r in rows if r["subject"].partition("/")[2] in mine}

    def _subjects(self, t: TournamentId) -> set[str]:
        """A tournament, its tables and its hands."""
        tables = {str(r["table_id"]) for r in self.rows(_TABLES, t)}
        return {str(t)} | tables | {str(r["hand_id"]) for r in self.rows(_HANDS, t)}

    def due_at(self, subject: str) -> datetime:
        return self.rows("SELECT due_at FROM projections.agenda WHERE subject = %s", subject)[0]["due_at"]


_DUE = (
    "SELECT subject, job, args FROM projections.agenda WHERE due_at <= %s OR waits_from > %s ORDER BY due_at"
)
_TABLES = "SELECT table_id FROM projections.tables WHERE tournament_id = %s"
_HANDS = "SELECT hand_id FROM projections.hands WHERE tournament_id = %s"


def staff() -> Actor:
    return Actor(CredentialId(uuid4()), Role.OPERATOR, None, None)


def director_of_nothing() -> Actor:
    return Actor(CredentialId(uuid4()), Role.DIRECTOR, None, None)


def nothing() -> None:
    """An empty body."""
