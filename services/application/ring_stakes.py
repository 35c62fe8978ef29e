"""Schedules of ring stakes: what comes with the service, and what operators publish, version by version (R10.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from big2.ring import RingStep, schedule_problems
from domain.errors import Refused
from domain.events import Event
from domain.ids import stakes_id
from domain.stakes import (
    STAKES,
    PublishedStakes,
    Schedule,
    StakesPublished,
    publish,
    schedule_of,
    stakes_digest,
)
from services.application import resources as shapes
from services.application.errors import NotFound
from services.commands import Decision, Outcome, execute, on
from services.envelope import Command, Recorded, Stream
from services.store import Store


class Wanted(NamedTuple):
    """A schedule to be published. What could not be read is null, a step too, and `unread` says what is wrong there."""

    name: str | None
    currency: str | None
    steps: tuple[RingStep | None, ...]
    unread: Mapping[str, str] = MappingProxyType({})


class _Version(NamedTuple):
    """A version of a schedule, and the event that published it; null for what comes with the service."""

    schedule: Schedule
    published: Recorded | None = None


class Stakes:
    """Every schedule that a ring table can be opened with. What comes with the service is version 1 of its name."""

    def __init__(self, store: Store, built_in: Mapping[str, Schedule]) -> None:
        self.built_in = built_in
        self._store = store

    def resolve(self, reference: str) -> Schedule:
        """The schedule of a `name@version`, or the newest of a name; NotFound if there is none."""
        return self._found(reference).schedule

    def read(self, reference: str) -> shapes.Stakes:
        """A schedule as it is read."""
        schedule, published = self._found(reference)
        return published_stakes(published) if published else built_in_stakes(schedule)

    def publish(self, command: Command, wanted: Wanted) -> Outcome[PublishedStakes]:
        """Publish the next version of a name."""

        def decide(stream: Stream[PublishedStakes], _now: object) -> Decision:
            return Decision([on(stream, *self._next(stream.state, wanted))])

        named = stakes_id(wanted.name or "")
        with self._store.lock(named):
            return execute(self._store, command, (STAKES, named), decide)

    def publication(self, wanted: Wanted) -> list[Event]:
        """The events that `publish` would store."""
        return self._next(self._store.load(STAKES, stakes_id(wanted.name or "")).state, wanted)

    def _next(self, published: PublishedStakes | None, wanted: Wanted) -> list[Event]:
        name, currency = wanted.name, wanted.currency
        read = {place: step for place, step in enumerate(wanted.steps) if step}
        errors = dict(_problems(read)) | dict(wanted.unread)
        if errors or name is None or currency is None:
            raise Refused("validation", "No ring table could be played like this.", errors)
        return publish(published, name, currency, tuple(read.values()), int(name in self.built_in))

    def _found(self, reference: str) -> _Version:
        name, at, version = reference.partition("@")
        found = [v for v in self._versions(name) if not at or str(v.schedule.version) == version]
        if not found:
            raise NotFound("schedule of stakes")
        return found[-1]

    def _versions(self, name: str) -> list[_Version]:
        first = [_Version(self.built_in[name])] if name in self.built_in else []
        recorded = self._store.load(STAKES, stakes_id(name)).recorded
        return first + [_Version(schedule_of(_published(r)), r) for r in recorded]


def _problems(steps: Mapping[int, RingStep]) -> Iterator[tuple[str, str]]:
    """What is wrong with steps, each at its place in the body."""
    places = list(steps)
    for at, reason in schedule_problems(list(steps.values())):
        _, place, member = at.split("/")
        yield f"/steps/{places[int(place)]}/{member}", reason


def built_in_stakes(schedule: Schedule) -> shapes.Stakes:
    """A schedule that comes with the service, as it is read."""
    return shapes.Stakes(
        name=schedule.name,
        version=schedule.version,
        reference=schedule.reference,
        currency=schedule.currency,
        steps=list(schedule.steps),
        digest=stakes_digest(schedule.currency, schedule.steps),
        published_at=None,
    )


def published_stakes(r: Recorded) -> shapes.Stakes:
    """A published version as it is read."""
    event = _published(r)
    return shapes.Stakes(
        name=event.name,
        version=event.version,
        reference=schedule_of(event).reference,
        currency=event.currency,
        steps=list(event.steps),
        digest=event.digest,
        published_at=r.at,
        as_of=r.position,
    )


def _published(r: Recorded) -> StakesPublished:
    assert isinstance(r.event, StakesPublished)
    return r.event
