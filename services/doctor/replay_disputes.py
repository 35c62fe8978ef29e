"""I6 of rulings: a tournament records what the rulings on its hands come to, each once, when the hand is final."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from domain import hand as hands
from domain import rulings, tournament_rulings
from domain.dispute_events import Ruled
from domain.events import Event
from domain.hand_events import Confirmed, Finalised
from domain.tournament_events import Cancelled, ResultCorrected, RulingLapsed
from services.doctor.reading import Log
from services.doctor.violation import Violation, at
from services.envelope import Recorded


def corrections(log: Log, tournament: Sequence[Recorded]) -> Iterator[Violation]:
    """Each correction follows from its hand, and is that hand's only one; likewise what came too late."""
    corrected = set()
    for r in tournament:
        if isinstance(r.event, RulingLapsed):
            yield from _lapsed(log, r, r.event)
        if not isinstance(r.event, ResultCorrected):
            continue
        hand = log.streams([r.event.hand_id]).get(r.event.hand_id, [])
        same = [e for e in hand if e.command == r.command and isinstance(e.event, Finalised | Confirmed)]
        due = rulings.correction(hands.folded([e.event for e in hand])) if same else None
        if due != r.event or r.event.hand_id in corrected:
            yield at("I6", r, f"does not follow from the rulings on hand {r.event.hand_id}")
        corrected.add(r.event.hand_id)


def made(log: Log, hand: Sequence[Recorded]) -> Iterator[Violation]:
    """What a final hand's ruling comes to stands in its tournament."""
    ended = hands.folded([r.event for r in hand])
    due, ruled = rulings.correction(ended), _of_tournament(hand)
    if due is None and ruled is None:
        return
    final = next(r for r in hand if isinstance(r.event, Finalised | Confirmed))
    assert ended.tournament_id is not None
    events = log.streams([ended.tournament_id]).get(ended.tournament_id, [])
    then = [r.event for r in events if r.command == final.command]
    if due is not None and due not in then:
        yield at("I6", final, "is final, and its tournament has not the correction that its ruling comes to")
    if ruled is not None and not any(_follows(event, ruled, ended) for event in then):
        yield at(
            "I6", final, f"is final, and its tournament does not tell what came of the ruling {ruled.ruling}"
        )


def _of_tournament(hand: Sequence[Recorded]) -> Ruled | None:
    """The ruling that did something to the tournament when the hand became final, if any."""
    final = next((n for n, r in enumerate(hand) if isinstance(r.event, Finalised | Confirmed)), None)
    if final is None or not any(isinstance(r.event, Ruled) for r in hand):
        return None
    first = next(n for n, r in enumerate(hand) if r.command == hand[final].command)
    before, after = (hands.folded([r.event for r in hand[:upto]]) for upto in (first, final + 1))
    return tournament_rulings.taking_effect(before, after)


def _follows(event: Event, ruled: Ruled, hand: hands.Hand) -> bool:
    """Whether an event tells what came of a ruling; that it is right is judged with its tournament."""
    if event == tournament_rulings.lapsed(hand, ruled):
        return True
    return isinstance(event, Cancelled) and event.reason == ruled.reason


def _lapsed(log: Log, r: Recorded, event: RulingLapsed) -> Iterator[Violation]:
    hand = log.streams([event.hand_id]).get(event.hand_id, [])
    ruled = _of_tournament(hand)
    final = next((e for e in hand if isinstance(e.event, Finalised | Confirmed)), None)
    if ruled is None or ruled.ruling != event.ruling or final is None or final.command != r.command:
        yield at("I6", r, f"does not follow from the rulings on hand {event.hand_id}")
