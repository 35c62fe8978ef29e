"""docs/rulesets.md: its table is the code's, its files and its commands are as they stand there."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from big2.switch_table import SWITCHES, Switch

PAGE = (Path(__file__).parents[1] / "docs/rulesets.md").read_text(encoding="utf-8")
EXAMPLES = {
    "suits": ["DCHS"],
    "straights": [["34567", "23456"], []],
    "opening_card": ["lowest_dealt", "3D"],
    "auto_pass": [["two_of_spades"], ["too_few_cards"], []],
    "point_tiers": [[[8, 2], [10, 3]], []],
}
BIG2 = f"{shlex.quote(sys.executable)} -m workers.cli"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def commands() -> list[tuple[str, str]]:
    """Each command of the page with the lines that follow it."""
    parts = (part for block in blocks("console") for part in re.split(r"^\$ ", block, flags=re.MULTILINE))
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts if part)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of the page, each under the name that its first line says."""
    made = tmp_path_factory.mktemp("house")
    for block in blocks("toml"):
        name = re.match(r"# ([\w.-]+)", block)
        assert name
        (made / name[1]).write_text(block, encoding="utf-8")
    return made


def test_the_table_has_every_switch_with_its_values_its_meaning_and_its_clause():
    assert rows("All switches") == [
        f"| `{switch.name}` | {switch.form.values} | {switch.meaning} | {switch.clause} |"
        for switch in SWITCHES
    ]


def test_every_value_is_there_with_what_it_means():
    assert rows("What each value means") == [
        f"| `{switch.name}` | `{value if isinstance(value, str) else json.dumps(value)}` | {means} |"
        for switch in SWITCHES
        for value, means in meanings(switch)
    ]


def rows(title: str) -> list[str]:
    """The rows of the table under a title."""
    _, _, below = PAGE.partition(f"## {title}\n")
    return [line for line in below.partition("\n## ")[0].splitlines() if line.startswith("| `")]


def meanings(switch: Switch) -> Iterator[tuple[object, str]]:
    """The values of a switch, or examples of them, as they are written and in words."""
    values = EXAMPLES.get(switch.name) or [each["const"] for each in switch.form.schema["oneOf"]]
    for value in values:
        yield value, switch.form.words(switch.form.read(value))


@pytest.mark.parametrize(("command", "shown"), commands())
def test_every_command_prints_what_stands_there(folder, command, shown):
    typed = re.sub(r"(^|\| )big2 ", rf"\1{BIG2} ", command)
    ran = subprocess.run(
        ["/bin/sh", "-c", typed],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={
            "PYTHONPATH": str(Path(__file__).parents[1]),
            "PATH": "/usr/bin:/bin",
            "PYTHONIOENCODING": "utf-8",
        },
    )
    assert ran.stderr == ""
    assert ran.stdout == shown


def test_the_page_goes_the_whole_way():
    said = " ".join(command for command, _ in commands())
    for what in ("list", "check", "diff", "show", "answer", "explain"):
        assert f"big2 rules {what}" in said
