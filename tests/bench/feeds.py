"""Feeds: a thousand viewers of one tournament, and what they cost the players.

The real web server, projector and PostgreSQL. In each round plays come one by one, at a steady pace, first with no feed
open, then with all viewers on the tournament's feed: each play is an event or more for every one of them. The viewers
are one process of their own, players another. When an event has come to all is counted from the play's answer on.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, zip_longest
from random import Random
from statistics import median, quantiles
from time import monotonic, sleep
from typing import NamedTuple

from domain.ids import TournamentId
from services import bootstrap
from services.processes import spawn
from tests.bench.api import Tokens, requests_of
from tests.bench.ground import children_of, cluster, dealt, line, seated
from tests.bench.ratios import Goal, Pair, Round, Task, main
from tests.bench.viewers import Seen, enough_files, watching
from tests.bench.web import Client, served
from tests.services.projections.house import House
from workers.own_service import end

ROUNDS = 3
VIEWERS = 1000
TABLES = 4
PLAYS = 30
"""Of each half of a round."""
PACE_SECONDS = 0.5
SETTLE_SECONDS = 3.0
"""How long the viewers may take for the last event."""
WITHIN_SECONDS = 0.3
LATENCY = Task("a play over HTTP, p95, with all viewers", "the same without any", "ms", Goal("≤", 2))
SPREAD = Task("one event to all viewers, p95", "0.3 s", "s", Goal("≤", 1))
MIDDLE = Task("one event to all viewers, median", "0.3 s", "s")
CPU = Task("one event to all viewers, the CPU of each web process", "0.3 s", "s")
HELD = Task("viewers held", "wanted", "", Goal("≥", 1))
COMPLETE = Task("events that came to every viewer", "events", "", Goal("≥", 1))


class Played(NamedTuple):
    """What the players have sent: how long each took in seconds, and by command when it was answered."""

    took: list[float]
    answered: dict[str, float]

    @property
    def p95(self) -> float:
        """In milliseconds."""
        return _p95(self.took) * 1000


def measure(asked: argparse.Namespace, counted: Callable[[int], Iterable[int]]) -> list[Round]:
    """Plays without viewers, then with them, a round."""
    enough_files(asked.viewers)
    with cluster() as server:
        url = server.database()
        house = House(url)
        tournament = seated(house, TABLES)
        with served(server, url) as web, _projector(url), asyncio.Runner() as runner:
            coming = _plays(house, tournament)

            def play() -> Played:
                return runner.run(_play(web.port, coming))

            def one() -> Round:
                quiet = play()
                with watching(web.port, f"/v1/feed?tournament={tournament}", asked.viewers) as viewers:
                    held, after, used = viewers.held(), house.store.head(), web.cpu()
                    watched = play()
                    sleep(SETTLE_SECONDS)
                    used, seen = web.cpu() - used, viewers.seen()
                each = used / PLAYS / len(children_of(web.pid))
                found: Round = {
                    LATENCY: Pair(quiet.p95, watched.p95),
                    CPU: Pair(WITHIN_SECONDS, each),
                    HELD: Pair(asked.viewers, held),
                }
                return found | _spread(house, after, watched, seen, held)

            play()  # to warm up
            found = [one() for _ in counted(asked.rounds)]
        house.close()
        return found


def _spread(house: House, after: int, watched: Played, seen: dict[int, Seen], viewers: int) -> Round:
    """When the last event of each play had come to all, counted from its answer."""
    last = {str(r.command): r.position for r in house.store.log(after, 10_000) if r.topic.startswith("hand.")}
    came = {command: seen.get(last[command]) for command in watched.answered}
    lags = [
        told.last - watched.answered[command] if told else SETTLE_SECONDS for command, told in came.items()
    ]
    whole = sum(told is not None and told.viewers == viewers for told in came.values())
    return {
        SPREAD: Pair(WITHIN_SECONDS, _p95(lags)),
        MIDDLE: Pair(WITHIN_SECONDS, median(lags)),
        COMPLETE: Pair(len(lags), whole),
    }


def _plays(house: House, tournament: TournamentId) -> Iterator[bytes]:
    """Requests of the players, table by table in turn, for ever."""
    tokens, random = Tokens(house), Random(1)
    while True:
        hands = [requests_of(hand, line(hand, random), tokens) for hand in dealt(house, tournament)]
        yield from filter(None, chain.from_iterable(zip_longest(*hands)))


async def _play(port: int, coming: Iterator[bytes]) -> Played:
    """So many plays at a steady pace; one that is late makes no later one come sooner."""
    played, client = Played([], {}), Client(port)
    for _ in range(PLAYS):
        request = next(coming)
        began = monotonic()
        answer = await client.send(request)
        answered = monotonic()
        played.took.append(answered - began)
        played.answered[json.loads(answer)["command_id"]] = answered
        await asyncio.sleep(PACE_SECONDS)
    client.close()
    return played


def _p95(figures: Sequence[float]) -> float:
    return quantiles(figures, n=20, method="inclusive")[-1]


@contextmanager
def _projector(url: str) -> Iterator[None]:
    """The projector's own process, for a block."""
    own = {name: text for name, text in os.environ.items() if name not in bootstrap.VARIABLES}
    child = spawn([sys.executable, "-m", "workers.cli", "run", "projector"], env=own | {"DATABASE_URL": url})
    try:
        yield
    finally:
        end(child)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--viewers", type=int, default=VIEWERS, help=f"viewers ({VIEWERS})")


if __name__ == "__main__":
    main(__doc__, ROUNDS, measure, _options)
