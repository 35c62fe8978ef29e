"""What an application service says no to, beside what `domain.errors` has.

domain.errors.Rejected
└── NotFound               what the request names does not exist: 404
"""

from __future__ import annotations

from typing import TypeVar

from domain.errors import Rejected
from services.envelope import Stream

S = TypeVar("S")


class NotFound(Rejected):
    """404: nothing of that kind has this id or name; `detail` says more of how to find it."""

    def __init__(self, what: str, detail: str | None = None) -> None:
        super().__init__("not-found", detail or f"There is no such {what}.")


def existing(stream: Stream[S], what: str) -> S:
    """The state of a stream that must exist."""
    if stream.state is None:
        raise NotFound(what)
    return stream.state
