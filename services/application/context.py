"""What the application services work with. `services.bootstrap` makes it; tests make their own."""

from __future__ import annotations

from typing import Protocol

from services.application.connections import Connections
from services.application.ring_stakes import Stakes
from services.application.rulesets import RuleSets
from services.store import Store


class Services(Protocol):
    """The store of one process, the players' connections, the rule sets and stakes known to it, and the hosts of its
    own network that webhooks may lead to."""

    @property
    def store(self) -> Store: ...

    @property
    def connections(self) -> Connections: ...

    @property
    def rulesets(self) -> RuleSets: ...

    @property
    def stakes(self) -> Stakes: ...

    @property
    def webhook_hosts(self) -> frozenset[str]: ...
