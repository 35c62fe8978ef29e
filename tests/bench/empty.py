"""What gunicorn serves for the bench of the API: the product, and beside it an empty Flask application.

Same processes, same threads, same sockets: only the path tells them apart.
"""

from flask import Flask, Response
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from services.http.wsgi import app as product

PATH = "/empty"

_empty = Flask("empty", static_folder=None)


@_empty.post("/")
def nothing() -> Response:
    """Do nothing."""
    return Response(status=201)


_both = DispatcherMiddleware(product, {PATH: _empty})
extensions = product.extensions
"""gunicorn's worker asks the application for its parts."""


def app(environ, start_response):
    """One WSGI application of both."""
    return _both(environ, start_response)
