"""Dry runs: what would be stored, as everybody could see it."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Response

from domain.events import Event, public_fields
from domain.topics import TOPICS
from services.application import resources as shapes
from services.http.answers import written

_TYPES = {event: topic.rpartition(".")[0] for topic, event in TOPICS.items()}


def would_be(events: Sequence[Event]) -> Response:
    """The public fields of events that were not stored."""
    shown = [{"type": _TYPES[type(event)], **public_fields(event)} for event in events]
    return written(200, shapes.WouldBe(events=shown))
