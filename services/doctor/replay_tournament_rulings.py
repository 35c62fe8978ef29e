"""I6 of rulings that do something to a tournament: it records what follows from each, once, when its hand is final."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from domain import hand as hands
from domain import tournament_rulings
from domain.dispute_events import Ruled
from domain.hand import Hand
from domain.hand_events import Confirmed, Finalised
from domain.ids import TournamentId, roster_id
from domain.roster import ROSTER, Roster
from domain.tournament import TOURNAMENT
from domain.tournament_events import (
    Cancelled,
    DealsCommitted,
    PlayerReinstated,
    PlayerReplaced,
    ReplacementOrdered,
    RulingLapsed,
)
from domain.tournament_rulings import Following, follows
from services.doctor.reading import Streams
from services.doctor.violation import Violation, at
from services.envelope import Recorded

FOLLOWING = (RulingLapsed, PlayerReinstated, ReplacementOrdered)


WITH_THEM = (DealsCommitted, PlayerReplaced)
"""What may stand beside them in the same append."""


def followed(log: Streams, tournament: Sequence[Recorded]) -> Iterator[Violation]:
    """Everything that the tournament records of a ruling follows from it, as the tournament stood."""
    for n, r in enumerate(tournament):
        if not isinstance(r.event, FOLLOWING):
            continue
        at_roster = roster_id(TournamentId(r.stream))
        streams = log.streams([r.event.hand_id, at_roster])
        hand, entries = (streams.get(stream, []) for stream in (r.event.hand_id, at_roster))
        ended, ruled = _ruled(hand)
        before = reduce(TOURNAMENT.evolve, (e.event for e in tournament[:n]), None)
        entered = reduce(
            ROSTER.evolve,
            (e.event for e in entries if e.command != r.command and e.position < r.position),
            None,
        )
        final = next((e for e in hand if isinstance(e.event, Finalised | Confirmed)), None)
        due = follows(before, entered or Roster(), ended, ruled) if before and ended and ruled else None
        same = [e.event for e in tournament if e.command == r.command]
        if (
            due and before and before.structure.recorded
        ):  # a look at the tables may follow: that is judged with them
            same = same[: len(due.tournament)]
        stored = Following(
            [event for event in same if isinstance(event, (*FOLLOWING, *WITH_THEM))],
            [e.event for e in entries if e.command == r.command],
        )
        if due != stored or final is None or final.command != r.command:
            yield at("I6", r, f"does not follow from the rulings on hand {r.event.hand_id}")


def brought_about(log: Streams, hand: Sequence[Recorded]) -> Iterator[Violation]:
    """The tournament of a final hand tells what came of its ruling."""
    ended, ruled = _ruled(hand)
    if ended is None or ruled is None or ended.tournament_id is None:
        return
    final = next(r for r in hand if isinstance(r.event, Finalised | Confirmed))
    events = log.streams([ended.tournament_id]).get(ended.tournament_id, [])
    then = [r.event for r in events if r.command == final.command]
    told = any(
        event.reason == ruled.reason if isinstance(event, Cancelled) else isinstance(event, FOLLOWING)
        for event in then
    )
    if not told:
        what = f"is final, and its tournament does not tell what came of the ruling {ruled.ruling}"
        yield at("I6", final, what)


def _ruled(hand: Sequence[Recorded]) -> tuple[Hand | None, Ruled | None]:
    """A hand as it became final, and the ruling that did something to the tournament then, if any."""
    final = next((n for n, r in enumerate(hand) if isinstance(r.event, Finalised | Confirmed)), None)
    if final is None or not any(isinstance(r.event, Ruled) for r in hand):
        return None, None
    first = next(n for n, r in enumerate(hand) if r.command == hand[final].command)
    before, after = (hands.folded([r.event for r in hand[:upto]]) for upto in (first, final + 1))
    return after, tournament_rulings.taking_effect(before, after)
