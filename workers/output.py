"""The end of every command: what it printed has arrived, or it is told in a sentence that it could not."""

from __future__ import annotations

import errno
import os
import sys
from typing import Any

import click

from workers.files import UNREADABLE

NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class PrintingGroup(click.Group):
    """A group of commands whose standard output may be full, or a pipe whose reader has seen enough."""

    def main(self, *args: Any, **more: Any) -> Any:  # noqa: ANN401 - as click has it
        """Run a command. Exit status 1, quietly, where the pipe is closed; 2 where there is no room to write."""
        try:
            try:
                return super().main(*args, **more)
            finally:
                _flush()
        except BrokenPipeError:
            _drop_the_rest()
            sys.exit(1)
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            _drop_the_rest()
            click.echo(f"can't write: {error.strerror}", err=True)
            sys.exit(UNREADABLE)


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _drop_the_rest() -> None:
    """Let what is left go nowhere, so that the interpreter does not try it again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
