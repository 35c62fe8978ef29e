"""The API: plays over HTTP against an empty Flask POST route of the same server.

gunicorn serves all, as `big2 serve` has it: two processes of 1,024 threads. Eight clients keep their connections and
send as fast as they are answered: as many empty requests of the same bytes first, then plays and passes at eight
tables, each with its player's token and a key of its own. Between them stands a Flask route that does nothing but
SELECT, INSERT, COMMIT: what of a play's price is the database's. PostgreSQL runs with synchronous_commit off.
"""

import argparse
import asyncio
from collections.abc import Callable, Iterable, Sequence
from random import Random
from uuid import uuid4

import msgspec
import psycopg

from big2.cards import cards_text
from domain.credential import Role
from domain.hand import Hand
from domain.ids import CommandId, PlayerId
from services.application import credentials
from services.application.credentials import Grant
from services.envelope import Command
from tests.bench.ground import Cluster, Turn, cluster, dealt, line, seated
from tests.bench.ratios import Goal, Pair, Round, Task, main
from tests.bench.web import Client, Web, all_at_once, post, served
from tests.services.projections.house import House

ROUNDS = 10
TABLES = 8
EMPTY, BARE = "an empty POST route", "a POST route of SELECT, INSERT, COMMIT"
GOAL = Goal("≥", 0.4)
KINDS = (
    "plays over HTTP",
    "plays over HTTP, by the CPU of the web processes",
    "plays over HTTP, by the CPU of web and PostgreSQL",
)
"""By the clock and by the CPU: how many a second."""
_BARE = "CREATE TABLE bare (LIKE big2_events INCLUDING ALL)"


Rates = tuple[float, float, float]
"""Of each kind, how many a second."""


class Tokens:
    """A token for each player, made when it is first wanted."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._known: dict[PlayerId, str] = {}

    def of(self, player: PlayerId) -> str:
        if player not in self._known:
            command = Command(CommandId(uuid4()), "bench", "")
            text = credentials.issue(self._house.store, command, lambda: Grant(Role.PLAYER, player)).text
            assert text
            self._known[player] = text
        return self._known[player]


def requests_of(hand: Hand, turns: Sequence[Turn], tokens: Tokens) -> list[bytes]:
    """What the players send, in order, to play a hand to its end."""
    return [_request(hand, turn, tokens) for turn in turns]


def _request(hand: Hand, turn: Turn, tokens: Tokens) -> bytes:
    token, key = tokens.of(turn.player), str(uuid4())
    if not turn.cards:
        return post(
            f"/v1/hands/{hand.hand_id}/passes", token, msgspec.json.encode({"turn": turn.number}), key
        )
    cards = cards_text(turn.cards, hand.game.rules.suits).split()
    body = msgspec.json.encode({"turn": turn.number, "cards": cards})
    return post(f"/v1/hands/{hand.hand_id}/plays", token, body, key)


def measure(asked: argparse.Namespace, counted: Callable[[int], Iterable[int]]) -> list[Round]:
    """A hand at each table a round."""
    with cluster() as server:
        url = server.database()
        with psycopg.connect(url) as conn:
            conn.execute(_BARE)
        house = House(url)
        tournament, tokens, random = seated(house, TABLES), Tokens(house), Random(1)
        with served(server, url, "tests.bench.floor_app:app") as web, asyncio.Runner() as runner:
            clients = [Client(web.port) for _ in range(TABLES)]

            def one() -> Round:
                hands = dealt(house, tournament)
                plays = [requests_of(hand, line(hand, random), tokens) for hand in hands]
                empty = [[_to(b"/floor/empty", request) for request in each] for each in plays]
                bare = [
                    [_to(f"/floor/bare/{hand.hand_id}".encode(), request) for request in each]
                    for hand, each in zip(hands, plays, strict=True)
                ]
                times = [_timed(server, web, runner, clients, queues) for queues in (empty, bare, plays)]
                return _round(*times)

            one()  # to warm up
            found = [one() for _ in counted(asked.rounds)]
            for client in clients:
                client.close()
        house.close()
        return found


def _to(path: bytes, request: bytes) -> bytes:
    """The same request to another route."""
    return b"POST " + path + request[request.index(b" HTTP/1.1") :]


def _round(empty: Rates, bare: Rates, plays: Rates) -> Round:
    found: Round = {}
    for kind, *rates in zip(KINDS, empty, bare, plays, strict=True):
        goal = None if kind is KINDS[-1] else GOAL
        found[Task(kind, EMPTY, "/s", goal)] = Pair(rates[0], rates[2])
        found[Task(kind, BARE, "/s")] = Pair(rates[1], rates[2])
    for kind, *rates in zip(KINDS, empty, bare, strict=True):
        found[Task(kind.replace("plays over HTTP", BARE), EMPTY, "/s")] = Pair(*rates)
    return found


def _timed(
    server: Cluster, web: Web, runner: asyncio.Runner, clients: list[Client], queues: list[list[bytes]]
) -> Rates:
    """How many of these requests are answered a second, and how many a second of CPU."""
    many = sum(map(len, queues))
    before, database = web.cpu(), server.cpu()
    seconds = runner.run(all_at_once(clients, queues))
    used, beside = web.cpu() - before, server.cpu() - database
    return many / seconds, many / used, many / (used + beside)


if __name__ == "__main__":
    main(__doc__, ROUNDS, measure)
