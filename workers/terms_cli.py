"""`big2 terms`: the page of a structure that is not published yet."""

from __future__ import annotations

import json
import sys

import click

UNREADABLE = 2


@click.command()
@click.argument("file", metavar="STRUCTURE.json")
@click.option("--html", "as_html", is_flag=True, help="One HTML document, instead of Markdown.")
def terms(file: str, *, as_html: bool) -> None:
    """Print a structure's terms, and the rules of its game, as one page for people.

    The file holds what `POST /v1/tournaments` takes, with a preset as its rules; `-` is standard input. What is wrong
    with it is told as the service would, with exit status 2.

    \b
    Examples:
      big2 terms friday.json
      big2 terms friday.json --html > friday.html
    """
    from datetime import UTC, datetime

    from marshmallow import ValidationError

    from domain.errors import Refused
    from domain.structure import structure
    from domain.terms_page import terms_page
    from services.bootstrap import presets
    from services.http.fields import pointers
    from services.http.schemas import TERMS, NewTournament
    from services.pages import html, markdown
    from workers.files import UnreadableError, read_text

    try:
        sent = json.loads(read_text(file))
        asked = NewTournament().load(sent)
        found = structure({name: value for name, value in asked.items() if name in TERMS}, datetime.now(UTC))
        wrong = {} if found.rules in presets() else {"/rules": f"name a preset: {', '.join(presets())}"}
    except UnreadableError as error:
        wrong = {file: str(error)}
    except json.JSONDecodeError as error:
        wrong = {file: f"is not JSON: {error}"}
    except ValidationError as error:
        wrong = pointers(error.messages)
    except Refused as error:
        wrong = error.errors
    if wrong:
        for pointer, why in wrong.items():
            click.echo(f"Error: {pointer}: {why}", err=True)
        sys.exit(UNREADABLE)
    page = html if as_html else markdown
    click.echo(page(found.name, terms_page(found, presets()[found.rules])), nl=not as_html)
