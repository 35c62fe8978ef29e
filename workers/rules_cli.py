"""`big2 rules`: what a rule set says, and questions about it."""

from __future__ import annotations

import click

from workers.answering import answer_files


@click.group()
def rules() -> None:
    """Rule sets: ask questions about them."""


@rules.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
def answer(files: tuple[str, ...]) -> None:
    """Answer questions about a rule set, one JSON object a line: classify, beats, legal_plays. `-` is standard input.

    Exit status 1 when an answer differs from the line's `expected`.

    \b
    Example:
      echo '{"rules": "actionpoker", "kind": "classify", "cards": "7D 7S"}' | big2 rules answer -
    """
    from big2.answers import answer_lines
    from services.bootstrap import presets

    known = presets()
    answer_files(
        files, lambda text: answer_lines(text, known), lambda line: line.get("ok", "error" not in line)
    )
