"""The log as an auditor reads it: every event with those of its fields that he may see by now, and its clauses.

A field of a running hand that is not public is hidden from every role; it is told which fields are. Once the hand is
over they are shown, and it is noted who saw its cards. Sealed fields are shown to nobody: a seed only in the event that
reveals it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from big2.actions import PassReason
from domain import hand_events as hands
from domain.events import Audience, Event, audiences
from domain.ids import PlayerId, wallet_id
from services.application import card_reads
from services.application.credentials import Actor
from services.application.lists import Page, fetch
from services.application.resources import Resource
from services.envelope import Row
from services.store import Store

LOOKED_AT = 5_000
"""Events that one page looks at, at most: it may be short, and still not be the last.

By tournament, table, hand and player an index finds them; their type, time and clauses are seen on each of them.
"""

_EVENTS = """
SELECT e.originator_id, e.originator_version, e.topic, CASE WHEN {fits} THEN e.state END AS state, e.notification_id,
       f.tournament_id, f.table_id, h.hand_id, h.state <> 'running' AS over
FROM big2_events e LEFT JOIN projections.feed f ON f.position = e.notification_id
LEFT JOIN projections.hands h ON h.hand_id = e.originator_id
WHERE e.notification_id > %(after)s AND e.notification_id <= %(as_of)s{filters}
ORDER BY e.notification_id LIMIT %(limit)s
"""
# The keys of an envelope are sorted, and a quote within a text is escaped: `"at":` stands there first as the time.
_AT = """(substring(convert_from(e.state, 'UTF8') FROM '"at":"([^"]+)"'))::timestamptz"""
_FILTERS = {
    "tournament": "f.tournament_id = %(tournament)s",
    "table": "f.table_id = %(table)s",
    "hand": "e.originator_id = %(hand)s",
    "player": "e.notification_id IN (SELECT position FROM projections.feed"
    " WHERE players @> ARRAY[%(player)s]::uuid[] AND position > %(after)s"
    " UNION ALL SELECT notification_id FROM big2_events WHERE originator_id = ANY(%(own)s))",
}
_SEEN_ON_EACH = {
    "type": "starts_with(e.topic, %(type)s)",
    "from": f"{_AT} >= %(from)s",
    "to": f"{_AT} < %(to)s",
}
_CURRENCIES = """
SELECT DISTINCT currency FROM projections.ledger_accounts WHERE player_id = %(player)s AND currency IS NOT NULL
"""
_AT_ONCE = {Audience.PUBLIC, Audience.BOOKS}
_ONCE_OVER = _AT_ONCE | {Audience.OWN_SEAT, Audience.AFTER_HAND}
_CARDS = ("cards", "stub")
"""Fields of cards, which are texts in an event and lists everywhere in the API."""


class LoggedEvent(Resource, frozen=True, kw_only=True):
    """An event of the log: who stored it by which command, and what this reader may see of it.

    `data` has its fields but for those named in `hidden`; `clauses` are those of the rules that it
    shows at work.
    """

    position: int
    at: datetime
    type: str
    stream_id: UUID
    version: int
    tournament_id: UUID | None
    table_id: UUID | None
    hand_id: UUID | None
    command_id: UUID
    actor: str
    clauses: list[str]
    data: dict[str, Any]
    hidden: list[str]


class _Found(NamedTuple):
    row: Row
    tournament_id: UUID | None
    table_id: UUID | None
    hand_id: UUID | None
    over: bool


def logged_events(
    store: Store, reader: Actor, wanted: dict[str, Any], as_of: int, after: int, limit: int
) -> Page[LoggedEvent]:
    """The events behind a position, up to `as_of`, that are asked for; its key is the last position looked at.

    A token that is limited to a tournament sees that tournament's. Who is shown the cards of a hand is noted.
    """
    query, values = _asked(store, reader, wanted)
    of_clause = wanted.get("clause")
    batch = LOOKED_AT + 1 if wanted.keys() & {"clause", *_SEEN_ON_EACH} else limit + 1
    shown: list[LoggedEvent] = []
    following = None
    behind = after
    for looked_at, (position, found) in enumerate(
        _found(store, query, {**values, "as_of": as_of, "limit": batch}, after)
    ):
        if len(shown) == limit or looked_at == LOOKED_AT:
            following = (as_of, behind)
            break
        behind = position
        if found is None:
            continue
        event = _logged(store, found)
        if of_clause is None or of_clause in event.clauses:
            shown.append(event)
    card_reads.note(store.database, [e.stream_id for e in shown if "stub" in e.data], reader)
    return Page(LoggedEvent, shown, following)


def clauses(event: Event, shown: dict[str, Any]) -> list[str]:
    """The clauses that an event shows at work, as far as they can be told from the fields that are shown."""
    found = list(_clauses(event))
    if shown.get("breach"):
        found.append("R7.3")
    told = shown.get("clause")
    return [*found, *([told] if isinstance(told, str) else [])]


def _clauses(event: Event) -> Iterator[str]:
    match event:
        case hands.Dealt():
            yield from ("R2.1", "R5.1" if event.leader is None else "R5.3", "R9.1", "R9.2")
            if isinstance(event, hands.ConnectedDealt):
                yield "R11.1"
        case hands.CardsPlayed(by="clock") | hands.Passed(reason=PassReason.CLOCK):
            yield from ("R4.1", "R11.2")
        case hands.Passed(reason=PassReason.TWO_OF_SPADES):
            yield from ("R6.1", "R6.4")
        case hands.Passed(reason=PassReason.TOO_FEW_CARDS):
            yield from ("R6.2", "R6.4")
        case hands.CardsPlayed() | hands.Passed():
            yield "R4.1"
        case hands.Settled():
            yield from ("R4.4", "R8.1", "R8.2")
            if any(transfer.paid < transfer.due for transfer in event.transfers):
                yield "R8.3"
            if event.liable is not None:
                yield from ("R7.4", "R8.4")
        case hands.Voided():
            yield "R9.3"


def _asked(store: Store, reader: Actor, wanted: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The query, and its values."""
    values = {name: value for name, value in wanted.items() if name in _FILTERS.keys() | _SEEN_ON_EACH.keys()}
    conditions = [_FILTERS[name] for name in values if name in _FILTERS]
    fits = [_SEEN_ON_EACH[name] for name in values if name in _SEEN_ON_EACH]
    if reader.tournament_id is not None:
        conditions.append("f.tournament_id = %(limited_to)s")
        values["limited_to"] = reader.tournament_id
    if "type" in values:
        values["type"] += "."
    if "player" in values:
        values["own"] = _own_streams(store, PlayerId(values["player"]))
    query = _EVENTS.replace("{filters}", "".join(f" AND {each}" for each in conditions))
    return query.replace("{fits}", " AND ".join(fits) or "true"), values


def _own_streams(store: Store, player: PlayerId) -> list[UUID]:
    rows = fetch(store.database, _CURRENCIES, {"player": player})
    return [player, *(wallet_id(player, row["currency"]) for row in rows)]


def _found(
    store: Store, query: str, values: dict[str, Any], after: int
) -> Iterator[tuple[int, _Found | None]]:
    """The events behind a position by their own, null where they are not asked for; `limit` rows a query."""
    while rows := fetch(store.database, query, {**values, "after": after}):
        for row in rows:
            yield row["notification_id"], None if row["state"] is None else _found_in(row)
        if len(rows) < values["limit"]:
            return
        after = rows[-1]["notification_id"]


def _found_in(row: Mapping[str, Any]) -> _Found:
    stored = Row(
        row["originator_id"],
        row["originator_version"],
        row["topic"],
        bytes(row["state"]),
        row["notification_id"],
    )
    return _Found(stored, row["tournament_id"], row["table_id"], row["hand_id"], bool(row["over"]))


def _logged(store: Store, found: _Found) -> LoggedEvent:
    r = store.decoded(found.row)
    data, hidden = _seen(r.event, over=found.over)
    return LoggedEvent(
        position=r.position,
        at=r.at,
        type=r.topic.rpartition(".")[0],
        stream_id=r.stream,
        version=r.version,
        tournament_id=found.tournament_id,
        table_id=found.table_id,
        hand_id=found.hand_id,
        command_id=r.command,
        actor=r.actor,
        clauses=clauses(r.event, data),
        data=data,
        hidden=hidden,
    )


def _seen(event: Event, *, over: bool) -> tuple[dict[str, Any], list[str]]:
    """An event's fields that are shown, JSON-ready, and the names of the others; `over`: its hand is."""
    shown = _ONCE_OVER if over else _AT_ONCE
    by_audience = audiences(type(event))
    data = {name: _plain(name, getattr(event, name)) for name, of in by_audience.items() if of in shown}
    return data, [name for name, of in by_audience.items() if of not in shown]


def _plain(name: str, value: object) -> Any:  # noqa: ANN401 - JSON
    plain = msgspec.to_builtins(value, str_keys=True)
    if name not in _CARDS:
        return plain
    return {seat: text.split() for seat, text in plain.items()} if isinstance(plain, dict) else plain.split()
