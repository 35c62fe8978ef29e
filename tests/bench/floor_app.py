"""What gunicorn serves for the bench of the API: the product, and beside it a Flask application with two routes.

Same processes, same threads, same sockets: only the path tells them apart. One route does nothing; the other does in
PostgreSQL what no play can do without, as one writes it with psycopg and its pool.
"""

import os
from uuid import UUID

from flask import Flask, Response
from psycopg_pool import ConnectionPool
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from services.http.wsgi import app as product

PATH = "/floor"
STATE = b"s" * 420
"""As long as a play's envelope."""
_SELECT = (
    "SELECT originator_version, topic, state, notification_id FROM bare WHERE originator_id = %s ORDER BY 1"
)
_INSERT = "INSERT INTO bare (originator_id, originator_version, topic, state) VALUES (%s, %s, %s, %s)"

_floor = Flask("floor", static_folder=None)
_pool = ConnectionPool(os.environ["DATABASE_URL"], min_size=1, max_size=8, open=True)


@_floor.post("/empty")
def empty() -> Response:
    """Do nothing."""
    return Response(status=201)


@_floor.post("/bare/<uuid:stream>")
def bare(stream: UUID) -> Response:
    """SELECT, INSERT, COMMIT."""
    with _pool.connection() as conn:
        rows = conn.execute(_SELECT, (stream,)).fetchall()
        conn.execute(_INSERT, (stream, len(rows) + 1, "hand.played.1", STATE))
    return Response(status=201)


_both = DispatcherMiddleware(product, {PATH: _floor})
extensions = product.extensions
"""gunicorn's worker asks the application for its parts."""


def app(environ, start_response):
    """One WSGI application of both."""
    return _both(environ, start_response)
