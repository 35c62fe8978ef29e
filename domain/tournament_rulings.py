"""Rulings on a hand that do something to its tournament.

It is cancelled; a player who is out is reinstated; another player takes over from one. They leave the hand as it was
played, or void it where it runs, and take effect when it is final. What follows then is recorded by the tournament;
where it has moved on by then nothing follows, and that is recorded too. Nobody rules so, nor punishes, in a tournament
of his own.
"""

from __future__ import annotations

from typing import Final

import msgspec

from domain.dispute import penalties_of
from domain.dispute_events import Person, PlayerRuled, Ruled, RulingKind, SubstituteRuled
from domain.errors import Conflicting, NotAllowed, Refused
from domain.events import Event
from domain.hand import Hand, State
from domain.ids import PlayerId
from domain.roster import Roster, Substituted
from domain.tournament import State as Stage
from domain.tournament import Tournament, commit_deals
from domain.tournament_events import PlayerReinstated, PlayerReplaced, ReplacementOrdered, RulingLapsed

OF_TOURNAMENTS: Final[frozenset[RulingKind]] = frozenset({"cancel", "reinstate", "replace"})
OVER: Final = frozenset({State.FINAL, State.VOIDED})


class Following(msgspec.Struct, frozen=True):
    """What a tournament and its roster record of a ruling that takes effect."""

    tournament: list[Event]
    roster: list[Event]


def must_fit(hand: Hand, ruling: RulingKind, seat: int | None) -> None:
    """Raises Refused where the hand is of no tournament, or was played without its `seat`, or for points."""
    errors = {}
    if hand.tournament_id is None:
        errors["/ruling"] = "is of a hand of a tournament, and this one was dealt at a ring table"
    elif ruling != "cancel" and any(s.stack is None for s in hand.terms.seats):
        errors["/ruling"] = "is of a tournament with stacks, and this one is played for points"
    if seat is not None and seat not in (s.seat for s in hand.terms.seats):
        errors["/seat"] = "was not dealt in"
    if errors:
        raise Refused("validation", "This cannot be ruled here.", errors)


def must_be_possible(t: Tournament, roster: Roster, hand: Hand, ruled: Ruled) -> None:
    """Raises where the ruling could do nothing: Conflicting once the tournament is over, Refused by what is wrong."""
    if t.over:
        raise Conflicting("tournament-over", f"The tournament is {t.state} already.")
    errors = {}
    match ruled:
        case PlayerRuled():
            errors = _not_to_reinstate(t, hand, ruled)
        case SubstituteRuled():
            errors = _not_to_replace(t, roster, hand, ruled)
    if errors:
        raise Refused("validation", "This cannot be ruled as things stand.", errors)


def must_not_be_his_own(roster: Roster, by: Person, ruled: Ruled) -> None:
    """Raises NotAllowed to who is, was or would be in the tournament, for what decides who plays on there: a ruling of
    this module, or a penalty. On what another table's hand comes to he may rule."""
    decides = ruled.ruling in OF_TOURNAMENTS or penalties_of(ruled)
    if by.player_id is None or not decides:
        return
    would_be = isinstance(ruled, SubstituteRuled) and ruled.player_id == by.player_id
    if would_be or roster.knows(by.player_id):
        raise NotAllowed(
            "forbidden",
            "Who plays in this tournament decides not who else does, nor punishes: ask another director.",
        )


def must_take_penalties(t: Tournament, ruled: Ruled) -> None:
    """Raises Conflicting where a cancellation has shared the pool, which no disqualification divides again."""
    disqualifies = any(each.penalty == "disqualification" for each in penalties_of(ruled))
    if disqualifies and t.state is Stage.CANCELLED:
        raise Conflicting(
            "tournament-over", "The tournament is cancelled: its places and prizes stay as they were shared."
        )


def taking_effect(before: Hand, after: Hand) -> Ruled | None:
    """The ruling that does something to the tournament now, for the hand has become final."""
    if before.state in OVER or after.state not in OVER or not after.dispute.rulings:
        return None
    ruled = after.dispute.rulings[-1]
    return ruled if ruled.ruling in OF_TOURNAMENTS and after.tournament_id is not None else None


def follows(t: Tournament, roster: Roster, hand: Hand, ruled: Ruled) -> Following | None:
    """What is recorded of a ruling that takes effect; null of a cancellation, which takes more streams."""
    try:
        must_be_possible(t, roster, hand, ruled)
    except (Conflicting, Refused):
        return Following([RulingLapsed(hand_id=hand.hand_id, ruling=ruled.ruling)], [])
    match ruled:
        case PlayerRuled():
            return Following(_reinstated(t, hand, ruled), [])
        case SubstituteRuled():
            return _replaced(t, hand, ruled)
    return None


def _reinstated(t: Tournament, hand: Hand, ruled: PlayerRuled) -> list[Event]:
    """He may need a table of his own: what that will deal is committed to before anybody knows who sits there."""
    player = _plays_for(t, hand, ruled.seat)
    back = PlayerReinstated(
        player_id=player, hand_id=hand.hand_id, number=t.reinstated + 1, chips=ruled.chips
    )
    rooted_up_to_here = not t.structure.recorded and t.rooted_tables == t.tables_drawn
    return [back, commit_deals(t, [t.tables_drawn + 1])] if rooted_up_to_here else [back]


def _replaced(t: Tournament, hand: Hand, ruled: SubstituteRuled) -> Following:
    """Who has no seat yet has no stack either, and is replaced at once."""
    old, new = _plays_for(t, hand, ruled.seat), ruled.player_id
    made: list[Event] = [ReplacementOrdered(player_id=old, substitute_id=new, hand_id=hand.hand_id)]
    if any(coming.player_id == old for coming in t.coming):
        made += [PlayerReplaced(player_id=old, substitute_id=new, hand_id=hand.hand_id, chips=0)]
    return Following(made, [Substituted(tournament_id=t.tournament_id, player_id=old, substitute_id=new)])


def _not_to_reinstate(t: Tournament, hand: Hand, ruled: PlayerRuled) -> dict[str, str]:
    errors = {}
    player, most = _plays_for(t, hand, ruled.seat), t.entry_count * t.structure.stack
    if not _is_out(t, player):
        errors["/seat"] = "is a player's who is not out"
    if ruled.chips > most:
        errors["/chips"] = f"must be at most the {most} chips of all entries"
    return errors


def _not_to_replace(t: Tournament, roster: Roster, hand: Hand, ruled: SubstituteRuled) -> dict[str, str]:
    errors = {}
    player = _plays_for(t, hand, ruled.seat)
    if _is_out(t, player):
        errors["/seat"] = "is a player's who is out"
    elif player in t.replacements:
        errors["/seat"] = "is a player's who is replaced after this hand"
    if roster.knows(ruled.player_id):
        errors["/player_id"] = "is in this tournament, or was"
    return errors


def _is_out(t: Tournament, player: PlayerId) -> bool:
    return any(out.player_id == player for out in t.outs)


def _plays_for(t: Tournament, hand: Hand, seat: int) -> PlayerId:
    """Who was dealt in there, or has taken over from him since."""
    return t.playing_for(next(s.player_id for s in hand.terms.seats if s.seat == seat))
