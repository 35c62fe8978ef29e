"""The page for operators names what there is: every setting, figure and command, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from services.bootstrap import VARIABLES
from services.http import figures
from workers.cli import main

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
UNITS = sorted((ROOT / "docs" / "deploy").iterdir())


def test_every_setting_is_on_the_page_and_every_one_there_is_a_setting():
    named = set(re.findall(r"\b(BIG2_[A-Z_]+[A-Z]|PORT|DATABASE_URL(?:_FILE)?|REDIS_URL(?:_FILE)?)\b", PAGE))
    assert named == VARIABLES


def test_every_figure_is_on_the_page_and_every_one_there_is_told():
    source = Path(figures.__file__).read_text(encoding="utf-8")
    told = {name.removesuffix("_total") for name in re.findall(r'"(big2_\w+)"', source)}
    named = {name.removesuffix("_total") for name in re.findall(r"\b(big2_\w+)\b", PAGE)}
    assert named == told


def test_every_command_on_the_page_is_one():
    shown = set(re.findall(r"(?:`|^|\n|&& )big2 ([a-z]+)\b", PAGE))
    assert shown - {"serve"} <= main.commands.keys()
    assert {"backup", "restore", "migrate", "doctor", "rebuild", "run", "token"} <= shown


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_runs_a_command_with_settings_that_there_are(unit):
    text = unit.read_text(encoding="utf-8")
    command = re.search(r"^ExecStart=/opt/big2/\.venv/bin/big2 (\w+)", text, re.MULTILINE)
    assert command[1] in main.commands
    lines = re.findall(r"^#?Environment=(.+)$", text, re.MULTILINE)
    assert {setting.partition("=")[0] for line in lines for setting in line.split()} <= VARIABLES
    assert "BIG2_LOG=json" in text
    assert "postgresql://" not in re.sub(r"^#.*$", "", text, flags=re.MULTILINE)


def test_the_procfile_has_every_process():
    lines = (ROOT / "Procfile").read_text(encoding="utf-8").splitlines()
    runs = {line.partition(": ")[2] for line in lines}
    kinds = next(p for p in main.commands["run"].params if p.name == "process").type.choices
    assert runs == {"big2 migrate", *(f"big2 run {kind}" for kind in kinds)}
