"""What gunicorn loads, in each worker after the fork: `services.http.wsgi:app`."""

from __future__ import annotations

from services import bootstrap
from services.http.app import create_app

app = create_app(bootstrap.build(bootstrap.with_urls(bootstrap.settings())))
