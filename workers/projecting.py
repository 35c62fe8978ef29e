"""The projector's process: follows the log for ever."""

from __future__ import annotations

import logging
import time

import psycopg

from services.database import connect_options
from services.errors import Unavailable
from services.eventtable import CHANNEL
from services.projections import Projector
from services.store import Store

POLL_SECONDS = 0.25
"""How long to wait for a notice before looking anyway: a notice can be lost."""
AGAIN_SECONDS = 0.5
"""How long to wait after the database was away."""

_AWAY = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.errors.UndefinedTable)
"""The database is away, or `big2 migrate` has not made the tables yet."""

log = logging.getLogger(__name__)


def follow(store: Store, url: str) -> None:
    """Project until the process is ended; a database that is away is waited for.

    An event that cannot be projected is a bug: the process ends and says where, but nothing of the event.
    """
    while True:
        projector = Projector(store)
        try:
            with psycopg.connect(url, **connect_options("big2-projector")) as listener:
                listener.execute(f"LISTEN {CHANNEL}")
                while True:
                    if not projector.step():
                        _wait(listener)
        except (Unavailable, *_AWAY) as error:
            log.warning("the projector waits: %s", error)
            time.sleep(AGAIN_SECONDS)
        except psycopg.Error as bug:  # the whole message may hold a row, and so cards
            what = bug.diag.message_primary or type(bug).__name__
            log.critical("an event after position %d cannot be projected: %s", projector.position, what)
            raise SystemExit(1) from None


def _wait(listener: psycopg.Connection[tuple[object, ...]]) -> None:
    for _ in listener.notifies(timeout=POLL_SECONDS, stop_after=1):
        return
