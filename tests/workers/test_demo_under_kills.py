"""The evening at ring tables, in processes that are killed one after the other: it ends proved to the cent."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import pytest

from tests.workers.process import Big2, big2, started, working_below
from workers.client import Client

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="children end with their parent on Linux only"
)

KILLED = ("worker", "web", "projector", "clock", "postgres", "valkey")
PATIENCE_SECONDS = 300


class Evening:
    """A demo that runs, what its service says, and its processes."""

    def __init__(self, run: Big2) -> None:
        self._run = run
        self._until(lambda: re.search(r"serving on \S+, data in \S+\n", run.said))
        url, data = re.search(r"serving on (\S+), data in (\S+)\n", run.said).groups()
        self.folder = Path(data).parent
        self._anybody = Client(url)

    def kill(self, name: str) -> None:
        """Kill whatever the service has started by that name."""
        killed = set(started(self._log(), name)) & self._alive()
        assert killed, self._log()
        for pid in killed:
            os.kill(pid, signal.SIGKILL)

    def kill_and_await(self, name: str) -> None:
        """Kill it, and wait until it is started again."""
        times = len(started(self._log(), name))
        self.kill(name)
        self._until(lambda: len(started(self._log(), name)) > times)

    def kill_command(self, name: str) -> None:
        """Kill one of the demo's own children, a `big2` of that name."""
        own = (pid for pid in self._alive() if parent_of(pid) == self._run.popen.pid)
        pid = next(pid for pid in own if command_of(pid)[2:4] == ["workers.cli", name])
        os.kill(pid, signal.SIGKILL)
        said = "service" if name == "serve" else name
        self._until(lambda: f"{said} ended (signal 9): starting it again" in self._run.said)

    def another_hand(self) -> None:
        before = self._hands()
        self._until(lambda: self._hands() > before)

    def _hands(self) -> int:
        return sum(table["hands_played"] for table in self._anybody.pages("/v1/tables?closed=true"))

    def _alive(self) -> set[int]:
        return {*self._run.left(), *working_below(self.folder)}

    def _log(self) -> str:
        return (self.folder / "demo.log").read_text()

    def _until(self, happens) -> None:
        self._run.until(happens, PATIENCE_SECONDS)


def parent_of(pid: int) -> int | None:
    """The process that has started it; none of one that has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    return int(status.partition("PPid:")[2].split()[0])


def command_of(pid: int) -> list[str]:
    """The words of a process's command line from Python's options on; none of one that has ended."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    except OSError:
        return []
    return words[1:]


def test_a_demo_that_is_told_to_stop_puts_everything_away():
    with big2("demo", "--ring", "--hands", "99") as run:
        evening = Evening(run)
        evening.another_hand()
        run.popen.send_signal(signal.SIGTERM)
        assert run.ended() == 1, run.said
        assert run.left() == []
    assert "verified" not in run.said
    assert not evening.folder.exists()


def test_an_evening_whose_processes_are_killed_is_proved_to_the_cent_and_leaves_nothing():
    with big2("demo", "--ring", "--entrants", "6", "--hands", "8", "--seed", "5") as run:
        evening = Evening(run)
        for name in KILLED:
            evening.another_hand()
            evening.kill_and_await(name)
        evening.another_hand()
        evening.kill_command("bots")
        evening.another_hand()
        evening.kill_command("serve")
        run.until(lambda: "verifying" in run.said, PATIENCE_SECONDS)
        evening.kill("postgres")
        assert run.ended() == 0, run.said
    assert run.said.splitlines()[-1] == "verified"
    assert run.left() == []
    assert working_below(evening.folder) == []
    assert not evening.folder.exists()
