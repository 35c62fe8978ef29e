"""What an event is, and who may see each of its fields.

An event is a frozen value. Each field declares its audience by its type: `Public[int]`, `OwnSeat[...]`,
`AfterHand[...]`, `Books[...]`, `Operating[...]` or `Sealed[...]`. A field that declares none is shown to nobody.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec


class Audience(Enum):
    """Who may see a field of an event."""

    PUBLIC = "everybody, at once"
    OWN_SEAT = "a map from seat to value: each seat its own, at once; everybody once the hand is settled"
    AFTER_HAND = "nobody until the hand is settled, then everybody who may read its history"
    BOOKS = "the player whose wallet it is, and whoever may read all ledgers"
    OPERATING = "operators and admins, where it is theirs to set up"
    SEALED = "nobody, ever, through any route"


_T = TypeVar("_T")
Public = Annotated[_T, Audience.PUBLIC]
OwnSeat = Annotated[_T, Audience.OWN_SEAT]
AfterHand = Annotated[_T, Audience.AFTER_HAND]
Books = Annotated[_T, Audience.BOOKS]
Operating = Annotated[_T, Audience.OPERATING]
Sealed = Annotated[_T, Audience.SEALED]


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened: past tense, never changed once stored."""

    def __repr__(self) -> str:
        """Only what everybody may see: an event may get into a log by way of a traceback."""
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in public_fields(self).items())})"


class Guarded(msgspec.Struct, frozen=True):
    """A state that holds what not everybody may see: its repr tells nothing."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


@cache
def audiences(event_type: type[Event]) -> dict[str, Audience]:
    """The audience of each field of `event_type`; a field without one is sealed."""
    hints = get_type_hints(event_type, include_extras=True)
    return {name: _audience(hints[name]) for name in event_type.__struct_fields__}


def public_fields(event: Event) -> dict[str, Any]:
    """What everybody may see of an event at once, as JSON-ready values."""
    seen = audiences(type(event))
    return {
        name: msgspec.to_builtins(getattr(event, name), str_keys=True)
        for name, audience in seen.items()
        if audience is Audience.PUBLIC
    }


def seat_fields(event: Event) -> dict[str, dict[str, Any]]:
    """What each seat alone may see of an event at once: field to seat (as text) to value."""
    seen = audiences(type(event))
    return {
        name: msgspec.to_builtins(getattr(event, name), str_keys=True)
        for name, audience in seen.items()
        if audience is Audience.OWN_SEAT
    }


def _audience(hint: object) -> Audience:
    if get_origin(hint) is Annotated:
        for mark in get_args(hint)[1:]:
            if isinstance(mark, Audience):
                return mark
    return Audience.SEALED
