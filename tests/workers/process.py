"""The `big2` command as a real process, with all that it starts: what it says, how it ends, and what it leaves."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from uuid import uuid4

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 120
LONG_SECONDS = 400
"""How long a whole demo may take on a machine that has much else to do."""
_OURS = ("DATABASE_URL", "REDIS_URL", "PORT", "BIG2_HOST", "BIG2_DATA")


class Big2:
    """One run of the command. Every process that it starts carries a mark, by which those are found that are left."""

    def __init__(
        self, *arguments: object, module: str = "workers.cli", settings: Mapping[str, str] | None = None
    ) -> None:
        self._mark = f"BIG2_TEST_MARK={uuid4().hex}"
        self._out = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed in `__exit__`
        name, _, value = self._mark.partition("=")
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        plain = {key: text for key, text in os.environ.items() if key not in _OURS}
        self.popen = subprocess.Popen(
            [sys.executable, "-m", module, *map(str, arguments)],
            env={**plain, "PYTHONPATH": path, name: value, **(settings or {})},
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def __enter__(self) -> Big2:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Whatever state it is in, end it and what it started."""
        if self._out.closed:
            return
        if self.popen.poll() is None:
            self.popen.kill()
            self.popen.wait()
        give_up = time.monotonic() + PATIENCE_SECONDS
        while self.left() and time.monotonic() < give_up:
            time.sleep(0.05)
        self._said = self.said
        self._out.close()

    @property
    def said(self) -> str:
        if self._out.closed:
            return self._said
        self._out.seek(0)
        return self._out.read()

    def until(self, happens: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> None:
        """Wait for something, as long as the command runs."""
        give_up = time.monotonic() + seconds
        while not happens():
            assert time.monotonic() < give_up, self.said
            assert self.popen.poll() is None, self.said
            time.sleep(0.05)

    def ended(self, seconds: float = LONG_SECONDS) -> int:
        """Its exit status, once it has ended."""
        try:
            return self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {seconds} s:\n{self.said}") from None

    def pid(self, name: str) -> int:
        """The newest process of that name which the supervisor has started."""
        return started(self.said, name)[-1]

    def left(self) -> list[int]:
        """Living processes that carry the mark, apart from the command itself."""
        return [pid for pid in _marked(self._mark.encode()) if pid != self.popen.pid]


def big2(*arguments: object) -> Big2:
    return Big2(*arguments)


def started(said: str, name: str) -> list[int]:
    """Whatever a supervisor says that it has started by a name, in its order: the living and the dead."""
    return [int(pid) for pid in re.findall(rf"big2: {name} started \(pid (\d+)\)", said)]


def working_below(folder: Path) -> list[int]:
    """Living processes that work in a folder or below: the embedded servers, who get a plain environment."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "cwd").readlink().is_relative_to(folder):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def _marked(mark: bytes) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in entry.read_bytes():
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found
