"""I6 of rulings: a tournament corrects what the rulings on its hands come to, each once, when the hand is final."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from domain import hand as hands
from domain import rulings
from domain.hand_events import Confirmed, Finalised
from domain.tournament_events import ResultCorrected
from services.doctor.reading import Log
from services.doctor.violation import Violation, at
from services.envelope import Recorded


def corrections(log: Log, tournament: Sequence[Recorded]) -> Iterator[Violation]:
    """Each correction follows from its hand, and is that hand's only one."""
    corrected = set()
    for r in tournament:
        if not isinstance(r.event, ResultCorrected):
            continue
        hand = log.streams([r.event.hand_id]).get(r.event.hand_id, [])
        same = [e for e in hand if e.command == r.command and isinstance(e.event, Finalised | Confirmed)]
        due = rulings.correction(hands.folded([e.event for e in hand])) if same else None
        if due != r.event or r.event.hand_id in corrected:
            yield at("I6", r, f"does not follow from the rulings on hand {r.event.hand_id}")
        corrected.add(r.event.hand_id)


def made(log: Log, hand: Sequence[Recorded]) -> Iterator[Violation]:
    """The correction that a final hand's ruling comes to stands in its tournament."""
    due = rulings.correction(hands.folded([r.event for r in hand]))
    if due is None:
        return
    final = next(r for r in hand if isinstance(r.event, Finalised | Confirmed))
    tournament = hands.folded([hand[0].event, hand[1].event]).tournament_id
    assert tournament is not None
    events = log.streams([tournament]).get(tournament, [])
    if not any(r.event == due and r.command == final.command for r in events):
        yield at("I6", final, "is final, and its tournament has not the correction that its ruling comes to")
