"""Puts the service together. The one place that reads `config`."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import msgspec

import config
from big2.ring import RingStep
from big2.rulesets import RuleSet, ruleset_from_mapping
from config.settings import VARIABLES, Settings, SettingsError, read, variables
from domain.connection import Limits
from domain.stakes import Schedule
from domain.topics import TOPICS
from services.application.connections import Connections
from services.application.ring_stakes import Stakes
from services.application.rulesets import RuleSets
from services.embedded import Postgres, Valkey
from services.store import Store

__all__ = [
    "VARIABLES",
    "Services",
    "Settings",
    "SettingsError",
    "build",
    "presets",
    "settings",
    "stakes",
    "store_in",
    "variables",
    "with_urls",
]


class Services:
    """What one process works with. Make it after a fork."""

    def __init__(self, settings: Settings, store: Store, rulesets: RuleSets) -> None:
        self.settings = settings
        self.store = store
        self.rulesets = rulesets
        self.stakes = Stakes(store, stakes())
        self.connections = Connections(store.database, _limits(settings))
        self.webhook_hosts = settings.webhook_hosts

    def close(self) -> None:
        """Close the connections."""
        self.store.close()


def settings(environment: Mapping[str, str] = os.environ, **changes: object) -> Settings:
    """The settings of the environment, with those changes that are not None (a command's options)."""
    given = {name: value for name, value in changes.items() if value is not None}
    return msgspec.structs.replace(read(environment), **given)


def with_urls(settings: Settings) -> Settings:
    """These settings with both URLs: those of the embedded servers in the data directory where none is set."""
    return msgspec.structs.replace(
        settings,
        data=settings.data.absolute(),
        database_url=settings.database_url or Postgres(settings.data).url,
        redis_url=settings.redis_url or Valkey(settings.data).url,
    )


@cache
def presets() -> dict[str, RuleSet]:
    """The built-in rule sets by name: `config/rules/NAME.toml`."""
    found = (path for path in (files(config) / "rules").iterdir() if path.name.endswith(".toml"))
    mappings = {
        path.name.removesuffix(".toml"): tomllib.loads(path.read_text(encoding="utf-8")) for path in found
    }
    return {name: ruleset_from_mapping(mappings[name], {}) for name in sorted(mappings)}


@cache
def stakes() -> dict[str, Schedule]:
    """The built-in schedules of ring stakes by name, each the first version of it: `config/stakes/NAME.toml`."""
    found = (path for path in (files(config) / "stakes").iterdir() if path.name.endswith(".toml"))
    return {schedule.name: schedule for schedule in map(_schedule, found)}


def _schedule(path: Traversable) -> Schedule:
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    steps = tuple(RingStep(**step) for step in told["steps"])
    return Schedule(path.name.removesuffix(".toml"), 1, told["currency"], steps)


def build(settings: Settings) -> Services:
    """The services of one process."""
    store = _store(settings)
    return Services(settings, store, RuleSets(store, presets()))


def store_in(data: Path | None = None, environment: Mapping[str, str] = os.environ) -> Store:
    """The store of the environment, or of the service that runs in a data directory: for a command beside it."""
    return _store(settings(environment, data=data))


def _limits(settings: Settings) -> Limits:
    return Limits(
        settings.connection_fair_ms,
        settings.connection_poor_ms,
        settings.connection_poor_seconds,
        settings.connection_lost_seconds,
    )


def _store(settings: Settings) -> Store:
    url = settings.database_url or Postgres(settings.data).url
    return Store(url, TOPICS, pool_size=settings.pool_size)
