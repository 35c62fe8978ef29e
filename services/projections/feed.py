"""`feed`: each event that concerns a tournament or a ring table, as the JSON that everybody may see, made once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints
from uuid import UUID

import msgspec
from psycopg.types.json import Jsonb

from domain import roster
from domain.events import Audience, Event, audiences, public_fields, seat_fields
from domain.ids import PlayerId
from services.database import Cursor
from services.envelope import Recorded
from services.projections.context import Context

DDL = """
CREATE TABLE feed (
    position bigint PRIMARY KEY,
    tournament_id uuid,
    table_id uuid,
    players uuid[] NOT NULL, -- everybody whom the public fields name; of a hand, whoever was dealt in
    type text NOT NULL,
    data text NOT NULL,
    seats jsonb
);
CREATE INDEX ON feed (tournament_id, position);
CREATE INDEX ON feed (table_id, position);
CREATE INDEX ON feed USING gin (players);
"""


def project(cur: Cursor, r: Recorded, context: Context) -> None:
    """Render `r` for the feeds; players, credentials, rule sets and webhooks have none."""
    kind = r.topic.rpartition(".")[0]
    match kind.partition(".")[0]:
        case "hand":
            hand = context.hand(cur, r.stream)
            ids = {"tournament_id": hand.tournament_id, "table_id": hand.table_id, "hand_id": r.stream}
            _write(context, r, kind, ids, list(hand.seats.values()), _own(r.event, hand.seats))
        case "table":
            tournament_id = context.tournament_of(cur, r.stream)
            ids = {"tournament_id": tournament_id, "table_id": r.stream}
            _write(context, r, kind, ids, concerned(r.event), None)
        case "ring":
            _write(context, r, kind, {"tournament_id": None, "table_id": r.stream}, concerned(r.event), None)
        case "tournament":
            _write(context, r, kind, {"tournament_id": r.stream}, concerned(r.event), None)
        case "roster":
            assert isinstance(r.event, roster.RosterEvent)
            _write(context, r, kind, {"tournament_id": r.event.tournament_id}, concerned(r.event), None)


def _write(
    context: Context,
    r: Recorded,
    kind: str,
    ids: Mapping[str, UUID | None],
    players: list[PlayerId],
    own: dict[str, Any] | None,
) -> None:
    head = {"position": r.position, "type": kind, "at": r.at, **ids}
    data = msgspec.json.encode({**head, **_as_lists(public_fields(r.event))}).decode()
    context.feed.add(
        (r.position, ids["tournament_id"], ids.get("table_id"), players, kind, data, own and Jsonb(own))
    )


def _own(event: Event, seats: dict[int, PlayerId]) -> dict[str, Any] | None:
    """Player to what his seat alone may see: `{"seat": 2, "cards": [...]}`."""
    fields = seat_fields(event)
    if not fields:
        return None
    return {
        str(player): {"seat": seat, **_as_lists({name: by[str(seat)] for name, by in fields.items()})}
        for seat, player in seats.items()
    }


def _as_lists(fields: dict[str, Any]) -> dict[str, Any]:
    """Cards are one text in an event and a list everywhere in the API."""
    return {name: value.split() if name == "cards" else value for name, value in fields.items()}


def concerned(event: Event) -> list[PlayerId]:
    """Everybody whom its public fields name, wherever in them, each once."""
    public = (name for name, audience in audiences(type(event)).items() if audience is Audience.PUBLIC)
    hints = _hints(type(event))
    return list(dict.fromkeys(p for name in public for p in _named(hints[name], getattr(event, name))))


def _named(hint: Any, value: Any) -> Iterator[PlayerId]:  # noqa: ANN401 - any type, and a value of it
    """The players in a value of this type."""
    if hint is PlayerId:
        yield value
    elif isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        for name, inner in _hints(hint).items():
            yield from _named(inner, getattr(value, name))
    elif get_origin(hint) is dict:
        for inner in value.values():
            yield from _named(get_args(hint)[1], inner)
    elif get_origin(hint) is tuple:
        for inner in value:
            yield from _named(get_args(hint)[0], inner)


@cache
def _hints(kind: type[msgspec.Struct]) -> dict[str, Any]:
    return get_type_hints(kind)
