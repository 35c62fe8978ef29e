"""A player's heartbeat, and how the connections of a hand's players have changed while it ran (R11.1, R11.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from domain.connection import Heartbeat, advice, connection
from domain.errors import Conflicting, NotAllowed, Refused
from domain.hand import HAND, Hand
from domain.hand_events import Dealt, Settled, Voided
from domain.ids import HandId, TableId
from services.application import resources as shapes
from services.application.context import Services
from services.application.credentials import Actor
from services.application.errors import NotFound, existing
from services.application.handviews import states_at_deal
from services.application.lists import Page, fetch, made
from services.database import Database
from services.envelope import Stream


class SentHeartbeat(NamedTuple):
    """What a client sends; `wrong` is what is the matter with the body, if anything: then there is no `rtt_ms`."""

    rtt_ms: int | None
    wrong: Refused | None = None


class _Place(NamedTuple):
    """Where a player sits at a table, if he does; his last heartbeat, and the new one if it was taken."""

    open: bool
    tournament_id: UUID | None
    seat: int | None
    before: Heartbeat | None
    after: Heartbeat | None


class _Beats(NamedTuple):
    """A heartbeat that was taken, and the one before it."""

    before: Heartbeat | None
    after: Heartbeat


def beat(
    services: Services, actor: Actor, table_id: TableId, sent: SentHeartbeat, catch_up: Callable[[], None]
) -> shapes.Heartbeat:
    """Take a heartbeat of the actor's player at his table.

    `catch_up` makes the projections show what is in the log; it is called if they do not show his seat. Raises
    NotFound, NotAllowed to who does not sit there, Conflicting("table-closed"), and what is wrong with the body.
    """
    assert actor.player_id is not None, "only players come here"
    database = services.store.database
    place = _at_table(database, actor, table_id, sent)
    if place is None or (place.open and place.seat is None):
        catch_up()
        place = _at_table(database, actor, table_id, sent)
    taken = _taken(place, actor, sent)
    services.connections.note(table_id, actor.player_id, taken.before, taken.after)
    state = connection(taken.after, taken.after.at, services.connections.limits)
    return shapes.Heartbeat(server_time=taken.after.at, connection=state.value, advice=advice(state))


def changes_in_hand(
    services: Services, actor: Actor, hand_id: HandId, after: Sequence[int] | None, limit: int
) -> tuple[Page[shapes.ConnectionChange], int]:
    """How the players of a hand were connected at its deal, and each change until its end; and the hand's position.

    The page begins behind a moment (microseconds since 1970) and a seat. A hand with real cards has none.
    """
    stream = services.store.load(HAND, hand_id)
    hand = existing(stream, "hand")
    actor.must_be_in(hand.tournament_id)
    services.connections.note_lapses(hand.table_id)
    moment, seat = after or (0, 0)
    values = _span(stream, hand) | {"moment": moment, "after_seat": seat, "limit": limit + 1}
    rows = fetch(services.store.database, _CHANGES, values)
    items = [made(shapes.ConnectionChange, row) for row in rows[:limit]]
    following = (rows[limit - 1]["moment"], rows[limit - 1]["seat"]) if len(rows) > limit else None
    return Page(shapes.ConnectionChange, items, following), stream.position


def _at_table(database: Database, actor: Actor, table_id: TableId, sent: SentHeartbeat) -> _Place | None:
    """Write the heartbeat, if it is one that may be taken, and say where it came from; null without such a table."""
    values = {
        "table": table_id,
        "player": actor.player_id,
        "limited_to": actor.tournament_id,
        "rtt_ms": sent.rtt_ms,
    }
    with database.connection() as conn:
        row = conn.execute(_BEAT, values).fetchone()
    if row is None:
        return None
    state, tournament_id, seat, old_ms, old_at, rtt_ms, at = row
    before = Heartbeat(old_ms, old_at) if old_at else None
    return _Place(state == "open", tournament_id, seat, before, Heartbeat(rtt_ms, at) if at else None)


def _taken(place: _Place | None, actor: Actor, sent: SentHeartbeat) -> _Beats:
    """The heartbeat, or why it was not taken. Nobody sits at a closed table, so that is told before the seat."""
    if place is None:
        raise NotFound("table")
    actor.must_be_in(place.tournament_id)
    if not place.open:
        raise Conflicting("table-closed", "The table is closed: nobody sits there any more.")
    if place.seat is None:
        raise NotAllowed("forbidden", "Only a player who sits at the table sends heartbeats there.")
    if sent.wrong:
        raise sent.wrong
    assert place.after is not None
    return _Beats(place.before, place.after)


def _span(stream: Stream[Hand], hand: Hand) -> dict[str, Any]:
    """The hand's time at its table, and its seats with their states at the deal."""
    dealt = next((r for r in stream.recorded if isinstance(r.event, Dealt)), None)
    seats = hand.terms.seats if dealt else ()
    states = states_at_deal(hand)
    return {
        "table": hand.table_id,
        "begun": dealt.at if dealt else None,
        "ended": next((r.at for r in stream.recorded if isinstance(r.event, Settled | Voided)), None),
        "seats": [s.seat for s in seats],
        "players": [s.player_id for s in seats],
        "states": [states.get(s.player_id) for s in seats],
    }


_BEAT = """
WITH place AS (
    SELECT t.state, t.tournament_id, s.seat FROM projections.tables t
    LEFT JOIN projections.table_seats s ON s.table_id = t.table_id AND s.player_id = %(player)s
    WHERE t.table_id = %(table)s
), before AS (
    SELECT rtt_ms, at FROM heartbeats WHERE table_id = %(table)s AND player_id = %(player)s
), beat AS (
    INSERT INTO heartbeats (table_id, player_id, rtt_ms, at)
    SELECT %(table)s, %(player)s, %(rtt_ms)s::integer, clock_timestamp() FROM place
    WHERE state = 'open' AND seat IS NOT NULL AND %(rtt_ms)s::integer IS NOT NULL
      AND (%(limited_to)s::uuid IS NULL OR tournament_id = %(limited_to)s::uuid)
    ON CONFLICT (table_id, player_id) DO UPDATE SET rtt_ms = EXCLUDED.rtt_ms, at = EXCLUDED.at
    RETURNING rtt_ms, at
)
SELECT place.*, before.*, beat.* FROM place LEFT JOIN before ON true LEFT JOIN beat ON true
"""
_CHANGES = """
WITH seats AS (
    SELECT * FROM unnest(%(seats)s::integer[], %(players)s::uuid[], %(states)s::text[]) AS s (seat, player_id, state)
), told AS (
    SELECT seat, player_id, state AS connection, %(begun)s::timestamptz AS at FROM seats WHERE state IS NOT NULL
    UNION ALL
    SELECT s.seat, s.player_id, c.state, c.at FROM seats s JOIN connection_changes c USING (player_id)
    WHERE c.table_id = %(table)s AND c.at > %(begun)s AND c.at <= COALESCE(%(ended)s::timestamptz, 'infinity')
), keyed AS (
    SELECT *, (extract(epoch FROM at) * 1000000)::bigint AS moment FROM told
)
SELECT * FROM keyed WHERE (moment, seat) > (%(moment)s::bigint, %(after_seat)s::bigint)
ORDER BY moment, seat LIMIT %(limit)s
"""
