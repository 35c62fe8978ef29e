"""The application of the HTTP tests, for what is asked of all of it."""

from tests.services.http.conftest import (
    admin,
    anybody,
    app,
    auditor,
    beside,
    director_,
    operator,
    services,
)

__all__ = ["admin", "anybody", "app", "auditor", "beside", "director_", "operator", "services"]
