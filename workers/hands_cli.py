"""`big2 show`: hands on record, for people."""

from __future__ import annotations

import sys

import click

from workers.answering import nothing_in
from workers.files import read_or_status_two, read_text


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--line", type=click.IntRange(1), help="Only the hand that begins on this line.")
@click.option("--plain", is_flag=True, help="No colours, as in a pipe or with NO_COLOR set.")
def show(file: str, line: int | None, plain: bool) -> None:
    """Print hand histories (big2-hand/1) for people: tricks, settlement, verdict. `-` is standard input.

    A broken hand is shown up to where it breaks; an action is named by its place in the file, /actions/0 for the
    first. Exit status 1 when the rules do not accept a hand or there is none, 2 when the file can't be read.

    \b
    Examples:
      big2 show hand.json
      big2 show hands.jsonl --line 7
      curl -s …/v1/hands/ID/history | big2 show -
    """
    from rich.console import Console

    from big2.history import records
    from big2.telling import tell
    from services.bootstrap import presets
    from workers.telling import print_blocks

    with read_or_status_two():
        text = read_text(file)
    if line is None and nothing_in(file, text, "hand"):
        sys.exit(1)
    hands = [(number, hand) for number, hand in records(text) if line in (None, number)]
    if line is not None and not hands:
        raise click.BadParameter(f"no hand begins on line {line}", param_hint="--line")
    known, console, accepted = presets(), Console(no_color=True if plain else None), True
    for number, hand in hands:
        told = tell(hand, known)
        if len(hands) > 1:
            click.echo(f"line {number}")
        print_blocks(told.blocks, console)
        accepted = accepted and told.accepted
    sys.exit(0 if accepted else 1)
