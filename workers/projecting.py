"""The projector's process: follows the log for ever."""

from __future__ import annotations

import logging
import time
from typing import TypeAlias

import psycopg

from services.bugs import told
from services.database import connect_options, one_line
from services.errors import Unavailable
from services.eventtable import CHANNEL
from services.logs import note
from services.projections import Projector, Stalled
from services.projections.progress import keep
from services.projections.projector import BATCH
from services.store import Store

POLL_SECONDS = 0.25
"""How long to wait for a notice before looking anyway: a notice can be lost."""
AGAIN_SECONDS = 0.5
"""How long to wait after the database was away."""
STALL_SECONDS = 2.0
"""How long to wait before an event that cannot be projected is tried again."""

log = logging.getLogger(__name__)

Listening: TypeAlias = psycopg.Connection[tuple[object, ...]]


class _Trouble:
    """What keeps the projector from going on, each thing said once however often it is met; and that it is over."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def met(self, level: int, what: str, more: str = "") -> None:
        if what not in self._said:
            self._said.add(what)
            log.log(level, "%s%s", what, more)

    def over(self, position: int) -> None:
        if self._said:
            self._said.clear()
            log.warning("the projector goes on: all is projected up to position %d", position)


def follow(store: Store, url: str) -> None:
    """Project until the process is ended.

    A database that is away is waited for, and so are tables that `big2 migrate` has not made yet. An event that cannot
    be projected is a bug: what stands before it is projected, it is tried again and again, and nothing is left out.
    The log says once what is wrong, and `/readyz` as long as it lasts; neither says anything of the event.
    """
    trouble = _Trouble()
    while True:
        try:
            with psycopg.connect(url, **connect_options("big2-projector")) as listener:
                listener.execute(f"LISTEN {CHANNEL}")
                _follow(store, listener, trouble)
        except (Unavailable, psycopg.Error) as error:
            trouble.met(logging.WARNING, f"the projector waits: {one_line(error)}")
            time.sleep(AGAIN_SECONDS)


def _follow(store: Store, listener: Listening, trouble: _Trouble) -> None:
    projector = Projector(store)
    while True:
        begun = time.perf_counter()
        try:
            done = _step(projector)
        except Stalled as stalled:
            trouble.met(logging.CRITICAL, str(stalled), f"\n{told(stalled)}")
            keep(store.database, stalled)
            time.sleep(STALL_SECONDS)
        else:
            trouble.over(projector.position)
            if not done:
                _wait(listener)
                continue
            ms = round((time.perf_counter() - begun) * 1000, 1)
            note(log, logging.DEBUG, "batch", events=done, position=projector.position, ms=ms)


def _step(projector: Projector) -> int:
    """A batch; or where that fails its events one by one, up to the one that cannot be projected."""
    try:
        return projector.step()
    except Exception as error:  # noqa: BLE001 - what the matter is with which event, the next steps say
        done = 0
        while done < BATCH and projector.step_alone():
            done += 1
        log.warning("a batch failed, and its events one by one did not: %s", told(error))
        return done


def _wait(listener: Listening) -> None:
    for _ in listener.notifies(timeout=POLL_SECONDS, stop_after=1):
        return
