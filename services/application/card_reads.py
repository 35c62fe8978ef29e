"""Who was shown cards of a hand after its end that had not lain on the table: noted, and read back (`card_reads`).

A look is no event: the table stands beside the log, and what is in it may be forgotten (docs/regulators.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from services.application.credentials import Actor
from services.application.lists import Page, fetch, page_of
from services.application.resources import Resource
from services.database import Database

NOBODY = "public"
"""The role of whoever has no token."""

_NOTE = "INSERT INTO card_reads (credential, role, hand) SELECT %s, %s, unnest(%s::uuid[])"
_READS = """
SELECT r.number, r.at, r.credential AS credential_id, r.role, r.hand AS hand_id, h.table_id, h.tournament_id
FROM card_reads r LEFT JOIN projections.hands h ON h.hand_id = r.hand
WHERE r.number > %(after)s{filters} ORDER BY r.number LIMIT %(limit)s
"""
_FORGET = """
DELETE FROM card_reads WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM card_reads WHERE at < clock_timestamp() - make_interval(days => %s) ORDER BY at LIMIT %s
))
"""
MOST_FORGOTTEN = 10_000
"""Notes that are forgotten at once."""
_FILTERS = {
    "hand": "r.hand = %(hand)s",
    "table": "h.table_id = %(table)s",
    "tournament": "h.tournament_id = %(tournament)s",
    "player": "EXISTS (SELECT 1 FROM projections.hand_players p WHERE p.hand_id = r.hand AND p.player_id = %(player)s)",
    "credential": "r.credential = %(credential)s",
    "role": "r.role = %(role)s",
    "from": "r.at >= %(from)s",
    "to": "r.at < %(to)s",
}


class CardRead(Resource, frozen=True, kw_only=True):
    """Somebody was shown all cards of a hand that was over, or a player his own.

    `credential_id` is null, and `role` is `public`, for whoever had no token.
    """

    number: int
    at: datetime
    credential_id: UUID | None
    role: str
    hand_id: UUID
    table_id: UUID | None
    tournament_id: UUID | None


def note(database: Database, hands: Iterable[UUID], actor: Actor | None) -> None:
    """Before the answer: without the note there is none."""
    if found := list(hands):
        who = (actor.credential_id, actor.role.value) if actor else (None, NOBODY)
        with database.connection() as conn:
            conn.execute(_NOTE, (*who, found))


def card_reads(
    database: Database, reader: Actor, wanted: dict[str, Any], after: int, limit: int
) -> Page[CardRead]:
    """The notes behind a number, oldest first; a token that is limited to a tournament sees those of its hands."""
    found = {name: value for name, value in wanted.items() if name in _FILTERS}
    conditions = [_FILTERS[name] for name in found]
    if reader.tournament_id is not None:
        conditions.append("h.tournament_id = %(limited_to)s")
    query = _READS.replace("{filters}", "".join(f" AND {condition}" for condition in conditions))
    keys = {**found, "limited_to": reader.tournament_id, "after": after, "limit": limit + 1}
    return page_of(CardRead, fetch(database, query, keys), limit, ("number",))


def forget(database: Database, days: int) -> int:
    """Delete the notes that are older than so many days, the oldest first; how many. With 0 days they are kept."""
    if not days:
        return 0
    with database.connection() as conn:
        return conn.execute(_FORGET, (days, MOST_FORGOTTEN)).rowcount
