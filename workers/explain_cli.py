"""`big2 rules explain`: why a play may be made or not, in a position of one's own or in a hand on record."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from workers.files import UnreadableError, read_or_status_two, read_text

if TYPE_CHECKING:
    from workers.explaining import Explained


@click.command()
@click.argument("history", required=False, metavar="[HISTORY]")
@click.option("--rules", "name", help="A preset's name, or a TOML or JSON file; actionpoker by default.")
@click.option("--holding", help="The cards held, such as '3D 4D 7D 7S'.")
@click.option("--cards", help="The cards to be explained, such as '7D 7S'.")
@click.option("--pass", "passing", is_flag=True, help="Explain a pass instead.")
@click.option("--to-beat", help="The set to beat; without it the seat leads.")
@click.option("--must-include", help="The opening card, where this is the first play of a hand (R5.2).")
@click.option("--next-has-one", is_flag=True, help="The next player has one card left (R7).")
@click.option("--action", type=click.IntRange(0), help="N for /actions/N of HISTORY, as `verify` counts.")
@click.option(
    "--line", type=click.IntRange(1), help="On which line its hand begins, where HISTORY has several."
)
@click.option("--json", "as_json", is_flag=True, help="As JSON, like the API's explanation.")
def explain(history: str | None, name: str | None, as_json: bool, **asked: Any) -> None:  # noqa: ANN401
    """Explain whether cards may be played, by which clause, and what duty binds.

    Either in a position of one's own (--holding), or at an action of a hand on record (HISTORY --action N, `-` is
    standard input): without --cards the action itself, with it what else could have been played there. For a hand
    that names a published rule set --rules says what that is. Exit status 2 when something can't be read.

    \b
    Examples:
      big2 rules explain --holding '3D 4D 7D 7S' --cards '7D 7S' --to-beat '6C 6H'
      big2 rules explain --rules high-low --holding '5H 9C 9D' --cards 5H --next-has-one
      big2 rules explain --holding '3D 4D 7S' --cards 7S --must-include 3D
      big2 rules explain hand.json --action 12
      big2 rules explain hand.json --action 12 --cards 2S --json
    """
    from workers.explaining import AskedWrongError

    _check_use(history, asked)
    try:
        with read_or_status_two():
            explained = _answer(history, name, asked)
    except AskedWrongError as error:
        raise click.UsageError(str(error)) from error
    click.echo(json.dumps(explained.as_json(), ensure_ascii=False) if as_json else _told(explained))


def _check_use(history: str | None, asked: dict[str, Any]) -> None:
    """The two ways of asking share no options but --cards, --pass and --rules."""
    ours = ("holding", "to_beat", "must_include", "next_has_one")
    others = ours if history is not None else ("action", "line")
    given = [f"--{name.replace('_', '-')}" for name in others if asked[name] not in (None, False)]
    wrong = [f"{name}: only {'without' if history is not None else 'with'} HISTORY" for name in given]
    if history is None and asked["holding"] is None:
        wrong.append("--holding is missing (or HISTORY and --action)")
    if asked["cards"] is not None and asked["passing"]:
        wrong.append("--cards or --pass, not both")
    if wrong:
        raise click.UsageError("\n".join(wrong))


def _answer(history: str | None, name: str | None, asked: dict[str, Any]) -> Explained:
    from big2.errors import MalformedError
    from services.bootstrap import presets
    from workers.explaining import Asked, in_history, in_position
    from workers.rule_files import rules_of

    known = presets()
    if history is None:
        return in_position(Asked(**asked), rules_of(name or "actionpoker", known))
    named = rules_of(name, known) if name else None
    try:
        return in_history(Asked(**asked), read_text(history), known, named)
    except MalformedError as error:
        raise UnreadableError(f"{history}: {error if error.pointer else error.reason}") from error


def _told(explained: Explained) -> str:
    from big2.explain import KIND_NAMES, duty_reason

    told = explained.explanation
    kind = KIND_NAMES[told.kind] if told.kind else "no card set"
    head = f"{told.cards or 'no card'}: {kind}" if explained.cards is not None else "pass"
    verdict = "a breach, but allowed" if told.breach else "allowed" if told.playable else "refused"
    bound = None if told.breach or told.clause == "R7.2" else duty_reason(explained.hand)
    where = f"{explained.pointer}, " if explained.pointer else ""
    return "\n".join(
        [f"{where}seat {explained.seat}, {head}: {verdict}", told.reason, *([bound] if bound else [])]
    )
