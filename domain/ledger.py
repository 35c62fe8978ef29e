"""Which event makes which journals: the one table of the books. An event that is not in it moves nothing.

event                          journal      from → to
wallet.credited, .debited      its own      as `domain.wallet` made it
tournament.pool_formed         pool         escrow (buy-ins), house (overlay) → pool
tournament.pool_dissolved      dissolution  pool → escrow, house
ring.hand_begun                ante         each player's stack → rake
hand.settled, at a ring table  transfer     stack → stack, a pair of lines each (R8.5)
                               cover        the same for a liable assistant's payments (R8.4)
tournament.tables_drawn        issued       issued → player, the stacks of the first tables
tournament.late_seated         issued       issued → player, his stack
   … of who is reinstated      ruling       void, issued → player, the chips that the ruling gives him
hand.settled, in a tournament  transfer     player → player
                               cover        the same (R8.4)
table.vacated by a no-show     no_show      player → void
table.vacated, disqualified    penalty      player → void
tournament.penalty_carried_out penalty      player → void, of chips
tournament.stacks_corrected    ruling       player → player; player → void, issued → player where the other is not there
tournament.player_replaced     ruling       player → player, the stack that another takes over
tournament.result_corrected    ruling       player → player, in a league
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from uuid import UUID

import msgspec

from domain.events import Event
from domain.hand_events import Settled, Transfer
from domain.ids import HandId, PlayerId, TableId, TournamentId, journal_id
from domain.journal import (
    HOUSE,
    ISSUED,
    RAKE,
    VOID,
    Book,
    Journal,
    Kind,
    Line,
    balanced,
    chips_of,
    escrow,
    gained,
    pool,
    stack,
)
from domain.ring_events import RingHandBegun
from domain.table_events import Place, Vacated
from domain.tournament_events import (
    LateSeated,
    PenaltyCarriedOut,
    PlayerReplaced,
    PoolDissolved,
    PoolFormed,
    ReinstatedSeated,
    ResultCorrected,
    StacksCorrected,
    TablesDrawn,
)
from domain.wallet import Credited, Debited


class Where(msgspec.Struct, frozen=True, kw_only=True):
    """What an event belongs to: its stream and version, and what its journals are for.

    Of a hand `seats` are who was dealt in, and `currency` is what it is played for at a ring table.
    """

    stream: UUID
    version: int
    tournament_id: TournamentId | None = None
    table_id: TableId | None = None
    hand_id: HandId | None = None
    seats: Mapping[int, PlayerId] = msgspec.field(default_factory=dict)
    currency: str | None = None


def journals(event: Event, where: Where) -> list[Journal]:
    """The journals that an event causes, each in balance."""
    match event:
        case Credited() | Debited():
            return [event.journal]
        case PoolFormed() | PoolDissolved():
            return [_pool(event, where)]
        case RingHandBegun() if event.ante:
            return [_ante(event, where)]
        case Settled():
            return _settlement(event, where)
        case TablesDrawn() if not event.final:
            places = [place for drawn in event.tables for place in drawn.places]
            return [_journal(where, "issued", _issued(places), None)]
        case ReinstatedSeated():
            return [_journal(where, "ruling", _given(event), None)]
        case LateSeated():
            return [_journal(where, "issued", _issued([event.place]), None)]
        case ResultCorrected() if not event.stacks:
            return _ruling(where, {change.player_id: change.chips for change in event.changes})
        case StacksCorrected():
            return _ruling(where, event.changes)
        case PlayerReplaced():
            return _ruling(where, {event.player_id: -event.chips, event.substitute_id: event.chips})
        case Vacated() | PenaltyCarriedOut():
            return _voided(event, where)
    return []


def _voided(event: Vacated | PenaltyCarriedOut, where: Where) -> list[Journal]:
    """Chips that leave play with their player, or by a penalty."""
    kind: Kind = "penalty"
    if isinstance(event, Vacated):
        kind = "no_show" if event.reason == "no_show" else "penalty"
        chips = event.stack if event.reason in ("no_show", "disqualified") else 0
    else:
        chips = event.amount if event.penalty == "chips" else 0
    lines = (Line(chips_of(event.player_id), -chips, event.player_id), Line(VOID, chips))
    return [_journal(where, kind, lines, None)] if chips else []


def _ruling(where: Where, chips: Mapping[PlayerId, int]) -> list[Journal]:
    """What a ruling gives and takes. Its players reverse a hand between them; of whom one is away, or has too little,
    the rest leaves play for the void, or is issued."""
    lines = [Line(chips_of(player), amount, player) for player, amount in chips.items() if amount]
    rest = -sum(chips.values())
    if rest:
        lines.append(Line(VOID if rest > 0 else ISSUED, rest))
    return [_journal(where, "ruling", lines, None)] if lines else []


def _given(event: ReinstatedSeated) -> list[Line]:
    """The chips of who is reinstated: out of the void, as far as there are any, else issued."""
    place = event.place
    taken = {VOID: event.from_void, ISSUED: place.stack - event.from_void}
    lines = [Line(account, -chips) for account, chips in taken.items() if chips]
    return [*lines, Line(chips_of(place.player_id), place.stack, place.player_id)]


def _pool(event: PoolFormed | PoolDissolved, where: Where) -> Journal:
    kind: Kind = "pool" if isinstance(event, PoolFormed) else "dissolution"
    sign = 1 if kind == "pool" else -1
    t = event.tournament_id
    moved = {escrow(t): -event.buy_ins, HOUSE: -event.overlay, pool(t): event.buy_ins + event.overlay}
    lines = gained({account: sign * amount for account, amount in moved.items()})
    return _journal(where, kind, lines, event.currency)


def _ante(event: RingHandBegun, where: Where) -> Journal:
    assert where.table_id is not None
    lines = [
        line
        for player in event.players.values()
        for line in (Line(stack(where.table_id, player), -event.ante, player), Line(RAKE, event.ante, player))
    ]
    return _journal(where, "ante", lines, event.currency)


def _issued(places: Iterable[Place]) -> list[Line]:
    return [
        line
        for place in places
        for line in (
            Line(ISSUED, -place.stack),
            Line(chips_of(place.player_id), place.stack, place.player_id),
        )
    ]


def _settlement(event: Settled, where: Where) -> list[Journal]:
    """A pair of lines a transfer; what a liable assistant covers is a journal of its own (R8.4)."""
    account = _accounts(where)
    kinds: tuple[Kind, ...] = ("transfer", "cover")
    made = []
    for kind in kinds:
        paid = [t for t in event.transfers if t.paid and t.covers is (kind == "cover")]
        lines = [line for t in paid for line in _paid(t, where, account)]
        made += [_journal(where, kind, lines, where.currency)] if lines else []
    return made


def _paid(t: Transfer, where: Where, account: Callable[[PlayerId], str]) -> tuple[Line, Line]:
    payer, receiver = where.seats[t.payer], where.seats[t.receiver]
    return Line(account(payer), -t.paid, payer), Line(account(receiver), t.paid, receiver)


def _accounts(where: Where) -> Callable[[PlayerId], str]:
    """A player's account: his stack at a ring table, or his chips in a tournament."""
    table = where.table_id
    if where.currency is None or table is None:
        return chips_of
    return lambda player: stack(table, player)


def _journal(where: Where, kind: Kind, lines: Iterable[Line], currency: str | None) -> Journal:
    return balanced(
        Journal(
            journal_id=journal_id(where.stream, f"{where.version}/{kind}"),
            book=Book.CHIPS if currency is None else Book.MONEY,
            currency=currency,
            kind=kind,
            lines=tuple(lines),
            tournament_id=where.tournament_id,
            table_id=where.table_id,
            hand_id=where.hand_id,
        )
    )
