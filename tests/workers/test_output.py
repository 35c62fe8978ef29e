"""Where the output goes nowhere: a full disk is told in a sentence, a reader who has seen enough is no error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from workers.output import PrintingGroup

ROOT = Path(__file__).parents[2]
FULL = Path("/dev/full")


def big2(*arguments: str, stdout: object, unbuffered: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered}
    argv = [sys.executable, "-m", "workers.cli", *arguments]
    return subprocess.run(
        argv, env=env, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False, timeout=60
    )


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", ["rules show taiwan", "rules list", "--help"])
def test_what_cannot_be_written_is_told_with_status_two(command, unbuffered):
    with FULL.open("w") as full:
        ran = big2(*command.split(), stdout=full, unbuffered=unbuffered)
    assert (ran.returncode, ran.stderr) == (2, "can't write: No space left on device\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", ["rules show taiwan", "rules list", "rules schema"])
def test_a_pipe_that_nobody_reads_ends_quietly(command, unbuffered):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ran = big2(*command.split(), stdout=writing, unbuffered=unbuffered)
    finally:
        os.close(writing)
    assert (ran.returncode, ran.stderr) == (1, "")


@pytest.mark.parametrize("error", [OSError(5, "wrong"), ValueError("wrong")])
def test_what_has_nothing_to_do_with_it_is_a_bug_as_ever(error):
    @click.group(cls=PrintingGroup)
    def main() -> None:
        raise error

    main.add_command(click.Command("go"))
    assert CliRunner().invoke(main, ["go"]).exception is error


def test_a_command_without_any_standard_output_is_none_the_worse(monkeypatch):
    @click.group(cls=PrintingGroup)
    def main() -> None:
        monkeypatch.setattr(sys, "stdout", None)

    main.add_command(click.Command("go"))
    with pytest.raises(SystemExit) as ended:
        main(["go"])
    assert ended.value.code == 0
