"""Recorded play: what somebody tells of a hand with real cards becomes its events, settled like any other.

The dealer and the direction are those of the table's next hand, as if it were dealt here; the level and the unit those
that held when the table could begin it, as at a deal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from big2 import table as play
from big2.results import result_problems
from big2.rulesets import RuleSet, ruleset_to_mapping
from big2.settlement import Outcome, settle_outcome
from big2.switches import TwosRule
from domain.errors import Conflicting, Refused
from domain.events import Event
from domain.hand import evolve, points_due, rule_set_of, settled
from domain.hand_events import Confirmed, HandRecorded, SeatRecorded, Settled, Timing
from domain.table import Deal, Table, begin, next_deal
from domain.table_events import Place, RecordedHandEnded
from domain.tournament import State, Tournament
from domain.tournament_events import LevelRaised, TablesHeld

EARLIEST = datetime(1950, 1, 1, tzinfo=UTC)
"""No hand of this game was played before."""


class Result(msgspec.Struct, frozen=True):
    """What is told of a hand, by seat; `played_at` null is now, `twos_left` null is silence about them.

    `unread` has what is wrong with members that could not be read, by JSON pointer; what stands in their place, as far
    as it does, is no reason to find fault with.
    """

    cards_left: dict[int, int]
    winner: int
    liable: int | None = None
    twos_left: dict[int, int] | None = None
    played_at: datetime | None = None
    unread: Mapping[str, str] = msgspec.field(default_factory=dict)


class RecordedHand(msgspec.Struct, frozen=True):
    """A hand's events, and what its table records, in one transaction."""

    hand: list[Event]
    table: list[Event]


def may_record(t: Tournament, table: Table, number: int | None) -> None:
    """Raises Conflicting if the table takes no result now, or if hand `number` is not its next one."""
    if not table.recorded:
        raise Conflicting(
            "not-recorded", "The cards of this table are dealt here: its hands are played here."
        )
    if table.closed or t.over:
        raise Conflicting("table-closed", "The table is closed.")
    if t.state is State.PAUSED:
        raise Conflicting("table-paused", "The tournament is paused: resume it first.")
    if table.number in t.held:
        raise Conflicting("table-held", "The table waits for others before its next hand.")
    following = table.hands_begun + 1
    if number not in (None, following):
        raise Conflicting("stale-hand", f"The table's next hand is number {following}, not {number}.")


def level_of_next_hand(number: int, of_tournament: Sequence[Event], stood: int) -> int:
    """The level at which table `number` began its next hand: a level holds from each table's next deal.

    It began as soon as it could: when the table opened or ended its last hand, and the first `stood` events of the
    tournament stood in the log; or later, when it was no longer held.
    """
    level = found = 1
    held: tuple[int, ...] = ()
    for place, event in enumerate(of_tournament, 1):
        released = False
        if isinstance(event, LevelRaised):
            level = event.level
        elif isinstance(event, TablesHeld):
            released = number in held and number not in event.numbers
            held = event.numbers
        if place <= stood or released:
            found = level
    return found


def record(
    t: Tournament, table: Table, rules: RuleSet, result: Result, now: datetime, level: int
) -> RecordedHand:
    """The hand of this level that came to `result`; Refused with everything that is wrong, each with its clause."""
    errors = dict(_errors(table, rules, result, now))
    if errors:
        raise Refused("validation", "No hand can have come to this.", errors)
    left_out = frozenset(table.seats) - frozenset(result.cards_left)
    terms = next_deal(table, rules, level, t.structure.unit_at(level), left_out)
    recorded = _recorded(t, table, terms, rules, result, now)
    settlement = settlement_of(recorded)
    final = [] if t.structure.protest_seconds else [Confirmed()]
    ended = _ended(recorded, settlement, now)
    return RecordedHand([recorded, settlement, *final], [*begin(terms), ended])


def settlement_of(recorded: HandRecorded) -> Settled:
    """R8 over what was recorded."""
    outcome = Outcome(
        tuple(s.seat for s in recorded.seats),
        recorded.dealer,
        recorded.direction,
        recorded.winner,
        recorded.cards_left,
        _each(recorded.cards_left, recorded.twos_left),
        recorded.liable,
    )
    stacks = {s.seat: s.stack for s in recorded.seats}
    return settled(settle_outcome(rule_set_of(recorded), outcome, recorded.unit, stacks))


def _recorded(
    t: Tournament, table: Table, terms: Deal, rules: RuleSet, result: Result, now: datetime
) -> HandRecorded:
    s = t.structure
    counts_twos = rules.twos is not TwosRule.NONE
    return HandRecorded(
        hand_id=terms.hand_id,
        table_id=table.table_id,
        tournament_id=t.tournament_id,
        number=terms.number,
        rules=table.rules,
        ruleset=ruleset_to_mapping(rules),
        structure_hash=t.structure_hash,
        level=terms.level,
        unit=terms.unit,
        dealer=terms.dealer,
        direction=terms.direction,
        leader=terms.leader,
        seats=tuple(_seat(place, points=table.points) for place in terms.seats),
        winner=result.winner,
        cards_left=dict(sorted(result.cards_left.items())),
        liable=result.liable,
        twos_left=_each(result.cards_left, result.twos_left or {}) if counts_twos else {},
        played_at=result.played_at or now,
        timing=Timing(s.turn_seconds, s.between_hands_seconds, s.protest_seconds),
    )


def _seat(place: Place, *, points: bool) -> SeatRecorded:
    return SeatRecorded(place.seat, place.player_id, None if points else place.stack)


def _ended(recorded: HandRecorded, settlement: Settled, now: datetime) -> RecordedHandEnded:
    """Whoever sat there was there: nobody is absent from a hand with real cards."""
    stacks = {s.seat: s.stack + settlement.net[s.seat] for s in recorded.seats if s.stack is not None}
    return RecordedHandEnded(
        hand_id=recorded.hand_id,
        number=recorded.number,
        winner=recorded.winner,
        net=settlement.net,
        points=points_due(evolve(evolve(None, recorded), settlement)),
        stacks=stacks,
        acted=tuple(recorded.cards_left),
        absent=(),
        deal_at=now,
        cards_left=recorded.cards_left,
    )


def _errors(table: Table, rules: RuleSet, result: Result, now: datetime) -> Iterator[tuple[str, str]]:
    """What could not be read, and all that can be said about the rest."""
    yield from result.unread.items()
    if "" in result.unread:
        return
    seats = dict(_seat_errors(table, result))
    problems = seats | dict(_time_and_twos(rules, result, now))
    for pointer, reason in _rule_problems(table, rules, result).items():
        if not (seats and pointer == "/liable"):  # who is next to whom is not known then
            problems.setdefault(pointer, reason)
    for pointer, reason in problems.items():
        if not _rests_on_unread(pointer, result.unread):
            yield pointer, reason


_RESTS_ON = {"winner": {"cards_left"}, "liable": {"cards_left", "winner"}, "twos_left": {"cards_left"}}
"""What must have been read to judge a member, beside itself."""


def _rests_on_unread(pointer: str, unread: Mapping[str, str]) -> bool:
    """Whether this cannot be said, because of what could not be read."""
    member, *seat = pointer.removeprefix("/").split("/")
    if seat and member == "cards_left":
        return pointer in unread or f"/{member}" in unread
    members = {at.split("/")[1] for at in unread}
    return bool(members & ({member} | _RESTS_ON.get(member, set())))


def _rule_problems(table: Table, rules: RuleSet, result: Result) -> dict[str, str]:
    outcome = Outcome(
        tuple(sorted(result.cards_left)),
        table.first_dealer,
        play.next_direction(rules, table.direction),
        result.winner,
        result.cards_left,
        _each(result.cards_left, result.twos_left or {}),
        result.liable,
    )
    return result_problems(rules, outcome)


def _time_and_twos(rules: RuleSet, result: Result, now: datetime) -> Iterator[tuple[str, str]]:
    for seat in sorted(set(result.twos_left or {}) - set(result.cards_left)):
        yield f"/twos_left/{seat}", "is no seat of cards_left"
    if rules.twos is not TwosRule.NONE and result.twos_left is None:
        told = "is missing: this rule set counts twos (R12). Name the seats that had one, or send {}"
        yield "/twos_left", told
    if result.played_at is not None and result.played_at > now:
        yield "/played_at", "lies in the future: a hand is recorded once it is over"
    if result.played_at is not None and result.played_at < EARLIEST:
        yield "/played_at", f"lies before {EARLIEST.year}, and so before the game"


def _seat_errors(table: Table, result: Result) -> Iterator[tuple[str, str]]:
    """Exactly the seats in play, R2.1; who sat down after the table's last hand may not have been dealt in."""
    named = set(result.cards_left)
    if len(named) < 2:
        yield "/cards_left", "must name two seats at least (R2.1)"
    for seat in sorted(named - set(table.seats)):
        yield f"/cards_left/{seat}", "nobody sits there"
    for seat, taken in table.seats.items():
        if seat not in named and not taken.fresh:
            yield f"/cards_left/{seat}", "is missing: this seat plays (R2.1)"


def _each(seats: Mapping[int, int], named: Mapping[int, int]) -> dict[int, int]:
    """A number for each seat, 0 where it is not named."""
    return {seat: named.get(seat, 0) for seat in sorted(seats)}
