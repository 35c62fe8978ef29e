"""Running the service: which processes it has, what the first start makes, and one process alone."""

from __future__ import annotations

import errno
import gc
import logging
import os
import secrets
import socket
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Thread
from uuid import UUID

import click
import msgspec
import psycopg

from big2.book import book_of
from domain.credential import Role
from domain.ids import TournamentId
from services import bootstrap, logs
from services.application import credentials
from services.application.credentials import Grant
from services.audit import keys
from services.bootstrap import Settings
from services.commands import job
from services.embedded import EmbeddedError
from services.errors import StoreError, Unavailable
from services.logs import say
from services.postgres import alone, migrate
from services.projections import Projector, Stalled
from services.projections.rebuild import replace
from workers.supervisor import AlreadyRunning, Process, url_of
from workers.supervisor import serve as supervise

TOKEN_FILE = "admin-token"  # noqa: S105 - the name of a file
SAFE_IMPORTS = ("-P", "-m")
"""How Python starts one of our modules: never with a file of the working folder in the place of a module."""
PORT_SECONDS = 10.0
"""How long a port may still be held by what a killed supervisor left."""
IMPORTED = (
    "flask_smorest",
    "gunicorn.app.wsgiapp",
    "gunicorn.workers.gthread",
    "services.http.schemas",
    "workers.clock",
    "workers.delivering",
    "workers.jobs",
    "workers.projecting",
    "workers.queue",
)
"""What the service's processes need, imported once by the supervisor, whose forks they are: so what was killed is back
at once. What counts requests is not here: it must know its folder first (`services.http.gunicorn_conf`)."""
COMMON = "actionpoker"
"""The preset whose book of card sets is written before the first play asks for it: most play by it."""
_STALLED_REMEDY = (
    "Nothing was changed: start the release before this one again, which has projected it,"
    " and report what this line says; `big2 doctor` tells whether the event itself is damaged"
)
_FIRST_TOKEN = "first-admin-token"  # noqa: S105 - the name of a job

log = logging.getLogger(__name__)


def serve(*, host: str | None, port: int | None, data: Path | None) -> None:
    """Run everything until SIGTERM; the options go before the environment."""
    settings = bootstrap.settings(host=host, port=port, data=data)
    logs.begin("supervisor", settings.log, settings.log_level)
    workers = ["worker"] * settings.workers
    own = [_process(name) for name in ("web", *workers, "clock", "projector")]
    _wait_for_port(settings)
    for name in IMPORTED:
        import_module(name)
    book_of(bootstrap.presets()[COMMON])
    gc.freeze()  # what is there from the start is no garbage, now or later
    try:
        supervise(settings, own, [make_projections, make_first_token, make_first_key, _tell])
    except (AlreadyRunning, EmbeddedError, StoreError) as error:
        raise click.ClickException(str(error)) from error


def _wait_for_port(settings: Settings) -> None:
    """What is left of a supervisor that was killed may still hold the port for a moment; anybody else keeps it."""
    give_up = time.monotonic() + PORT_SECONDS
    while not _is_free(settings.host, settings.port):
        if time.monotonic() > give_up:
            raise click.ClickException(
                f"port {settings.port} of {settings.host} is in use: choose another (--port, PORT)"
            )
        time.sleep(0.1)


def _is_free(host: str, port: int) -> bool:
    try:
        socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return False
        raise click.ClickException(f"cannot listen on {host} port {port}: {error.strerror}") from error
    return True


def _tell(settings: Settings) -> None:
    token = settings.data / TOKEN_FILE
    say(
        f"serving on {url_of(settings.host, settings.port)}, API pages at /docs/; data in {settings.data}"
        + (f", admin token in {token}" if token.exists() else "")
    )


def migrate_all(data: Path | None = None) -> None:
    """The events' tables, then the projections'."""
    settings = bootstrap.with_urls(bootstrap.settings(data=data))
    applied = migrate(settings.database_url or "")
    make_projections(settings)
    click.echo(f"applied: {', '.join(applied)}" if applied else "nothing to do")


def missing(data: Path | None = None) -> list[str]:
    """What `migrate_all` would make, by name; nothing is changed. StoreError if the database is of a newer release."""
    settings = bootstrap.with_urls(bootstrap.settings(data=data))
    steps = migrate(settings.database_url or "", check=True)
    services = bootstrap.build(settings)
    try:
        return steps if Projector(services.store).fits() else [*steps, "projections"]
    except psycopg.errors.UndefinedTable:
        return [*steps, "projections"]
    finally:
        services.close()


def make_projections(settings: Settings) -> None:
    """Make the projections' tables if they are not there, and everything again if an older release made them.

    StoreError if that can't be: the older ones are as they were.
    """
    services = bootstrap.build(settings)
    try:
        with alone(settings.database_url or ""):
            projector = Projector(services.store)
            projector.create()
            if not projector.fits():
                say("this release has other projections: making them again from the log")
                replace(services.store)
    except Stalled as stalled:
        raise StoreError(f"{stalled}. {_STALLED_REMEDY}") from stalled
    finally:
        services.close()


def make_first_token(settings: Settings) -> None:
    """The first start's admin token: written to DATA/admin-token, printed once.

    The file comes first: a start that is cut off in between takes the token up from it.
    """
    services = bootstrap.build(settings)
    command = job(_FIRST_TOKEN)
    try:
        if credentials.exists(services.store, command):
            return
        path = settings.data / TOKEN_FILE
        secret = credentials.secret_in(_read(path)) or secrets.token_urlsafe(credentials.SECRET_BYTES)
        token = credentials.token_text(command, secret)
        _write_private(path, f"{token}\n")
        made = credentials.issue(services.store, command, lambda: Grant(Role.ADMIN), secret)
        if made.text is None:  # another machine's first start was faster: its token is the one
            path.unlink()
        elif logs.as_json():  # what is collected and kept is no place for it
            say(f"admin token, kept in {path}")
        else:
            say(f"admin token, shown this once and kept in {path}:\n{made.text}")
    finally:
        services.close()


def make_first_key(settings: Settings) -> None:
    """The first start's key for checkpoints, in DATA/audit-key, unless one is set; or says that it is missing."""
    services = bootstrap.build(settings)
    try:
        known = keys.published(services.store.database)
        found = keys.first(services.store.database, settings.audit_key, settings.data)
        if found is None:
            say(
                f"the key that signs checkpoints, {known[-1].verifier}, is missing: `big2 audit keys` says what to do"
            )
        elif not known:
            say(f"checkpoints are signed by {found.verifier}")
    finally:
        services.close()


def make_token(role: str, tournament: UUID | None, data: Path | None) -> str:
    """A new token, as text."""
    services = bootstrap.build(bootstrap.settings(data=data))
    name = f"token-{secrets.token_hex(16)}"
    limit = TournamentId(tournament) if tournament else None
    grant = Grant(Role(role), tournament_id=limit)
    try:
        made = credentials.issue(services.store, job(name), lambda: grant)
    finally:
        services.close()
    assert made.text is not None
    return made.text


def run_process(name: str) -> None:
    """Be one process of the service; StoreError if the database is of a newer release than this one."""
    settings = bootstrap.with_urls(bootstrap.settings())
    logs.begin(name, settings.log, settings.log_level)
    try:
        migrate(settings.database_url or "", check=True)
    except Unavailable as error:  # each process waits for its database by itself
        log.warning("%s", error)
    _RUN[name](settings)


def _web(settings: Settings) -> None:
    from gunicorn.app import wsgiapp  # type: ignore[import-untyped]  # noqa: PLC0415

    os.environ.update(bootstrap.variables(settings))
    os.chdir(Path(__file__).parents[1])  # gunicorn puts the working folder first on the path of imports
    sys.argv = ["gunicorn", "-c", "python:services.http.gunicorn_conf", "services.http.wsgi:app"]
    wsgiapp.run()


def _worker(settings: Settings) -> None:
    from workers.queue import work  # noqa: PLC0415 - each process imports what it runs

    work(settings.redis_url or "")


def _clock(settings: Settings) -> None:
    from workers.clock import Clock  # noqa: PLC0415
    from workers.queue import redis_client  # noqa: PLC0415

    signing = keys.signer(settings.audit_key, settings.data) is not None
    if not signing:
        log.warning(
            "there is no key to sign checkpoints with (BIG2_AUDIT_KEY, or %s in the data)", keys.KEY_FILE
        )
    _tell_webhooks(settings)
    Clock(bootstrap.build(settings), redis_client(settings.redis_url or ""), signing=signing).run()


def _tell_webhooks(settings: Settings) -> None:
    """Beside the clock, with connections of its own: nothing that it waits for holds the clock up."""
    from workers.delivering import POOL_SIZE, Deliverer  # noqa: PLC0415

    deliverer = Deliverer(bootstrap.build(msgspec.structs.replace(settings, pool_size=POOL_SIZE)))
    Thread(target=deliverer.run, args=(settings.database_url or "",), daemon=True).start()


def _projector(settings: Settings) -> None:
    from workers.projecting import follow  # noqa: PLC0415

    services = bootstrap.build(settings)
    follow(services.store, settings.database_url or "")


_RUN: dict[str, Callable[[Settings], None]] = {
    "web": _web,
    "worker": _worker,
    "clock": _clock,
    "projector": _projector,
}


def _process(name: str) -> Process:
    return Process(name, partial(_run, name))


def _run(name: str) -> None:
    """As `big2 run NAME` does."""
    from workers.cli import main  # noqa: PLC0415 - which imports this module

    main(["run", name])


def _read(path: Path) -> str:
    return path.read_text(encoding="ascii").strip() if path.exists() else ""


def _write_private(path: Path, text: str) -> None:
    """Write the whole file or nothing, readable by us alone."""
    unfinished = path.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.rename(path)
