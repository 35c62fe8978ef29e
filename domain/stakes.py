"""A schedule of ring stakes: a name, and versions that never change once published (R10.3)."""

from __future__ import annotations

import hashlib

import msgspec

from big2.ring import RingStep
from domain.aggregate import Aggregate
from domain.events import Event, Public


class StakesPublished(Event, frozen=True, kw_only=True):
    """Version `version` of a schedule: what a table costs by its unit, in minor units of `currency`."""

    name: Public[str]
    version: Public[int]
    currency: Public[str]
    steps: Public[tuple[RingStep, ...]]
    digest: Public[str]


class PublishedStakes(msgspec.Struct, frozen=True):
    name: str
    versions: tuple[StakesPublished, ...]


class Schedule(msgspec.Struct, frozen=True):
    """A version of a schedule, built in or published. `reference` is what a table is opened with."""

    name: str
    version: int
    currency: str
    steps: tuple[RingStep, ...]

    @property
    def reference(self) -> str:
        return f"{self.name}@{self.version}"


def evolve(published: PublishedStakes | None, event: Event) -> PublishedStakes:
    match event:
        case StakesPublished():
            earlier = published.versions if published else ()
            return PublishedStakes(event.name, (*earlier, event))
    raise AssertionError(f"{type(event).__name__} is no event of a schedule of stakes")


STAKES = Aggregate("stakes", evolve)


def publish(
    published: PublishedStakes | None,
    name: str,
    currency: str,
    steps: tuple[RingStep, ...],
    built_in: int = 0,
) -> list[Event]:
    """The next version of `name`, after the `built_in` ones; `steps` are validated, and kept by rising unit."""
    version = 1 + built_in + (len(published.versions) if published else 0)
    ordered = tuple(sorted(steps, key=lambda step: step.unit))
    digest = stakes_digest(currency, ordered)
    return [StakesPublished(name=name, version=version, currency=currency, steps=ordered, digest=digest)]


def stakes_digest(currency: str, steps: tuple[RingStep, ...]) -> str:
    """SHA-256 of the currency and the steps as canonical JSON (RFC 8785), in hexadecimal."""
    told = {"currency": currency, "steps": steps}
    return hashlib.sha256(msgspec.json.encode(told, order="sorted")).hexdigest()


def schedule_of(event: StakesPublished) -> Schedule:
    """A published version as a value."""
    return Schedule(event.name, event.version, event.currency, event.steps)
