"""`big2` with a bug in its web process, to see that the crash harness finds it.

    python -m tests.harness.crash_planted BUG serve …

The product has no switch for these. The supervisor is told to start this module for `web`, which patches itself and
then becomes gunicorn as ever.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from domain.aggregate import Aggregate
from services import database
from services.embedded import Postgres
from services.envelope import Recorded, Stream
from services.store import Store
from workers import cli, serving, supervisor
from workers.supervisor import Process


def _forget_commands() -> None:
    """Each request is decided as if it were the first: idempotency is switched off."""
    load, append = Store.load, Store.append

    def forgetful(
        self: Store, aggregate: Aggregate[Any], stream_id: UUID, upto: int | None = None
    ) -> Stream[Any]:
        return replace(load(self, aggregate, stream_id, upto), commands={})

    def unconditional(self: Store, *args: Any, once: bool = False) -> list[Recorded]:
        return append(self, *args, once=False)

    Store.load = forgetful  # type: ignore[method-assign]
    Store.append = unconditional  # type: ignore[method-assign]


def _acknowledge_early() -> None:
    """A command is acknowledged before it is on the disk."""
    plain = database.connect_options

    def careless(name: str, **more: object) -> dict[str, Any]:
        options = plain(name, **more)
        return options | {"options": f"{options['options']} -c synchronous_commit=off"}

    database.connect_options = careless


LAZY = {"wal_writer_delay": "10s"}
"""Who does not wait for the disk is to lose by it: PostgreSQL writes the log when somebody does wait, or very late."""
PLANTED: dict[str, Callable[[], None]] = {
    "no-idempotency": _forget_commands,
    "acknowledged-early": _acknowledge_early,
}


def main(bug: str, *arguments: str) -> None:
    if arguments == ("web",):
        PLANTED[bug]()
        _be_gunicorn()
    else:
        plain = serving._process
        argv = [sys.executable, *serving.SAFE_IMPORTS, "tests.harness.crash_planted", bug, "web"]
        supervisor.Postgres = partial(Postgres, options=LAZY)  # type: ignore[misc,assignment]
        serving._process = lambda name: Process(name, argv) if name == "web" else plain(name)
        sys.argv = ["big2", *arguments]
        cli.main()


def _be_gunicorn() -> None:
    from gunicorn.app.wsgiapp import run  # noqa: PLC0415 - for the web alone

    os.chdir(Path(__file__).parents[2])
    sys.argv = ["gunicorn", "-c", "python:services.http.gunicorn_conf", "services.http.wsgi:app"]
    run()


if __name__ == "__main__":
    main(*sys.argv[1:])
