"""Ring tables and their stakes: who sits down with how much money, and what the house asks for it (R10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from uuid import UUID

from flask import Response

from big2.ring import RingStep
from domain.hand_events import Timing
from domain.ids import TableId
from domain.ring import Ring
from domain.ring_seats import Wish
from services.application import lists, ring_lists, ring_tables
from services.application import resources as shapes
from services.application.ring_stakes import Wanted, published_stakes
from services.application.ring_views import after
from services.application.tableviews import connected_rings
from services.commands import Outcome
from services.http import queries, schemas
from services.http.access import Who
from services.http.answers import gone, key_of, listed, read, written
from services.http.calls import Call
from services.http.paging import paged
from services.http.routing import Routes, command, get, listing
from services.http.wouldbe import would_be

blueprint = Routes("ring tables", "Tables for money: seats, and the house's stakes (R10)")
ONE = "/tables/<uuid:table_id>"
SEAT = f"{ONE}/seats/<int:seat>"


@listing(blueprint, "/tables", shapes.Table, query=queries.RingTables())
def list_ring_tables(call: Call) -> Response:
    """List the ring tables that are open, in the order in which they were opened"""
    return paged(call, partial(connected_rings, call.services, closed=call.query["closed"]), "rings")


def open_ring_table(call: Call) -> Response:
    """A table of `POST /tables` whose body has a `stake`."""
    call.actor.must_be_in(None)
    outcome = ring_tables.open_a_table(call.services, call.command, _wanted(call))
    table = after(call.services, outcome)
    return written(201, table, repeat=outcome.repeat, location=f"/v1/tables/{table.table_id}")


def close_ring_table(call: Call, table_id: UUID) -> Response:
    """A ring table of `POST /tables/{table_id}/close`."""
    call.actor.must_be_in(None)
    outcome = ring_tables.close(call.services, call.command, call.actor, TableId(table_id), call.body.read)
    return written(200, after(call.services, outcome), repeat=outcome.repeat)


@command(
    blueprint,
    "PUT",
    SEAT,
    shapes.Table,
    who=Who.SEATING,
    status=200,
    body=schemas.SeatWish(),
    problems=(
        "seat-taken",
        "already-seated",
        "standing-up",
        "table-closed",
        "player-barred",
        "insufficient-funds",
    ),
    whole_service=True,
    example={"player_id": "7d0f7a9e-6a3e-5c0e-9a62-3f9c3c0b7a11", "buy_in": 5000},
)
def take_seat(call: Call, table_id: UUID, seat: int) -> Response:
    """Sit down with a buy-in, top up to a greater one, sit out or in again; a player's token is for himself"""
    wish = Wish(**call.body.valid, unread=call.body.unread)
    at = TableId(table_id), seat
    outcome = _counted(
        call,
        lambda: ring_tables.take_seat(call.services, call.command, call.actor, at, wish, keyed=call.keyed),
    )
    return written(200, after(call.services, outcome), repeat=outcome.repeat)


@command(
    blueprint,
    "DELETE",
    SEAT,
    None,
    who=Who.SEATING,
    status=204,
    query=queries.WhoStandsUp(),
    problems=("seat-taken",),
    whole_service=True,
)
def stand_up(call: Call, table_id: UUID, seat: int) -> Response:
    """Stand up: at once, or after the running hand; the stack goes to the wallet"""
    player, at = call.query.get("player_id"), (TableId(table_id), seat)
    outcome = _counted(
        call,
        lambda: ring_tables.stand_up(call.services, call.command, call.actor, at, player, keyed=call.keyed),
    )
    return gone(repeat=outcome.repeat)


@command(
    blueprint,
    "POST",
    f"{ONE}/pause",
    shapes.Table,
    who=Who.DIRECTING,
    status=200,
    body=schemas.Empty(),
    body_required=False,
    problems=("already-paused", "table-closed"),
    whole_service=True,
)
def pause_ring_table(call: Call, table_id: UUID) -> Response:
    """Stop a ring table's deals and its clock; a running hand may be played to its end"""
    outcome = ring_tables.pause(call.services, call.command, TableId(table_id), call.body.read)
    return written(200, after(call.services, outcome), repeat=outcome.repeat)


@command(
    blueprint,
    "POST",
    f"{ONE}/resume",
    shapes.Table,
    who=Who.DIRECTING,
    status=200,
    body=schemas.Empty(),
    body_required=False,
    problems=("not-paused", "table-closed"),
    whole_service=True,
)
def resume_ring_table(call: Call, table_id: UUID) -> Response:
    """Go on at a ring table after a pause"""
    outcome = ring_tables.resume(call.services, call.command, TableId(table_id), call.body.read)
    return written(200, after(call.services, outcome), repeat=outcome.repeat)


@listing(blueprint, "/stakes", shapes.Stakes, query=queries.Paged())
def list_stakes(call: Call) -> Response:
    """List every version of every schedule of stakes, by name"""
    key = key_of(call.query.get("cursor"), str, int)
    behind = (str(key[0]), int(key[1])) if key else None
    page = ring_lists.stakes(call.database, call.services.stakes, behind, call.query["limit"])
    return listed(page, lists.newest(call.database, "stakes"), call.query)


@get(blueprint, "/stakes/<string:name>", shapes.Stakes)
def get_stakes(call: Call, name: str) -> Response:
    """Read a schedule of stakes: its newest version by `name`, any by `name@version`"""
    return read(call.services.stakes.read(name))


@command(
    blueprint,
    "POST",
    "/stakes",
    shapes.Stakes,
    who=Who.OPERATING,
    body=schemas.NewStakes(),
    query=queries.DryRun(),
    whole_service=True,
    located=True,
    example={"name": "friday", "currency": "USD", "steps": [{"unit": 100, "buy_in": 5000, "ante": 30}]},
)
def publish_stakes(call: Call) -> Response:
    """Publish a schedule of stakes, or the next version of one; versions never change, and tables keep theirs"""
    stakes = call.services.stakes
    if call.query["dry_run"]:
        return would_be(stakes.publication(_stakes(call)))
    outcome = stakes.publish(call.command, _stakes(call))
    made = published_stakes(outcome.events[0])
    return written(201, made, repeat=outcome.repeat, location=f"/v1/stakes/{made.reference}")


def _counted(call: Call, change: Callable[[], Outcome[Ring]]) -> Outcome[Ring]:
    """A change of a seat, if its player has not made too many; what stores nothing is none."""
    call.parts.gate.may_change_seats(call.actor)
    outcome = change()
    if outcome.events and not outcome.repeat:
        call.parts.gate.count_seat_change(call.actor)
    return outcome


def _stakes(call: Call) -> Wanted:
    """What is wanted, as far as it could be read."""
    sent = call.body.valid
    steps = tuple(map(_step, sent.get("steps", ())))
    return Wanted(sent.get("name"), sent.get("currency"), steps, call.body.unread)


def _step(sent: Mapping[str, int]) -> RingStep | None:
    return RingStep(**sent) if len(sent) == len(schemas.NewStep().fields) else None


def _wanted(call: Call) -> ring_tables.Wanted:
    """The same of a table."""
    sent, unread = call.body.valid, call.body.unread
    stake = sent.get("stake", {})
    return ring_tables.Wanted(
        rules=sent.get("rules"),
        schedule=stake.get("schedule"),
        unit=stake.get("unit"),
        currency=sent.get("currency"),
        seats=sent.get("seats"),
        timing=_timing(sent) if not unread else None,
        unread=unread,
    )


def _timing(sent: Mapping[str, int]) -> Timing:
    return Timing(sent["turn_seconds"], sent["between_hands_seconds"], sent["protest_seconds"])
