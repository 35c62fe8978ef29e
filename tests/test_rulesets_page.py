"""docs/rulesets.md: its table is the code's, its files and its commands are as they stand there."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from big2.switch_table import SWITCHES

PAGE = (Path(__file__).parents[1] / "docs/rulesets.md").read_text(encoding="utf-8")
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
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert rows == [
        f"| `{switch.name}` | {switch.form.values} | {switch.meaning} | {switch.clause} |"
        for switch in SWITCHES
    ]


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
