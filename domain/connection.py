"""How well a player is connected, from his last heartbeat: its round-trip time and its age (R11.3).

A state is never stored: it follows from the heartbeat and the time of the look. So nobody need watch for the moment at
which a player falls silent, and whoever looks later knows that moment all the same.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal, NamedTuple

Advice = Literal["finish the hand and reconnect"]


class Connection(StrEnum):
    """The four states of R11.3, from the best."""

    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"
    NOT_CONNECTED = "not_connected"


class Heartbeat(NamedTuple):
    """A sign of life: the round-trip time that the player's client measured, and when it came."""

    rtt_ms: int
    at: datetime


class Limits(NamedTuple):
    """Where the states begin (R11.3): a round trip of so many milliseconds, a silence of so many seconds.

    A heartbeat is `fair` from `fair_ms` on and `poor` from `poor_ms` on; after `poor_seconds` of silence the player is
    `poor`, beyond `lost_seconds` he is `not_connected`. Each is greater than the one of its kind before it.
    """

    fair_ms: int = 250
    poor_ms: int = 1000
    poor_seconds: int = 5
    lost_seconds: int = 15


class Change(NamedTuple):
    """A player's connection became `state`, at a time."""

    state: Connection
    at: datetime


def connection(heartbeat: Heartbeat | None, now: datetime, limits: Limits) -> Connection:
    """The state at `now` of a player whose last heartbeat this is; null if there never was one (R11.3)."""
    if heartbeat is None:
        return Connection.NOT_CONNECTED
    fallen = [change.state for change in lapses(heartbeat, now, limits)]
    return fallen[-1] if fallen else _by_round_trip(heartbeat.rtt_ms, limits)


def advice(state: Connection) -> Advice | None:
    """What a player's own client is told at `fair` or worse (R11.3)."""
    return None if state is Connection.GOOD else "finish the hand and reconnect"


def lapses(heartbeat: Heartbeat, now: datetime, limits: Limits) -> list[Change]:
    """What the silence after a heartbeat made of the player by `now`: `poor`, then `not_connected`."""
    late = heartbeat.at + timedelta(seconds=limits.poor_seconds)
    lost = heartbeat.at + timedelta(seconds=limits.lost_seconds)
    was_poor = _by_round_trip(heartbeat.rtt_ms, limits) is Connection.POOR
    fallen = [Change(Connection.POOR, late)] if now >= late and not was_poor else []
    return [*fallen, Change(Connection.NOT_CONNECTED, lost)] if now > lost else fallen


def changes(before: Heartbeat | None, heartbeat: Heartbeat, limits: Limits) -> list[Change]:
    """What became of the player from one heartbeat to the next: the silence between, then what the new one tells."""
    fallen = lapses(before, heartbeat.at, limits) if before else []
    was = connection(before, heartbeat.at, limits)
    now = connection(heartbeat, heartbeat.at, limits)
    return fallen if now is was else [*fallen, Change(now, heartbeat.at)]


def _by_round_trip(rtt_ms: int, limits: Limits) -> Connection:
    if rtt_ms < limits.fair_ms:
        return Connection.GOOD
    return Connection.FAIR if rtt_ms < limits.poor_ms else Connection.POOR
