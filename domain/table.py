"""A tournament table: who sits where with how many chips, and which hand runs."""

from __future__ import annotations

from datetime import datetime

import msgspec

from big2 import table as play
from big2.rulesets import RuleSet
from domain.aggregate import Aggregate
from domain.coming_deals import first_under_root, root_from
from domain.errors import Conflicting
from domain.events import Event
from domain.ids import HandId, PlayerId, TableId, TournamentId, hand_id
from domain.placing import Tally
from domain.table_events import (
    Closed,
    HandBegun,
    HandEnded,
    NextDealsCommitted,
    Opened,
    Place,
    RecordedHandEnded,
    RecordedTableOpened,
    Seated,
    SeatTakenOver,
    SitOutGiven,
    StacksAdjusted,
    TableFrozen,
    TablePaused,
    TableReleased,
    TableResumed,
    Vacated,
)


class Seat(msgspec.Struct, frozen=True):
    """A taken seat. `net` is the last hand's result, so `stack - net` is the stack at that hand's start.

    `fresh` says that he sat down after the table's last hand. `sit_out` counts the hands that he still has to sit out.
    """

    player_id: PlayerId
    stack: int
    seen: bool = False
    absent_hands: int = 0
    net: int = 0
    fresh: bool = False
    sit_out: int = 0


class Winner(msgspec.Struct, frozen=True):
    """Who won the table's last settled hand, and from which seat."""

    seat: int
    player_id: PlayerId


class Table(msgspec.Struct, frozen=True):
    """`first_rooted` is the first hand under the table's own newest root, if it has committed to one: the tournament
    commits to its first hands. `tallies` is what each player has come to here, at a table that is `recorded`."""

    table_id: TableId
    tournament_id: TournamentId
    number: int
    seats_per_table: int
    rules: str
    seats: dict[int, Seat]
    first_dealer: int
    deal_at: datetime
    hand_id: HandId | None = None
    last_hand_id: HandId | None = None
    hands_begun: int = 0
    hands_ended: int = 0
    first_rooted: int | None = None
    dealer: int | None = None
    direction: play.Direction | None = None
    winner: Winner | None = None
    level: int = 0
    unit: int = 0
    hands_at_level: int = 0
    pauses: int = 0
    paused: bool = False
    frozen: frozenset[HandId] = frozenset()
    closed: bool = False
    recorded: bool = False
    points: bool = False
    tallies: dict[PlayerId, Tally] = msgspec.field(default_factory=dict)

    @property
    def waiting(self) -> bool:
        """Open and between hands."""
        return not self.closed and self.hand_id is None

    @property
    def currency(self) -> None:
        """A tournament is played for chips or points."""

    def seat_of(self, player: PlayerId) -> int | None:
        return next((seat for seat, taken in self.seats.items() if taken.player_id == player), None)


def evolve(table: Table | None, event: Event) -> Table:  # noqa: C901 - one case an event
    if isinstance(event, Opened):
        return _opened(event)
    assert table is not None
    change = msgspec.structs.replace
    match event:
        case Seated():
            newcomer = {seat: change(taken, fresh=True) for seat, taken in _seats([event.place]).items()}
            return change(table, seats=dict(sorted({**table.seats, **newcomer}.items())))
        case Vacated():
            return change(table, seats={s: taken for s, taken in table.seats.items() if s != event.seat})
        case HandBegun():
            return _hand_begun(table, event)
        case NextDealsCommitted():
            return change(table, first_rooted=event.first_hand)
        case HandEnded():
            return _hand_ended(table, event)
        case StacksAdjusted():
            return change(
                table,
                seats={s: _adjusted(taken, event.changes.get(s, 0)) for s, taken in table.seats.items()},
            )
        case SeatTakenOver():
            return change(
                table, seats=table.seats | {event.seat: _taken_over(table.seats[event.seat], event)}
            )
        case SitOutGiven():
            taken = table.seats[event.seat]
            given = change(taken, sit_out=taken.sit_out + event.hands)
            return change(table, seats={**table.seats, event.seat: given})
        case TableFrozen():
            return change(table, frozen=table.frozen | {event.hand_id})
        case TableReleased():
            return change(table, frozen=table.frozen - {event.hand_id})
        case TablePaused():
            return change(table, paused=True, pauses=event.number)
        case TableResumed():
            return change(table, paused=False)
        case Closed():
            return change(table, closed=True, hand_id=None, seats={})
    raise AssertionError(f"{type(event).__name__} is no event of a table")


TABLE = Aggregate("table", evolve, values=True)


class Deal(msgspec.Struct, frozen=True):
    """The terms of a table's next hand; `leader` is null where the lowest card leads (R5.1)."""

    hand_id: HandId
    number: int
    dealer: int
    direction: play.Direction
    leader: int | None
    level: int
    unit: int
    seats: tuple[Place, ...]


def next_deal(
    table: Table, rules: RuleSet, level: int, unit: int, left_out: frozenset[int] = frozenset()
) -> Deal:
    """The next hand's terms (R5.3, R9.1, R9.2), without the seats that are `left_out` of it."""
    _must_be_dealable(table)
    dealt_in = sorted(set(table.seats) - left_out)
    direction = play.next_direction(rules, table.direction)
    number = table.hands_begun + 1
    dealer = _dealer(table, dealt_in)
    return Deal(
        hand_id=hand_id(table.table_id, number),
        number=number,
        dealer=dealer,
        direction=direction,
        leader=_leader(table, rules, dealt_in, direction),
        level=level,
        unit=unit,
        seats=tuple(place for place in places(table) if place.seat in dealt_in),
    )


def begin(deal: Deal) -> list[Event]:
    return [
        HandBegun(
            hand_id=deal.hand_id,
            number=deal.number,
            dealer=deal.dealer,
            direction=deal.direction,
            level=deal.level,
            unit=deal.unit,
        )
    ]


def commit_next_deals(table: Table, deal: Deal, master: bytes) -> list[Event]:
    """With the last hand under a root stands the next root; with any other hand, nothing."""
    following = deal.number + 1
    if first_under_root(following) != following:
        return []
    root = root_from(master, str(table.tournament_id), table.table_id, following)
    return [NextDealsCommitted(first_hand=following, root=root)]


def places(table: Table) -> list[Place]:
    """The taken seats as values that another table can seat."""
    return [
        Place(seat, taken.player_id, taken.stack, taken.seen, taken.absent_hands, taken.sit_out)
        for seat, taken in table.seats.items()
    ]


def about_to_lead(table: Table) -> PlayerId | None:
    """The player who leads the next hand, where he still sits here (R5.3)."""
    winner = table.winner
    return winner.player_id if winner and table.seat_of(winner.player_id) is not None else None


def close(table: Table) -> list[Event]:
    return [] if table.closed else [Closed()]


def must_be_open(table: Table) -> None:
    """Raises Conflicting once the table is closed."""
    if table.closed:
        raise Conflicting("table-closed", "The table is closed.")


def _must_be_dealable(table: Table) -> None:
    must_be_open(table)
    if table.hand_id is not None:
        raise Conflicting("hand-running", "The table's last hand is still running.")
    if table.paused:
        raise Conflicting("table-paused", "The table is paused.")
    if table.frozen:
        raise Conflicting("table-frozen", "A director has frozen the table.")
    if len(table.seats) < 2:
        raise Conflicting("not-enough-players", "A hand needs two players (R2.1).")


def _dealer(table: Table, dealt_in: list[int]) -> int:
    """A table that late entry opened may have its first button drawn to a free seat: then the next one gets it."""
    if table.dealer is None and table.first_dealer in dealt_in:
        return table.first_dealer
    return play.next_dealer(table.dealer or table.first_dealer, dealt_in)


def _leader(table: Table, rules: RuleSet, dealt_in: list[int], direction: play.Direction) -> int | None:
    if table.winner is None or play.lowest_card_leads(rules, first_hand=False):
        return None
    seat = table.seat_of(table.winner.player_id)
    return play.leader_after(seat or table.winner.seat, seat in dealt_in, dealt_in, direction)


def _opened(event: Opened) -> Table:
    return Table(
        table_id=event.table_id,
        tournament_id=event.tournament_id,
        number=event.number,
        seats_per_table=event.seats_per_table,
        rules=event.rules,
        seats=_seats(event.places),
        first_dealer=event.first_dealer,
        pauses=event.pauses,
        deal_at=event.deal_at,
        recorded=isinstance(event, RecordedTableOpened),
        points=isinstance(event, RecordedTableOpened) and event.points,
    )


def _seats(seated: tuple[Place, ...] | list[Place]) -> dict[int, Seat]:
    return {p.seat: Seat(p.player_id, p.stack, p.seen, p.absent_hands, sit_out=p.sit_out) for p in seated}


def _hand_begun(table: Table, event: HandBegun) -> Table:
    return msgspec.structs.replace(
        table,
        hand_id=event.hand_id,
        hands_begun=event.number,
        dealer=event.dealer,
        direction=event.direction,
        level=event.level,
        unit=event.unit,
        hands_at_level=table.hands_at_level if event.level == table.level else 0,
    )


def _hand_ended(table: Table, event: HandEnded) -> Table:
    seats = {seat: _after_hand(taken, seat, event) for seat, taken in table.seats.items()}
    won = event.winner
    return msgspec.structs.replace(
        table,
        seats=seats,
        hand_id=None,
        last_hand_id=event.hand_id,
        hands_ended=table.hands_ended + 1,
        hands_at_level=table.hands_at_level + 1,
        winner=Winner(won, table.seats[won].player_id) if won is not None else table.winner,
        deal_at=event.deal_at,
        tallies=_tallies(table, event) if isinstance(event, RecordedHandEnded) else table.tallies,
    )


def _taken_over(taken: Seat, event: SeatTakenOver) -> Seat:
    """What has come of the stack stays; whether he shows up is asked of the newcomer anew, and he sits out no hand."""
    return msgspec.structs.replace(
        taken, player_id=event.player_id, seen=False, absent_hands=0, fresh=True, sit_out=0
    )


def _adjusted(taken: Seat, chips: int) -> Seat:
    """With other chips now; the stack at the last hand's start stays what it was."""
    return msgspec.structs.replace(taken, stack=taken.stack + chips, net=taken.net + chips)


def _tallies(table: Table, event: RecordedHandEnded) -> dict[PlayerId, Tally]:
    of_hand = {
        table.seats[seat].player_id: Tally(event.points[seat], 1, int(seat == event.winner), left)
        for seat, left in event.cards_left.items()
    }
    return table.tallies | {
        player: table.tallies.get(player, Tally()).plus(tally) for player, tally in of_hand.items()
    }


def _after_hand(taken: Seat, seat: int, event: HandEnded) -> Seat:
    """A voided hand, which counts for nobody, is not sat out."""
    sat_out = bool(taken.sit_out) and event.winner is not None
    return Seat(
        player_id=taken.player_id,
        stack=event.stacks.get(seat, taken.stack),
        seen=taken.seen or seat in event.acted,
        absent_hands=taken.absent_hands + (seat in event.absent),
        net=event.net.get(seat, 0),
        sit_out=taken.sit_out - sat_out,
    )
