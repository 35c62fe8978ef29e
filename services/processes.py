"""How a child process is started so that it cannot outlive us."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple, TypeAlias

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


_LOOK_SECONDS = 0.02
"""How often a forked child is looked at while it is waited for."""


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

    Only from the main thread: the signal also comes when the thread ends that started the child. The child is this
    module first (see `_become`): Python code between a fork and its exec (`preexec_fn`) may wait for ever for a lock
    that another thread held at the fork. Raises FileNotFoundError if there is no such program.
    """
    if shutil.which(argv[0]) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), argv[0])
    who = [str(account.uid), str(account.gid)] if account else ["", ""]
    return subprocess.Popen(  # noqa: S603 - the caller's own programs
        [sys.executable, "-I", "-S", __file__, str(int(on_death)), str(os.getpid()), *who, *argv],
        env=dict(env) if env is not None else None,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
        start_new_session=True,
    )


class Forked:
    """A child that was forked and runs no new program; what a supervisor needs of `subprocess.Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit status, minus the signal that ended it, or None while it runs."""
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float = float("inf")) -> int:
        """The exit status, once it has ended; subprocess.TimeoutExpired if it has not after so many seconds."""
        give_up = time.monotonic() + timeout
        while (status := self.poll()) is None:
            if time.monotonic() > give_up:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(_LOOK_SECONDS)
        return status

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


Child: TypeAlias = subprocess.Popen[bytes] | Forked


def fork(run: Callable[[], object], env: Mapping[str, str]) -> Forked:
    """Start a child that calls `run`, in a session of its own, and is killed when we end; it has all that we imported.

    Only from the main thread, and while there is no other: a lock that one held would be held there for ever.
    """
    parent = os.getpid()
    _say_it_all()
    if pid := os.fork():
        return Forked(pid)
    status = 1
    try:
        _begin_anew(parent, env)
        run()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - what is below on the stack is the parent's
        traceback.print_exc()
    finally:
        try:
            _say_it_all()
        finally:
            os._exit(status)


def _say_it_all() -> None:
    """Write what was printed; if nobody listens any more, go on."""
    with contextlib.suppress(OSError):
        sys.stdout.flush()


def _begin_anew(parent: int, env: Mapping[str, str]) -> None:
    """Be as a new program would be: no files, no signal handlers and no environment of the parent's."""
    os.setsid()
    die_with_parent(parent=parent)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    open_files = [int(entry.name) for entry in Path("/dev/fd").iterdir()]  # their number may have no limit
    os.closerange(3, 1 + max(open_files))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.environ.clear()
    os.environ.update(env)


def _become(on_death: str, parent: str, uid: str, gid: str, *argv: str) -> None:
    """Turn this process into the program that `spawn` was asked for."""
    if uid:
        os.setgroups([])
        os.setgid(int(gid))
        os.setuid(int(uid))
    die_with_parent(int(on_death), int(parent))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python had it ignored, and that outlives an exec
    os.execvp(argv[0], argv)  # noqa: S606 - as above


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


if __name__ == "__main__":
    _become(*sys.argv[1:])
