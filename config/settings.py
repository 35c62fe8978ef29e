"""What can be set from outside, all of it, by environment variables. Only `services.bootstrap` reads it.

Secrets may stand in files instead: `DATABASE_URL_FILE=/run/secrets/url` for `DATABASE_URL`. Nothing secret is ever an
argument of a command.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec


class SettingsError(Exception):
    """An environment variable can't be used; the message names it."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """One installation's settings. Without URLs the service brings its own servers, in the data directory."""

    database_url: str | None = None
    """DATABASE_URL: a PostgreSQL of yours, `postgresql://…`."""
    redis_url: str | None = None
    """REDIS_URL: a Redis or Valkey of yours, `redis://…`, `rediss://…` or `unix://…`."""
    data: Path = Path("data")
    """BIG2_DATA: the data directory."""
    host: str = "127.0.0.1"
    """BIG2_HOST: the address to listen on."""
    port: int = 8000
    """PORT: the port to listen on."""
    web_processes: int = 2
    """BIG2_WEB_PROCESSES: web processes; each has the threads and the connections below."""
    web_threads: int = 1024
    """BIG2_WEB_THREADS: threads of one web process; it holds as many feeds as three quarters of them at most."""
    workers: int = 2
    """BIG2_WORKERS: RQ workers that `big2 serve` runs."""
    pool_size: int = 8
    """BIG2_POOL_SIZE: connections of one process to PostgreSQL, apart from four for locks; a rebuild needs three."""
    requests_per_second: int = 1000
    """BIG2_REQUESTS_PER_SECOND: requests of one credential or address to one web process, before 429."""
    failures_per_minute: int = 20
    """BIG2_FAILURES_PER_MINUTE: failed authentications of one address, before 429."""
    feed_seconds: int = 20
    """BIG2_FEED_SECONDS: a feed's reader that takes nothing for so long is cut."""
    log: str = "text"
    """BIG2_LOG: `json`, one object a line, or `text`, for a terminal."""
    log_level: str | None = None
    """BIG2_LOG_LEVEL: `debug`, `info`, `warning` or `error`. By default `info` for json, `warning` for text."""
    metrics_token: str | None = None
    """BIG2_METRICS_TOKEN: a token that reads `/metrics` and nothing else, also while the database is away."""
    audit_key: str | None = None
    """BIG2_AUDIT_KEY: the key that signs checkpoints, `PRIVATE+KEY+…`; by default the first start makes one."""
    connection_fair_ms: int = 250
    """BIG2_CONNECTION_FAIR_MS: the round trip from which a player's connection is fair (R11.3)."""
    connection_poor_ms: int = 1000
    """BIG2_CONNECTION_POOR_MS: the round trip from which it is poor; more than the one before."""
    connection_poor_seconds: int = 5
    """BIG2_CONNECTION_POOR_SECONDS: how old a heartbeat is when the connection becomes poor."""
    connection_lost_seconds: int = 15
    """BIG2_CONNECTION_LOST_SECONDS: beyond which age a player is not connected; more than the one before."""
    access_log_days: int = 0
    """BIG2_ACCESS_LOG_DAYS: how long it is kept who read which hand's cards; 0 keeps it for good."""
    connection_days: int = 90
    """BIG2_CONNECTION_DAYS: how long it is kept how players were connected; a hand may be protested for 30 at most."""
    webhook_hosts: frozenset[str] = frozenset()
    """BIG2_WEBHOOK_HOSTS: hosts of a network of your own that webhooks may lead to, `hooks.lan,10.0.0.7`."""


_VARIABLES = {
    "database_url": "DATABASE_URL",
    "redis_url": "REDIS_URL",
    "data": "BIG2_DATA",
    "host": "BIG2_HOST",
    "port": "PORT",
    "web_processes": "BIG2_WEB_PROCESSES",
    "web_threads": "BIG2_WEB_THREADS",
    "workers": "BIG2_WORKERS",
    "pool_size": "BIG2_POOL_SIZE",
    "requests_per_second": "BIG2_REQUESTS_PER_SECOND",
    "failures_per_minute": "BIG2_FAILURES_PER_MINUTE",
    "feed_seconds": "BIG2_FEED_SECONDS",
    "log": "BIG2_LOG",
    "log_level": "BIG2_LOG_LEVEL",
    "metrics_token": "BIG2_METRICS_TOKEN",
    "audit_key": "BIG2_AUDIT_KEY",
    "connection_fair_ms": "BIG2_CONNECTION_FAIR_MS",
    "connection_poor_ms": "BIG2_CONNECTION_POOR_MS",
    "connection_poor_seconds": "BIG2_CONNECTION_POOR_SECONDS",
    "connection_lost_seconds": "BIG2_CONNECTION_LOST_SECONDS",
    "access_log_days": "BIG2_ACCESS_LOG_DAYS",
    "connection_days": "BIG2_CONNECTION_DAYS",
    "webhook_hosts": "BIG2_WEBHOOK_HOSTS",
}
_SECRETS = ("database_url", "redis_url", "metrics_token", "audit_key")
_FILES = {field: f"{_VARIABLES[field]}_FILE" for field in _SECRETS}
VARIABLES = frozenset((*_VARIABLES.values(), *_FILES.values()))
"""The names of all of them."""
_RANGES = {
    "port": (1, 65535),
    "web_processes": (1, 64),
    "web_threads": (4, 4096),
    "workers": (1, 64),
    "pool_size": (4, 64),
    "requests_per_second": (1, 1_000_000),
    "failures_per_minute": (1, 1_000_000),
    "feed_seconds": (1, 3600),
    "connection_fair_ms": (1, 600_000),
    "connection_poor_ms": (1, 600_000),
    "connection_poor_seconds": (1, 3600),
    "connection_lost_seconds": (1, 3600),
    "access_log_days": (0, 36_500),
    "connection_days": (1, 36_500),
}
_RISING = (
    ("connection_fair_ms", "connection_poor_ms"),
    ("connection_poor_seconds", "connection_lost_seconds"),
)
"""Settings of which the second must be greater than the first."""
_CHOICES = {"log": ("json", "text"), "log_level": ("debug", "info", "warning", "error")}
_SCHEMES = {
    "database_url": ("postgresql://", "postgres://"),
    "redis_url": ("redis://", "rediss://", "unix://"),
}
_METRICS_TOKEN = re.compile(r"[!-~]{16,255}", re.ASCII)
_HOST = re.compile(r"[a-z0-9_.:-]{1,253}", re.ASCII)
_AUDIT_KEY = re.compile(r"PRIVATE\+KEY\+[!-~]{40,255}", re.ASCII)


def read(environment: Mapping[str, str]) -> Settings:
    """The settings of an environment; an empty variable counts as none. SettingsError names what is wrong."""
    given = {field: environment.get(variable, "") for field, variable in _VARIABLES.items()}
    for field in _SECRETS:
        given[field] = _secret(field, given[field], environment.get(_FILES[field], ""))
    settings = Settings(**{field: _value(field, text) for field, text in given.items() if text})  # type: ignore[arg-type]
    wrong = [
        f"{_VARIABLES[upper]} must be greater than {_VARIABLES[lower]}"
        for lower, upper in _RISING
        if getattr(settings, lower) >= getattr(settings, upper)
    ]
    if wrong:
        raise SettingsError("; ".join(wrong))
    return settings


def variables(settings: Settings) -> dict[str, str]:
    """The environment that reads as these settings, for a child process; it needs no files any more."""
    values = {variable: getattr(settings, field) for field, variable in _VARIABLES.items()}
    given = {variable: _text(value) for variable, value in values.items() if value is not None}
    return given | dict.fromkeys(_FILES.values(), "")


def _text(value: object) -> str:
    return ",".join(sorted(value)) if isinstance(value, frozenset) else str(value)


def _secret(field: str, text: str, file: str) -> str:
    """A secret from its variable, or from the file that the other variable names."""
    if not file:
        return text
    if text:
        raise SettingsError(f"{_VARIABLES[field]} and {_FILES[field]} are both set: leave one out")
    try:
        found = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise SettingsError(f"{_FILES[field]}: cannot read {file}: {reason}") from error
    if not found:
        raise SettingsError(f"{_FILES[field]}: {file} is empty")
    return found


def _value(field: str, text: str) -> object:
    if field in _RANGES:
        return _number(_VARIABLES[field], text, *_RANGES[field])
    if field == "webhook_hosts":
        return _hosts(_VARIABLES[field], text)
    if field in _SCHEMES and not text.startswith(_SCHEMES[field]):
        raise SettingsError(f"{_VARIABLES[field]} must begin with {' or '.join(_SCHEMES[field])}")
    if field in _CHOICES and text not in _CHOICES[field]:
        raise SettingsError(f"{_VARIABLES[field]} must be {' or '.join(_CHOICES[field])}, not {text!r}")
    if field == "metrics_token" and not _METRICS_TOKEN.fullmatch(text):
        raise SettingsError(f"{_VARIABLES[field]} must be 16 to 255 visible ASCII characters")
    if field == "audit_key" and not _AUDIT_KEY.fullmatch(text):
        raise SettingsError(
            f"{_VARIABLES[field]} must be a signing key of a C2SP note, PRIVATE+KEY+NAME+ID+KEY"
        )
    return Path(text) if field == "data" else text


def _hosts(variable: str, text: str) -> frozenset[str]:
    """Hosts as a URL has them, but an address of IPv6 without its brackets."""
    hosts = [host.strip().lower() for host in text.split(",")]
    if not all(_HOST.fullmatch(host) for host in hosts):
        raise SettingsError(f"{variable} must be hosts with commas between them, such as hooks.lan,10.0.0.7")
    return frozenset(hosts)


def _number(variable: str, text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        raise SettingsError(f"{variable} must be a whole number from {least} to {most}, not {text!r}")
    return int(text)
