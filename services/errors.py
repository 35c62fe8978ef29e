"""Why the outside could not serve a command. Refusals of the domain are in `domain.errors`.

StoreError
├── Unavailable            the database did not answer, or a lock was not free in time: try again
├── Conflict               somebody else appended to the stream first: load and decide again
├── UnknownTopic           a stored or new event is not in the registry of topics: a bug or an old release
├── projections.Stalled    an event cannot be projected: a bug, or damage
└── BrokenChain            a stored event does not follow from its predecessor: tampering or damage
    └── WrongSettlement    a recorded hand's settlement does not follow from what was recorded
domain.errors.Refused
└── IdempotencyKeyReuse    the same command id came with another body: 422
"""

from __future__ import annotations

from domain.errors import Refused


class StoreError(Exception):
    """The event store could not do what was asked."""


class Unavailable(StoreError):  # noqa: N818 - what the caller is told
    """The database was not reachable, or a lock not free, in time; the command itself may be right.

    After an append it is unknown whether it happened: the command id in the stream tells.
    """


class Conflict(StoreError):  # noqa: N818
    """An expected version is no longer the stream's last: nothing of the append was stored."""


class UnknownTopic(StoreError):  # noqa: N818
    """An event's topic, or a new event's type, is not registered."""


class BrokenChain(StoreError):  # noqa: N818
    """A stored event's `prev` is not the link of its predecessor, or a version is missing."""


class WrongSettlement(BrokenChain):
    """A recorded hand's settlement is not what the rules make of what was recorded."""


class IdempotencyKeyReuse(Refused):
    """A command id that is already recorded came back with another digest."""

    def __init__(self) -> None:
        super().__init__(
            "idempotency-key-reuse", "this Idempotency-Key was used with another body: send a new key"
        )
