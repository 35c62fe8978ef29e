"""`big2 rules`: what a rule set says, how two differ, whether one's own is right, and questions about it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from workers.answering import answer_files
from workers.explain_cli import explain
from workers.files import read_or_status_two

if TYPE_CHECKING:
    from big2.rulesets import RuleSet

DIFFERENT = 1


@click.group(epilog="See docs/rulesets.md for how to write one's own.")
def rules() -> None:
    """Rule sets: show, compare and check them, explain plays, answer questions."""


@rules.command("list")
def list_presets() -> None:
    """List the presets: name, suits low to high, straights, digest.

    \b
    Example:
      big2 rules list
    """
    from big2.switch_forms import suit_glyphs

    presets = _presets()
    for name, each in presets.items():
        straights = f"{each.straights[0]} … {each.straights[-1]}"
        click.echo(f"{name:<16} {suit_glyphs(each.suits)}  {straights:<15}  {_digest(each)[:12]}")


@rules.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="The whole rule set as JSON.")
@click.option("--toml", "as_toml", is_flag=True, help="The whole rule set as TOML, ready to be changed.")
def show(name: str, *, as_json: bool, as_toml: bool) -> None:
    """Show a rule set as a page to read, or in whole as data.

    NAME is a preset's name, or a TOML or JSON file; `-` is standard input.

    \b
    Examples:
      big2 rules show hong-kong
      big2 rules show friday-club.toml
      big2 rules show actionpoker --toml > my-house.toml
    """
    from big2.rulepage import rule_page
    from big2.rulesets import ruleset_to_mapping
    from big2.ruletext import ruleset_toml

    if as_json and as_toml:
        raise click.UsageError("--json or --toml, not both")
    with read_or_status_two():
        found = _rules_of(name)
    if as_json:
        click.echo(json.dumps(ruleset_to_mapping(found), indent=2))
    elif as_toml:
        click.echo(ruleset_toml(found), nl=False)
    else:
        title = "Rule set from standard input" if name == "-" else f"Rule set {name}"
        sections = ((section.title, section.lines) for section in rule_page(found))
        _print_page([(title, ()), *sections])


@rules.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
def diff(first: str, second: str) -> None:
    """Tell in which switches two rule sets differ, and what that means.

    A and B are names of presets, or TOML or JSON files; one may be `-`, standard input. Exit status 0 when they are
    the same, 1 when they differ, 2 when one can't be read.

    \b
    Examples:
      big2 rules diff actionpoker high-low
      big2 rules diff actionpoker friday-club.toml
    """
    from big2.ruletext import differences

    if first == second == "-":
        raise click.UsageError("standard input has one rule set: name a preset or a file for the other")
    with read_or_status_two():
        found = [_rules_of(name) for name in (first, second)]
    sections = [
        (
            f"{each.switch.name} ({each.switch.clause}): {each.switch.meaning}",
            (f"{first}: {each.first_told}", f"{second}: {each.second_told}"),
        )
        for each in differences(*found)
    ]
    if sections:
        _print_page(sections)
        sys.exit(DIFFERENT)


@rules.command()
@click.argument("file")
def check(file: str) -> None:
    """Check a rule set: its digest, or everything that is wrong with it, switch by switch. `-` is standard input.

    What is allowed but may be a slip is remarked on, on standard error. Exit status 0 when it is valid, 1 when it is
    not, 2 when the file can't be read. The digest is that of the API.

    \b
    Example:
      big2 rules check friday-club.toml
    """
    from big2.rulepage import remarks
    from workers.rule_files import WrongRulesError

    with read_or_status_two():
        try:
            found = _rules_of(file)
        except WrongRulesError as wrong:
            for problem in wrong.problems:
                click.echo(f"{file}: {problem}")
            sys.exit(DIFFERENT)
    click.echo(f"{_digest(found)}  {file}")
    for remark in remarks(found):
        click.echo(f"{file}: remark: {remark}", err=True)


@rules.command()
def schema() -> None:
    """Print the JSON Schema (draft 2020-12) of a rule set.

    \b
    Example:
      big2 rules schema > ruleset.schema.json
    """
    from big2.ruleset_schema import ruleset_schema

    click.echo(json.dumps(ruleset_schema(_presets()), indent=2, ensure_ascii=False))


@rules.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option(
    "--rules", "name", help="The rule set of questions that name none: a preset, or a TOML or JSON file."
)
def answer(files: tuple[str, ...], name: str | None) -> None:
    """Answer questions about a rule set, one JSON object a line: classify, beats, legal_plays. `-` is standard input.

    A line has `kind`, `rules` (or --rules says which), and what its kind asks about:

    \b
      classify     cards: the kind of card set; null where it is none, or no cards at all, such as "3X"
      beats        play, over: whether `play` beats `over`; false where either is no card set
      legal_plays  holding, 1-13 cards; to_beat and must_include, a set and a card, or null

    With `expected` it is told whether the answer is that; a member of another kind is an error. Exit status 1 when
    an answer differs from the line's `expected`, a line is out of form or there is none, 2 when a file can't be read.

    \b
    Examples:
      echo '{"rules": "actionpoker", "kind": "classify", "cards": "7D 7S"}' | big2 rules answer -
      echo '{"kind": "beats", "play": "3S", "over": "3D"}' | big2 rules answer --rules friday-club.toml -
    """
    from big2.answers import answer_lines

    known = _presets()
    with read_or_status_two():
        asked = None if name is None else _rules_of(name)
    answer_files(
        files,
        lambda text: answer_lines(text, known, otherwise=asked),
        lambda line: line.get("ok", "error" not in line),
        "question",
    )


rules.add_command(explain)


def _presets() -> Mapping[str, RuleSet]:
    from services.bootstrap import presets

    return presets()


def _rules_of(name: str) -> RuleSet:
    from workers.rule_files import rules_of

    return rules_of(name, _presets())


def _print_page(sections: Sequence[tuple[str, Sequence[str]]]) -> None:
    from rich.console import Console

    from workers.telling import print_page

    print_page(sections, Console())


def _digest(found: RuleSet) -> str:
    from big2.rulesets import ruleset_to_mapping
    from domain.ruleset import ruleset_digest

    return ruleset_digest(dict(ruleset_to_mapping(found)))
