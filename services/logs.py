"""How every process logs: one line for each event, to standard error, with the same members everywhere.

    {"time": "2026-01-02T03:04:05.678Z", "level": "info", "process": "web", "pid": 7, "logger": "services.http.app",
     "event": "request", "method": "POST", "route": "/v1/hands/<uuid:hand_id>/plays", "status": 201, "ms": 3.1, …}

A line never holds a body, a query, a header or a name. Of an error it has types and places (`services.bugs`); what
looks like a token or a password in a URL is struck out, whoever logs it.
"""

from __future__ import annotations

import contextlib
import logging
import re
import sys
from datetime import UTC, datetime
from typing import Any

import msgspec

from services.bugs import told

TEXT_LEVEL, JSON_LEVEL = "warning", "info"
"""What is told if nothing is said: a terminal hears what is out of order, a collector each request and job."""
MOST_CHARACTERS = 4_000
"""A longer event is cut."""
_FIELDS = "fields"
_SAID = logging.getLogger("big2")
_SECRETS = (
    ("b2_", re.compile(r"(b2_[0-9a-f-]{36}_)[\w-]+"), r"\1…"),
    ("://", re.compile(r"(://[^\s/:@]*:)[^\s@]+@"), r"\1…@"),
    ("password=", re.compile(r"(password=)('[^']*'|\S+)"), r"\1…"),
)
"""What is looked for only where this stands, how, and what stands there instead."""


def begin(process: str, form: str, level: str | None = None) -> None:
    """Log as the process of that name from now on, as `json` or `text`; replaces what was set up before."""
    handler = _Handler(sys.stderr)
    handler.setFormatter(Json(process) if form == "json" else Text(process))
    root = logging.getLogger()
    for before in root.handlers[:]:
        root.removeHandler(before)
    root.addHandler(handler)
    root.setLevel((level or (JSON_LEVEL if form == "json" else TEXT_LEVEL)).upper())


def note(log: logging.Logger, level: int, event: str, **fields: object) -> None:
    """Log an event with its members; those that are None are left out."""
    if log.isEnabledFor(level):
        given = {name: value for name, value in fields.items() if value is not None}
        log.log(level, "%s", event, extra={_FIELDS: given})


def as_json() -> bool:
    """Whether this process logs as JSON."""
    return any(isinstance(handler.formatter, Json) for handler in logging.getLogger().handlers)


def say(line: str) -> None:
    """Tell whoever runs the command: a sentence on standard output, or an event where logs are JSON."""
    if as_json():
        note(_SAID, logging.INFO, line)
        return
    with contextlib.suppress(OSError):  # nobody listens any more
        sys.stdout.write(f"big2: {line}\n")
        sys.stdout.flush()


class _Handler(logging.StreamHandler):  # type: ignore[type-arg]  # generic in the stubs alone
    """A log that can't be written, for want of room or of a reader, stops nobody."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """Let it go."""


class Json(logging.Formatter):
    """One JSON object a line."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process
        self._encode = msgspec.json.Encoder(enc_hook=str).encode

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line = {
            "time": _time(record).replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "process": self._process,
            "pid": record.process,
            "logger": record.name,
            "event": _event(record),
            **_fields(record),
        }
        return without_secrets(self._encode(line).decode())


class Text(logging.Formatter):
    """The same for people: `time process level event member=value …`."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        """The line; of an error several."""
        given = _fields(record)
        error = given.pop("error", None)
        members = "".join(f" {name}={value}" for name, value in given.items())
        head = f"{_time(record)[:-6]} {self._process} {record.levelname} {_event(record)}{members}"
        return without_secrets(f"{head}\n{error}" if error else head)


def without_secrets(text: str) -> str:
    """A text in which tokens, and passwords of URLs, are struck out."""
    for sign, pattern, instead in _SECRETS:
        if sign in text:
            text = pattern.sub(instead, text)
    return text


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


def _event(record: logging.LogRecord) -> str:
    return record.getMessage()[:MOST_CHARACTERS]


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    given: dict[str, Any] = dict(getattr(record, _FIELDS, {}))
    if record.exc_info and record.exc_info[1] is not None:
        given["error"] = told(record.exc_info[1])
    return given
