"""How gunicorn serves the API: `gunicorn -c python:services.http.gunicorn_conf services.http.wsgi:app`."""

from __future__ import annotations

import gc
import os
import shutil
from importlib import import_module
from typing import Any

from services import bootstrap, logs
from services.folders import empty_memory_folder
from services.processes import die_with_parent

_SETTINGS = bootstrap.settings()
_COUNTS = "PROMETHEUS_MULTIPROC_DIR"
os.environ[_COUNTS] = str(empty_memory_folder(f"counts-{_SETTINGS.port}"))
logs.begin("web", _SETTINGS.log, _SETTINGS.log_level)

bind = f"{_SETTINGS.host}:{_SETTINGS.port}"
workers = _SETTINGS.web_processes
threads = _SETTINGS.web_threads
worker_class = "services.http.worker.Worker"
logger_class = "services.http.worker.Log"
worker_connections = threads + 1_000
preload_app = False
timeout = 30
graceful_timeout = 2
keepalive = 75
limit_request_line = 4094
limit_request_fields = 64
limit_request_field_size = 8190
accesslog = None
control_socket_disable = True


def on_starting(_server: Any) -> None:  # noqa: ANN401 - gunicorn's own types
    """Import what each worker needs, once for all: a fork is a hundred times as quick."""
    import_module("services.http.app")
    gc.freeze()  # what is there from the start is no garbage, now or later


def post_fork(_server: Any, _worker: Any) -> None:  # noqa: ANN401
    """A worker ends with its master, however that ends."""
    die_with_parent(parent=os.getppid())


def child_exit(_server: Any, worker: Any) -> None:  # noqa: ANN401
    """The feeds that a dead worker held are open no more."""
    from prometheus_client.multiprocess import mark_process_dead  # noqa: PLC0415 - not before the folder is named

    mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def on_exit(_server: Any) -> None:  # noqa: ANN401
    """Leave no counts behind."""
    shutil.rmtree(os.environ[_COUNTS], ignore_errors=True)
