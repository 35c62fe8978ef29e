"""Rulings on a hand that do something to its tournament: it is cancelled, or a player who is out is reinstated.

They leave the hand as it was played, or void it where it runs, and take effect when it is final. What follows then is
recorded by the tournament; where it has moved on by then nothing follows, and that is recorded too.
"""

from __future__ import annotations

from typing import Final

from domain.dispute_events import PlayerRuled, Ruled, RulingKind
from domain.errors import Conflicting, Refused
from domain.events import Event
from domain.hand import Hand, State
from domain.ids import PlayerId
from domain.tournament import Tournament, commit_deals
from domain.tournament_events import PlayerReinstated, RulingLapsed

OF_TOURNAMENTS: Final[frozenset[RulingKind]] = frozenset({"cancel", "reinstate"})
OVER: Final = frozenset({State.FINAL, State.VOIDED})


def must_fit(hand: Hand, ruling: RulingKind, seat: int | None) -> None:
    """Raises Refused where the hand is of no tournament, or was played without its `seat`, or for points."""
    errors = {}
    if hand.tournament_id is None:
        errors["/ruling"] = "is of a hand of a tournament, and this one was dealt at a ring table"
    elif ruling == "reinstate" and any(s.stack is None for s in hand.terms.seats):
        errors["/ruling"] = "is of a tournament with stacks: in this one nobody goes out"
    if seat is not None and seat not in (s.seat for s in hand.terms.seats):
        errors["/seat"] = "was not dealt in"
    if errors:
        raise Refused("validation", "This cannot be ruled here.", errors)


def must_be_possible(t: Tournament, hand: Hand, ruled: Ruled) -> None:
    """Raises where the ruling could do nothing: Conflicting once the tournament is over, Refused by what is wrong."""
    if t.over:
        raise Conflicting("tournament-over", f"The tournament is {t.state} already.")
    if isinstance(ruled, PlayerRuled) and (errors := _not_to_reinstate(t, hand, ruled)):
        raise Refused("validation", "This player cannot be reinstated so.", errors)


def taking_effect(before: Hand, after: Hand) -> Ruled | None:
    """The ruling that does something to the tournament now, for the hand has become final."""
    if before.state in OVER or after.state not in OVER or not after.dispute.rulings:
        return None
    ruled = after.dispute.rulings[-1]
    return ruled if ruled.ruling in OF_TOURNAMENTS and after.tournament_id is not None else None


def follows(t: Tournament, hand: Hand, ruled: Ruled) -> list[Event] | None:
    """What the tournament records of a ruling that takes effect; null of its cancellation, which takes more streams."""
    try:
        must_be_possible(t, hand, ruled)
    except (Conflicting, Refused):
        return [RulingLapsed(hand_id=hand.hand_id, ruling=ruled.ruling)]
    return _reinstated(t, hand, ruled) if isinstance(ruled, PlayerRuled) else None


def _reinstated(t: Tournament, hand: Hand, ruled: PlayerRuled) -> list[Event]:
    """He may need a table of his own: what that will deal is committed to before anybody knows who sits there."""
    player = _player_at(hand, ruled.seat)
    back = PlayerReinstated(
        player_id=player, hand_id=hand.hand_id, number=t.reinstated + 1, chips=ruled.chips
    )
    rooted_up_to_here = not t.structure.recorded and t.rooted_tables == t.tables_drawn
    return [back, commit_deals(t, [t.tables_drawn + 1])] if rooted_up_to_here else [back]


def _not_to_reinstate(t: Tournament, hand: Hand, ruled: PlayerRuled) -> dict[str, str]:
    errors = {}
    player, most = _player_at(hand, ruled.seat), t.entry_count * t.structure.stack
    if not any(out.player_id == player for out in t.outs):
        errors["/seat"] = "is a player's who is not out"
    if ruled.chips > most:
        errors["/chips"] = f"must be at most the {most} chips of all entries"
    return errors


def _player_at(hand: Hand, seat: int) -> PlayerId:
    return next(s.player_id for s in hand.terms.seats if s.seat == seat)
