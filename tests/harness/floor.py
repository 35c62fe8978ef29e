"""A floor of tables in play: tournaments of several rule sets and ring tables, each hand stopped somewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from random import Random
from typing import NamedTuple
from uuid import UUID, uuid4

from big2 import hand as rules_of_play
from big2.cards import cards_in
from big2.record import is_automatic
from config.settings import Settings
from domain.credential import Role
from domain.hand import HAND, Hand, evolve
from domain.ids import CommandId, CredentialId, HandId, TournamentId
from domain.rulings import Ruling
from domain.topics import TOPICS
from services import bootstrap
from services.application import credentials, disputes, hands
from services.application.credentials import Actor, Grant
from services.application.rulesets import RuleSets
from services.bootstrap import Services
from services.commands import on
from services.envelope import Command
from services.http.app import create_app
from services.http.calls import EXTENSION
from services.store import Store
from tests.harness.rearranging import Step
from tests.services.http.driving import Api, Beside
from tests.services.http.playing import until

LONG_SECONDS = 3600
ENTRANTS = 24
TOURNAMENTS = [
    {"rules": "actionpoker", "seats_per_table": 4, "capacity": 24},
    {"rules": "high-low", "seats_per_table": 3, "capacity": 24},
    {"rules": "dealer-puck", "seats_per_table": 4, "capacity": 24},
    {
        "rules": "forced",
        "seats_per_table": 4,
        "capacity": 20,
        "protest_seconds": 24 * LONG_SECONDS,
    },
]
"""In the last one hands may be over and not yet final, when no seed is revealed."""
FORCED = {"base": "actionpoker", "last_card": "forced", "pass_locks_trick": True}
RINGS = 24
STAFF = (Role.OPERATOR, Role.DIRECTOR, Role.AUDITOR, Role.ADMIN)
PASSES_IN_FIVE = 1
TRIES = 60
"""Random lines that are tried for one with a breach."""
PATIENT = Settings(
    web_threads=64,
    requests_per_second=1_000_000,
    failures_per_minute=20,
    connection_poor_seconds=LONG_SECONDS,
    connection_lost_seconds=2 * LONG_SECONDS,
)
"""A heartbeat stays good for the whole run: nothing that is read depends on when."""


class HandInPlay(NamedTuple):
    """A hand that was stopped: who sits where, and what is to follow; over if `following` is null."""

    tournament_id: str | None
    table_id: str
    hand_id: str
    seats: dict[int, str]
    on_turn: int | None
    following: Step | None

    @property
    def over(self) -> bool:
        return self.following is None


class Line(NamedTuple):
    """Plays, and passes without cards, in order; whether a breach was among them (R7.3)."""

    masks: list[int | None]
    breached: bool


class Floor(NamedTuple):
    """`players` and `others` have tokens, by player and by what the observer is; nobody's is None."""

    players: dict[str, str]
    others: dict[str, str | None]
    hands: list[HandInPlay]
    tournaments: list[str]
    webhook: str


@contextmanager
def served(url: str, store: Store | None = None) -> Iterator[Api]:
    """The application over a database, for whoever asks; closed with the block."""
    store = store or Store(url, TOPICS, pool_size=4)
    services = Services(PATIENT, store, RuleSets(store, bootstrap.presets()))
    app = create_app(services)
    yield Api(app)
    app.extensions[EXTENSION].listener.stop()
    store.close()


def in_play(url: str) -> Floor:
    """Make the floor in an empty, migrated database; everything of it is at rest when this returns."""
    store = Store(url, TOPICS)
    services = Services(PATIENT, store, RuleSets(store, bootstrap.presets()))
    beside = Beside(services)
    try:
        with served(url) as anybody:
            return _Making(services, anybody).floor()
    finally:
        beside.stop()
        store.close()


class _Making:
    def __init__(self, services: Services, anybody: Api) -> None:
        self.services = services
        self.random = Random("floor")
        self.app = anybody.app
        self.operator = Api(self.app, self._token(Grant(Role.OPERATOR)))
        self.players: dict[str, str] = {}

    def floor(self) -> Floor:
        for number in range(ENTRANTS):
            player = self.operator.made("/v1/players", {"name": f"Observer {number}"})["player_id"]
            self.players[player] = self.operator.made(f"/v1/players/{player}/tokens")["token"]
        self.operator.made("/v1/rulesets", {"name": "forced", "rules": FORCED})
        tournaments = [self._tournament(terms) for terms in TOURNAMENTS]
        rings = [self._ring(number) for number in range(RINGS)]
        hands = [hand for tournament in tournaments for hand in self._hands_of(tournament)]
        hands += [self._begun(None, ring) for ring in rings]
        stopped = [self._stopped(hand, number) for number, hand in enumerate(hands)]
        webhook = self.operator.made("/v1/webhooks", {"url": "http://8.8.8.8/"})["webhook_id"]
        return Floor(self.players, self._others(tournaments), stopped, tournaments, webhook)

    def _token(self, grant: Grant) -> str:
        command = Command(CommandId(uuid4()), "tests", "")
        text = credentials.issue(self.services.store, command, lambda: grant).text
        assert text
        return text

    def _others(self, tournaments: list[str]) -> dict[str, str | None]:
        """Whoever is dealt in nowhere; a `dashboard` shows the one tournament that its token is good for."""
        stranger = self.operator.made("/v1/players", {"name": "Stranger"})["player_id"]
        others: dict[str, str | None] = {role.value: self._token(Grant(role)) for role in STAFF}
        for number, tournament in enumerate(tournaments[:2], 1):
            limited = Grant(Role.AUDITOR, tournament_id=TournamentId(UUID(tournament)))
            others[f"dashboard {number}"] = self._token(limited)
        others["stranger"] = self.operator.made(f"/v1/players/{stranger}/tokens")["token"]
        return {"anonymous": None, **others}

    def _tournament(self, terms: dict) -> str:
        seconds = {"turn_seconds": LONG_SECONDS, "between_hands_seconds": LONG_SECONDS}
        whole = {"name": "In play", "format": "freezeout", "stack_points": 500} | seconds | terms
        made = self.operator.made("/v1/tournaments", whole)["tournament_id"]
        for player in list(self.players)[: terms["capacity"]]:
            self.operator.made(f"/v1/tournaments/{made}/entries", {"player_id": player})
        self.operator.made(f"/v1/tournaments/{made}/start")
        return made

    def _ring(self, number: int) -> str:
        terms = {"stake": {"schedule": "actionpoker@1", "unit": 100}, "currency": "USD"}
        seconds = {"turn_seconds": LONG_SECONDS, "between_hands_seconds": LONG_SECONDS}
        seats = 2 + number % 3
        table = self.operator.made("/v1/tables", terms | seconds | {"seats": seats})["table_id"]
        for seat, player in enumerate(self.random.sample(list(self.players), seats), 1):
            money = {"amount": 5000, "currency": "USD", "reference": str(uuid4())}
            self.operator.made(f"/v1/wallets/{player}/deposits", money)
            body = {"player_id": player, "buy_in": 5000}
            answer = self.operator.request("PUT", f"/v1/tables/{table}/seats/{seat}", body)
            assert answer.status_code == 200, answer.text
        return table

    def _hands_of(self, tournament: str) -> list[HandInPlay]:
        def tables() -> list[dict]:
            found = self.operator.read(f"/v1/tournaments/{tournament}/tables?limit=200")["items"]
            return found if found and all(t["hand_id"] for t in found) else []

        return [self._begun(tournament, table["table_id"]) for table in until(tables)]

    def _begun(self, tournament: str | None, table: str) -> HandInPlay:
        hand_id = until(lambda: self.operator.read(f"/v1/tables/{table}")["hand_id"])
        seats = self.operator.read(f"/v1/hands/{hand_id}")["seats"]
        heard = Api(self.app, self.players[seats[0]["player_id"]])
        heard.made(f"/v1/tables/{table}/heartbeat", {"rtt_ms": 40})
        return HandInPlay(tournament, table, hand_id, {s["seat"]: s["player_id"] for s in seats}, None, None)

    def _stopped(self, hand: HandInPlay, number: int) -> HandInPlay:
        """Play it for a while: every second hand nearly to its end, and some of those with a protest to it."""
        hand_id = HandId(UUID(hand.hand_id))
        state = self._state(hand_id)
        if state.terms.timing.protest_seconds and hand.tournament_id and number % 2:
            self._play(hand_id, self._line(state).masks)
            return hand
        line = self._breached(state) if number % 2 else None
        if line is None:
            masks = self._line(state).masks
            stop = len(masks) - 2 if number % 4 == 0 else self.random.randrange(len(masks) - 1)
            line = Line(masks[: stop + 1], breached=False)
        self._play(hand_id, line.masks[:-1])
        if number % 5 == 0:
            self._take_again(hand_id, line.masks[:-1], Random(f"again {number}"))
        return hand._replace(on_turn=self._state(hand_id).game.turn, following=Step(line.masks[-1]))

    def _take_again(self, hand_id: HandId, masks: list[int | None], random: Random) -> None:
        """A ruling voids what was taken from some action on, and it is taken again."""
        taken = [n for n, action in enumerate(self._state(hand_id).actions, 1) if not is_automatic(action)]
        if not taken:
            return
        place = random.randrange(len(taken))
        ruling = Ruling("void_from", "it was misread", action=taken[place])
        director = Actor(CredentialId(uuid4()), Role.DIRECTOR, None, None)
        command = Command(CommandId(uuid4()), "tests", "")
        disputes.rule(self.services, command, director, hand_id, lambda: ruling)
        self._play(hand_id, masks[place:])

    def _breached(self, hand: Hand) -> Line | None:
        """A line with a breach after which the last seat passes instead of going out; None if none was found."""
        for _ in range(TRIES):
            line = self._line(hand, last_passes=True)
            if line.breached:
                return line
        return None

    def _state(self, hand_id: HandId) -> Hand:
        state = self.services.store.load(HAND, hand_id).state
        assert state is not None
        return state

    def _line(self, hand: Hand, *, last_passes: bool = False) -> Line:
        """Plays and passes at random, breaches among them, to the end of the hand, or to a pass in the end's place."""
        game, masks, breached = hand.game, [], False
        while game.turn is not None:
            plays = [card_set.mask for card_set, _ in rules_of_play.options(game)]
            may_pass = rules_of_play.may_pass(game)
            passing = may_pass and self.random.randrange(5) < PASSES_IN_FIVE
            mask = self.random.choice(plays) if plays and not passing else None
            if last_passes and may_pass and mask == game.holdings[game.turn]:
                return Line([*masks, None], breached)
            masks.append(mask)
            acted = (
                rules_of_play.pass_turn(game, game.turn)
                if mask is None
                else rules_of_play.play_mask(game, game.turn, mask)
            )
            for action in acted:
                breached |= action.breach
                game = rules_of_play.apply(game, action)
        return Line(masks, breached=breached and not last_passes)

    def _play(self, hand_id: HandId, line: list[int | None]) -> None:
        """All actions but the last in one append; the last as a player's, for it may end the hand at its table too."""
        store = self.services.store
        stream = store.load(HAND, hand_id)
        hand, events = stream.state, []
        for mask in line[:-1]:
            events += (acted := Step(mask).of(hand, stream.read_at))
            hand = reduce(evolve, acted, hand)
        if events:
            store.append(Command(CommandId(uuid4()), "tests", ""), [on(stream, *events)], stream.read_at)
        for mask in line[-1:]:
            self._act(hand, mask)

    def _act(self, hand: Hand, mask: int | None) -> None:
        player = next(s.player_id for s in hand.terms.seats if s.seat == hand.game.turn)
        actor = Actor(CredentialId(uuid4()), Role.PLAYER, player, None)
        command, turn = Command(CommandId(uuid4()), "tests", ""), hand.game.turn_number
        if mask is None:
            hands.pass_turn(self.services, command, actor, hand.hand_id, hands.Asked(turn, ()))
        else:
            hands.play(self.services, command, actor, hand.hand_id, hands.Asked(turn, cards_in(mask)))
