"""What a hand's stream shows by itself, without the rules: I2 its cards, I3 its nets, I7 its end, I9 its clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from big2.actions import PassReason
from domain.dispute_events import ActionsVoided, TimeGiven
from domain.events import Event
from domain.hand_events import (
    CardsPlayed,
    ClockStarted,
    ClockStopped,
    Dealt,
    EntropyDealt,
    EntropyGiven,
    EntropyOpened,
    Passed,
    Settled,
    Transfer,
    Turn,
    Voided,
)
from domain.ids import job_command
from services.doctor.violation import Violation, at, stream
from services.envelope import Recorded

A_HAND = 13
PACK = frozenset(rank + suit for rank in "3456789TJQKA2" for suit in "DCHS")
LATE = timedelta(seconds=10)
"""How long after its deadline a turn may wait for the clock."""


def cards_add_up(events: Sequence[Recorded]) -> Iterator[Violation]:
    """I2: one whole pack is dealt, 13 cards a seat; who plays holds it; what is left is what is settled."""
    dealt = next((r for r in events if isinstance(r.event, Dealt)), None)
    if dealt is None or not isinstance(dealt.event, Dealt):
        return
    held = {seat: Counter(cards.split()) for seat, cards in dealt.event.cards.items()}
    yield from _whole_pack(dealt, dealt.event, held)
    played: list[tuple[int, Counter[str]]] = []
    for r in events:
        if isinstance(r.event, Passed):
            played.append((r.event.seat, Counter()))
        elif isinstance(r.event, CardsPlayed):
            cards = Counter(r.event.cards.split())
            if missing := cards - held.get(r.event.seat, Counter()):
                what = f"seat {r.event.seat} plays {missing.total()} of {cards.total()} cards that it does not hold"
                yield at("I2", r, what)
                return
            held[r.event.seat] -= cards
            played.append((r.event.seat, cards))
        elif isinstance(r.event, ActionsVoided):
            played, void = played[: r.event.action - 1], played[r.event.action - 1 :]
            for seat, cards in void:
                if cards:
                    held[seat] += cards
            yield from _left_as_held(r, r.event, held)
        elif isinstance(r.event, Settled) and played:  # nobody has played where a dragon won (R12)
            yield from _left_as_held(r, r.event, held)


def nets_sum_up(events: Sequence[Recorded]) -> Iterator[Violation]:
    """I3: nets sum to 0 and are what the transfers come to; nobody pays more than is due."""
    for r in events:
        if isinstance(r.event, Settled):
            yield from _nets(r, r.event)


def is_settled(events: Sequence[Recorded]) -> Iterator[Violation]:
    """I7, once all is over: the hand is settled, or voided."""
    if not _is_over(events):
        yield Violation(
            "I7", stream("hand", events[0].stream), "was begun, and is neither settled nor voided"
        )


def is_not_idle(events: Sequence[Recorded], now: datetime) -> Iterator[Violation]:
    """I7, of a live service: no turn is further beyond its deadline than LATE, by the database's clock."""
    turn = None if _is_over(events) else _Clock.after(events).turn
    if turn and turn.deadline and now - turn.deadline > LATE:
        seconds = (now - turn.deadline) // timedelta(seconds=1)
        where = stream("hand", events[0].stream)
        yield Violation("I7", where, f"turn {turn.number} is {seconds} s beyond its deadline")


def clock_names_its_turn(events: Sequence[Recorded]) -> Iterator[Violation]:
    """I9: the clock's job, its action and the running turn are the same turn's, and its deadline is past."""
    clock = _Clock()
    for r in events:
        if (number := _acts_for(r.event)) is not None:
            yield from _of_running_turn(r, number, clock.turn)
        elif isinstance(r.event, ClockStopped | ClockStarted | ActionsVoided | TimeGiven):
            running = clock.turn and clock.turn.number
            if r.event.turn != running:
                yield at("I9", r, f"names turn {r.event.turn}, while turn {running} runs")
        clock.follow(r.event)


class _Clock:
    """The running turn, as the events tell it."""

    def __init__(self) -> None:
        self.turn: Turn | None = None

    @classmethod
    def after(cls, events: Sequence[Recorded]) -> _Clock:
        clock = cls()
        for r in events:
            clock.follow(r.event)
        return clock

    def follow(self, event: Event) -> None:
        match event:
            case EntropyOpened() | EntropyGiven():
                self.turn = Turn(0, 0, event.closes_at)
            case Dealt() | CardsPlayed() | Passed() | ActionsVoided():
                self.turn = event.next_turn or self.turn
            case ClockStopped() if self.turn:
                self.turn = Turn(self.turn.number, self.turn.seat, None)
            case ClockStarted() | TimeGiven() if self.turn:
                self.turn = Turn(self.turn.number, self.turn.seat, event.deadline)


def _is_over(events: Sequence[Recorded]) -> bool:
    return any(isinstance(r.event, Settled | Voided) for r in events)


def _acts_for(event: Event) -> int | None:
    """The turn that an action of the clock is for, 0 of a deal that waited for entropy; None of any other event."""
    if isinstance(event, EntropyDealt):
        return 0
    by_clock = (isinstance(event, CardsPlayed) and event.by == "clock") or (
        isinstance(event, Passed) and event.reason is PassReason.CLOCK
    )
    return (event.turn or 0) if by_clock and isinstance(event, CardsPlayed | Passed) else None


def _of_running_turn(r: Recorded, number: int, turn: Turn | None) -> Iterator[Violation]:
    if turn is None or turn.number != number:
        yield at("I9", r, f"acts for turn {number}, while turn {turn and turn.number} runs")
    elif r.command != job_command(f"turn-{r.stream}-{number}"):
        yield at("I9", r, f"acts for turn {number}, but its job was set for something else")
    elif turn.deadline is None or r.at < turn.deadline:
        yield at("I9", r, f"acts for turn {number} before its deadline")


def _whole_pack(r: Recorded, deal: Dealt, held: dict[int, Counter[str]]) -> Iterator[Violation]:
    for seat, cards in held.items():
        if cards.total() != A_HAND:
            yield at("I2", r, f"seat {seat} is dealt {cards.total()} cards")
    dealt = sum(held.values(), Counter(deal.stub.split()))
    twice = sum(1 for number in dealt.values() if number > 1)
    if dealt.keys() != PACK or twice:
        known = len(dealt.keys() & PACK)
        yield at("I2", r, f"deals {known} of the 52 cards, {twice} of them more than once")
    if held.keys() != {s.seat for s in deal.seats}:
        yield at("I2", r, "other seats have cards than are dealt in")


def _left_as_held(
    r: Recorded, told: Settled | ActionsVoided, held: dict[int, Counter[str]]
) -> Iterator[Violation]:
    left = {seat: cards.total() for seat, cards in held.items()}
    if told.cards_left != left:
        does = "settles" if isinstance(told, Settled) else "goes back to"
        yield at("I2", r, f"{does} {told.cards_left} cards left, while {left} are held")


def _nets(r: Recorded, settled: Settled) -> Iterator[Violation]:
    if total := sum(settled.net.values()):
        yield at("I3", r, f"the nets sum to {total}, not to 0")
        return
    net = dict.fromkeys(settled.net, 0)
    for transfer in settled.transfers:
        net[transfer.payer] = net.get(transfer.payer, 0) - transfer.paid
        net[transfer.receiver] = net.get(transfer.receiver, 0) + transfer.paid
    if net != settled.net:
        yield at("I3", r, f"the nets are {settled.net}, while the transfers come to {net}")
    for transfer in settled.transfers:
        if not 0 <= transfer.paid <= transfer.due:
            yield at("I3", r, _overpaid(transfer))


def _overpaid(transfer: Transfer) -> str:
    return f"seat {transfer.payer} pays seat {transfer.receiver} {transfer.paid} where {transfer.due} is due"
