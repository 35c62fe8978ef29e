"""What the benches of the service stand on: an embedded PostgreSQL of their own, and tables where a hand runs.

Everything is in a temporary folder, is reached through a unix socket, and ends with the block.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import NamedTuple
from uuid import uuid4

import psycopg

from big2 import hand as rules_of_play
from big2.cards import Card, cards_in
from domain.credential import Role
from domain.hand import Hand
from domain.ids import CommandId, CredentialId, PlayerId, TournamentId
from services.application import hands
from services.application.credentials import Actor
from services.embedded import Postgres, start
from services.envelope import Command
from services.postgres import migrate
from tests.services.projections.house import House

RELAXED = {"synchronous_commit": "off"}
"""A commit is answered before it is on the disk: only ever in a bench, where the disk would be all that is measured."""
STOP_SECONDS = 30
LONG = {
    "seats_per_table": 4,
    "stack_points": 100_000,
    "unit_levels": [1],
    "turn_seconds": 3600,
    "between_hands_seconds": 0,
}
"""Terms of a tournament in which nobody is out and no clock acts while a bench runs."""


class Cluster(NamedTuple):
    """A PostgreSQL with its data."""

    data: Path
    url: str
    pid: int

    def cpu(self) -> float:
        """The CPU seconds of all its processes so far."""
        return cpu_of(*children_of(self.pid))

    def database(self) -> str:
        """The address of a new, migrated database."""
        name = f"b{uuid4().hex}"
        with psycopg.connect(self.url, autocommit=True) as conn:
            conn.execute(f"CREATE DATABASE {name}")
        url = self.url.replace("/big2?", f"/{name}?")
        migrate(url)
        return url


@contextmanager
def cluster(options: Mapping[str, str] = RELAXED) -> Iterator[Cluster]:
    """A PostgreSQL for a block; from the main thread."""
    with tempfile.TemporaryDirectory(prefix="b2-bench-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)  # as root, the server's own user must pass through it
        server = Postgres(Path(folder) / "data", options)
        child = start(server)
        try:
            yield Cluster(server.data, server.url, child.pid)
        finally:
            child.send_signal(server.stop_signal)
            child.wait(STOP_SECONDS)


def children_of(pid: int) -> list[int]:
    """The children that a process has now."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def cpu_of(*pids: int) -> float:
    """The CPU seconds that processes have used in the threads that they have now."""
    nanoseconds = 0
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
                nanoseconds += int(task.read_text().split()[0])
    return nanoseconds / 1e9


class Turn(NamedTuple):
    """What a player does on his turn; without cards he passes."""

    player: PlayerId
    number: int
    cards: list[Card]


def line(hand: Hand, random: Random) -> list[Turn]:
    """The rest of a hand, at random: each turn of a player, to the hand's end."""
    game, turns = hand.game, []
    players = {s.seat: s.player_id for s in hand.terms.seats}
    while game.turn is not None:
        plays = rules_of_play.options(game)
        passing = not plays or (rules_of_play.may_pass(game) and random.random() < 0.2)
        mask = 0 if passing else random.choice(plays)[0].mask
        turns.append(Turn(players[game.turn], game.turn_number, cards_in(mask)))
        acted = (
            rules_of_play.play_mask(game, game.turn, mask)
            if mask
            else rules_of_play.pass_turn(game, game.turn)
        )
        for action in acted:
            game = rules_of_play.apply(game, action)
    return turns


def play_out(house: House, hand: Hand, random: Random) -> None:
    """Play a hand to its end, command by command."""
    for turn in line(hand, random):
        act_in_turn(house, hand, turn)()


def act_in_turn(house: House, hand: Hand, turn: Turn) -> Callable[[], object]:
    """A player's command, ready to be carried out."""
    command = Command(CommandId(uuid4()), f"credential/{uuid4()}", "0" * 64)
    actor = Actor(CredentialId(uuid4()), Role.PLAYER, turn.player, None)
    act = hands.play if turn.cards else hands.pass_turn
    return lambda: act(house, command, actor, hand.hand_id, hands.Asked(turn.number, turn.cards))


def seated(house: House, tables: int) -> TournamentId:
    """A tournament that has just been dealt at so many tables."""
    made = house.started(4 * tables, **LONG)
    dealt(house, made)
    return made


def dealt(house: House, tournament: TournamentId) -> list[Hand]:
    """The hands of a tournament, once one runs at each of its tables."""
    while True:
        house.work(tournament)
        tables = house.tables(house.tournament(tournament))
        if tables and all(table.hand_id for table in tables):
            return [house.hand(table.hand_id) for table in tables if table.hand_id]
