"""What must hold of every database, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

INVARIANTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "I1": "the events of one command stand in one transaction, and no command took effect twice",
        "I2": "played and held cards are the dealt ones, each once, 13 a seat",
        "I3": "nets, chips and money sum up: each hand, each tournament, each book",
        "I4": "every projection equals its rebuild from zero",
        "I5": "every stream's chain verifies, and the log begins with what was signed last",
        "I6": "replaying through the rules accepts every event",
        "I7": "each hand that was begun is settled, and none is idle",
        "I9": "an action of the clock names the turn it was set for",
        "I11": "versions run from 1 without a hole, and no position is missing within an append",
    }
)
"""What a database alone can show; I8 and I10 take a client's log of acknowledged commands as well."""
