"""What the application services work with. `services.bootstrap` makes it; tests make their own."""

from __future__ import annotations

from typing import Protocol

from services.application.rulesets import RuleSets
from services.store import Store


class Services(Protocol):
    """The store of one process, and the rule sets known to it."""

    @property
    def store(self) -> Store: ...

    @property
    def rulesets(self) -> RuleSets: ...
