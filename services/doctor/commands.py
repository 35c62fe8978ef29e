"""I1 and the positions of I11: an append takes positions that follow each other, and gives its events one envelope."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from services.doctor.reading import Log
from services.doctor.violation import Violation

# The keys of an envelope are sorted, and a quote within a text is escaped: what stands before the first
# `,"event":` is who, when, by which command and of which digest.
_COMMANDS = """
SELECT convert_from(command_of(state), 'UTF8'), min(notification_id), max(notification_id), count(*),
       count(DISTINCT substring(state FROM 1 FOR position(',"event":'::bytea IN state)))
FROM big2_events WHERE notification_id <= %s GROUP BY command_of(state)
HAVING max(notification_id) - min(notification_id) + 1 <> count(*)
    OR count(DISTINCT substring(state FROM 1 FOR position(',"event":'::bytea IN state))) > 1
ORDER BY 2
"""
_BETWEEN = "SELECT count(*) FROM big2_events WHERE notification_id BETWEEN %s AND %s"
_COUNT = "SELECT count(*) FROM big2_events WHERE notification_id <= %s"


class _Torn(NamedTuple):
    """A command whose events are not one append as it was made."""

    command: str
    first: int
    last: int
    events: int
    envelopes: int

    @property
    def where(self) -> str:
        return f"command {self.command}, positions {self.first} to {self.last}"


def one_append_each(log: Log) -> Iterator[Violation]:
    """I1: nothing stands between the events of a command, and all were stored at one moment."""
    for torn in _torn(log):
        if torn.envelopes > 1:
            what = f"has events of {torn.envelopes} appends: it took effect more than once"
            yield Violation("I1", torn.where, what)
        elif strangers := _stored_between(log, torn) - torn.events:
            yield Violation("I1", torn.where, f"{strangers} events of other commands stand between its own")


def nothing_missing_within(log: Log) -> Iterator[Violation]:
    """I11: every position between a command's first and last event holds an event."""
    for torn in _torn(log):
        there = _stored_between(log, torn)
        if missing := torn.last - torn.first + 1 - there:
            yield Violation("I11", torn.where, f"{missing} positions within this append hold no event")


def unused_positions(log: Log) -> int:
    """Positions without an event: of appends that were refused, or that a crash took back."""
    ((stored,),) = log.fetch(_COUNT, log.head)
    return log.head - int(stored)


def _torn(log: Log) -> list[_Torn]:
    return [_Torn._make(row) for row in log.fetch(_COMMANDS, log.head)]


def _stored_between(log: Log, torn: _Torn) -> int:
    ((stored,),) = log.fetch(_BETWEEN, torn.first, torn.last)
    return int(stored)
