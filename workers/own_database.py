"""The database that a command works on: yours, that of the service that runs, or the data directory's, for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from services.bootstrap import Settings
from services.embedded import Postgres, start
from services.errors import StoreError
from workers.supervisor import address_on, alone_on

STOP_SECONDS = 30.0


class NoDatabaseError(StoreError):
    """There is no database to work on; the message says where it was looked for."""


@contextmanager
def database_of(settings: Settings, *, new: bool = False) -> Iterator[str]:
    """Its URL, for a block. From the main thread only.

    With `new` a data directory without one gets one. Raises NoDatabaseError, AlreadyRunning or EmbeddedError.
    """
    if settings.database_url:
        yield settings.database_url
        return
    server = Postgres(settings.data)
    if address_on(server.data) is not None:
        yield server.url
        return
    if not new and not server.cluster.exists():
        raise NoDatabaseError(
            f"there is no database in {server.data}: choose another --data, or set DATABASE_URL"
        )
    with alone_on(settings, [server]):
        child = start(server)
        try:
            yield server.url
        finally:
            child.send_signal(server.stop_signal)
            child.wait(STOP_SECONDS)
