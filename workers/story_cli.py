"""`big2 audit story`: a bundle in lines, for people."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn
from uuid import UUID

import click

if TYPE_CHECKING:
    from services.audit.opened import Members

UNREAD = 2
"""The exit status where the file is no bundle, as `big2 verify` has it."""


@click.command()
@click.argument("bundle", type=click.Path(dir_okay=False))
@click.option("--player", type=click.UUID, help="What happened to this player: seats, moves, hands, prizes.")
@click.option("--hand", help="All of this hand, by its id or what it begins with.")
def story(bundle: str, *, player: UUID | None, hand: str | None) -> None:
    """Tell a bundle in lines: when each thing happened, what was open to a player, until when, who paid, and why.

    Each line begins with the event's index in the signed log and its time in UTC. Without an option it lists the
    players. It judges nothing: `big2 verify` does.

    \b
    Examples:
      big2 audit story friday.zip                        who played, and in how many hands
      big2 audit story friday.zip --player ID            was I dealt fairly, did I act in time, why did I move?
      big2 audit story friday.zip --hand ID              who acted, who paid whom, and why?
    """
    if player and hand:
        raise click.UsageError("one of --player and --hand, or none, and not both")
    told = _told(bundle, player, hand)
    if not told:
        raise click.ClickException(f"{bundle} has nothing of {'hand' if hand else 'player'} {hand or player}")
    for line in told:
        echo_escaped(line)


def echo_escaped(line: str) -> None:
    """Print a line, escaped where the terminal has no sign for it."""
    encoding = sys.stdout.encoding or "utf-8"
    click.echo(line.encode(encoding, "backslashreplace").decode(encoding))


def _told(bundle: str, player: UUID | None, hand: str | None) -> list[str]:
    from services.audit import verify
    from services.audit.opened import UNREADABLE

    try:
        members, _ = verify.read_bundle(bundle)
        return [verify.shown(line) for line in _lines(members, player, hand)]
    except OSError as error:
        _unread(bundle, str(error.strerror))
    except (verify.Wrong, *UNREADABLE) as error:
        why = verify.shown(str(error)) or type(error).__name__
        _unread(bundle, f"is no bundle, or damaged ({why}): see `big2 verify`")


def _lines(members: Members, player: UUID | None, hand: str | None) -> list[str]:
    from domain.ids import PlayerId
    from services.audit import story

    if player:
        lines = story.of_player(members, PlayerId(player))
    elif hand:
        found = story.hands_like(members, hand)
        if len(found) > 1:
            raise click.UsageError(f"the ids of {len(found)} hands begin with {hand}")
        lines = [line for each in found for line in story.of_hand(members, each)]
    else:
        return [f"{each}  {hands} hands" for each, hands in story.players(members).items()]
    places = story.places(members)
    return [f"#{places[line.position]}  {line.at:%Y-%m-%d %H:%M:%S.%f}  {line.told}" for line in lines]


def _unread(bundle: str, why: str) -> NoReturn:
    click.echo(f"Error: {bundle}: {why}", err=True)
    sys.exit(UNREAD)
