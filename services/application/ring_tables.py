"""Ring tables: opened and closed by an operator; players come with money from their wallets and go with their stack."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from msgspec.structs import replace

from big2.errors import NoSuchStepError
from big2.ring import RingStep, step_for
from domain import hand as hands
from domain import ring as decide_on
from domain import ring_seats
from domain.credential import Role
from domain.deal import SEED_BYTES
from domain.errors import Conflicting, NotAllowed, Refused
from domain.events import Event
from domain.hand import HAND
from domain.hand_events import Timing
from domain.ids import PlayerId, TableId, journal_id, opened_table_id
from domain.journal import Kind, stack
from domain.player import PLAYER, may_enter
from domain.ring import RING, Ring
from domain.ring_events import RingTerms, SeatKept
from domain.ring_seats import Wish, movements
from domain.stakes import Schedule
from domain.wallet import Booking
from services.application.context import Services
from services.application.credentials import Actor
from services.application.errors import NotFound, existing
from services.application.wallets import give, take
from services.commands import Decision, Outcome, execute, on
from services.envelope import Change, Command, Stream
from services.store import Store

_HIMSELF = "A player's token is for his own seat."


class Wanted(NamedTuple):
    """A ring table that an operator wants; `schedule` names one, `currency` is only compared with its own.

    What could not be read is null, and `unread` says what is wrong there, by JSON pointer.
    """

    rules: str | None
    schedule: str | None
    unit: int | None
    currency: str | None
    seats: int | None
    timing: Timing | None
    unread: Mapping[str, str] = MappingProxyType({})


def open_a_table(services: Services, command: Command, wanted: Wanted) -> Outcome[Ring]:
    """Open a ring table. It keeps the versions of its schedule and of its rule set (R10.3)."""
    made = opened_table_id(command.id)

    def decide(stream: Stream[Ring], _now: datetime) -> Decision:
        master = secrets.token_bytes(SEED_BYTES)
        return Decision([on(stream, *decide_on.open_ring(made, _terms(services, wanted), master))])

    return execute(services.store, command, (RING, made), decide)


def take_seat(
    services: Services,
    command: Command,
    actor: Actor,
    at: tuple[TableId, int],
    wish: Wish,
    *,
    keyed: bool = True,
) -> Outcome[Ring]:
    """Sit down with money from the wallet, top up, sit out or in again; a player's token is for himself.

    What was so already is stored only where the command is `keyed`, so that it is known: so below.
    """
    store, (table_id, number) = services.store, at
    own = _own(actor, wish.player_id)

    def decide(stream: Stream[Ring], _now: datetime) -> Decision:
        ring = existing(stream, "table")
        if not 1 <= number <= ring.terms.seats_per_table:
            raise NotFound("seat")
        ring_seats.may_take(ring, number, own)  # a conflict is told before what is wrong
        player = [_may_play(store, own, wish)] if own and ring_seats.wants_in(ring, number, wish) else []
        events = _news(ring_seats.take_seat(ring, number, replace(wish, player_id=own)), keyed=keyed)
        return Decision([on(stream, *events), *money(store, ring, events, command), *player])

    with store.lock(table_id, then=own):
        return execute(store, command, (RING, table_id), decide)


def stand_up(
    services: Services,
    command: Command,
    actor: Actor,
    at: tuple[TableId, int],
    player: PlayerId | None = None,
    *,
    keyed: bool = True,
) -> Outcome[Ring]:
    """`player` leaves the seat, now or after the running hand; his stack goes to his wallet."""
    store, (table_id, number) = services.store, at
    own = _own(actor, player)

    def decide(stream: Stream[Ring], _now: datetime) -> Decision:
        ring = existing(stream, "table")
        if number not in ring.seats:
            raise NotFound("player in this seat")
        sits = ring.seats[number].player_id
        if own is None:
            errors = {"/query/player_id": "is missing: name who stands up"}
            raise Refused("validation", "Nobody can be stood up like this.", errors)
        if own != sits and actor.role is Role.PLAYER:
            raise NotAllowed("forbidden", _HIMSELF)
        if own != sits:
            raise Conflicting("seat-taken", f"Seat {number} is taken by another player.")
        events = _news(ring_seats.stand_up(ring, number), keyed=keyed)
        return Decision([on(stream, *events), *money(store, ring, events, command)])

    with store.lock(table_id):
        return execute(store, command, (RING, table_id), decide)


def close(
    services: Services, command: Command, actor: Actor, table_id: TableId, read: Callable[[], object]
) -> Outcome[Ring]:
    """Close the table, now or after the running hand: everybody stands up."""
    store = services.store

    def decide(stream: Stream[Ring], _now: datetime) -> Decision:
        ring = existing(stream, "table")
        if actor.role is Role.DIRECTOR:
            raise NotAllowed("forbidden", "Ring tables are opened and closed by an operator.")
        events = ring_seats.close(ring)
        read()
        return Decision([on(stream, *events), *money(store, ring, events, command)])

    with store.lock(table_id):
        return execute(store, command, (RING, table_id), decide)


def pause(
    services: Services, command: Command, table_id: TableId, read: Callable[[], object]
) -> Outcome[Ring]:
    """Deal no more; the running turn keeps the time that it has left, and may be played."""

    def decide(stream: Stream[Ring], now: datetime) -> Decision:
        events = decide_on.pause(existing(stream, "table"))
        read()
        return Decision([on(stream, *events), *_clock(services.store, stream, hands.stop_clock, now)])

    with services.store.lock(table_id):
        return execute(services.store, command, (RING, table_id), decide)


def resume(
    services: Services, command: Command, table_id: TableId, read: Callable[[], object]
) -> Outcome[Ring]:
    """Go on after a pause."""

    def decide(stream: Stream[Ring], now: datetime) -> Decision:
        events = decide_on.resume(existing(stream, "table"))
        read()
        return Decision([on(stream, *events), *_clock(services.store, stream, hands.start_clock, now)])

    with services.store.lock(table_id):
        return execute(services.store, command, (RING, table_id), decide)


def is_ring(store: Store, table_id: TableId) -> bool:
    """Whether there is a ring table of this id."""
    return store.load(RING, table_id, upto=1).version > 0


def money(store: Store, ring: Ring, events: Sequence[Event], command: Command) -> list[Change]:
    """What the wallets book for these events of a table, in the same transaction; Refused("insufficient-funds")."""
    changes = []
    for player, amount in movements(events):
        kind: Kind = "buy_in" if amount > 0 else "cash_out"
        move = take if amount > 0 else give
        booking = Booking(
            journal_id=journal_id(command.id, f"{kind}/{player}"),
            kind=kind,
            others={stack(ring.table_id, player): abs(amount)},
            table_id=ring.table_id,
        )
        changes += move(store, player, ring.terms.currency, booking)
    return changes


def _clock(
    store: Store,
    stream: Stream[Ring],
    step: Callable[[hands.Hand, datetime], list[Event]],
    now: datetime,
) -> list[Change]:
    """What becomes of the running turn's clock."""
    assert stream.state is not None
    if stream.state.hand_id is None:
        return []
    hand = store.load(HAND, stream.state.hand_id)
    events = step(existing(hand, "hand"), now)
    return [on(hand, *events)] if events else []


def _terms(services: Services, wanted: Wanted) -> RingTerms:
    """The terms of a table, with the versions that it keeps; Refused with everything that is wrong with them."""
    errors = dict(wanted.unread)
    schedule = _schedule(services, wanted, errors)
    step = _step(schedule, wanted.unit, errors) if schedule and wanted.unit else None
    rules = _rules(services, wanted.rules, errors) if wanted.rules is not None else ""
    if errors or schedule is None or step is None or wanted.seats is None or wanted.timing is None:
        raise Refused("validation", "No such table can be opened.", errors)
    return RingTerms(
        rules=rules,
        schedule=schedule.reference,
        currency=schedule.currency,
        unit=step.unit,
        buy_in=step.buy_in,
        ante=step.ante,
        seats_per_table=wanted.seats,
        timing=wanted.timing,
    )


def _schedule(services: Services, wanted: Wanted, errors: dict[str, str]) -> Schedule | None:
    if wanted.schedule is None:
        return None
    try:
        schedule = services.stakes.resolve(wanted.schedule)
    except NotFound:
        errors["/stake/schedule"] = "is no schedule: GET /v1/stakes lists them"
        return None
    if wanted.currency not in (None, schedule.currency):
        errors["/currency"] = f"must be {schedule.currency}, the currency of {schedule.reference}"
    return schedule


def _step(schedule: Schedule, unit: int, errors: dict[str, str]) -> RingStep | None:
    try:
        return step_for(schedule.steps, unit)
    except NoSuchStepError:
        units = ", ".join(str(step.unit) for step in schedule.steps)
        errors["/stake/unit"] = f"must be one of {units}: the units of {schedule.reference} (R10.1)"
        return None


def _rules(services: Services, named: str, errors: dict[str, str]) -> str:
    try:
        rules = services.rulesets.pinned(named)
    except Refused as unknown:
        errors |= unknown.errors
        return ""
    if problem := decide_on.rules_problem(services.rulesets.resolve(rules)):
        errors["/rules"] = problem
    return rules


def _news(events: list[Event], *, keyed: bool) -> list[Event]:
    """The events to be stored."""
    return [event for event in events if keyed or not isinstance(event, SeatKept)]


def _own(actor: Actor, player: PlayerId | None) -> PlayerId | None:
    """Whose seat it is to be: a player's token is for himself."""
    if actor.role is not Role.PLAYER:
        return player
    if player not in (None, actor.player_id):
        raise NotAllowed("forbidden", _HIMSELF)
    return actor.player_id


def _may_play(store: Store, player: PlayerId, wish: Wish) -> Change:
    """Whoever brings money or is dealt in is enrolled, and not barred: what is appended holds only as long as that is
    so."""
    found = store.load(PLAYER, player)
    if found.state is None:
        errors = {"/player_id": "is no player", **wish.unread}
        raise Refused("validation", "Nobody can sit down like this.", errors)
    may_enter(found.state)
    return on(found)
