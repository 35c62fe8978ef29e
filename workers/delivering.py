"""Tells webhooks of events: a thread for each that has something to be told, in the clock's process.

Several clocks may run: whoever holds the lock delivers, and another takes it over once he is gone. What both have
delivered meanwhile has the same position.
"""

from __future__ import annotations

import logging
import time
from threading import Thread
from typing import TypeAlias
from uuid import UUID

import psycopg

from domain.webhook import WEBHOOK, Webhook, signature
from domain.webhooks import MOST_WEBHOOKS
from services import outgoing
from services.application import deliveries
from services.application.deliveries import Told, Waiting
from services.bootstrap import Services
from services.bugs import told
from services.database import connect_options, one_line
from services.errors import Unavailable
from services.logs import note
from services.outgoing import OutgoingError

LOOK_SECONDS = 1.0
"""How often it is looked for what is to be told."""
AGAIN_SECONDS = 5.0
"""How long to wait after the database was away, and between looks for the lock while another has it."""
MOST_AT_ONCE = MOST_WEBHOOKS
"""Webhooks that are told at the same time: all that there may be, so that none waits for another."""
POOL_SIZE = 2
"""Connections to the database, apart from the clock's own: so many threads never hold it up."""
_LOCK = 0x62327768  # "b2wh"

log = logging.getLogger(__name__)

_Connection: TypeAlias = psycopg.Connection[tuple[object, ...]]


class Deliverer:
    """`look` once tells every webhook that waits for something, beside each other; `run` for ever."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._leads = True
        self._telling: dict[UUID, Thread] = {}

    def run(self, url: str) -> None:
        """Look until the process is ended, as long as no other does; a database that is away is waited for."""
        while True:
            try:
                with psycopg.connect(url, **connect_options("big2-webhooks")) as lock:
                    while self._holds(lock):
                        self.look()
                        time.sleep(LOOK_SECONDS)
            except (Unavailable, psycopg.Error) as error:
                self._leads = False
                log.warning("webhooks wait: %s", one_line(error))
            except Exception as error:  # noqa: BLE001 - a bug, or no room for a thread: looked at again
                self._leads = False
                log.error("webhooks wait: %s", told(error))  # noqa: TRY400 - its message stays out
            time.sleep(AGAIN_SECONDS)

    def look(self) -> int:
        """Begin to tell those that wait and are not being told already; how many are being told now."""
        self._telling = {webhook: thread for webhook, thread in self._telling.items() if thread.is_alive()}
        for webhook in deliveries.waiting(self._services.store.database):
            if webhook.webhook_id not in self._telling and len(self._telling) < MOST_AT_ONCE:
                thread = Thread(target=self._tell, args=(webhook,), daemon=True)
                self._telling[webhook.webhook_id] = thread
                thread.start()
        return len(self._telling)

    def _holds(self, lock: _Connection) -> bool:
        """Whether this session has the lock; it may take it again and again, and asking shows whether it lives."""
        self._leads = lock.execute("SELECT pg_try_advisory_lock(%s)", (_LOCK,)).fetchone() == (True,)
        return self._leads

    def _tell(self, webhook: Waiting) -> None:
        try:
            self._tell_all(webhook)
        except Unavailable as error:
            log.warning("a webhook waits: %s", one_line(error))
        except Exception as error:  # noqa: BLE001 - a bug: the others go on, and the next look tries again
            log.error("a webhook could not be told: %s", told(error))  # noqa: TRY400 - its message stays out

    def _tell_all(self, webhook: Waiting) -> None:
        """Until nothing is left, or one event is not taken."""
        database, position = self._services.store.database, webhook.position
        while True:
            page = deliveries.following(database, webhook, position)
            for event in page.events:
                if not self._told(webhook, position, event):
                    return
                position = event.position
            if page.upto > position:
                position = page.upto
                deliveries.reached(database, webhook.webhook_id, position)
            if page.last:
                return

    def _told(self, waiting: Waiting, position: int, event: Told) -> bool:
        """Whether an event was taken; not by a webhook that is over by now."""
        if not self._leads:
            return False
        webhook = self._services.store.load(WEBHOOK, waiting.webhook_id).state
        if webhook is None or webhook.state != "active":
            return False
        begun = time.perf_counter()
        failure = _refused(webhook, event, self._services.webhook_hosts)
        if failure is None:
            deliveries.reached(self._services.store.database, waiting.webhook_id, event.position, delivered=1)
        else:
            deliveries.failed(self._services.store, waiting.webhook_id, position, failure)
        ms = round((time.perf_counter() - begun) * 1000, 1)
        level = logging.DEBUG if failure is None else logging.WARNING
        note(
            log,
            level,
            "webhook",
            webhook=str(webhook.webhook_id),
            position=event.position,
            failure=failure,
            ms=ms,
        )
        return failure is None


def _refused(webhook: Webhook, event: Told, own_hosts: frozenset[str]) -> str | None:
    """Send an event; why it was not taken."""
    body = event.data.encode()
    headers = {
        "Content-Type": "application/json",
        "Big2-Webhook-Id": str(webhook.webhook_id),
        "Big2-Delivery": str(event.position),
        "Big2-Signature": signature(webhook.secret, int(time.time()), body),
    }
    try:
        private = outgoing.target(webhook.url).host in own_hosts
        outgoing.send(webhook.url, body, headers, private=private)
    except OutgoingError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - a bug: it is tried again, after a pause that grows
        log.error("a delivery failed: %s", told(error))  # noqa: TRY400 - its message stays out
        return f"failed here ({type(error).__name__})"
    return None
