"""I6 of rulings: a tournament does what the rulings on its hands order, each once, when the hand is final."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from domain import hand as hands
from domain.hand_events import Confirmed, Finalised
from domain.tournament_events import PenaltiesImposed, ResultCorrected
from services.application.outcomes import ordered
from services.doctor.reading import Streams
from services.doctor.violation import Violation, at
from services.envelope import Recorded


def corrections(log: Streams, tournament: Sequence[Recorded]) -> Iterator[Violation]:
    """Each correction, and each penalty, follows from its hand, and is that hand's only one."""
    done = set()
    for r in tournament:
        if not isinstance(r.event, ResultCorrected | PenaltiesImposed):
            continue
        hand = log.streams([r.event.hand_id]).get(r.event.hand_id, [])
        same = [e for e in hand if e.command == r.command and isinstance(e.event, Finalised | Confirmed)]
        due = ordered(hands.folded([e.event for e in hand])) if same else []
        this = (r.event.hand_id, type(r.event))
        if r.event not in due or this in done:
            yield at("I6", r, f"does not follow from the rulings on hand {r.event.hand_id}")
        done.add(this)


def made(log: Streams, hand: Sequence[Recorded]) -> Iterator[Violation]:
    """What a final hand's ruling orders stands in its tournament."""
    due = ordered(hands.folded([r.event for r in hand]))
    if not due:
        return
    final = next(r for r in hand if isinstance(r.event, Finalised | Confirmed))
    tournament = hands.folded([hand[0].event, hand[1].event]).tournament_id
    assert tournament is not None
    events = log.streams([tournament]).get(tournament, [])
    done = [r.event for r in events if r.command == final.command]
    if not all(event in done for event in due):
        yield at("I6", final, "is final, and its tournament has not done what its ruling orders")
