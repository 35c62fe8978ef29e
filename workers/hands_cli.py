"""`big2 show`: hands on record, for people."""

from __future__ import annotations

import sys
from pathlib import Path

import click

UNREADABLE = 2
"""Exit status when the file can't be read."""


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--line", type=click.IntRange(1), help="Only the hand that begins on this line.")
@click.option("--plain", is_flag=True, help="No colours, as in a pipe or with NO_COLOR set.")
def show(file: str, line: int | None, plain: bool) -> None:
    """Print hand histories (big2-hand/1) for people: tricks, settlement, verdict. `-` is standard input.

    A broken hand is shown up to where it breaks. Exit status 1 when the rules do not accept a hand, 2 when the file
    can't be read.

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

    hands = [(number, text) for number, text in records(_text(file)) if line in (None, number)]
    if line is not None and not hands:
        raise click.BadParameter(f"no hand begins on line {line}", param_hint="--line")
    known, console, accepted = presets(), Console(no_color=True if plain else None), True
    for number, text in hands:
        told = tell(text, known)
        if len(hands) > 1:
            click.echo(f"line {number}")
        print_blocks(told.blocks, console)
        accepted = accepted and told.accepted
    sys.exit(0 if accepted else 1)


def _text(file: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return raw.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        click.echo(f"{file}: {error}", err=True)
        sys.exit(UNREADABLE)
