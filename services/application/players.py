"""Players: enrolled under a name that nobody else has."""

from __future__ import annotations

from collections.abc import Callable

from domain.ids import PlayerId, player_id
from domain.player import PLAYER, Player, enrol
from services import people
from services.application import resources as shapes
from services.application.context import Services
from services.application.errors import existing
from services.commands import Decision, Outcome, execute, on
from services.envelope import Command, Stream


def enrol_player(services: Services, command: Command, read: Callable[[], str]) -> Outcome[Player]:
    """Enrol a player under the name that `read` gives, and claim the name, in one transaction."""
    made = player_id(command.id)

    def decide(stream: Stream[Player], _now: object) -> Decision:
        name = people.clean_name(read())
        return Decision([on(stream, *enrol(made))], lambda cursor: people.claim(cursor, made, name))

    return execute(services.store, command, (PLAYER, made), decide)


def enrolled(outcome: Outcome[Player], name: str) -> shapes.Player:
    """The player whom `enrol_player` enrolled under this name."""
    made = outcome.events[0]
    return shapes.Player(
        player_id=made.stream, name=people.clean_name(name), created_at=made.at, as_of=outcome.position
    )


def player(services: Services, player_id: PlayerId) -> shapes.Player:
    """A player, from his own stream and the table of names."""
    stream = services.store.load(PLAYER, player_id)
    existing(stream, "player")
    return shapes.Player(
        player_id=player_id,
        name=name_of(services, player_id),
        created_at=stream.recorded[0].at,
        as_of=stream.position,
    )


def name_of(services: Services, player_id: PlayerId) -> str:
    """A player's name, or what stands for one that was erased."""
    return people.names(services.store.database, [player_id]).get(player_id, shapes.UNNAMED)


def erase_name(services: Services, player_id: PlayerId) -> None:
    """Forget a player's name for good, however often it is asked for; it is free again, and the log stays as it is."""
    existing(services.store.load(PLAYER, player_id), "player")
    people.erase(services.store.database, player_id)
