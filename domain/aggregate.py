"""How an aggregate is folded: `evolve(state, event) -> state` assigns and never judges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from domain.events import Event

S = TypeVar("S")


class Aggregate(msgspec.Struct, Generic[S], frozen=True):
    """One kind of stream: its name, and the fold of its events.

    `evolve(None, first_event)` makes the first state. A state may hold dictionaries that `evolve` updates in
    place: the fold is their only owner until it hands the state out. `values` says that no state of this kind is ever
    updated in place: so one may be kept, and folded on later.
    """

    name: str
    evolve: Callable[[S | None, Event], S]
    values: bool = False
