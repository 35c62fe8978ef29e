"""Whoever sends commands: players who click twice, late, on stale turns, and who ask again when no answer comes.

A request has one command id, however often it is sent. Sent again its body is the same, or, by a careless client,
another.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from big2.cards import cards_in
from big2.errors import IllegalPlay
from big2.hand import may_pass, options
from domain.credential import Role
from domain.errors import Rejected
from domain.hand import HAND, Hand, State
from domain.hand_events import CardsPlayed, EntropyOpened
from domain.ids import CommandId, CredentialId, HandId, PlayerId
from services.application import hands, handviews
from services.application.credentials import Actor
from services.application.hands import Asked
from services.commands import Outcome
from services.envelope import Command, Recorded
from services.errors import Conflict, IdempotencyKeyReuse, Unavailable
from tests.harness.sim_hands import HIDDEN
from tests.harness.sim_log import Log, Violation, must
from tests.harness.sim_machine import Machine
from tests.harness.sim_store import Killed
from tests.services.projections.world import World

STAFF = Actor(CredentialId(UUID(int=1)), Role.ADMIN, None, None)
KNOWN = "I1 a key is refused for another body only where it is known"
SENT_MOST = 6
"""How often a client asks again, before he gives up."""

Call = Callable[[Any, Command], Outcome[Any]]
"""A command's application, with the services of whichever process gets it."""


class Request(NamedTuple):
    """What somebody asks for; `done` is told the outcome, or None if it was refused."""

    id: CommandId
    actor: str
    call: Call
    done: Callable[[Outcome[Any] | None], object]


class Clients:
    """All clients: what they send, what they were told."""

    def __init__(self, machine: Machine, log: Log, world: World) -> None:
        self._m = machine
        self._world = world
        self._log = log
        self.sent: dict[UUID, tuple[UUID, int, UUID]] = {}
        self.acknowledged = 0
        self.refused = 0
        self.styles: dict[UUID, str] = {}

    def ask(
        self, actor: str, call: Call, done: Callable[[Outcome[Any] | None], object] = lambda _: None
    ) -> Request:
        """Send a new request, soon."""
        request = Request(CommandId(UUID(int=self._m.random.getrandbits(128))), actor, call, done)
        self._m.soon(0.1, lambda: self._deliver(request, 1))
        if self._m.hit("a request came twice"):
            self._m.soon(3.0, lambda: self._deliver(request, SENT_MOST))
        return request

    def _deliver(self, request: Request, times: int, digest: str = "as sent") -> None:
        if self._m.hit("a request was lost"):
            return self._again(request, times)
        command = Command(request.id, request.actor, digest)
        attempt = self._m.attempt()
        try:
            outcome = request.call(self._m.web, command)
        except IdempotencyKeyReuse:
            must(self._m.rows.find(request.id), KNOWN, request.actor)
            return request.done(None)
        except (Rejected, IllegalPlay):
            self._log.refuse(command, attempt)
            self.refused += 1
            return request.done(None)
        except (Unavailable, Conflict):
            return self._again(request, times)
        except Killed:
            self._again(request, times)
            raise
        except Violation:
            raise
        except Exception as bug:  # noqa: BLE001 - the web process would answer 500
            self._m.bugs.append(bug)
            return None
        if self._m.hit("a reply was lost"):
            return self._again(request, times)
        self._log.acknowledge(command, outcome)
        self.acknowledged += 1
        return request.done(outcome)

    def _again(self, request: Request, times: int) -> None:
        """No answer, or one that says nothing: the same command once more, now and then with another body."""
        if times >= SENT_MOST and not self._m.calm:
            return request.done(None)
        digest = "another body" if self._m.hit("another body came under the same key", 3.0) else "as sent"
        return self._m.at(0.3 * times, lambda: self._deliver(request, times + 1, digest))

    # players

    def notice(self, r: Recorded) -> None:
        """A new turn: whoever is to act sees it, sooner or later, or never. Before a deal everybody sends entropy."""
        if isinstance(r.event, EntropyOpened):
            for seat in r.event.seats:
                self._m.soon(4.0, lambda player=seat.player_id: self._give_entropy(r.stream, player))
        following = getattr(r.event, "next_turn", None)
        if following is not None:
            self.turn(r.stream, following.number)

    def _give_entropy(self, hand_id: UUID, player: PlayerId) -> None:
        if self.styles.get(player) == "absent":
            return
        actor = Actor(CredentialId(player), Role.PLAYER, player, None)
        for _ in range(2 if self._m.hit("a player clicked twice") else 1):
            nonce = str(self._m.random.randrange(10**6))
            self.ask(
                f"player/{player}",
                lambda services, command, nonce=nonce: hands.give_entropy(
                    services, command, actor, HandId(hand_id), lambda: nonce
                ),
            )

    def turn(self, hand_id: UUID, number: int) -> None:
        self._m.soon(0.8, lambda: self._think(hand_id, number))

    def _think(self, hand_id: UUID, number: int) -> None:
        hand = self._world.hands.get(hand_id)
        if hand is None or hand.state is not State.RUNNING or hand.game.turn_number != number:
            return
        seat = hand.game.turn
        player = next(s.player_id for s in hand.terms.seats if s.seat == seat)
        if self._m.random.random() < 0.05:
            self._look_about(hand)
        style = self.styles.get(player, "prompt")
        if style == "absent" or (style == "flaky" and self._m.random.random() < 0.15):
            return
        self._m.connections.beat(hand.table_id, player, self._m.random.choice((20, 300, 2000)))
        late = 40.0 if style == "slow" and self._m.random.random() < 0.1 else 0.3
        for _ in range(2 if self._m.hit("a player clicked twice") else 1):
            self._m.soon(late, lambda: self._act(hand, player, number))

    def _act(self, hand: Hand, player: PlayerId, number: int) -> None:
        """What he sends is what seemed good to him when he looked; the world may have moved on since."""
        number += self._m.random.choice((-1, 1)) if self._m.hit("a stale turn was sent") else 0
        actor = Actor(CredentialId(player), Role.PLAYER, player, None)
        cards = self._choice(hand)
        act = hands.play if cards else hands.pass_turn
        asked = Asked(number, cards)
        request = self.ask(
            f"player/{player}",
            lambda services, command: act(services, command, actor, hand.hand_id, asked),
        )
        self.sent[request.id] = hand.hand_id, number, player

    def _choice(self, hand: Hand) -> tuple[Any, ...]:
        """Mostly many cards at once, so that hands are short; now and then what is not allowed."""
        random, game = self._m.random, hand.game
        if self._m.hit("a wrong play was sent"):
            return tuple(random.sample(range(52), random.randint(1, 5)))
        plays = options(game)
        if not plays or (may_pass(game) and random.random() < 0.1):
            return ()
        some = [random.choice(plays)[0].mask for _ in range(4)]
        return tuple(cards_in(max(some, key=int.bit_count)))

    def _look_about(self, hand: Hand) -> None:
        """Somebody looks at the hand, and each of those at the table: he sees his own cards, and those on the table."""
        stream = self._m.reader.load(HAND, hand.hand_id)
        plays = [r.event.cards.split() for r in stream.recorded if isinstance(r.event, CardsPlayed)]
        played = {card for cards in plays for card in cards}  # what was voided everybody has seen
        for viewer in (None, *(s.player_id for s in hand.terms.seats)):
            actor = Actor(CredentialId(viewer), Role.PLAYER, viewer, None) if viewer else None
            shown = handviews.hand_view(stream, {}, actor, {}, breaches=True)
            own = {seat: text for seat, text in hand.terms.cards.items() if hand.seat_of(viewer) == seat}
            seen = set(_cards_in(shown))
            allowed = played | {card for text in own.values() for card in text.split()}
            must(seen <= allowed, HIDDEN, sorted(seen - allowed))


def _cards_in(shown: Any) -> list[str]:
    """Every card in an answer, as it is sent."""
    text = msgspec.json.encode(shown).decode()
    return re.findall(r'"([3-9TJQKA2][DCHS])"', text)
