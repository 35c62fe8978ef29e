"""How gunicorn serves the API: `gunicorn -c python:services.http.gunicorn_conf services.http.wsgi:app`."""

from __future__ import annotations

import os
from typing import Any

from services import bootstrap
from services.processes import die_with_parent

_SETTINGS = bootstrap.settings()

bind = f"{_SETTINGS.host}:{_SETTINGS.port}"
workers = _SETTINGS.web_processes
threads = _SETTINGS.web_threads
worker_class = "services.http.worker.Worker"
worker_connections = threads + 1_000
preload_app = False
timeout = 30
graceful_timeout = 2
keepalive = 75
limit_request_line = 4094
limit_request_fields = 64
limit_request_field_size = 8190
accesslog = None
errorlog = "-"
loglevel = "warning"
control_socket_disable = True


def post_fork(_server: Any, _worker: Any) -> None:  # noqa: ANN401 - gunicorn's own types
    """A worker ends with its master, however that ends."""
    die_with_parent(parent=os.getppid())
