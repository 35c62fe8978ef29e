"""How a child process is started so that it cannot outlive us."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


class Account(NamedTuple):
    """The user that a server runs as when we are root."""

    name: str
    uid: int
    gid: int


def die_with_parent(how: int = signal.SIGKILL, parent: int | None = None) -> None:
    """Ask Linux to send this process the signal `how` when the thread that forked it ends, whatever ends it.

    Call it in the child after any change of user, which clears it: in gunicorn's `post_fork`, in an RQ work-horse.
    With `parent`, a parent that has died in the meantime is noticed. Elsewhere than on Linux it does nothing.
    """
    if _LIBC is None:
        return
    _LIBC.prctl(_PR_SET_PDEATHSIG, how, 0, 0, 0)
    if parent is not None and os.getppid() != parent:
        os.kill(os.getpid(), how)


def spawn(
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    account: Account | None = None,
    on_death: int = signal.SIGKILL,
    output: IO[bytes] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a child in a session of its own that gets the signal `on_death` when we end.

    Only from the main thread: the signal also comes when the thread ends that started the child.
    """
    return subprocess.Popen(  # noqa: S603 - the caller's own programs
        list(argv),
        env=dict(env) if env is not None else None,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=[] if account else None,
        start_new_session=True,
        preexec_fn=partial(die_with_parent, on_death, os.getpid()),  # noqa: PLW1509 - runs after the change of user
    )


def working_in(directory: Path) -> list[int]:
    """The processes whose working directory is `directory`, as far as we may see (Linux)."""
    found, directory = [], directory.resolve()
    for entry in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if entry.readlink() == directory:
                found.append(int(entry.parent.name))
        except OSError:  # ended meanwhile, or not ours to see
            continue
    return found
